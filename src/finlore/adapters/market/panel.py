"""Bars of many securities -> a panel: laid out in arrays, checked, and completed by what can be concluded.

Whatever is concluded of a session is concluded from it and those before.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Final
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl

from finlore.adapters.market.bars import Laid, lay_out
from finlore.adapters.market.checks import Bars, carry, possible_bars, tell_missing
from finlore.adapters.market.findings import Findings
from finlore.adapters.market.limits import Bands, Limits, Moves, bands_of, infer_limits, infer_special, moves_of
from finlore.ports import Calendar
from finlore.records.instant import instant_of
from finlore.records.panel import Days, Instants, Mask, PricePanel, Prices

_WELL_AFTER: Final = np.timedelta64(28, "D")
"""A security whose first bar comes later than this after the first of all was listed then."""
CLOSE: Final = time(15, 0)
CLOSINGS: Final = {"HK": time(16, 10)}
AUCTION: Final = time(9, 25)
"""The price of the open is struck at the end of its auction: what is heard later cannot be traded at it."""
_MANY: Final = 0.002
"""Of all moves, beyond what their exchange admits: prices adjusted in proportion go there on a few days of a year."""
_SUBTRACTED: Final = (
    "so many moves beyond any limit come of prices that were adjusted by subtraction: "
    "returns are larger than they were, and limits are not those of the day"
)
_SPECIAL: Final = re.compile(r"(?:[NC]|XD|XR|DR)?S?\*?(?:ST|PT)")


@dataclass(frozen=True, slots=True)
class Register:
    """What a source tells of securities beside their bars, by canonical code; `renamed`: (since, name), ascending.
    `first_bars`: of securities that have bars before the ones that are read."""

    names: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, Sequence[tuple[date, str]]] = field(default_factory=dict)
    listed: Mapping[str, date] = field(default_factory=dict)
    delisted: Mapping[str, date] = field(default_factory=dict)
    first_bars: Mapping[str, date] = field(default_factory=dict)

    def called(self, code: str, day: date) -> str:
        """The name of a day where changes are told, else today's; nothing before the first of them."""
        renamed = self.renamed.get(code)
        if not renamed:
            return self.names.get(code, "")
        return next((name for since, name in reversed(renamed) if since <= day), "")


def panel_of(
    frame: pl.DataFrame,
    register: Register,
    *,
    first: date,
    last: date,
    source: str,
    zone: str,
    calendar: Calendar | None,
) -> PricePanel:
    """The panel of bars (columns of `columns.bars_of`, none after `last`) from `first` on. Those before count too:
    limits and listings follow from them."""
    findings = Findings(source)
    laid = lay_out(frame, calendar, findings)
    bars = possible_bars(laid, findings)
    factor = _factor(laid)
    listed, delisted = _listed(laid, bars, register, findings), _delisted(laid, register, last)
    bands = bands_of(laid.days, laid.codes, listed)
    moves = moves_of(bars, factor, bands.ticks, laid.adjustment)
    special = _special(laid, register, moves, bands, findings)
    limits = _limits(laid, moves, bands, special, findings)
    tell_missing(bars.close, laid, delisted, last, findings)
    traded = _traded(laid, bars, findings)
    days: list[date] = laid.days.tolist()
    closing = max((CLOSINGS.get(code.rpartition(".")[2], CLOSE) for code in laid.codes), default=CLOSE)
    panel = PricePanel(
        days=laid.days, codes=laid.codes, names=tuple(register.called(code, last) for code in laid.codes),
        open=bars.open, high=bars.high, low=bars.low, close=bars.close, volume=bars.volume, factor=factor,
        upper=limits.upper, lower=limits.lower, traded=traded, special=special, listed=listed, delisted=delisted,
        opened_at=instants(days, AUCTION, zone), known_at=instants(days, closing, zone),
        adjustment=laid.adjustment, inferred=tuple(findings.inferred), issues=tuple(findings.issues),
    )  # fmt: skip
    return panel.sessions(slice(int(np.searchsorted(laid.days, np.datetime64(first, "D"))), None))


def levels_of(frame: pl.DataFrame, *, since: date, until: date, calendar: Calendar | None) -> tuple[Days, Prices]:
    """Total return levels of bars as `panel_of` takes them, from the last session before `since` to the last before
    `until`. Those beside it count too: of them it follows which bars can be, and which days are sessions."""
    unheard = Findings("")
    laid = lay_out(frame, calendar, unheard)
    levels = possible_bars(laid, unheard).close * _factor(laid)
    first, end = np.searchsorted(laid.days, np.array([since, until], "datetime64[D]")).tolist()
    rows = slice(max(first - 1, 0), end)
    return laid.days[rows], levels[rows]


def _factor(laid: Laid) -> Prices:
    """Of prices that are not adjusted, the last that was told; else 1."""
    stated = laid.grid("factor") if laid.adjustment == "none" else None
    if stated is None:
        return np.ones(laid.shape)
    carried = carry(np.where(stated > 0, stated, np.nan))
    return np.where(np.isnan(carried), 1.0, carried)


