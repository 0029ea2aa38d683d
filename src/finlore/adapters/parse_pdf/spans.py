"""Cells that stand for several columns or rows: they go into the first of these, whatever they are centred over."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from finlore.adapters.parse_pdf.lines import Placed, n_values
from finlore.adapters.parse_pdf.rows import Segment, enclosing
from finlore.adapters.parse_pdf.tables import is_number

_CENTRED = 4.0  # points by which a header may miss the middle of what it stands over
_EDGE = 1.5  # points by which the edges of aligned cells differ
_OFF_MIDDLE = 0.35  # times the step from row to row, by which a label may miss the middle of its rows


def _extents(placed: Sequence[Placed], n_columns: int) -> list[tuple[float, float]]:
    """How far each column reaches from left to right in rows with values; an infinite way back where it is empty."""
    rows = [cells for cells in placed if n_values(cells)]
    columns = [[segment.box for cells in rows for segment in cells.get(column, ())] for column in range(n_columns)]
    return [
        (min((box.x0 for box in boxes), default=math.inf), max((box.x1 for box in boxes), default=-math.inf))
        for boxes in columns
    ]


def headers_first(placed: Sequence[Placed], n_columns: int) -> list[Placed]:
    """The same cells, but headers that are centred over several columns in the first of these."""
    n_header = next((at for at, cells in enumerate(placed) if n_values(cells)), 0)
    reach = _extents(placed, n_columns)
    headers = []
    for number, cells in enumerate(placed[:n_header]):
        held = sorted(cells)
        even = (n_columns - 1) / max(1, len(set(held) - {0}))
        free = zip((0, *held), held, (*held[1:], n_columns), strict=False)
        again = _recurring(placed[number + 1]) if number + 1 < n_header else frozenset[int]()
        headers.append(
            {
                _first_spanned(cells[at], reach, (before + 1, at, end), even, again): cells[at]
                for before, at, end in free
            }
        )
    return [*headers, *placed[n_header:]]


def _recurring(cells: Placed) -> frozenset[int]:
    """The columns whose header in this row stands in others of it too: 2023A under each of several measures."""
    texts = {column: " ".join(segment.text for segment in held) for column, held in cells.items()}
    counts = Counter(texts.values())
    return frozenset(column for column, text in texts.items() if counts[text] > 1)


def _first_spanned(
    cell: Sequence[Segment],
    extents: Sequence[tuple[float, float]],
    free: tuple[int, int, int],
    even: float,
    again: frozenset[int],
) -> int:
    """The first of the columns over which a cell is centred, where these are several: at best as many as each cell of
    its row gets if all get as many, else the most whose headers below recur (`again`) under others.

    `free` are the first column it may have, its own, and one past the last."""
    start, column, end = free
    box = enclosing(segment.box for segment in cell)
    middle = (box.x0 + box.x1) / 2
    groups = [
        (last + 1 - first != even, distance, first, last)
        for first in range(max(1, start), column + 1)
        for last in range(first, end)
        if extents[first][0] <= middle <= extents[last][1]
        and (distance := abs(extents[first][0] + extents[last][1] - 2 * middle) / 2) <= _CENTRED
    ]
    recurring = [(last, first) for *_, first, last in groups if first < last and again >= {*range(first, last + 1)}]
    if recurring:
        return min(recurring, key=lambda group: group[1] - group[0])[1]
    is_uneven, _, first, last = min(groups, default=(True, 0.0, column, column))
    is_aligned = any(min(abs(x0 - box.x0), abs(x1 - box.x1)) <= _EDGE for x0, x1 in extents)
    return column if first == last or (is_uneven and is_aligned) else first


def labels_first(rows: Sequence[Placed]) -> list[Placed]:
    """The rows with labels that are centred beside several rows in the first of these; as they are unless all labels
    below the header stand so."""
    start = next((at for at, cells in enumerate(rows) if n_values(cells)), 1)
    lines = [at for at in range(start, len(rows)) if 1 in rows[at]]
    labels = [at for at in range(start, len(rows)) if 0 in rows[at]]
    firsts = _group_starts([_middle(rows[at][1]) for at in lines], [_middle(rows[at][0]) for at in labels])
    is_named = all(not is_number(segment.text) for at in lines for segment in rows[at][1])
    if not firsts or not is_named or any(1 not in rows[at] and len(rows[at]) > 1 for at in labels):
        return list(rows)
    label_of = {lines[first]: rows[at][0] for first, at in zip(firsts, labels, strict=True)}
    raised = list(rows[:start])
    for at in range(start, len(rows)):
        cells = {column: held for column, held in rows[at].items() if column}
        if cells:
            raised.append({0: label_of[at]} | cells if at in label_of else cells)
    return raised


def _middle(cell: Sequence[Segment]) -> float:
    return (cell[0].baseline + cell[-1].baseline) / 2


def _group_starts(lines: Sequence[float], labels: Sequence[float]) -> list[int]:
    """Where groups of neighbouring lines start, one for each label, which stands at the middle of its group; none where
    lines do not part so. Heights in points."""
    if not 1 < len(labels) < len(lines):
        return []
    tolerance = _OFF_MIDDLE * min(lower - upper for upper, lower in pairwise(lines))
    starts, first = [], 0
    for label in labels:
        misses = [(abs((lines[first] + lines[last]) / 2 - label), last) for last in range(first, len(lines))]
        miss, last = min(misses, default=(math.inf, 0))
        if miss > tolerance:
            return []
        starts.append(first)
        first = last + 1
    return starts if first == len(lines) else []
