"""Files of a folder as they are found: what each must have, and the closes of one security without the rest."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import polars as pl

from finlore.adapters.market.columns import DEAREST, READ, adjustment_of, day_of
from finlore.errors import ConfigurationError
from finlore.records.market import Adjustment

PARTS: Final = "[0-9A-Za-z]*.parquet"
_UNREADABLE: Final = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
_NEEDED: Final = {
    "daily_bars": ("code", "date", "close"),
    "index": ("date", "close"),
    "securities": ("name",),
    "name_changes": ("ts_code", "start_date", "name"),
    "shenwan_membership": ("code", "from_date", "shenwan_code"),
}


def scan(path: Path) -> pl.LazyFrame:
    if path.is_dir():
        return pl.scan_parquet(path / PARTS)
    return pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path, infer_schema=False)


def missing(path: Path, kind: str) -> list[str]:
    """The columns that a file lacks or has in a form that is no text, number or date; all where it cannot be read."""
    try:
        types = scan(path).collect_schema()
    except _UNREADABLE:
        types = pl.Schema()
    formless = [column for column, kind in types.items() if kind.is_nested() or kind in (pl.Binary, pl.Object)]
    lacking = [column for column in _NEEDED[kind] if column not in types or column in formless]
    return lacking + [column for column in formless if column in READ.difference(lacking)]


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """ConfigurationError that names the file and its columns where what it holds cannot be read."""
    try:
        yield
    except _UNREADABLE as error:
        damaged = "; ".join(_damaged(path)) or str(error).partition("\n")[0][:200]
        raise ConfigurationError(f"{path} cannot be read: {damaged}", hint="write the file anew") from error


def _damaged(path: Path) -> Iterator[str]:
    """The columns of each file that cannot be read even by themselves."""
    files = sorted(path.glob(PARTS)) if path.is_dir() else [path]
    if not files:
        yield "it is a folder without Parquet files"
    for file in files:
        try:
            names = scan(file).collect_schema().names()
        except _UNREADABLE:
            yield f"{file.name} as a whole"
            continue
        if columns := [name for name in names if not _is_whole(file, name)]:
            yield f"{file.name}, column {', '.join(columns)}"


def _is_whole(file: Path, column: str) -> bool:
    try:
        scan(file).select(column).collect()
    except _UNREADABLE:
        return False
    return True


def closes_of(raw: pl.LazyFrame, *, default: Adjustment, security: str = "") -> pl.LazyFrame:
    """(code, day, close, adjustment, market_value) whatever the types in the file; null where nothing can be read.
    Only rows of a `security`, where one is named: rows of others are then passed over unread."""
    types = raw.collect_schema()
    if "code" in types and security:
        raw = raw.filter(_is_code(security, types["code"]))
    return raw.select(
        code=_digits(types["code"]) if "code" in types else pl.lit(""),
        day=day_of("date", types["date"]),
        close=pl.when((close := _number("close", types["close"])) <= DEAREST).then(close),
        adjustment=adjustment_of(types, default),
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
    """By way of text where it is stored in few bits, so that a price keeps the digits that its file shows, or is no
    number: a flag or a day is none."""
    stated = pl.col(column) if kind.is_numeric() and kind != pl.Float32 else pl.col(column).cast(pl.String)
    number = stated.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite() & (number > 0)).then(number).otherwise(None)


def is_total_return(raw: pl.LazyFrame) -> bool:
    if "total_return" not in raw.collect_schema():
        return False
    stated = raw.select(pl.col("total_return").str.to_lowercase().is_in(["1", "true"]).all())
    return bool(stated.collect().item())


def is_good() -> pl.Expr:
    return pl.col("code").is_not_null() & pl.col("day").is_not_null() & pl.col("close").is_not_null()
