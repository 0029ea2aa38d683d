"""A folder of market data: daily bars, levels of indices, names of securities and their classes.

Read lazily; single prices by security. Files: ``daily_bars.parquet`` or ``.csv``, or a folder ``daily_bars`` of Parquet
files (code, date, close, and what `columns.bars_of` reads); ``index_CODE.csv`` (date, close, total_return);
``securities.csv`` (ts_code or symbol, name, list_date, delist_date); ``name_changes.csv`` (ts_code, start_date, name);
``shenwan_membership.csv`` (code, from_date, shenwan_code). Others are ignored. Bars count as forward adjusted, and
volumes in lots of 100 shares, unless a column `adjustment` or `volume_unit` says otherwise, row by row, or
``daily_bars.toml`` for all of them (`adjustment = "none"`, `volume_unit = "shares"`). A column `market_value`, in
single units of the currency, is handed on as it is.
"""

import os
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

import polars as pl

from finlore.adapters.market.columns import ADJUSTMENTS, bars_of, closes_of, is_good
from finlore.adapters.market.earlier import as_bars, first_days, last_told
from finlore.adapters.market.files import PARTS, is_total_return, missing, reading, scan
from finlore.adapters.market.panel import CLOSE, CLOSINGS, Register, levels_of, panel_of
from finlore.adapters.market.register import (
    Dated,
    code_column,
    dated_by_code,
    days_by_code,
    read_text_table,
    shipped_index_names,
    shipped_listings,
)
from finlore.errors import ConfigurationError, NoPrices
from finlore.language.codes import canonical_security
from finlore.ports import Calendar
from finlore.records.document import Issue
from finlore.records.instant import MARKET_ZONE, Instant, instant_of
from finlore.records.market import Adjustment, MarketValue, Price
from finlore.records.panel import Days, IndexSeries, PricePanel, Prices

_STALE: Final = timedelta(days=45)
"""A close further back says nothing about a day: a share that does not trade has no price."""
_SECURITIES_KEPT: Final = 512
_CURRENCY: Final = {"HK": "港元", "US": "美元"}
_B_SHARES: Final = {"900": "美元", "200": "港元", "201": "港元"}
_Bar: TypeAlias = tuple[float, Adjustment, float | None]
"""A close, how it is adjusted, and the market value, None where the source has none."""
_POINTS: Final = "点"
_INDEX: Final = "index_"
_TABLES: Final = ("securities", "name_changes", "shenwan_membership")
_BEGINNING: Final = date(1990, 1, 1)
_END: Final = date(2199, 12, 31)
_LOOK_BACK: Final = timedelta(days=400)
"""Bars before the first session that are read for what follows from them: limits, factors, suspensions."""
_SPAN: Final = timedelta(weeks=104)
_AROUND: Final = timedelta(weeks=5)
"""Bars beside a span of levels: whether a bar can be follows from the close before it, and that a day was a session
from what comes later."""


