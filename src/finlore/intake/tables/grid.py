"""The cells of table blocks, whatever the format: where each stands in the canonical text, and how it reads."""

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import islice

from finlore.formats.tables import CELL_MARK, MOST_COLUMNS, MOST_ROWS, html_rows, marked_cells, pipe_cells
from finlore.language.reading import read, readable_spans
from finlore.records.document import Block, Document, Span
from finlore.records.table import Table

Spot = tuple[int, int]
_WIDE_GAP = re.compile(r"[ \u3000]{2,}")


@dataclass(frozen=True, slots=True)
class Grid:
    """The readings of a table's cells, all rows equally long; `spots` say where each stands. `uneven`: rows whose
    source has another number of cells than most, with that number."""

    rows: tuple[tuple[str, ...], ...]
    spots: tuple[tuple[Spot, ...], ...]
    uneven: tuple[tuple[int, int], ...] = ()

    @property
    def n_columns(self) -> int:
        return len(self.rows[0]) if self.rows else 0

    def column(self, column: int, start: int = 0) -> list[str]:
        return [row[column] for row in self.rows[start:]]


class CellReader:
    """One document's tables as grids; holds the mark-up that all of them need."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._spans = readable_spans(document.markup)
        self._rows = sorted((s for s in document.markup if s.kind == "table_row"), key=lambda span: span.start)
        self._row_starts = [row.start for row in self._rows]
        self._html = {span.start for span in document.markup if span.kind == "html_table"}
        self._cells = sorted(span.start for span in document.markup if span.kind == "cell")
        self._read: dict[Spot, str] = {}

    def grid(self, block: Block) -> Grid:
        """The cells of a table block, as far as MOST_ROWS and MOST_COLUMNS; rows that hold nothing are left out."""
        printed = (row[:MOST_COLUMNS] for row in self._spots(block) if any(start < end for start, end in row))
        rows = list(islice(printed, MOST_ROWS))
        widths = Counter(len(row) for row in rows if len(row) > 1)
        usual = widths.most_common(1)[0][0] if widths else 0
        n_columns = max(map(len, rows), default=0)
        full = tuple((*row, *[(row[-1][1], row[-1][1])] * (n_columns - len(row))) for row in rows)
        readings = tuple(tuple(self.read(*spot) for spot in row) for row in full)
        return Grid(readings, full, tuple((n, len(row)) for n, row in enumerate(rows) if len(row) not in {1, usual}))

    def of_table(self, table: Table) -> Grid:
        """The grid of a table that was read before."""
        rows = [table.cells[at : at + table.n_columns] for at in range(0, len(table.cells), table.n_columns)]
        spots = tuple(tuple((cell.start, cell.end) for cell in row) for row in rows)
        return Grid(tuple(tuple(self.read(*spot) for spot in row) for row in spots), spots)

    def read(self, start: int, end: int) -> str:
        """How a range of the text reads, white space as single spaces."""
        if (start, end) not in self._read:
            self._read[start, end] = (
                " ".join(read(self._text, self._spans, start, end).text.split()) if end > start else ""
            )
        return self._read[start, end]

    def _spots(self, block: Block) -> list[list[Spot]]:
        if block.start in self._html:
            return html_rows(self._text, block.start, block.end)
        first, last = bisect_left(self._row_starts, block.start), bisect_left(self._row_starts, block.end)
        if first < last:
            return [self._marked(row) for row in self._rows[first:last]]
        return list(_lines(self._text, block))

    def _marked(self, row: Span) -> list[Spot]:
        at = bisect_left(self._cells, row.start)
        is_pipe = (at < len(self._cells) and self._cells[at] < row.end) or self._text.startswith("|", row.start)
        cells = (
            pipe_cells(self._text, row.start, row.end)
            if is_pipe
            else marked_cells(self._text, row.start, row.end, CELL_MARK)
        )
        return cells


def _lines(text: str, block: Block) -> list[list[Spot]]:
    """One row a line, cells between tabs; between wide gaps where there is no tab at all."""
    piece = text[block.start : block.end]
    rows = []
    at = block.start
    for line in piece.split("\n"):
        if "\t" in piece:
            rows.append(marked_cells(text, at, at + len(line), "\t"))
        else:
            cuts = [(at + gap.start(), at + gap.end()) for gap in _WIDE_GAP.finditer(line)]
            starts, ends = [at, *(end for _, end in cuts)], [*(start for start, _ in cuts), at + len(line)]
            rows.append([spot for spot in zip(starts, ends, strict=True) if spot[0] < spot[1]])
        at += len(line) + 1
    return [row for row in rows if row]
