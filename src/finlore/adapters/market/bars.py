"""Rows of bars laid out by session and security. What has no place there is left out and counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from finlore.adapters.market.columns import as_stated
from finlore.adapters.market.findings import Findings, counted
from finlore.errors import NoPrices
from finlore.language.codes import canonical_security
from finlore.ports import Calendar
from finlore.records.market import Adjustment
from finlore.records.panel import Days, Mask, Prices

_ONE_CALENDAR: Final = (frozenset({"SH", "SZ", "BJ"}), frozenset({"HK"}), frozenset({"US"}))
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """Bars (k,) and their places in arrays of n sessions and m securities."""

    days: Days
    codes: tuple[str, ...]
    adjustment: Adjustment
    bars: pl.DataFrame
    places: Places

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.days), len(self.codes)

    @property
    def has_bar(self) -> Mask:
        """(n, m) whether there is a bar, whatever it says."""
        has_bar = np.zeros(len(self.days) * len(self.codes), bool)
        has_bar[self.places] = True
        return has_bar.reshape(self.shape)

    def grid(self, name: str) -> Prices | None:
        """(n, m) a column, NaN where there is no bar or no value; None where nobody tells it."""
        if name not in self.bars.columns:
            return None
        grid = np.full(len(self.days) * len(self.codes), np.nan)
        grid[self.places] = as_stated(self.bars[name])
        return grid.reshape(self.shape)

    def last_day(self, name: str) -> Days:
        """(m,) the last day that the bars of each security tell in a column, NaT for none."""
        days = np.full(len(self.codes), np.datetime64("NaT", "D"))
        if name in self.bars.columns:
            told = self.bars[name].to_numpy().astype("datetime64[D]")
            dated = ~np.isnat(told)
            days[self.places[dated] % len(self.codes)] = told[dated]
        return days


def lay_out(bars: pl.DataFrame, calendar: Calendar | None, findings: Findings) -> Laid:
    """The bars of securities that share their sessions, on these sessions."""
    complete = bars.drop_nulls(["code", "day"])
    _tell_incomplete(bars, len(bars) - len(complete), findings)
    codes, columns = _securities(complete["code"], findings)
    if calendar is not None and codes and _market(codes[0]) not in _ONE_CALENDAR[0]:
        raise NoPrices(
            "there are bars of another exchange than Shanghai, Shenzhen and Beijing only, such as of "
            f"{codes[0]}, whose sessions the calendar does not know",
            hint="with calendar = none sessions are the days that have bars",
        )
    dates = complete["day"].to_numpy().astype("datetime64[D]")
    is_placed = columns >= 0
    days = _sessions(complete.filter(is_placed)["day"] if not is_placed.all() else complete["day"], calendar, findings)
    rows = np.searchsorted(days, dates)
    is_session = np.append(days, np.datetime64("NaT"))[rows] == dates
    _tell_other_days(dates[is_placed & ~is_session], findings)
    adjustment, is_alike = _adjustment(complete["adjustment"], dates, findings)
    kept = is_placed & is_session & is_alike
    if not kept.all():
        complete, rows, columns = complete.filter(kept), rows[kept], columns[kept]
    _tell_unsorted(rows, columns, findings)
    places = rows * len(codes) + columns
    agreeing = _agreeing(complete, places, days, codes, findings)
    if not agreeing.all():
        complete, places = complete.filter(agreeing), places[agreeing]
    return Laid(days, codes, adjustment, complete, places)


def _securities(written: pl.Series, findings: Findings) -> tuple[tuple[str, ...], Places]:
    """Canonical codes, ascending, and the column of each bar, -1 where it has none."""
    spellings = written.unique().sort().to_list()
    meant = [canonical_security(code) for code in spellings]
    if unknown := [code for code, security in zip(spellings, meant, strict=True) if security is None]:
        findings.tell(f"{counted(len(unknown), 'code')} of no security, such as {unknown[0][:20]!r}", "warning")
    known = {code for code in meant if code is not None}
    together = next((m for m in _ONE_CALENDAR if any(_market(code) in m for code in known)), frozenset())
    if others := sorted(code for code in known if _market(code) not in together):
        findings.tell(
            f"{counted(len(others), 'security')[:-1]} of other exchanges have other sessions, such as {others[0]}"
        )
    codes = sorted(known.difference(others))
    column = {code: at for at, code in enumerate(codes)}
    columns = np.array([column.get(code or "", -1) for code in meant], np.int64)
    return tuple(codes), columns[written.cast(pl.Enum(spellings)).to_physical().to_numpy()]


def _tell_incomplete(bars: pl.DataFrame, n: int, findings: Findings) -> None:
    if not n:
        return
    row = bars.filter(pl.col("code").is_null() | pl.col("day").is_null()).row(0, named=True)
    what = f"{row['code']!r} on {row.get('undated') or row['day']!s}"[:80]
    read = " (days are read as 2024-01-31 or 20240131)" if row["day"] is None else ""
    findings.tell(f"{counted(n, 'row')} without a day or a code, such as {what}{read}", "warning")


def _market(code: str) -> str:
    return code.rpartition(".")[2]


def _sessions(dates: pl.Series, calendar: Calendar | None, findings: Findings) -> Days:
    """Those that the bars span. Where no calendar reaches, weekdays with bars."""
    days = dates.unique().sort().to_numpy().astype("datetime64[D]")
    weekdays = days[np.is_busday(days)]
    if calendar is None or not len(days):
        findings.inferred.append("sessions")
        return weekdays
    first, last = (np.datetime64(day, "D") for day in calendar.reach)
    beyond = weekdays[(weekdays < first) | (weekdays > last)]
    if len(beyond):
        findings.inferred.append("sessions")
        findings.tell(f"the calendar goes from {first} to {last}: {len(beyond)} days beyond are sessions", "warning")
    return np.union1d(calendar.sessions(days[0].item(), days[-1].item()), beyond)


def _tell_other_days(dates: Days, findings: Findings) -> None:
    if len(dates):
        findings.tell(f"{counted(len(dates), 'bar')} of days without a session, such as {dates[0]}", "warning")


def _adjustment(kinds: pl.Series, dates: Days, findings: Findings) -> tuple[Adjustment, Mask]:
    """How prices are adjusted, as most bars of the first day are, and which bars are so."""
    if not len(kinds):
        return "forward", np.zeros(0, bool)
    chosen: Adjustment = kinds.filter(pl.Series(dates == dates.min())).mode().sort()[0]
    is_alike = (kinds == chosen).to_numpy()
    if not is_alike.all():
        n = int((~is_alike).sum())
        findings.tell(
            f"{counted(n, 'bar')} adjusted in another way than the first ones ({chosen}) are left out", "warning"
        )
    return chosen, is_alike


def _tell_unsorted(rows: Places, columns: Places, findings: Findings) -> None:
    by_security = np.argsort(columns, kind="stable") if (np.diff(columns) < 0).any() else slice(None)
    backwards = (np.diff(rows[by_security]) < 0) & (np.diff(columns[by_security]) == 0)
    if backwards.any():
        findings.tell(f"{counted(int(backwards.sum()), 'bar')} stand after later ones of the same security")


def _agreeing(bars: pl.DataFrame, places: Places, days: Days, codes: Sequence[str], findings: Findings) -> Mask:
    """(k,) False where two bars of a security and a day differ: nobody knows which is right."""
    counts = np.bincount(places, minlength=1)
    if counts.max() <= 1:
        return np.ones(len(places), bool)
    doubled = counts[places] > 1
    values = [name for name in bars.columns if name not in ("code", "day")]
    versions = (
        bars.filter(doubled)
        .select(pl.Series("place", places[doubled]), value=pl.struct(values))
        .group_by("place")
        .agg(pl.col("value").n_unique())
    )
    differ = np.zeros(len(days) * len(codes), bool)
    differ[versions.filter(pl.col("value") > 1)["place"].to_numpy()] = True
    twice = (np.bincount(places, minlength=len(differ)) > 1) & ~differ
    shape = len(days), len(codes)
    findings.count(twice.reshape(shape), days, codes, "there twice", "note")
    findings.count(differ.reshape(shape), days, codes, "there twice with different numbers, not used")
    return ~differ[places]
