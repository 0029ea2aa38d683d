"""Files of a folder as they are found: what each must have, and what of them cannot be read."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Final

import polars as pl

from finlore.adapters.market.columns import READ, day_of
from finlore.errors import ConfigurationError

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
    """All columns of a CSV file as text; those of Parquet, a file or a folder of parts, as they are. OSError where it
    may not be read, or is a pipe or a device."""
    for file in sorted(path.glob(PARTS)) if path.is_dir() else [path]:
        if file.exists() and not file.is_file():
            raise OSError(f"{file.name} is no regular file")
    if path.is_dir():
        return pl.scan_parquet(path / PARTS)
    return pl.scan_parquet(path) if path.suffix == ".parquet" else pl.scan_csv(path, infer_schema=False)


def missing(path: Path, kind: str) -> list[str]:
    """The columns that a file lacks or has in a form that is no text, number or date; all where it is something else.
    ConfigurationError where it may not be read."""
    try:
        types = scan(path).collect_schema()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {str(error).partition(' (os error')[0]}") from error
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


def is_total_return(raw: pl.LazyFrame, last: date) -> bool:
    """Whether every row of an index by a day says that dividends are in it."""
    types = raw.collect_schema()
    if "total_return" not in types:
        return False
    known = raw.filter(day_of("date", types["date"]) <= last)
    stated = known.select(pl.col("total_return").str.to_lowercase().is_in(["1", "true"]).all())
    return bool(stated.collect().item())
