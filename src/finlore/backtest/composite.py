"""The composite: what prices alone say of securities at one close, by a fixed specification.

z = mean of the cross-sectional percentile ranks of -(20-day return less the mean of its industry), -(20-day volatility)
and -(highest daily return in 20 days). P(beats the median) = .5 + .05 (2 pct(z) - 1); P(rise) = prior + the same,
between .45 and .55; the prior is the share of stock-weeks that rose in all weeks that were over by then, .5 where that
is less than two years. The worst fifth is to be avoided. Nothing was fitted; whoever changes it tries a variant.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from finlore.backtest.weeks import last_of_week
from finlore.records.panel import Mask, PricePanel, Prices

SESSIONS: Final = 20
_SPREAD: Final = 0.05
_MOST: Final = 0.55
_WORST: Final = 0.2
_TWO_YEARS: Final = np.timedelta64(730, "D")
Industries = Callable[[Sequence[str], date], Sequence[str | None]]
"""(codes, day) -> the class of the industry of each, at its first level."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Of each security of a panel (m,) at one close: `percentile` of z from 0 to 1, NaN without bars on the last 21
    sessions; `prior` of a rise."""

    percentile: Prices
    prior: float

    @property
    def p_beats(self) -> Prices:
        return 0.5 + self._lean

    @property
    def p_rise(self) -> Prices:
        return np.asarray(np.clip(self.prior + self._lean, 1.0 - _MOST, _MOST), np.float64)

    @property
    def is_avoided(self) -> Mask:
        return self.percentile <= _WORST

    @property
    def is_top_half(self) -> Mask:
        return self.percentile > 0.5

    @property
    def _lean(self) -> Prices:
        return np.asarray(_SPREAD * (2.0 * self.percentile - 1.0), np.float64)


class Composite:
    """Scores of the securities of a panel at any of its closes; a score is made of that close and those before it."""

    def __init__(self, panel: PricePanel, industries: Industries) -> None:
        self._panel, self._industries = panel, industries
        self._levels = np.where((panel.close > 0) & np.isfinite(panel.close), panel.close, np.nan) * panel.factor
        self._week_ends = last_of_week(panel.days)
        weekly = self._levels[self._week_ends]
        moves = weekly[1:] - weekly[:-1]
        self._rose = np.cumsum((moves > 0).sum(axis=1))
        self._known = np.cumsum(np.isfinite(moves).sum(axis=1))

    def at(self, row: int) -> Scores:
        return Scores(self._percentile(row), self._prior(row))

    def _percentile(self, row: int) -> Prices:
        panel = self._panel
        found = np.full(len(panel.codes), np.nan)
        window = self._levels[max(row - SESSIONS, 0) : row + 1]
        rated = np.flatnonzero(np.isfinite(window).all(axis=0)) if len(window) > SESSIONS else np.zeros(0, np.int64)
        if not len(rated):
            return found
        levels = window[:, rated]
        daily = levels[1:] / levels[:-1] - 1.0
        made = levels[-1] / levels[0] - 1.0
        codes = [panel.codes[asset] for asset in rated.tolist()]
        own = made - _mean_of_group(made, self._industries(codes, panel.days[row].item()))
        parts = (own, daily.std(axis=0, ddof=1), daily.max(axis=0))
        found[rated] = percentiles(np.mean([percentiles(-part) for part in parts], axis=0))
        return found

    def _prior(self, row: int) -> float:
        """Of the weeks that were over when the week of this session began."""
        days = self._panel.days
        ended = int(np.searchsorted(self._week_ends, row, side="left"))  # the week of the session itself left out
        pairs = ended - 1
        if pairs < 1 or days[self._week_ends[pairs]] - days[0] < _TWO_YEARS or not self._known[pairs - 1]:
            return 0.5
        return float(self._rose[pairs - 1] / self._known[pairs - 1])


def percentiles(values: Prices) -> Prices:
    """Where each value stands among all, from 0 to 1, equal ones at the middle of their places."""
    _, of, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    return np.asarray(middle[of] / max(len(values), 1), np.float64)


def _mean_of_group(values: Prices, groups: Sequence[str | None]) -> Prices:
    """Of each value the mean of its group; those without one are a group."""
    _, of = np.unique([group or "" for group in groups], return_inverse=True)
    return np.asarray((np.bincount(of, values) / np.bincount(of))[of], np.float64)
