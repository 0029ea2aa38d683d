"""Rows of a table -> a rectangular grid: which cells stand below one another, and which printed lines are one row.

A column is what no row needs two of: every gap between two cells of a row is cut, all gaps by as few cuts as possible.
So right edges of numbers and left edges of labels find their columns without being measured.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise, takewhile

from finlore.adapters.parse_pdf.characters import Glyph
from finlore.adapters.parse_pdf.lines import Placed, merged, row_lines
from finlore.adapters.parse_pdf.rows import Row, Segment, blank, enclosing, is_wide, make_row
from finlore.adapters.parse_pdf.spans import headers_first, labels_first
from finlore.adapters.parse_pdf.tables import is_apart, is_number, is_value, joined, words_in
from finlore.records.document import Box

Cell = tuple[Glyph, ...]

_EDGE = 1.5  # points by which the edges of aligned cells differ
_SPREAD_EMS = 2.5  # parts of a label set this far apart are still one cell


@dataclass(frozen=True, slots=True)
class GridRow:
    """As many cells as any other row of its grid, empty where nothing is printed; `box` is around what is."""

    cells: tuple[Cell, ...]
    box: Box


@dataclass(frozen=True, slots=True)
class Columns:
    """Where columns part, in points, ascending: one cut less than there are columns."""

    cuts: tuple[float, ...] = ()

    @property
    def n(self) -> int:
        return len(self.cuts) + 1

    def touched(self, box: Box) -> tuple[int, int]:
        """The first and the last column that a box lies in."""
        first = bisect_right(self.cuts, box.x0 + _EDGE)
        return first, max(first, bisect_left(self.cuts, box.x1 - _EDGE))

    def of(self, segment: Segment) -> int:
        """The column that a cell stands in: the first that it touches, of a number the one where most of it lies."""
        first, last = self.touched(segment.box)
        if first == last or not is_number(segment.text):
            return first
        edges = (-math.inf, *self.cuts, math.inf)
        return max(
            range(first, last + 1), key=lambda at: min(segment.box.x1, edges[at + 1]) - max(segment.box.x0, edges[at])
        )


def grid_of(printed: Sequence[Row]) -> list[GridRow]:
    """The grid of the fewest columns in which no row has two cells: one row for each printed row, or for several that
    are lines of the same one."""
    parted = _parted(printed, columns_of(printed))
    columns = columns_of(parted)
    placed = headers_first([_by_column(row.segments, columns) for row in parted], columns.n)
    rows = labels_first([merged(placed[start:end]) for start, end in row_lines(parted, placed)])
    return [_grid_row(cells, columns.n) for cells in rows]


def columns_of(rows: Sequence[Row]) -> Columns:
    """The fewest columns in which no row has two cells, without those that hold parts of one."""
    columns, at = Columns(tuple(_cuts(rows))), 0
    placed = [_by_column(row.segments, columns) for row in rows]
    while at < len(columns.cuts):
        if _is_one(placed, at):
            columns = Columns(columns.cuts[:at] + columns.cuts[at + 1 :])
            placed = [_by_column(row.segments, columns) for row in rows]
            at = max(0, at - 1)
        else:
            at += 1
    return columns


def _cuts(rows: Sequence[Row]) -> list[float]:
    """The fewest positions of which one lies in each gap between neighbours of a row, each where it crosses least."""
    neighbours = [pair for row in rows for pair in pairwise(row.segments)]
    gaps = sorted((right.box.x0, left.box.x1) for left, right in neighbours if left.box.x1 < right.box.x0)
    ends: list[float] = []
    for end, start in gaps:
        if not ends or start > ends[-1]:
            ends.append(end)
    starts = [-math.inf] * len(ends)
    for end, start in gaps:
        last = bisect_right(ends, end) - 1
        starts[last] = max(starts[last], start)
    x0s, x1s = (
        sorted(edges) for edges in zip(*((s.box.x0, s.box.x1) for row in rows for s in row.segments), strict=True)
    )
    return [_least_crossed(x0s, x1s, start, end) for start, end in zip(starts, ends, strict=True)]


def _least_crossed(x0s: Sequence[float], x1s: Sequence[float], start: float, end: float) -> float:
    """The rightmost of the positions from `start` to `end` that run through fewest cells, whose edges are given."""
    places = (*x0s[bisect_right(x0s, start) : bisect_left(x0s, end)], end)
    return min(places, key=lambda x: (bisect_left(x0s, x - _EDGE) - bisect_right(x1s, x + _EDGE), -x))


def _by_column(segments: Iterable[Segment], columns: Columns) -> dict[int, list[Segment]]:
    placed: dict[int, list[Segment]] = {}
    for segment in segments:
        placed.setdefault(columns.of(segment), []).append(segment)
    return placed


def _is_one(placed: Sequence[Placed], at: int) -> bool:
    """Whether a cut parts no columns: no row fills both and cells of both stand in one line, or what stands to the
    right of it are parts of labels."""
    both = [cells for cells in placed if at in cells and at + 1 in cells]
    left = [cell for cells in placed for cell in cells.get(at, ())]
    right = [cell for cells in placed for cell in cells.get(at + 1, ())]
    if not both:
        return not left or not right or any(_in_line(one, other) for one in left for other in right)
    is_text = not any(is_number(cell.text) for cell in (*left, *right))
    if not is_text or len(both) > max(1, len(placed) // 10) or len(right) > len(both):
        return False
    steps = ((cells[at][-1], cells[at + 1][0]) for cells in both)
    return len(both) < len(placed) and all(_gap(one, other) < _SPREAD_EMS * one.size for one, other in steps)


def _in_line(one: Segment, other: Segment) -> bool:
    """Whether cells of different rows share an edge, or numbers lie over one another."""
    if min(abs(one.box.x0 - other.box.x0), abs(one.box.x1 - other.box.x1)) <= _EDGE:
        return True
    return is_number(one.text) and is_number(other.text) and _gap(one, other) < -_EDGE


def _gap(left: Segment, right: Segment) -> float:
    return right.box.x0 - left.box.x1


def _parted(rows: Sequence[Row], columns: Columns) -> list[Row]:
    """The rows, segments that run through several columns parted into the cells that stand close together there."""
    parted = []
    for row in rows:
        cells = [cell for segment in row.segments for cell in _cells_of(segment, columns)]
        parted.append(row if len(cells) == len(row.segments) else make_row(cells))
    return parted


def _cells_of(segment: Segment, columns: Columns) -> list[Segment]:
    """As many cells as the segment touches columns, if so many values end it, or wide gaps part it; else parted where a
    cut lies in a wide gap."""
    first, last = columns.touched(segment.box)
    if first == last and not any(glyph.space for glyph in segment.glyphs[1:]):
        return [segment]
    words = words_in(segment)
    wide = {at for at, (one, other) in enumerate(pairwise(words)) if is_apart(one, other)}
    n_values = sum(1 for _ in takewhile(lambda word: is_value(word.text), reversed(words)))
    if 0 < n_values == last - first < len(words):
        ends: Set[int] = frozenset(range(len(words) - 1 - n_values, len(words) - 1))
    elif 0 < len(wide) == last - first:
        ends = wide
    else:
        ends = _at_cuts(words, columns.cuts[first:last], wide)
    parts = pairwise((0, *(end + 1 for end in sorted(ends)), len(words)))
    return [joined(words[start:end]) for start, end in parts]


def _at_cuts(words: Sequence[Segment], cuts: Sequence[float], wide: Set[int]) -> set[int]:
    return {
        at
        for at, (one, other) in enumerate(pairwise(words))
        if (cuts and is_number(one.text) and is_number(other.text))
        or (at in wide and any(_is_between(one, cut, other) for cut in cuts))
    }


def _is_between(one: Segment, cut: float, other: Segment) -> bool:
    return one.box.x1 - 0.5 <= cut <= other.box.x0 + 0.5


def line_of(row: GridRow) -> list[Glyph]:
    """A row as it is written: its cells with tabs between them, which fill the gaps."""
    printed = [cell for cell in row.cells if cell]
    line: list[Glyph] = []
    for at, cell in enumerate(row.cells):
        if at:
            before = line[-1] if line else printed[0][0]._replace(x1=printed[0][0].x0)
            line.append(blank("\t", before, max(before.x1, cell[0].x0) if cell else before.x1))
        line += cell
    return line


def _grid_row(cells: Placed, n_columns: int) -> GridRow:
    spelled = tuple(tuple(_spelled(cells.get(column, ()))) for column in range(n_columns))
    return GridRow(spelled, enclosing(segment.box for held in cells.values() for segment in held))


def _spelled(segments: Sequence[Segment]) -> list[Glyph]:
    """A cell as written: its parts and lines with a space between them, none between wide characters."""
    spelled: list[Glyph] = []
    for segment in segments:
        if spelled and not (is_wide(spelled[-1].text[-1]) and is_wide(segment.text[0])):
            spelled.append(blank(" ", spelled[-1], max(spelled[-1].x1, segment.box.x0)))
        spelled += segment.spelled
    return spelled
