"""Columns of bars whatever a file calls them and whatever types it keeps them in."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, get_args

import numpy as np
import polars as pl

from finlore.records.market import Adjustment
from finlore.records.panel import Prices

ADJUSTMENTS: Final = get_args(Adjustment)
LOT: Final = 100
_PRICES: Final = ("open", "high", "low", "close")
_NUMBERS: Final = {
    "volume": ("volume", "vol"),
    "factor": ("factor", "adj_factor"),
    "upper": ("upper", "up_limit", "limit_up"),
    "lower": ("lower", "down_limit", "limit_down"),
}
_FLAGS: Final = {"special": ("special", "is_st", "isST"), "suspended": ("suspended",)}
_DAYS: Final = {"listed": ("list_date",), "delisted": ("delist_date",)}
_DECIMALS: Final = (2, 3, 4, 5)
_NAMES: Final = (*_NUMBERS.values(), *_FLAGS.values(), *_DAYS.values())
READ: Final = frozenset(
    ("code", "date", "adjustment", "volume_unit", "tradestatus", "market_value", *_PRICES, *chain(*_NAMES))
)
"""All columns of bars that mean something here."""
DEAREST: Final = 1e7
"""Units of the currency a share: no price is above it, however it is adjusted."""


def bars_of(raw: pl.LazyFrame, *, default: Adjustment, in_shares: bool) -> pl.LazyFrame:
    """What a file tells of each bar: code (as written), day, open, high, low, close, volume (shares), factor, upper,
    lower, special, suspended, listed, delisted, adjustment, undated (what stands for a day and is none); a column that
    it does not have is not there. What cannot be read is null. `default`: how prices are adjusted where a row does not
    say; `in_shares`: of volumes, else lots."""
    types = raw.collect_schema()
    told = {
        "code": _code(types["code"]),
        "day": day_of("date", types["date"]),
        "adjustment": adjustment_of(types, default),
    }
    told |= {name: _number(name, types[name]) for name in _PRICES if name in types}
    for name, column in _found(_NUMBERS, types):
        told[name] = _number(column, types[column])
    for name, column in _found(_FLAGS, types):
        told[name] = _flag(column, types[column])
    for name, column in _found(_DAYS, types):
        told[name] = day_of(column, types[column])
    if not types["date"].is_temporal():
        told["undated"] = pl.when(told["day"].is_null()).then(pl.col("date").cast(pl.String))
    if "tradestatus" in types and "suspended" not in told:
        told["suspended"] = ~_flag("tradestatus", types["tradestatus"])
    if "volume" in told:
        told["volume"] = told["volume"].cast(pl.Float64) * _lot(types, in_shares)
    return raw.select(**told)


def closes_of(raw: pl.LazyFrame, *, default: Adjustment, security: str = "") -> pl.LazyFrame:
    """(code, day, close, adjustment, market_value) of bars, or of an index, which has no code; null where nothing can
    be read. Only rows of a `security`, where one is named: rows of others are then passed over unread."""
    types = raw.collect_schema()
    code = _code(types["code"]) if "code" in types else pl.lit("")
    if "code" in types and security:
        raw = raw.filter(_is_code(security, types["code"]))
    return raw.select(
        code=code if types.get("code", pl.Int64).is_integer() else code.str.extract(r"(\d{5,6})"),
        day=day_of("date", types["date"]),
        close=pl.when((close := _positive("close", types["close"])) <= DEAREST).then(close),
        adjustment=adjustment_of(types, default),
        market_value=_positive("market_value", types["market_value"])
        if "market_value" in types
        else pl.lit(None, pl.Float64),
    )


def is_good() -> pl.Expr:
    """Whether a row of `closes_of` can be used."""
    return pl.col("code").is_not_null() & pl.col("day").is_not_null() & pl.col("close").is_not_null()


def adjustment_of(types: pl.Schema, default: Adjustment) -> pl.Expr:
    """How each row says that its prices are adjusted; the default where it says nothing that is known."""
    if "adjustment" not in types:
        return pl.lit(default)
    how = pl.col("adjustment").cast(pl.String)
    return pl.when(how.is_in(ADJUSTMENTS)).then(how).otherwise(pl.lit(default))


def day_of(column: str, kind: pl.DataType) -> pl.Expr:
    """A date, a date with a time, or digits (20240603)."""
    if kind == pl.Date or isinstance(kind, pl.Datetime):
        return pl.col(column).cast(pl.Date)
    digits = pl.col(column).cast(pl.String).str.replace_all(r"[-/]", "").str.slice(0, 8)
    return digits.str.to_date("%Y%m%d", strict=False).alias(column)


def as_stated(values: pl.Series) -> Prices:
    """Numbers as their file shows them: one that is stored in few bits is the shortest decimal that it may be."""
    if values.dtype != pl.Float32:
        return values.cast(pl.Float64).to_numpy()
    stored = values.to_numpy()
    stated = stored.astype(np.float64)
    for decimals in _DECIMALS:
        scale = 10.0**decimals
        short = np.rint(stated * scale)
        short /= scale
        fits = short.astype(np.float32) == stored
        if fits.all():
            return short
        stated = np.where(fits, short, stated)
    return stated


def _found(names: Mapping[str, Sequence[str]], types: pl.Schema) -> list[tuple[str, str]]:
    found = ((name, next((c for c in columns if c in types), None)) for name, columns in names.items())
    return [(name, column) for name, column in found if column is not None]


def _code(kind: pl.DataType) -> pl.Expr:
    """As it is written; a number has lost its zeros."""
    written = pl.col("code").cast(pl.String)
    return written.str.zfill(6) if kind.is_integer() else written


def _is_code(security: str, kind: pl.DataType) -> pl.Expr:
    """Whether a code is that of a security, in any of the ways in which files write it."""
    digits, _, market = security.partition(".")
    if kind.is_integer():
        return pl.col("code") == int(digits) if digits.isdecimal() else pl.lit(False)
    written = [digits, security, security.lower(), f"{market}{digits}", f"{market.lower()}{digits}"]
    return pl.col("code").cast(pl.String).is_in(written)


def _positive(column: str, kind: pl.DataType) -> pl.Expr:
    """Null where it is not a number above zero. By way of text where it is stored in few bits, so that a price keeps
    the digits that its file shows."""
    number = _number(column, kind if kind != pl.Float32 else pl.String())
    return pl.when(number.is_finite() & (number > 0)).then(number)


def _number(column: str, kind: pl.DataType) -> pl.Expr:
    """What is kept as something else is what its text says: a flag or a day is no number."""
    if kind == pl.Float32:
        return pl.col(column)
    written = pl.col(column) if kind.is_numeric() else pl.col(column).cast(pl.String)
    return written.cast(pl.Float64, strict=False)


def _flag(column: str, kind: pl.DataType) -> pl.Expr:
    if kind == pl.Boolean:
        return pl.col(column)
    return pl.col(column).cast(pl.String).str.to_lowercase().is_in(["1", "1.0", "true", "y", "yes"])


def _lot(types: pl.Schema, in_shares: bool) -> pl.Expr:
    """Shares in a unit of the volume."""
    default = pl.lit(1 if in_shares else LOT)
    if "volume_unit" not in types:
        return default
    unit = pl.col("volume_unit").cast(pl.String)
    return pl.when(unit == "shares").then(1).when(unit == "lots").then(LOT).otherwise(default)
