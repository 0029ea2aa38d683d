"""Synthetic markets on weekdays, kept for all tests that look at one, and what is measured of them."""

from datetime import date
from functools import cache

import numpy as np

from finlore.adapters.market.synthetic.market import SyntheticMarket
from finlore.records.panel import PricePanel, Prices
from tests.adapters.market.folders import Weekdays

WEEKDAYS = Weekdays("2024-02-12", "2024-02-13", "2024-02-14", "2024-02-15", "2024-02-16", "2024-10-01", "2024-10-02")
FIRST, LAST = date(2024, 1, 2), date(2025, 12, 31)
EARLY = date(2024, 9, 18)  # a Wednesday


@cache
def market(seed: int = 3, last: date = LAST) -> SyntheticMarket:
    return SyntheticMarket(calendar=WEEKDAYS, seed=seed, first=FIRST, last=last)


@cache
def panel(seed: int = 3) -> PricePanel:
    return market(seed).panel(FIRST, LAST)


def returns(of: PricePanel) -> Prices:
    """(n - 1, m) total returns; NaN where one of two days has no price."""
    levels = of.close * of.factor
    return levels[1:] / levels[:-1] - 1


def week_ends(of: PricePanel) -> np.ndarray:
    """Rows of the last sessions of weeks, that of the last week left out."""
    return np.flatnonzero(np.diff((of.days.astype(int) + 3) // 7))


def rank_correlations(values: Prices, later: Prices) -> np.ndarray:
    """(k,) of each pair of rows (k, m), over what both know; rows with fewer than 50 are left out."""
    found = []
    for left, right in zip(values, later, strict=True):
        known = np.isfinite(left) & np.isfinite(right)
        if known.sum() >= 50:
            ranks = [np.argsort(np.argsort(side[known], kind="stable")) for side in (left, right)]
            found.append(np.corrcoef(ranks)[0, 1])
    return np.array(found)
