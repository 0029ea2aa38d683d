"""Tables as CSV with a header line: comma, semicolon, tab or bar between cells."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from finlore.formats.decode import NotText
from finlore.formats.encoded import LONGEST_LINE, TextFile, text_file
from finlore.records.imported import ImportedRow, ImportedTable, UnreadableTable

_MOST_COLUMNS = 1_000


class CsvImporter:
    """UTF-8, else GB 18030. A row with more or fewer cells than the header has a fault, and so has one whose quotation
    marks do not match."""

    suffixes = (".csv", ".tsv")

    def read(self, file: Path) -> ImportedTable:
        try:
            text = text_file(file)
            header = next(text.lines(), "")
        except NotText as error:
            raise UnreadableTable(str(error)) from error
        rows = _Rows(text, max(",\t;|", key=header.count))
        columns = rows.header()
        if len(columns) > _MOST_COLUMNS:
            raise UnreadableTable(f"it has {len(columns)} columns, more than {_MOST_COLUMNS}")
        return ImportedTable("csv", columns, rows, n_rows=text.n_lines)


@dataclass(frozen=True, slots=True)
class _Rows:
    text: TextFile
    delimiter: str

    def header(self) -> tuple[str, ...]:
        cells = next((row.cells for row in self._all()), ())
        return tuple(cell for cell in cells if isinstance(cell, str))

    def __iter__(self) -> Iterator[ImportedRow]:
        rows = self._all()
        width = len(next(rows, ImportedRow(0, ())).cells)
        for row in rows:
            if row.fault or len(row.cells) == width:
                if row.fault or any(row.cells):
                    yield row
            elif any(row.cells):
                yield ImportedRow(row.line, row.cells, f"not {width} cells, as the header has")

    def _all(self) -> Iterator[ImportedRow]:
        """The rows with the header, and with empty lines."""
        csv.field_size_limit(LONGEST_LINE)
        lines, read = self.text.lines(), 0
        while True:
            reader, begun = csv.reader(lines, delimiter=self.delimiter, strict=True), 1
            try:
                for cells in reader:
                    begun = reader.line_num + 1
                    yield ImportedRow(read + reader.line_num, tuple([cell.strip() for cell in cells]))
                return
            except csv.Error as error:
                if "expected after" not in str(error):  # else the next line is a row of its own
                    raise UnreadableTable(f"from line {read + begun} on it is no CSV: {error}") from error
                read += reader.line_num
                yield ImportedRow(read, (), "a quotation mark is not doubled")
            except (NotText, UnicodeDecodeError) as error:
                raise UnreadableTable(f"after line {read + reader.line_num}: {error}") from error
