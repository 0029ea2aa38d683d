"""The most and the least at which one could trade on a day, by the table of bands `market/limits.toml`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from finlore import resources
from finlore.adapters.market.checks import Bars, previous
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
_WINDOW: Final = 40
_STOPS: Final = 2
Columns = NDArray[np.int64]


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
class Bands:
    """How far prices may move: (n, m) each, NaN without a limit; `ticks` (m,)."""

    ordinary: Prices
    special: Prices
    ticks: Prices


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """(n, m) each; `broken`: the day went further than the table allows, so that its limits are not known."""

    upper: Prices
    lower: Prices
    broken: Mask


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """What prices did (n, m) from a `reference`, the close before in today's terms. `slack`: how far a limit that is
    worked out may lie from the real one; `rounds`: whether limits are rounded to ticks."""

    reference: Prices
    high: Prices
    low: Prices
    close: Prices
    slack: Prices
    rounds: bool

    def only(self, columns: Columns) -> "Moves":
        arrays = (self.reference, self.high, self.low, self.close, self.slack)
        reference, high, low, close, slack = (array[:, columns] for array in arrays)
        return Moves(reference, high, low, close, slack, self.rounds)

    def limits(self, bands: Prices, ticks: Prices) -> tuple[Prices, Prices]:
        """The upper and the lower one."""
        upper, lower = self.reference * (1 + bands), self.reference * (1 - bands)
        if self.rounds:
            upper, lower = (np.round(np.floor(limit / ticks + 0.5 + _HAIR) * ticks, 3) for limit in (upper, lower))
        return upper, lower


def moves_of(bars: Bars, factor: Prices, ticks: Prices, adjustment: Adjustment) -> Moves:
    """Limits of prices as they were paid are exact, but for a tick on the days on which the factor changes; those of
    adjusted prices are known to about a cent."""
    before = previous(bars.close)
    if adjustment == "none":
        reference = previous(bars.close * factor) / factor
        slack = np.where(np.abs(reference - before) > _HAIR, ticks, 0.0) + _HAIR
    else:
        reference = before
        slack = np.broadcast_to(_ADJUSTED + _HAIR, before.shape) if adjustment == "forward" else _BACKWARD * before
    return Moves(reference, bars.high, bars.low, bars.close, slack, adjustment == "none")


def bands_of(days: Days, codes: Sequence[str], listed: Days) -> Bands:
    """By the table. `listed`: NaT for long ago."""
    ordinary, special = np.full((2, len(days), len(codes)), np.nan)
    ticks = np.full(len(codes), _CENT)
    for board in _boards():
        here = np.flatnonzero([board.holds(code) for code in codes])
        if not len(here):
            continue
        free = _sessions_since(days, listed[here]) < np.nan_to_num(_in_force(listed[here], board.free))
        ordinary[:, here] = np.where(free, np.nan, _in_force(days, board.ordinary)[:, None])
        special[:, here] = np.where(free, np.nan, _in_force(days, board.special)[:, None])
        ticks[here] = board.tick
    return Bands(ordinary, special, ticks)


def infer_special(moves: Moves, bands: Bands) -> Mask:
    """(n, m) that a security is under special treatment: over the sessions before, its prices stopped at the narrower
    band of those that are, more than once, and never went beyond it, nor do they on the day itself."""
    found = np.zeros(bands.ordinary.shape, bool)
    narrow = np.flatnonzero((bands.special < bands.ordinary).any(axis=0))
    moved = moves.only(narrow)
    upper, lower = moved.limits(bands.special[:, narrow], bands.ticks[narrow])
    stopped = (np.abs(moved.high - upper) <= moved.slack) & (moved.high == moved.close)
    stopped |= (np.abs(moved.low - lower) <= moved.slack) & (moved.low == moved.close)
    often = np.flatnonzero(stopped.sum(axis=0) >= _STOPS)
    beyond = (moved.high - upper > moved.slack) | (lower - moved.low > moved.slack)
    stops, breaks = (_counts_before(happened[:, often]) for happened in (stopped, beyond))
    columns = narrow[often]
    differ = bands.special[:, columns] < bands.ordinary[:, columns]
    found[:, columns] = differ & (stops >= _STOPS) & (breaks == 0) & ~beyond[:, often]
    return found


def _counts_before(happened: Mask) -> Prices:
    """(n, k) how often in the sessions before each; -1 where there were too few of them."""
    sums = np.vstack([np.zeros((1, happened.shape[1])), np.cumsum(happened, axis=0)])
    counts = np.full(happened.shape, -1.0)
    counts[_WINDOW:] = sums[_WINDOW:-1] - sums[: -_WINDOW - 1]
    return counts


def infer_limits(moves: Moves, bands: Prices, ticks: Prices) -> Limits:
    """Limits around the reference. A high (a low) that lies as near to it as the limit is known counts as the limit."""
    upper, lower = moves.limits(bands, ticks)
    above, below = moves.high - upper, lower - moves.low
    broken = (above > moves.slack) | (below > moves.slack)
    upper = np.where(np.abs(above) <= moves.slack, moves.high, upper)
    lower = np.where(np.abs(below) <= moves.slack, moves.low, lower)
    upper[broken] = lower[broken] = np.nan
    return Limits(upper, lower, broken)


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
