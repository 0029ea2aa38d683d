"""Reads the tables of a document, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass

from finlore.adapters.parse_pdf.grid import Columns, GridRow, columns_of, fits, grid_of
from finlore.adapters.parse_pdf.rows import Row, Segment, enclosing

_SAME_EDGE = 3.0  # points by which the parts of a table may differ in their outer edges
_NEAR_LINES = 3.0  # times the size: a title that is repeated, or a source, may stand between the parts


@dataclass(frozen=True, slots=True)
class _Part:
    """A table that may go on: the page it stands on, its columns and outer edges, whether it ends the page."""

    page: int
    columns: Columns
    x0: float
    x1: float
    is_last: bool


@dataclass(slots=True)
class TableReader:
    """Grids of tables in reading order. A table at the top of a page that goes on from the page before keeps its
    columns."""

    _page: int = 0
    _top: float = 0.0
    _bottom: float = 0.0
    _last: _Part | None = None

    def turn_to(self, page: int, body: Sequence[Segment]) -> None:
        """What is read from now on stands on this page, whose body is given."""
        self._page = page
        self._top = min((segment.box.y0 for segment in body), default=0.0)
        self._bottom = max((segment.box.y1 for segment in body), default=0.0)

    def read(self, rows: Sequence[Row]) -> list[GridRow]:
        """The grid of one table of the page."""
        box, columns = enclosing(row.box for row in rows), columns_of(rows)
        before, near = self._last, _NEAR_LINES * rows[0].size
        if before and before.is_last and before.page == self._page - 1 and box.y0 - self._top < near:
            is_as_wide = abs(before.x0 - box.x0) < _SAME_EDGE and abs(before.x1 - box.x1) < _SAME_EDGE
            if is_as_wide and columns.n <= before.columns.n and fits(before.columns, rows):
                columns = before.columns
        self._last = _Part(self._page, columns, box.x0, box.x1, self._bottom - box.y1 < near)
        return grid_of(rows, columns)
