"""What a table says: its cells, their headers, and the numbers that can be read from them.

In the canonical text a table is a rectangular grid whatever the format: one line per row, the same number of cells in
each, an empty cell where nothing is printed or where a merged cell goes on. All offsets point into that text.
"""

from dataclasses import dataclass
from typing import Literal

from finlore.records.document import Box, Span

Basis = Literal["actual", "forecast", ""]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; `start == end` where it is empty. Rows and columns count from 0, header rows included."""

    row: int
    column: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Table:
    """A grid with its headers told from its values. `unit` is what caption or header state for the whole of it.

    The rest of a table that goes on over a page break has the header cells of its first part as its first rows.
    `doubts` say which checks it fails, in words for the person who reviews it; `n_checks` how many could be applied.
    """

    start: int
    end: int
    n_rows: int
    n_columns: int
    cells: tuple[Cell, ...]
    n_header_rows: int
    n_label_columns: int
    caption: Span | None = None
    unit: str = ""
    page: int | None = None
    box: Box | None = None
    doubts: tuple[str, ...] = ()
    n_checks: int = 0


@dataclass(frozen=True, slots=True)
class TableValue:
    """One number with all that says what it is.

    `metric` is an id of the metric lexicon (metric:revenue; .segment, .growth, .qoq, .share behind it say what is
    derived from it), "" where nobody knows the `label`, which is what is printed. `value` is as printed, in `unit`
    (百万元, %, 元, x, "" where nobody says). `period` is 2025, 2025Q3, 2025H1, 2025Q1-Q3, 2025-06-30,
    P13W/2025-05-03, TTM … `security` is a canonical id where the table or the document says whose number it is, else
    None; `company` the name that a comparison table prints.
    """

    metric: str
    label: str
    value: float
    unit: str
    period: str
    basis: Basis
    security: str | None
    company: str
    start: int
    end: int
    row: int
    column: int
    page: int | None = None
    box: Box | None = None
    is_doubtful: bool = False
