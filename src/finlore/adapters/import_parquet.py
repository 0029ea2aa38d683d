"""Tables as Parquet, read a batch of rows at a time; lists and structs are cells of several."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

import polars

from finlore.formats.decode import canonical
from finlore.records.imported import Cell, ImportedRow, ImportedTable, UnreadableTable

_BATCH = 20_000
_MOST_ROWS = 20_000_000  # a small file may say that it has any number of them
_MOST_COLUMNS = 1_000


class ParquetImporter:
    """Dates become ISO dates, nulls empty cells. The line of a row counts from 1."""

    suffixes = (".parquet",)

    def read(self, content: bytes) -> ImportedTable:
        try:
            rows = _Rows(content, polars.scan_parquet(io.BytesIO(content)).select(polars.len()).collect().item())
            columns = tuple(polars.read_parquet_schema(io.BytesIO(content)))
        except (polars.exceptions.PolarsError, OSError) as error:
            raise UnreadableTable(f"it is not Parquet: {error}") from error
        if rows.count > _MOST_ROWS or len(columns) > _MOST_COLUMNS:
            raise UnreadableTable(f"it has more than {_MOST_ROWS} rows or {_MOST_COLUMNS} columns")
        return ImportedTable("parquet", tuple(map(canonical, columns)), rows)


@dataclass(frozen=True, slots=True)
class _Rows:
    content: bytes
    count: int

    def __iter__(self) -> Iterator[ImportedRow]:
        for start in range(0, self.count, _BATCH):
            try:
                batch = polars.scan_parquet(io.BytesIO(self.content)).slice(start, _BATCH).collect()
            except (polars.exceptions.PolarsError, OSError) as error:
                raise UnreadableTable(f"it is damaged after row {start}: {error}") from error
            for line, values in enumerate(batch.iter_rows(), start + 1):
                yield ImportedRow(line, tuple(map(_cell, values)))


def _cell(value: object) -> Cell:
    if isinstance(value, list):
        return tuple((_printed(inner), "") for inner in value)
    if isinstance(value, dict):
        return tuple((canonical(str(key)), _printed(inner)) for key, inner in value.items() if inner is not None)
    return _printed(value)


def _printed(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime | date):
        return value.isoformat()
    return canonical(str(value)).strip()
