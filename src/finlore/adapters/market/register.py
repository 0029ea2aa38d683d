"""What a folder tells of securities beside their bars: names, listings, classes of industries."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

import polars as pl

from finlore import resources
from finlore.adapters.market.columns import day_of
from finlore.language.codes import canonical_security

Dated = Mapping[str, Sequence[tuple[date, str]]]


def read_text_table(path: Path) -> pl.DataFrame:
    """A CSV file, every column as text."""
    return pl.read_csv(path, infer_schema=False, truncate_ragged_lines=True)


def code_column(frame: pl.DataFrame) -> str | None:
    return next((column for column in ("ts_code", "symbol", "code") if column in frame.columns), None)


def days_by_code(frame: pl.DataFrame, column: str) -> dict[str, date]:
    """Canonical code -> a day that a table tells of it."""
    code = code_column(frame)
    if code is None or column not in frame.columns:
        return {}
    rows = frame.select(pl.col(code).alias("code"), day_of(column, pl.String())).drop_nulls().iter_rows()
    return {security: day for written, day in rows if (security := canonical_security(written))}


def dated_by_code(frame: pl.DataFrame, since: str, value: str) -> Dated:
    """Canonical code -> (first day, what holds from then on), ascending."""
    code = code_column(frame)
    found: dict[str, list[tuple[date, str]]] = {}
    if code is not None:
        rows = frame.select(pl.col(code).alias("code"), day_of(since, pl.String()), value).drop_nulls().sort(since)
        for written, day, held in rows.iter_rows():
            found.setdefault(canonical_security(written) or written, []).append((day, held))
    return found


def shipped_listings() -> Iterator[tuple[str, date]]:
    """Of the securities that the package knows by name."""
    for written, _, day in resources.load_rows("names/securities.tsv", 3):
        security = canonical_security(written)
        with suppress(ValueError):  # not stated
            if security:
                yield security, date.fromisoformat(day)


def shipped_index_names() -> dict[str, str]:
    """Code -> name."""
    return {code: name for _, name, _, code in resources.load_rows("names/indices.tsv", 4)}
