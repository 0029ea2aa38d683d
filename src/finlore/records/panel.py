"""Prices of many securities as arrays, one row a session, one column a security.

Arrays are owned by who holds the panel and are never written to.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from finlore.records.document import Issue
from finlore.records.market import Adjustment

Days = NDArray[np.datetime64]  # datetime64[D]
Prices = NDArray[np.float64]
Mask = NDArray[np.bool_]
Instants = NDArray[np.int64]
LATELY: Final = 20
"""Sessions: who has had no bars for longer is suspended for long, or gone."""
_FROM_THURSDAY: Final = 3  # the days of numpy count from a Thursday
_BY_SESSION: Final = (
    "days", "open", "high", "low", "close", "volume", "factor", "upper", "lower", "traded", "special", "opened_at",
    "known_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PricePanel:
    """What a market did on its sessions. Shapes: n = len(days), m = len(codes).

    `open`, `high`, `low`, `close` (n, m), in units of the currency a share; NaN where there is no bar. `volume` (n, m)
    in shares; NaN unknown. Prices are as `adjustment` says; `factor` (n, m) times a price is its total return level,
    all ones where prices are adjusted themselves or nobody tells. `upper`, `lower` (n, m): the most and the least at
    which one could trade, in the same prices; NaN without a limit or where it is not known. `traded` (n, m): shares
    changed hands; a listed security that did not trade is suspended. `special` (n, m): under special treatment (ST).
    `listed`, `delisted` (m,): first and last day, NaT where nobody tells. `opened_at`, `known_at` (n,): the instants of
    each open and each close. A price at or beyond its limit is at the limit.
    `inferred` names what was concluded from prices because the source does not tell (limits, suspensions, …).
    """

    days: Days
    codes: tuple[str, ...]
    names: tuple[str, ...]
    open: Prices
    high: Prices
    low: Prices
    close: Prices
    volume: Prices
    factor: Prices
    upper: Prices
    lower: Prices
    traded: Mask
    special: Mask
    listed: Days
    delisted: Days
    opened_at: Instants
    known_at: Instants
    adjustment: Adjustment
    inferred: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()

    def sessions(self, rows: slice) -> "PricePanel":
        """The same securities on some of the sessions."""
        cut: dict[str, Any] = {name: getattr(self, name)[rows] for name in _BY_SESSION}
        return replace(self, **cut)


@dataclass(frozen=True, slots=True, eq=False)
class IndexSeries:
    """Closes of an index (n,) on `days` (n,), ascending; `total_return` where dividends are in it."""

    code: str
    name: str
    days: Days
    closes: Prices
    total_return: bool = False


def week_of(days: Days) -> NDArray[np.int64]:
    """(n,) the number of the calendar week of each day, from Monday; consecutive weeks have consecutive numbers."""
    return (days.astype(np.int64) + _FROM_THURSDAY) // 7


def fell_silent(has_bar: Mask, delisted: Days) -> Mask:
    """(m,) whether a security that had bars (n, m) has had none of late, and no day of delisting (m,) is told."""
    return np.asarray(has_bar.any(axis=0) & ~has_bar[-LATELY:].any(axis=0) & np.isnat(delisted), np.bool_)
