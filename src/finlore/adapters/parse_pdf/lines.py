"""Which printed lines are one row of a table: labels and headers wrap, and values stand once in a row.

Told by geometry where lines of a cell are closer than rows, else by the edge at which labels wrap, else by what the
text says. Knows nothing of where columns lie.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from finlore.adapters.parse_pdf.rows import Row, Segment
from finlore.adapters.parse_pdf.tables import is_number, is_value

Placed = Mapping[int, Sequence[Segment]]
"""The cells of a printed row by column."""

_SAME_STEP = 1.5  # points
_TIGHT = 0.82  # times the usual step from row to row: the next line of the same row
_LINE_EMS = 1.6  # no line of the same row is farther below
_LEAST_STEP_EMS = 0.9  # nearer lines belong to cells centred beside one another
_OPEN = re.compile(r"[,，、/(（＋+\-–—和及与或]$|\b(?:and|or|of|the|to|for|in|on|by|at|from|with|per|a|an)$", re.I)
_GOES_ON = re.compile(r"[)）、，,;；]")
_LOWER_CASE, _LATIN_END = re.compile(r"[a-z]"), re.compile(r"[a-zA-Z)]$")
_ASIDE = re.compile(r"[(（](?![\d一二三四五六七八九十]{1,2}[)）])")
_LONG_EMS, _VERY_LONG_EMS = 6.0, 12.0
_ROOM_EMS, _PROSE_ROOM_EMS = 0.6, 2.1
_BRACKETS = (("(", ")"), ("（", "）"))


def row_lines(rows: Sequence[Row], placed: Sequence[Placed]) -> Iterator[tuple[int, int]]:
    """Half-open ranges of printed rows that are the lines of one grid row."""
    usual, edges = _usual_step(rows, placed), _wrap_edges(placed)
    steps = [lower.baseline - upper.baseline for upper, lower in pairwise(rows)]
    start = 0
    for at in range(1, len(rows)):
        step, following, size = steps[at - 1], (*steps, math.inf)[at], rows[at].size
        is_nearest = step < following + _SAME_STEP or n_values(placed[at]) > 0
        is_tight = is_nearest and step < min(_TIGHT * usual, _LINE_EMS * size)
        is_header = any(map(n_values, placed[at + 1 : at + 2]))
        is_full = (is_nearest or 0 not in placed[at]) and _is_full(placed[at - 1], placed[at], edges)
        if not _is_same_row(placed[start:at], placed[at], is_tight=is_tight, is_full=is_full, is_header=is_header):
            yield start, at
            start = at
    yield start, len(rows)


def merged(lines: Sequence[Placed]) -> Placed:
    """The lines of one row as one: in each column what stands there from top to bottom."""
    columns = {column for line in lines for column in line}
    return {column: [segment for line in lines for segment in line.get(column, ())] for column in columns}


def _wrap_edges(placed: Sequence[Placed]) -> dict[int, float]:
    """By column the right edge at which cells wrap: the one that two long ones share, or that of a very long one."""
    edges: dict[int, float] = {}
    for column in {column for cells in placed for column in cells}:
        held = sorted((cells[column][-1] for cells in placed if column in cells), key=lambda cell: -cell.box.x1)
        long = [cell for cell in held[:2] if cell.box.x1 - cell.box.x0 > _LONG_EMS * cell.size]
        is_shared = len(long) == 2 and long[0].box.x1 - long[1].box.x1 <= _ROOM_EMS * long[0].size
        if is_shared or any(cell.box.x1 - cell.box.x0 > _VERY_LONG_EMS * cell.size for cell in long[:1] if column):
            edges[column] = long[0].box.x1
    return edges


def _is_full(above: Placed, cells: Placed, edges: Mapping[int, float]) -> bool:
    """Whether all cells that go on below reach the edge at which their column wraps, and none opens a section."""
    shared = set(above) & set(cells)
    texts = [cell.text for column in shared for cell in (above[column][-1], cells[column][-1])]
    if not shared or any(text.endswith((":", "：")) for text in texts):
        return False
    return all(above[column][-1].box.x1 > edges.get(column, math.inf) - _room(above[column][-1]) for column in shared)


def _room(cell: Segment) -> float:
    """How much of a line that wrapped is left at its end, in points; more in prose, whose words are not parted."""
    is_prose = cell.box.x1 - cell.box.x0 > _VERY_LONG_EMS * cell.size
    return (_PROSE_ROOM_EMS if is_prose else _ROOM_EMS) * cell.size


def _usual_step(rows: Sequence[Row], placed: Sequence[Placed]) -> float:
    """The median step between neighbouring rows that both hold values, else between any, in points."""
    steps = [
        (lower.baseline - upper.baseline, n_values(one) > 0 and n_values(other) > 0)
        for (upper, lower), (one, other) in zip(pairwise(rows), pairwise(placed), strict=True)
    ]
    steps = [(step, are_values) for step, are_values in steps if step > _LEAST_STEP_EMS * rows[0].size]
    between = sorted(step for step, are_values in steps if are_values) or sorted(step for step, _ in steps)
    return between[len(between) // 2] if between else math.inf


def n_values(cells: Placed) -> int:
    """How many cells beside the first hold a value; years head columns."""
    texts = [segment.text.strip() for column, held in cells.items() if column for segment in held]
    return sum(map(is_value, texts))


def _is_same_row(above: Sequence[Placed], cells: Placed, *, is_tight: bool, is_full: bool, is_header: bool) -> bool:
    """Whether a printed row is a further line of the row above it: values stand once in a row, on any of its lines;
    `is_full` says that the label above reaches the edge at which labels wrap, `is_header` that values come next."""
    filled = {column for line in above for column in line}
    has_values, adds_values = any(map(n_values, above)), n_values(cells) > 0
    if has_values and (adds_values or not filled >= set(cells)):
        return False
    if adds_values and filled != {0}:
        return False
    shared = filled & set(cells)
    if is_tight and len(shared) < 2:
        return True
    if is_full and ((shared == {0} and {0} in (filled, set(cells))) or not (adds_values or 0 in cells)):
        return True
    going_on = {column for column in shared if _goes_on(above, cells, column)}
    is_label_in_line = (0 in going_on) if 0 in shared else (0 not in cells or is_header)
    return 2 * len(going_on) > len(shared) and is_label_in_line


def _goes_on(above: Sequence[Placed], cells: Placed, column: int) -> bool:
    """Whether a cell's text is cut off after the lines above."""
    text = "".join(segment.text for line in above for segment in line.get(column, ())).rstrip()
    following = cells[column][0].text.lstrip()
    if text.endswith((":", "：")) or is_number(following):
        return any(text.endswith(mark) for mark in ",，") and not is_number(text)
    is_open = any(text.count(opening) > text.count(closing) for opening, closing in _BRACKETS)
    is_aside = bool(_ASIDE.match(following)) and not n_values(cells)
    is_word = bool(_LOWER_CASE.match(following) and _LATIN_END.search(text))
    return is_open or is_aside or is_word or bool(_OPEN.search(text) or _GOES_ON.match(following))
