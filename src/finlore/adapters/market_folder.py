"""A folder of market data: daily bars, levels of indices, names of securities and their classes.

Read lazily and by security. Files: ``daily_bars.parquet`` or ``.csv`` (code, date, close), ``index_CODE.csv`` (date,
close), ``securities.csv`` (ts_code or symbol, name), ``shenwan_membership.csv`` (code, from_date, shenwan_code); others
are ignored. Bars count as forward adjusted unless a column `adjustment` says otherwise, row by row; a column
`market_value`, in single units of the currency, is handed on as it is.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, get_args
from zoneinfo import ZoneInfo

import polars as pl

from finlore.errors import ConfigurationError
from finlore.language.codes import canonical_security
from finlore.records.document import Issue
from finlore.records.instant import MARKET_ZONE, Instant, instant_of
from finlore.records.market import Adjustment, MarketValue, Price

_STALE: Final = timedelta(days=45)
"""A close further back says nothing about a day: a share that does not trade has no price."""
_SECURITIES_KEPT: Final = 512
_CLOSING: Final = {"HK": time(16, 10)}
_CLOSE: Final = time(15, 0)
_CURRENCY: Final = {"HK": "港元", "US": "美元"}
_B_SHARES: Final = {"900": "美元", "200": "港元", "201": "港元"}
_POINTS: Final = "点"
_INDEX: Final = "index_"
_ADJUSTMENTS: Final = get_args(Adjustment)
_NEEDED: Final = {
    "daily_bars": ("code", "date", "close"),
    "index": ("date", "close"),
    "securities": ("name",),
    "shenwan_membership": ("code", "from_date", "shenwan_code"),
}


@dataclass(frozen=True, slots=True)
class _Bars:
    """Of one security, by day; `values` are None where the source has none."""

    days: tuple[date, ...]
    closes: tuple[float, ...]
    adjustments: tuple[Adjustment, ...]
    values: tuple[float | None, ...]

    def at(self, day: date) -> int:
        """The row of the last day at or before another, -1 where there is none of late."""
        row = bisect_right(self.days, day) - 1
        return row if row >= 0 and day - self.days[row] <= _STALE else -1


class MarketFolder:
    """The market port on a folder. `zone` is where bare times of the day are meant."""

    def __init__(self, folder: Path, *, zone: str = MARKET_ZONE) -> None:
        if not folder.is_dir():
            raise ConfigurationError(f"there is no folder of prices {folder}", hint="name another with --market")
        self._folder, self._zone = folder, zone
        self._of = lru_cache(maxsize=_SECURITIES_KEPT)(self._read_bars)

    def price(self, security: str, day: date) -> Price | None:
        bars = self._of(security)
        if (row := bars.at(day)) < 0:
            return None
        on = bars.days[row]
        return Price(
            security, on, bars.closes[row], self._currency(security), bars.adjustments[row], self._known(security, on)
        )

    def market_value(self, security: str, day: date) -> MarketValue | None:
        bars = self._of(security)
        row = bars.at(day)
        value = bars.values[row] if row >= 0 else None
        if value is None:
            return None
        on = bars.days[row]
        return MarketValue(security, on, value, self._currency(security), self._known(security, on))

    def listed(self, day: date) -> Mapping[str, str]:
        """Of securities that have bars, those of which the first is there by then; of others nobody knows."""
        first = self._first_days
        return {code: name for code, name in self._names.items() if first.get(code, date.min) <= day}

    def industry(self, security: str, day: date) -> str | None:
        rows = self._classes.get(security, ())
        at = bisect_right([since for since, _ in rows], day)
        return rows[at - 1][1] if at else None

    def issues(self) -> Sequence[Issue]:
        return tuple(self._issues())

    def _issues(self) -> Iterator[Issue]:
        """Counted over whole files: that of the bars is read once for it."""
        for name in ("daily_bars", "securities", "shenwan_membership"):
            path = self._path(name)
            if path is None:
                yield Issue(str(self._folder / name), "is not there", "note")
            elif missing := _missing(path, name):
                yield Issue(str(path), f"has no column {', '.join(missing)}", "rejected")
        if self._raw is not None:
            bars = _bars(self._raw, default="forward")
            good = bars.filter(_is_good())
            counts = [bars.select(pl.len()), good.select(pl.len()), good.select(pl.struct("code", "day").n_unique())]
            n, n_good, n_days = (frame.item() for frame in pl.collect_all(counts))
            where = str(self._path("daily_bars"))
            if n > n_good:
                yield Issue(where, f"{n - n_good} of {n} rows have no day, code or positive close")
            if n_good > n_days:
                yield Issue(where, "some securities have two rows for a day: the last counts")
        for path in sorted(self._folder.glob(f"{_INDEX}*.csv")):
            if missing := _missing(path, "index"):
                yield Issue(str(path), f"has no column {', '.join(missing)}", "rejected")
        for code, name in self._rows("securities"):
            if canonical_security(code) is None:
                yield Issue(str(self._path("securities")), f"{code!r} ({name}) is no code of a security")

    def _read_bars(self, security: str) -> _Bars:
        index = self._folder / f"{_INDEX}{security}.csv"
        if index.is_file():
            frame = None if _missing(index, "index") else _bars(pl.scan_csv(index, infer_schema=False), default="none")
        elif self._raw is not None and canonical_security(security.partition(".")[0]) == security:
            frame = _bars(self._raw, default="forward", security=security)
        else:
            frame = None
        if frame is None:
            return _Bars((), (), (), ())
        rows = frame.filter(_is_good()).unique("day", keep="last", maintain_order=True).sort("day").collect()
        return _Bars(*(tuple(rows[name].to_list()) for name in ("day", "close", "adjustment", "market_value")))

    @cached_property
    def _raw(self) -> pl.LazyFrame | None:
        path = self._path("daily_bars")
        if path is None or _missing(path, "daily_bars"):
            return None
        return pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path, infer_schema=False)

    @cached_property
    def _first_days(self) -> Mapping[str, date]:
        if self._raw is None:
            return {}
        first = (
            _bars(self._raw, default="forward").filter(_is_good()).group_by("code").agg(pl.col("day").min()).collect()
        )
        return {canonical_security(code) or code: day for code, day in first.iter_rows()}

    @cached_property
    def _names(self) -> Mapping[str, str]:
        named = ((canonical_security(code), name) for code, name in self._rows("securities"))
        return {code: name for code, name in named if code}

    def _rows(self, name: str) -> Iterator[tuple[str, str]]:
        """(code, name) of the securities, as printed."""
        path = self._path(name)
        if path is None or _missing(path, name):
            return
        frame = pl.read_csv(path, infer_schema=False, truncate_ragged_lines=True)
        code = next((column for column in ("ts_code", "symbol", "code") if column in frame.columns), None)
        if code is not None:
            yield from ((code or "", name or "") for code, name in frame.select(code, "name").iter_rows())

    @cached_property
    def _classes(self) -> Mapping[str, Sequence[tuple[date, str]]]:
        path = self._path("shenwan_membership")
        if path is None or _missing(path, "shenwan_membership"):
            return {}
        frame = pl.read_csv(path, infer_schema=False, truncate_ragged_lines=True)
        rows = (
            frame.select("code", _day("from_date", pl.String()), "shenwan_code")
            .drop_nulls()
            .sort("from_date")
            .iter_rows()
        )
        found: dict[str, list[tuple[date, str]]] = {}
        for code, since, class_ in rows:
            found.setdefault(canonical_security(code) or code, []).append((since, class_))
        return found

    def _path(self, name: str) -> Path | None:
        return next((p for e in ("parquet", "csv") if (p := self._folder / f"{name}.{e}").is_file()), None)

    def _currency(self, security: str) -> str:
        if (self._folder / f"{_INDEX}{security}.csv").is_file():
            return _POINTS
        return _B_SHARES.get(security[:3]) or _CURRENCY.get(security.rpartition(".")[2], "元")

    def _known(self, security: str, day: date) -> Instant:
        closing = _CLOSING.get(security.rpartition(".")[2], _CLOSE)
        return instant_of(datetime.combine(day, closing, ZoneInfo(self._zone)))


def _missing(path: Path, kind: str) -> list[str]:
    """The columns that a file lacks, all of them where it cannot be read."""
    try:
        scan = pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path, infer_schema=False)
        columns = scan.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError):
        columns = []
    return [column for column in _NEEDED[kind] if column not in columns]


def _bars(raw: pl.LazyFrame, *, default: Adjustment, security: str = "") -> pl.LazyFrame:
    """(code, day, close, adjustment, market_value) whatever the types in the file; null where nothing can be read.
    Only rows of a `security`, where one is named: rows of others are then passed over unread."""
    types = raw.collect_schema()
    if "code" in types and security:
        raw = raw.filter(_is_code(security, types["code"]))
    how = pl.col("adjustment").cast(pl.String) if "adjustment" in types else pl.lit(None, pl.String)
    return raw.select(
        code=_digits(types["code"]) if "code" in types else pl.lit(""),
        day=_day("date", types["date"]),
        close=_number("close", types["close"]),
        adjustment=pl.when(how.is_in(_ADJUSTMENTS)).then(how).otherwise(pl.lit(default)),
        market_value=_number("market_value", types["market_value"])
        if "market_value" in types
        else pl.lit(None, pl.Float64),
    )


def _is_code(security: str, kind: pl.DataType) -> pl.Expr:
    """Whether a code is that of a security, in any of the ways in which files write it."""
    digits, _, market = security.partition(".")
    if kind.is_integer():
        return pl.col("code") == int(digits) if digits.isdecimal() else pl.lit(False)
    written = [digits, security, security.lower(), f"{market}{digits}", f"{market.lower()}{digits}"]
    return pl.col("code").cast(pl.String).is_in(written)


def _digits(kind: pl.DataType) -> pl.Expr:
    code = pl.col("code").cast(pl.String)
    return code.str.zfill(6) if kind.is_integer() else code.str.extract(r"(\d{5,6})")


def _number(column: str, kind: pl.DataType) -> pl.Expr:
    """By way of text where it is stored in few bits, so that a price keeps the digits that its file shows."""
    stated = pl.col(column).cast(pl.String) if kind == pl.Float32 else pl.col(column)
    number = stated.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite() & (number > 0)).then(number).otherwise(None)


def _day(column: str, kind: pl.DataType) -> pl.Expr:
    """A date, a date with a time, or digits (20240603)."""
    if kind == pl.Date or isinstance(kind, pl.Datetime):
        return pl.col(column).cast(pl.Date)
    digits = pl.col(column).cast(pl.String).str.replace_all(r"[-/]", "").str.slice(0, 8)
    return digits.str.to_date("%Y%m%d", strict=False).alias(column)


def _is_good() -> pl.Expr:
    return pl.col("code").is_not_null() & pl.col("day").is_not_null() & pl.col("close").is_not_null()
