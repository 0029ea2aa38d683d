"""Tables as CSV with a header line: comma, semicolon, tab or bar between cells."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from finlore.formats.decode import NotText, decode
from finlore.records.imported import ImportedRow, ImportedTable, UnreadableTable

_LARGEST_CELL = 8 * 1024**2
_MOST_COLUMNS = 1_000


class CsvImporter:
    """UTF-8, else GB 18030. A row with more or fewer cells than the header has a fault."""

    suffixes = (".csv", ".tsv")

    def read(self, content: bytes) -> ImportedTable:
        try:
            text = decode(content)
        except NotText as error:
            raise UnreadableTable(str(error)) from error
        header, _, _ = text.partition("\n")
        rows = _Rows(text, max(",\t;|", key=header.count))
        columns = rows.header()
        if len(columns) > _MOST_COLUMNS:
            raise UnreadableTable(f"it has {len(columns)} columns, more than {_MOST_COLUMNS}")
        return ImportedTable("csv", columns, rows)


@dataclass(frozen=True, slots=True)
class _Rows:
    text: str
    delimiter: str

    def header(self) -> tuple[str, ...]:
        _, cells = next(self._cells(), (0, []))
        return tuple(cell.strip() for cell in cells)

    def __iter__(self) -> Iterator[ImportedRow]:
        rows = self._cells()
        _, header = next(rows, (0, []))
        width = len(header)
        for line, cells in rows:
            if not any(cell.strip() for cell in cells):
                continue
            fault = "" if len(cells) == width else f"not {width} cells, as the header has"
            yield ImportedRow(line, tuple(cell.strip() for cell in cells), fault)

    def _cells(self) -> Iterator[tuple[int, list[str]]]:
        csv.field_size_limit(_LARGEST_CELL)
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=self.delimiter, strict=True)
        try:
            for cells in reader:
                yield reader.line_num, cells
        except csv.Error as error:
            raise UnreadableTable(f"line {reader.line_num} is no CSV: {error}") from error