class MarketFolder:
    """The market port on a folder. `zone` is where bare times of the day are meant; without a `calendar` sessions are
    the days that have bars."""

    def __init__(self, folder: Path, *, zone: str = MARKET_ZONE, calendar: Calendar | None = None) -> None:
        if folder.is_file():
            raise ConfigurationError(f"{folder} is a file", hint=f"name the folder that holds it: {folder.parent}")
        if not folder.is_dir():
            raise ConfigurationError(f"there is no folder of prices {folder}", hint="name another with --market")
        if not os.access(folder, os.R_OK | os.X_OK):
            raise ConfigurationError(f"the folder of prices {folder} may not be read")
        self._folder, self._zone, self._calendar = folder, zone, calendar
        self._of = lru_cache(maxsize=_SECURITIES_KEPT)(self._read_bars)

    def price(self, security: str, day: date) -> Price | None:
        return self._at(security, day)[0]

    def market_value(self, security: str, day: date) -> MarketValue | None:
        return self._at(security, day)[1]

    def _at(self, security: str, day: date) -> tuple[Price | None, MarketValue | None]:
        """What the last bar of late by a day tells."""
        days, bars = self._of(security)
        row = bisect_right(days, day) - 1
        if row < 0 or day - days[row] > _STALE:
            return None, None
        on, (close, adjustment, value) = days[row], bars[row]
        currency, known = self._currency(security), self._known(security, on)
        worth = None if value is None else MarketValue(security, on, value, currency, known)
        return Price(security, on, close, currency, adjustment, known), worth

    def listed(self, day: date) -> Mapping[str, str]:
        """Who has no day of listing is there from the first bar on; a name of the present list counts where no changes
        of it are told."""
        register, found = self._register, dict[str, str]()
        for code in dict.fromkeys((*register.names, *register.renamed)):
            since = register.listed.get(code) or self._first_days.get(code, date.min)
            if since <= day <= register.delisted.get(code, date.max) and (name := register.called(code, day)):
                found[code] = name
        return found

    def industry(self, security: str, day: date) -> str | None:
        rows = self._classes.get(security, ())
        at = bisect_right(rows, day, key=itemgetter(0))
        return rows[at - 1][1] if at else None

    def panel(self, first: date, last: date) -> PricePanel:
        path, bars = self._told()
        floor, day = max(first, _BEGINNING) - _LOOK_BACK, pl.col("day")
        with reading(path):
            before = last_told(bars.filter(day < floor))
            read, told = pl.collect_all([bars.filter((day >= floor) & (day <= last) | day.is_null()), before])
        read = pl.concat([as_bars(told, floor, read, self._calendar), read])
        register = replace(self._register, first_bars=first_days(told))
        found = panel_of(
            read, register, first=first, last=last, source=str(path), zone=self._zone, calendar=self._calendar
        )
        return replace(found, issues=(*found.issues, *self._tables_lacking(), *self._index_issues(last)))

    def levels(self, last: date, *, over: timedelta) -> Iterator[tuple[Days, Prices]]:
        path, bars = self._told()
        day = pl.col("day")
        known = bars.filter(day.is_between(_BEGINNING, min(last, _END)))
        with reading(path):
            first, end = known.select(day.min().alias("first"), day.max().alias("end")).collect().row(0)
        if first is None or last - first < over:
            return
        told = last_told(known.clear().lazy()).collect()
        for since in _mondays(first, end):
            floor, next_floor = since - _AROUND, since + _SPAN - _AROUND
            with reading(path):
                read = known.filter(day.is_between(floor, since + _SPAN + _AROUND)).collect()
            rows = pl.concat([as_bars(told, floor, read, self._calendar), read])
            yield levels_of(rows, since=since, until=since + _SPAN, calendar=self._calendar)
            passed = read.lazy().filter(day < next_floor)
            told = last_told(pl.concat([told.lazy(), passed], how="diagonal")).collect()

    def index(self, code: str, first: date, last: date) -> IndexSeries | None:
        if code not in self.indices():
            return None
        path = self._folder / f"{_INDEX}{code}.csv"
        with reading(path):
            raw = scan(path)
            frame = _by_day(closes_of(raw, default="none").filter(pl.col("day").is_between(first, last)))
        if frame.is_empty():
            return None
        days = frame["day"].to_numpy().astype("datetime64[D]")
        name = shipped_index_names().get(code, self._names.get(code, code))
        return IndexSeries(code, name, days, frame["close"].to_numpy(), is_total_return(raw, last))

    def indices(self) -> Sequence[str]:
        return tuple(path.stem.removeprefix(_INDEX) for path in self._index_files if not missing(path, "index"))

    def issues(self) -> Sequence[Issue]:
        return tuple(self._issues())

    def _issues(self) -> Iterator[Issue]:
        """Counted over whole files: that of the bars is read once for it."""
        for name in ("daily_bars", "securities", "shenwan_membership"):
            if self._path(name) is None:
                yield Issue(str(self._folder / name), "is not there", "note")
        yield from self._tables_lacking("daily_bars")
        if self._bars is not None:
            yield from _row_issues(*self._bars)
        yield from self._index_issues(date.max)
        for code, name in self._rows("securities"):
            if canonical_security(code) is None:
                yield Issue(str(self._path("securities")), f"{code!r} ({name}) is no code of a security")

    def _tables_lacking(self, *others: str) -> Iterator[Issue]:
        """Of tables that are there and cannot be used."""
        for name in (*others, *_TABLES):
            if (path := self._path(name)) is not None and (lacking := missing(path, name)):
                yield Issue(str(path), f"has no column {', '.join(lacking)}", "rejected")

    @property
    def _index_files(self) -> Sequence[Path]:
        return sorted(self._folder.glob(f"{_INDEX}*.csv"))

    def _index_issues(self, last: date) -> Iterator[Issue]:
        """Of rows by a day, and of those that have none."""
        day = pl.col("day")
        for path in self._index_files:
            if lacking := missing(path, "index"):
                yield Issue(str(path), f"has no column {', '.join(lacking)}", "rejected")
            else:
                closes = closes_of(scan(path), default="none")
                yield from _row_issues(path, closes.filter((day <= last) | day.is_null()))

    def _read_bars(self, security: str) -> tuple[tuple[date, ...], tuple[_Bar, ...]]:
        """Of one security, by day."""
        index, path = self._folder / f"{_INDEX}{security}.csv", self._path("daily_bars")
        frame: pl.LazyFrame | None = None
        if index.is_file():
            path, frame = index, None if missing(index, "index") else closes_of(scan(index), default="none")
        elif self._raw is not None and canonical_security(security.partition(".")[0]) == security:
            frame = closes_of(self._raw, default=self._adjustment, security=security)
        if frame is None or path is None:
            return (), ()
        with reading(path):
            rows = _by_day(frame)
        return tuple(rows["day"]), tuple(rows.select("close", "adjustment", "market_value").iter_rows())

    def _told(self) -> tuple[Path, pl.LazyFrame]:
        """Where bars are, and all that they tell; NoPrices where there are none."""
        raw, path = self._raw, self._path("daily_bars")
        if path is None:
            raise NoPrices(f"there are no bars in {self._folder}", hint="daily_bars.parquet with code, date, close")
        if raw is None:
            with reading(path):
                scan(path).collect_schema()
            lacking = ", ".join(missing(path, "daily_bars"))
            raise ConfigurationError(f"{path} has no readable column {lacking}", hint="it needs code, date, close")
        return path, bars_of(raw, default=self._adjustment, in_shares=self._in_shares)

    @cached_property
    def _raw(self) -> pl.LazyFrame | None:
        path = self._path("daily_bars")
        return None if path is None or missing(path, "daily_bars") else scan(path)

    @property
    def _bars(self) -> tuple[Path, pl.LazyFrame] | None:
        """Where bars are, and their closes."""
        path = self._path("daily_bars")
        return None if path is None or self._raw is None else (path, closes_of(self._raw, default=self._adjustment))

    @cached_property
    def _stated(self) -> Mapping[str, object]:
        """What is said beside the bars."""
        path = self._folder / "daily_bars.toml"
        if not path.is_file():
            return {}
        try:
            stated = tomllib.loads(path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path} is not valid TOML: {error}") from error
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
        allowed = {"adjustment": ADJUSTMENTS, "volume_unit": ("lots", "shares")}
        for key, value in stated.items():
            if value not in allowed.get(key, ()):
                raise ConfigurationError(f"{path}: {key} = {value!r} is not understood", hint=f"known: {allowed}")
        return stated

    @property
    def _adjustment(self) -> Adjustment:
        stated = self._stated.get("adjustment", "forward")
        return next(adjustment for adjustment in ADJUSTMENTS if adjustment == stated)

    @property
    def _in_shares(self) -> bool:
        return self._stated.get("volume_unit") == "shares"

    @cached_property
    def _register(self) -> Register:
        securities, changes = self._table("securities"), self._table("name_changes")
        return Register(
            self._names,
            {} if changes is None else dated_by_code(changes, "start_date", "name"),
            dict(shipped_listings()) | ({} if securities is None else days_by_code(securities, "list_date")),
            {} if securities is None else days_by_code(securities, "delist_date"),
        )

    def _table(self, name: str) -> pl.DataFrame | None:
        path = self._path(name)
        if path is None or missing(path, name):
            return None
        with reading(path):
            return read_text_table(path)

    @cached_property
    def _first_days(self) -> Mapping[str, date]:
        if self._bars is None:
            return {}
        path, closes = self._bars
        with reading(path):
            first = closes.filter(is_good()).group_by("code").agg(pl.col("day").min()).collect()
        return {canonical_security(code) or code: day for code, day in first.iter_rows()}

    @cached_property
    def _names(self) -> Mapping[str, str]:
        named = ((canonical_security(code), name) for code, name in self._rows("securities"))
        return {code: name for code, name in named if code}

    def _rows(self, name: str) -> Iterator[tuple[str, str]]:
        """(code, name) of the securities, as printed."""
        frame = self._table(name)
        code = None if frame is None else code_column(frame)
        if frame is not None and code is not None:
            yield from ((code or "", name or "") for code, name in frame.select(code, "name").iter_rows())

    @cached_property
    def _classes(self) -> Dated:
        frame = self._table("shenwan_membership")
        return {} if frame is None else dated_by_code(frame, "from_date", "shenwan_code")

    def _path(self, name: str) -> Path | None:
        parts = self._folder / name
        if parts.is_dir() and any(parts.glob(PARTS)):
            return parts
        return next((p for e in ("parquet", "csv") if (p := self._folder / f"{name}.{e}").exists()), None)

    def _currency(self, security: str) -> str:
        if (self._folder / f"{_INDEX}{security}.csv").is_file():
            return _POINTS
        return _B_SHARES.get(security[:3]) or _CURRENCY.get(security.rpartition(".")[2], "元")

    def _known(self, security: str, day: date) -> Instant:
        closing = CLOSINGS.get(security.rpartition(".")[2], CLOSE)
        return instant_of(datetime.combine(day, closing, ZoneInfo(self._zone)))


