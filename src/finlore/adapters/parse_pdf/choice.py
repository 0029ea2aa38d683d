"""Which grid a table gets: our own, or, where that has faults, the one of the engine whose cells have fewer.

An engine only says where cells end. They are cut from our characters, row by row where both print the same; columns and
rows are then found as ever, so that text and boxes stay ours.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from finlore.adapters.parse_pdf.characters import Glyph
from finlore.adapters.parse_pdf.checks import n_faults
from finlore.adapters.parse_pdf.engines import EngineRow
from finlore.adapters.parse_pdf.grid import Grid, GridRow, arranged, goes_on, grid_of
from finlore.adapters.parse_pdf.rows import Row, Segment, make_row, make_segment
from finlore.adapters.parse_pdf.tables import with_cells

_NEAR_LINES = 3.0  # times the size: a title that is repeated, or a source, may stand between the parts
_MORE_EMPTY = 0.1  # share of the cells: columns that are hardly filled hide faults

Opinion = Callable[[int], list[EngineRow]]  # a page (counted from 1) -> what an engine sees there


@dataclass(slots=True)
class TableReader:
    """Grids of tables in reading order. A table at the top of a page that goes on from the page before keeps its
    columns. `opinions` are asked in turn until one grid is without fault, or two agree."""

    opinions: Sequence[Opinion] = ()
    _page: int = 0
    _top: float = 0.0
    _bottom: float = 0.0
    _open: Grid | None = None  # the last table, if it ends its page
    _seen: dict[int, list[EngineRow]] = field(default_factory=dict)

    def turn_to(self, page: int, body: Sequence[Segment]) -> None:
        """What is read from now on stands on this page, whose body is given."""
        self._open = self._open if page == self._page + 1 else None
        self._page, self._seen = page, {}
        self._top = min((segment.box.y0 for segment in body), default=0.0)
        self._bottom = max((segment.box.y1 for segment in body), default=0.0)

    def read(self, rows: Sequence[Row]) -> tuple[GridRow, ...]:
        """The grid of one table of the page."""
        grid, near = self._best(rows), _NEAR_LINES * rows[0].size
        if self._open and rows[0].box.y0 - self._top < near and goes_on(grid, self._open):
            grid = arranged(grid.printed, self._open.columns)
        self._open = grid if self._bottom - rows[-1].box.y1 < near else None
        return grid.rows

    def _best(self, rows: Sequence[Row]) -> Grid:
        """The grid with the fewest faults, of equal ones the earliest; ours, where others need more empty cells."""
        own = best = grid_of(rows)
        least, asked = n_faults(own.rows), [_cells(own)]
        for number in range(len(self.opinions)):
            recut = _recut(rows, self._rows_seen(number)) if least else None
            if recut is None:
                continue
            grid = grid_of(recut)
            if _cells(grid) in asked:
                break  # two agree
            asked.append(_cells(grid))
            faults = n_faults(grid.rows)
            if faults < least and _share_empty(grid) <= _share_empty(own) + _MORE_EMPTY:
                best, least = grid, faults
        return best

    def _rows_seen(self, number: int) -> list[EngineRow]:
        if number not in self._seen:
            self._seen[number] = self.opinions[number](self._page)
        return self._seen[number]


def _cells(grid: Grid) -> list[list[int]]:
    """How many characters each cell has: enough to compare grids of the same characters."""
    return [[sum(glyph.text not in " \t" for glyph in cell) for cell in row.cells] for row in grid.rows]


def _share_empty(grid: Grid) -> float:
    return sum(not cell for row in grid.rows for cell in row.cells) / (len(grid.rows) * grid.columns.n)


def _recut(rows: Sequence[Row], seen: Sequence[EngineRow]) -> list[Row] | None:
    """The rows with the cells that an engine gave them, ours where it prints another row; None where it knows none."""
    by_text = {"".join(map(_plain, row)): row for row in seen}
    cut = [_with_cells_of(row, by_text.get("".join(_plain(segment.text) for segment in row.segments))) for row in rows]
    return [with_cells(new or row) for new, row in zip(cut, rows, strict=True)] if any(cut) else None


def _with_cells_of(row: Row, seen: EngineRow | None) -> Row | None:
    """The row cut where the engine's cells end, None where it did not see the row or ends a cell inside a glyph."""
    glyphs = [glyph for segment in row.segments for glyph in segment.glyphs]
    segments: list[Segment] = []
    for text in filter(None, map(_plain, seen or ())):
        cell: list[Glyph] = []
        while glyphs and len("".join(_plain(glyph.text) for glyph in cell)) < len(text):
            cell.append(glyphs.pop(0))
        if "".join(_plain(glyph.text) for glyph in cell) != text:
            return None
        segments.append(make_segment(cell))
    return make_row(segments) if segments and not glyphs else None


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())
