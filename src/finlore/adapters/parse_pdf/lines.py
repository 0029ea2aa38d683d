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
_LONG_LABEL_EMS = 6.0
_BRACKETS = (("(", ")"), ("（", "）"))


def row_lines(rows: Sequence[Row], placed: Sequence[Placed]) -> Iterator[tuple[int, int]]:
    """Half-open ranges of printed rows that are the lines of one grid row."""
    usual, edge = _usual_step(rows, placed), _label_edge(placed)
    steps = [lower.baseline - upper.baseline for upper, lower in pairwise(rows)]
    start = 0
    for at in range(1, len(rows)):
        step, following, size = steps[at - 1], (*steps, math.inf)[at], rows[at].size
        is_nearest = step < following + _SAME_STEP or n_values(placed[at]) > 0
        is_tight = is_nearest and step < min(_TIGHT * usual, _LINE_EMS * size)
        is_header = any(map(n_values, placed[at + 1 : at + 2]))
        labels = (*placed[at - 1].get(0, ()), *placed[at].get(0, ()))
        is_title = any(label.text[-1] in ":：" for label in labels)
        is_full = is_nearest and not is_title and bool(labels) and labels[0].box.x1 > edge - 0.5 * size
        if not _is_same_row(placed[start:at], placed[at], is_tight=is_tight, is_full=is_full, is_header=is_header):
            yield start, at
            start = at
    yield start, len(rows)


def _label_edge(placed: Sequence[Placed]) -> float:
    """Where labels wrap: the right edge that several long ones share, infinity where there is none."""
    labels = sorted((cells[0][-1] for cells in placed if 0 in cells), key=lambda cell: -cell.box.x1)
    if len(labels) < 2 or labels[0].box.x1 - labels[1].box.x1 > 0.5 * labels[0].size:
        return math.inf
    is_long = all(label.box.x1 - label.box.x0 > _LONG_LABEL_EMS * label.size for label in labels[:2])
    return labels[0].box.x1 if is_long else math.inf


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
    if (is_tight and len(shared) < 2) or (is_full and shared == {0} and {0} in (filled, set(cells))):
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