def _mondays(first: date, last: date) -> Iterator[date]:
    """The beginnings of the spans that hold these days."""
    since = first - timedelta(days=first.weekday())
    while since <= last:
        yield since
        since += _SPAN


def _by_day(closes: pl.LazyFrame) -> pl.DataFrame:
    """Those that can be used, the last of each day."""
    return closes.filter(is_good()).unique("day", keep="last", maintain_order=True).sort("day").collect()


def _row_issues(path: Path, closes: pl.LazyFrame) -> Iterator[Issue]:
    """Of rows that tell no close, and of those that are there twice."""
    good = closes.filter(is_good())
    counts = [closes.select(pl.len()), good.select(pl.len()), good.select(pl.struct("code", "day").n_unique())]
    try:
        with reading(path):
            n, n_good, n_days = (frame.item() for frame in pl.collect_all(counts))
    except ConfigurationError as error:
        yield Issue(str(path), error.message, "rejected")
        return
    if not n_good:
        yield Issue(str(path), f"none of {n} rows has a day and a positive close: it cannot be used", "rejected")
    elif n > n_good:
        yield Issue(str(path), f"{n - n_good} of {n} rows have no day, code or positive close")
    if n_good > n_days:
        yield Issue(str(path), "two rows of one security are for one day: the last counts")
