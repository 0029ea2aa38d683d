"""Bars that cannot be, and what a panel lacks."""

from dataclasses import dataclass
from datetime import date
from functools import reduce
from typing import Final

import numpy as np

from finlore.adapters.market.bars import Laid
from finlore.adapters.market.columns import DEAREST
from finlore.adapters.market.findings import Findings, counted
from finlore.records.panel import LATELY, Days, Mask, Prices, fell_silent

_HAIR: Final = 1e-6
_STILL: Final = 0.011
"""How far the price of a day without trading may stand from the one before it: rounding."""
_MANY: Final = 0.5
"""Of the securities of the session before: when fewer have bars, bars are missing rather than trading is."""


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """(n, m) each, NaN where there is no bar that can be. `volume` NaN where it is not told."""

    open: Prices
    high: Prices
    low: Prices
    close: Prices
    volume: Prices


def possible_bars(laid: Laid, findings: Findings) -> Bars:
    """The bars of which nothing is impossible; the others are counted, never repaired."""
    told = {name: laid.grid(name) for name in ("open", "high", "low", "close")}
    prices = {name: grid for name, grid in told.items() if grid is not None}
    has_bar, usable = laid.has_bar, reduce(np.logical_and, [(grid > 0) & (grid < np.inf) for grid in prices.values()])
    suspended = laid.grid("suspended")
    unpriced = has_bar & ~usable if suspended is None else has_bar & ~usable & ~(suspended > 0)
    findings.count(unpriced, laid.days, laid.codes, "no price above zero, not used")
    volume = laid.grid("volume")
    volume = np.full(laid.shape, np.nan) if volume is None else volume
    for impossible, what in (
        (reduce(np.logical_or, [grid > DEAREST for grid in prices.values()]), f"a price above {DEAREST:,.0f} a share"),
        (_is_outside(prices), "outside of its own high and low"),
        (volume < 0, "a negative volume"),
        (_moves(prices, volume == 0), "moved without any volume"),
    ):
        findings.count(usable & impossible, laid.days, laid.codes, f"{what}, not used")
        usable &= ~impossible
    for grid in (*prices.values(), volume):
        grid[~usable] = np.nan
    opening, high, low, close = (prices.get(name, np.full(laid.shape, np.nan)) for name in told)
    return Bars(opening, high, low, close, volume)


def _is_outside(prices: dict[str, Prices]) -> Mask:
    inner = [prices[name] for name in ("open", "close") if name in prices]
    outside = np.zeros(inner[0].shape, bool)
    if (top := prices.get("high")) is not None:
        outside |= reduce(np.maximum, [*inner, prices.get("low", inner[0])]) > top * (1 + _HAIR)
    if (bottom := prices.get("low")) is not None:
        outside |= reduce(np.minimum, inner) < bottom * (1 - _HAIR)
    return outside


def _moves(prices: dict[str, Prices], still: Mask) -> Mask:
    """Within the day, or from the last close, on a day that should be still."""
    if not still.any():
        return still
    every = list(prices.values())
    within = reduce(np.maximum, every) - reduce(np.minimum, every) > _HAIR
    moves: Mask = still & (within | (np.abs(prices["close"] - previous(prices["close"])) > _STILL))
    return moves


def carry(values: Prices) -> Prices:
    """(n, m) the last one that is no NaN."""
    rows = np.where(np.isnan(values), 0, np.arange(len(values))[:, None])
    return np.take_along_axis(values, np.maximum.accumulate(rows, axis=0), axis=0)


def previous(values: Prices) -> Prices:
    """(n, m) the last one that is no NaN before each row."""
    before = np.full_like(values, np.nan)
    before[1:] = carry(values)[:-1]
    return before


def tell_missing(close: Prices, laid: Laid, delisted: Days, last: date, findings: Findings) -> None:
    """Holes: sessions without bars, with few, days inside the life of a security; securities that are gone without a
    word, or that nobody ever leaves."""
    if np.isnan(close).all():
        findings.tell(f"there are no bars that could be used by {last}", "rejected")
        return
    days, codes, has_bar = laid.days, laid.codes, ~np.isnan(close)
    per_session = has_bar.sum(axis=1)
    if (empty := per_session == 0).any():
        findings.tell(f"{counted(int(empty.sum()), 'session')} without any bar, such as {days[empty][0]}", "warning")
    few = np.append(False, (per_session[1:] < _MANY * per_session[:-1]) & (per_session[1:] > 0))
    if few.any():
        findings.tell(
            f"{counted(int(few.sum()), 'session')} with bars of few securities, such as {days[few][0]}", "warning"
        )
    inside = np.maximum.accumulate(has_bar, axis=0) & np.maximum.accumulate(has_bar[::-1], axis=0)[::-1] & ~has_bar
    findings.count(inside, days, codes, "missing between others, taken as not traded", "note")
    suspended = laid.grid("suspended")
    unusable = laid.has_bar.any(axis=0) & ~has_bar.any(axis=0)
    if suspended is not None:
        unusable &= ~(suspended > 0).any(axis=0)
    if unusable.any():
        n, example = int(unusable.sum()), codes[int(unusable.argmax())]
        who = "1 security has" if n == 1 else f"{n:,} securities have"
        findings.tell(f"{who} bars of which none can be used, such as {example}", "warning")
    silent = np.flatnonzero(fell_silent(laid.has_bar, delisted))
    if len(silent):
        who = "1 security has" if len(silent) == 1 else f"{len(silent):,} securities have"
        findings.tell(
            f"{who} no bars in the last {LATELY} sessions and no delisting date, such as {codes[silent[0]]}: taken as "
            "suspended, held at the last close",
            "warning",
        )
    elif np.isnat(delisted).all():
        findings.tell("no security ever leaves: those that were delisted seem to be missing (survivors only)")
