"""The most and the least at which one could trade on a day, by the table of bands `market/limits.toml`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from finlore import resources
from finlore.errors import ConfigurationError
from finlore.records.market import Adjustment
from finlore.records.panel import Days, Mask, Prices

_TABLE: Final = "market/limits.toml"
_CENT: Final = 0.01
_ADJUSTED: Final = 0.0156
"""Half a cent each for the rounding of the limit, of the adjusted price and of the one before it (and its band)."""
_BACKWARD: Final = 0.002
"""Of the price: a cent counts more after backward adjustment, and how much more nobody tells."""
_HAIR: Final = 1e-6


@dataclass(frozen=True, slots=True)
class _Board:
    """`ordinary`, `special`: (from, how far a price may move); `free`: (listed from, sessions without a limit)."""

    market: str
    prefixes: tuple[str, ...]
    tick: float
    ordinary: tuple[tuple[date, float], ...]
    special: tuple[tuple[date, float], ...]
    free: tuple[tuple[date, float], ...]

    def holds(self, code: str) -> bool:
        digits, _, market = code.partition(".")
        return market == self.market and digits.startswith(self.prefixes)


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """(n, m) each; `broken`: the day went further than the table allows, so that its limits are not known."""

    upper: Prices
    lower: Prices
    broken: Mask


def bands_of(days: Days, codes: Sequence[str], special: Mask, listed: Days) -> tuple[Prices, NDArray[np.float64]]:
    """(n, m) how far each may move, NaN without a limit, and the tick of each (m,). `listed`: NaT for long ago."""
    bands = np.full((len(days), len(codes)), np.nan)
    ticks = np.full(len(codes), _CENT)
    for board in _boards():
        here = np.array([board.holds(code) for code in codes], bool)
        if not here.any():
            continue
        ordinary, strict = (_in_force(days, rows) for rows in (board.ordinary, board.special))
        bands[:, here] = np.where(special[:, here], strict[:, None], ordinary[:, None])
        ticks[here] = board.tick
        free = np.nan_to_num(_in_force(listed[here], board.free))
        bands[:, here] = np.where(_sessions_since(days, listed[here]) < free, np.nan, bands[:, here])
    return bands, ticks


def infer_limits(
    reference: Prices,
    high: Prices,
    low: Prices,
    *,
    bands: Prices,
    ticks: Prices,
    adjustment: Adjustment,
    is_shifted: Mask,
) -> Limits:
    """Limits around the price before, rounded to ticks where prices are what was paid. Where they are adjusted, or the
    price before is (`is_shifted`), limits are known to about a cent: a high (a low) that is as near counts as one."""
    slack: Prices | float
    if adjustment == "none":
        slack = np.where(is_shifted, ticks, 0.0) + _HAIR
    else:
        slack = (_ADJUSTED if adjustment == "forward" else _BACKWARD * reference) + _HAIR
    broken = np.zeros(reference.shape, bool)
    limits = []
    for extreme, sign in ((high, 1.0), (low, -1.0)):
        limit = reference * (1 + sign * bands)
        if adjustment == "none":
            limit = np.round(np.floor(limit / ticks + 0.5 + _HAIR) * ticks, 3)
        past = sign * (extreme - limit)
        broken |= past > slack
        limits.append(np.where(np.abs(past) <= slack, extreme, limit))
    for limit in limits:
        limit[broken] = np.nan
    return Limits(limits[0], limits[1], broken)


def _in_force(days: Days, rows: Sequence[tuple[date, float]]) -> Prices:
    """(k,) the value that holds on each day, NaN before the first and for NaT."""
    since = np.array([day for day, _ in rows], "datetime64[D]")
    values = np.array([np.nan, *(value for _, value in rows)])
    at = np.searchsorted(since, days, side="right")
    return np.where(np.isnat(days), np.nan, values[at])


def _sessions_since(days: Days, listed: Days) -> NDArray[np.float64]:
    """(n, k) sessions after the first one of each security; weekdays stand in for those before the first of `days`."""
    known = np.where(np.isnat(listed), np.datetime64("1970-01-01"), listed)
    first = np.searchsorted(days, known)
    before = np.busday_count(np.minimum(known, days[0]), days[0]) if len(days) else np.zeros(len(known))
    return np.arange(len(days))[:, None] - first + before


@cache
def _boards() -> tuple[_Board, ...]:
    try:
        return tuple(_board(board) for board in resources.load_toml(_TABLE)["board"])
    except (KeyError, TypeError) as error:
        raise ConfigurationError(f"{_TABLE}: a board lacks or misspells {error}") from error


def _board(row: Mapping[str, Any]) -> _Board:
    return _Board(
        row["market"],
        tuple(row["prefixes"]),
        row["tick"],
        tuple(sorted((band["from"], band["ordinary"]) for band in row["bands"])),
        tuple(sorted((band["from"], band["special"]) for band in row["bands"])),
        tuple(sorted((rule["from"], rule["sessions"]) for rule in row["free"])),
    )
