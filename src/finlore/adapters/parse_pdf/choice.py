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
from finlore.adapters.parse_pdf.grid import Columns, Grid, GridRow, arranged, fits, grid_of
from finlore.adapters.parse_pdf.rows import Row, Segment, enclosing, make_row, make_segment
from finlore.adapters.parse_pdf.tables import with_cells
from finlore.records.document import Box

_SAME_EDGE = 3.0  # points by which the parts of a table may differ in their outer edges
_NEAR_LINES = 3.0  # times the size: a title that is repeated, or a source, may stand between the parts

Opinion = Callable[[int], list[EngineRow]]  # a page (counted from 1) -> what an engine sees there


@dataclass(frozen=True, slots=True)
class _Part:
    """A table that may go on: where it stands, and whether it ends its page."""

    page: int
    columns: Columns
    box: Box
    is_last: bool


@dataclass(slots=True)
class TableReader:
    """Grids of tables in reading order. A table at the top of a page that goes on from the page before keeps its
    columns. `opinions` are asked in turn until one grid is without fault, or two agree."""

    opinions: Sequence[Opinion] = ()
    _page: int = 0
    _top: float = 0.0
    _bottom: float = 0.0
    _last: _Part | None = None
    _seen: dict[int, list[EngineRow]] = field(default_factory=dict)

    def turn_to(self, page: int, body: Sequence[Segment]) -> None:
        """What is read from now on stands on this page, whose body is given."""
        self._page, self._seen = page, {}
        self._top = min((segment.box.y0 for segment in body), default=0.0)
        self._bottom = max((segment.box.y1 for segment in body), default=0.0)

    def read(self, rows: Sequence[Row]) -> tuple[GridRow, ...]:
        """The grid of one table of the page."""
        grid = self._continued(self._best(rows))
        box, near = enclosing(row.box for row in rows), _NEAR_LINES * rows[0].size
        self._last = _Part(self._page, grid.columns, box, self._bottom - box.y1 < near)
        return grid.rows

    def _continued(self, grid: Grid) -> Grid:
        """The grid with the columns of the table that it goes on."""
        box, near = enclosing(row.box for row in grid.printed), _NEAR_LINES * grid.printed[0].size
        last = self._last
        if not last or not last.is_last or last.page != self._page - 1 or box.y0 - self._top > near:
            return grid
        is_aligned = min(abs(last.box.x0 - box.x0), abs(last.box.x1 - box.x1)) < _SAME_EDGE
        is_part = is_aligned and grid.columns.n <= last.columns.n and fits(last.columns, grid.printed)
        return arranged(grid.printed, last.columns) if is_part else grid

    def _best(self, rows: Sequence[Row]) -> Grid:
        """The grid with the fewest faults, of equal ones the earliest."""
        grids = [grid_of(rows)]
        faults = [n_faults(grids[0].rows)]
        for number in range(len(self.opinions)):
            if not min(faults):
                break
            recut = _recut(rows, self._rows_seen(number))
            if recut is None:
                continue
            grid = grid_of(recut)
            if any(_cells(grid) == _cells(other) for other in grids):
                break  # two agree
            grids.append(grid)
            faults.append(n_faults(grid.rows))
        return grids[faults.index(min(faults))]

    def _rows_seen(self, number: int) -> list[EngineRow]:
        if number not in self._seen:
            self._seen[number] = self.opinions[number](self._page)
        return self._seen[number]


def _cells(grid: Grid) -> list[list[int]]:
    """How many characters each cell has: enough to compare grids of the same characters."""
    return [[sum(glyph.text not in " \t" for glyph in cell) for cell in row.cells] for row in grid.rows]


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