def _traded(laid: Laid, bars: Bars, findings: Findings) -> Mask:
    """A bar with a volume, or of which none is told, unless it says that it is suspended."""
    traded: Mask = np.isfinite(bars.close) & ~(bars.volume == 0)
    stated = laid.grid("suspended")
    if stated is None:
        findings.inferred.append("suspensions")
    else:
        traded &= ~(stated > 0)
    return traded


def _listed(laid: Laid, bars: Bars, register: Register, findings: Findings) -> Days:
    """What the source tells, else the day of a first bar that comes well after the first of all."""
    told = _first_told(laid.last_day("listed"), laid.codes, register.listed)
    if not len(laid.days):
        return told
    has_bar = ~np.isnan(bars.close)
    at = has_bar.argmax(axis=0)
    first_bar = np.where(has_bar.any(axis=0), laid.days[at], np.datetime64("NaT"))
    earlier = np.array([register.first_bars.get(code, "NaT") for code in laid.codes], "datetime64[D]")
    first_bar = np.where(np.isnat(earlier), first_bar, earlier)
    began = min([laid.days[0], *map(np.datetime64, register.first_bars.values())])
    late = np.isnat(told) & (first_bar > began + _WELL_AFTER)
    if late.any():
        findings.inferred.append("listing days")
    return np.where(late | (told > first_bar), first_bar, told)


def _delisted(laid: Laid, register: Register, last: date) -> Days:
    """Nobody knows of one that is still to come."""
    told = _first_told(laid.last_day("delisted"), laid.codes, register.delisted)
    return np.where(told <= np.datetime64(last, "D"), told, np.datetime64("NaT"))


def _first_told(stated: Days, codes: Sequence[str], register: Mapping[str, date]) -> Days:
    """(m,) what the bars say, else the register."""
    told = np.array([register.get(code, "NaT") for code in codes], "datetime64[D]")
    return np.where(np.isnat(stated), told, stated)


def _special(laid: Laid, register: Register, moves: Moves, bands: Bands, findings: Findings) -> Mask:
    """As the bars say, carried over days without one; else, of each security, as its names of the time say from the
    first of them on, and as prices do before."""
    stated = laid.grid("special")
    if stated is not None:
        return np.nan_to_num(carry(stated)) > 0
    special, named = infer_special(moves, bands), np.zeros(laid.shape, bool)
    column = {code: at for at, code in enumerate(laid.codes)}
    for code in column.keys() & register.renamed.keys():
        for since, name in register.renamed[code]:
            row = np.searchsorted(laid.days, np.datetime64(since, "D"))
            special[row:, column[code]], named[row:, column[code]] = is_special(name), True
    if not named[np.isfinite(moves.close)].all():
        findings.inferred.append("special treatment (ST), from prices that keep to its limits")
    return special


def is_special(name: str) -> bool:
    """Whether a short name marks its security as under special treatment (ST, formerly PT)."""
    return _SPECIAL.match(name) is not None


def _limits(laid: Laid, moves: Moves, bands: Bands, special: Mask, findings: Findings) -> Limits:
    """As the source says of prices that are not adjusted; on sessions of which it says nothing by the table."""
    upper, lower = laid.grid("upper"), laid.grid("lower")
    if upper is None or lower is None:
        return _inferred_limits(laid, moves, bands, special, findings)
    if laid.adjustment != "none":
        findings.tell("the limits that are told are those of prices as they were paid: inferred for adjusted ones")
        return _inferred_limits(laid, moves, bands, special, findings)
    untold = np.isnan(upper).all(axis=1) & np.isfinite(moves.close).any(axis=1)
    if untold.any():
        limits = _inferred_limits(laid, moves, bands, special, findings)
        upper[untold], lower[untold] = limits.upper[untold], limits.lower[untold]
    return Limits(upper, lower, np.zeros(laid.shape, bool))


def _inferred_limits(laid: Laid, moves: Moves, bands: Bands, special: Mask, findings: Findings) -> Limits:
    limits = infer_limits(moves, np.where(special, bands.special, bands.ordinary), bands.ticks)
    if not np.isnan(limits.upper).all():
        findings.inferred.append("limits" if moves.rounds else "limits (from adjusted prices, to about a cent)")
    what = "moved further than any limit (a split that is not adjusted, or a day without limits)"
    findings.count(limits.broken, laid.days, laid.codes, what)
    if not moves.rounds and limits.broken.sum() > _MANY * np.isfinite(limits.upper).sum():
        findings.tell(_SUBTRACTED, "warning")
    return limits


def instants(days: Sequence[date], clock: time, zone: str) -> Instants:
    """(n,) a time of the day on each."""
    return np.array([instant_of(datetime.combine(day, clock, ZoneInfo(zone))) for day in days], np.int64)
