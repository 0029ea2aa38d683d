"""Tables as Parquet, read a batch of rows at a time; lists and structs are cells of several."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars

from finlore.formats.decode import canonical
from finlore.formats.nested import cell_of
from finlore.records.imported import ImportedRow, ImportedTable, UnreadableTable

_BATCH = 20_000
_MOST_ROWS = 20_000_000  # a small file may say that it has any number of them
_MOST_COLUMNS = 1_000


class ParquetImporter:
    """Dates become ISO dates, nulls empty cells. The line of a row counts from 1."""

    suffixes = (".parquet",)

    def read(self, file: Path) -> ImportedTable:
        try:
            count = polars.scan_parquet(file, glob=False).select(polars.len()).collect().item()
            columns = tuple(polars.read_parquet_schema(file))
        except (polars.exceptions.PolarsError, OSError) as error:
            raise UnreadableTable(f"it is not Parquet: {error}") from error
        if count > _MOST_ROWS or len(columns) > _MOST_COLUMNS:
            raise UnreadableTable(f"it has more than {_MOST_ROWS} rows or {_MOST_COLUMNS} columns")
        return ImportedTable("parquet", tuple(map(canonical, columns)), _Rows(file, count), n_rows=count)


@dataclass(frozen=True, slots=True)
class _Rows:
    file: Path
    count: int

    def __iter__(self) -> Iterator[ImportedRow]:
        for start in range(0, self.count, _BATCH):
            try:
                batch = polars.scan_parquet(self.file, glob=False).slice(start, _BATCH).collect()
            except (polars.exceptions.PolarsError, OSError) as error:
                raise UnreadableTable(f"it is damaged after row {start}: {error}") from error
            for line, values in enumerate(batch.iter_rows(), start + 1):
                yield ImportedRow(line, tuple(map(cell_of, values)))
