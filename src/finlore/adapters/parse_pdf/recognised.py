"""Lines that were recognised in the image of a page -> characters, as if the page had been digital.

Of a line only its box is known: its characters share the width as they would in a usual face. Lines come from top to
bottom; the columns of prose are told apart here, because later steps trust the order in which text was written.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import log
from statistics import median
from typing import NamedTuple

from finlore.adapters.parse_pdf.characters import Frame, Glyph, Space
from finlore.adapters.parse_pdf.rows import Segment, is_wide, make_segment
from finlore.ports import RecognisedLine, RecognisedPage
from finlore.records.document import Box, PageVerdict

_LONG_EMS = 8.0  # lines whose width tells their size better than the height of their box does
_WIDTH, _HEIGHT = 0.95, 0.8  # a size of what a box says, which stands a little around its line
_DESCENT = 0.2
_STEP, _ROUGH_STEP = 1.25, 1.5  # so far apart from the usual size, and from one another, are those that are told apart
_COLUMN_EMS, _COLUMN_LINES = 10.0, 3  # lines of prose are so long, and columns of it so many
_SAME_ROW, _MOST_IN_ROWS = 0.5, 0.7


class Placed(NamedTuple):
    """A line and its box in its reading frame."""

    text: str
    box: Box


def usual_size(pages: Iterable[RecognisedPage]) -> float:
    """The size of most text of a document, 0 where there is none."""
    lines = [Placed(line.text, _lying(line)) for page in pages for line in page.lines if _has_area(line.box)]
    sizes = [size for line in lines for size in [_size(line)] * len(line.text)]
    return median(sizes) if sizes else 0.0


def _lying(line: RecognisedLine) -> Box:
    """A box of the same measures around the line as it runs to the right."""
    box = line.box
    return Box(box.y0, box.x0, box.y1, box.x1) if line.turns % 2 else box


def segments_of(page: RecognisedPage, frames: Sequence[Frame], usual: float) -> dict[Frame, list[Segment]]:
    """The lines, a segment each, by the direction in which they run. `frames` are those of the page by their turns,
    `usual` is the `usual_size` of the document."""
    directions: dict[Frame, list[Segment]] = {}
    for turns in range(4):
        frame = frames[(frames[0].shown + turns) % 4]
        lines = [
            Placed(line.text, frame.of_displayed(line.box))
            for line in page.lines
            if line.turns == turns and line.text.strip() and _has_area(line.box)
        ]
        if lines:
            directions[frame] = [make_segment(_glyphs(line, usual)) for line in in_columns(_top_down(lines))]
    return directions


def verdict(page: RecognisedPage) -> PageVerdict:
    """That of a page whose lines were recognised."""
    n_characters = sum(len(line.text) for line in page.lines)
    if not n_characters:
        return PageVerdict(page.page, "ok", "no text was found in its image", is_ocr=True)
    score = sum(line.score * len(line.text) for line in page.lines) / n_characters
    return PageVerdict(page.page, "ok", f"recognised in its image, {100 * score:.0f} % sure", is_ocr=True)


def in_columns(lines: Sequence[Placed]) -> list[Placed]:
    """Lines (from top to bottom) in reading order: where columns of text stand side by side, the left one first."""
    found = _columns(lines)
    if found is None:
        return list(lines)
    start, end, left, right = found
    parts = (lines[:start], left, right, lines[end:])
    return [line for part in parts for line in in_columns(part)]


_Columns = tuple[int, int, list[Placed], list[Placed]]


def _columns(lines: Sequence[Placed]) -> _Columns | None:
    """The longest run of lines (start, end) that a gutter parts into columns, and these."""
    best: _Columns | None = None
    for x in {line.box.x1 for line in lines}:
        at = 0
        for is_across, run in groupby(lines, key=lambda line: line.box.x0 < x < line.box.x1):
            side_by_side = list(run)
            start, at = at, at + len(side_by_side)
            if is_across or (best and at - start <= best[1] - best[0]):
                continue
            left = [line for line in side_by_side if line.box.x1 <= x]
            right = [line for line in side_by_side if line.box.x0 >= x]
            if _are_columns(left, right):
                best = start, at, left, right
    return best


def _are_columns(left: Sequence[Placed], right: Sequence[Placed]) -> bool:
    """Whether both are text, rather than the labels and the numbers or remarks of one table."""
    if min(len(left), len(right)) < _COLUMN_LINES or _share_of_digits(left) > 0.5 or _share_of_digits(right) > 0.5:
        return False
    n_left, n_right = (sum(_ems_wide(line) >= _COLUMN_EMS for line in side) for side in (left, right))
    if min(n_left, n_right) >= _COLUMN_LINES:
        return True
    return max(n_left, n_right) >= _COLUMN_LINES and not _in_rows(*sorted((left, right), key=len))


def _in_rows(fewer: Sequence[Placed], more: Sequence[Placed]) -> bool:
    """Whether most lines of one side stand exactly beside a line of the other."""
    middles = [line.box.y0 + line.box.y1 for line in more]
    beside = sum(
        any(abs(line.box.y0 + line.box.y1 - middle) < _SAME_ROW * (line.box.y1 - line.box.y0) for middle in middles)
        for line in fewer
    )
    return beside > _MOST_IN_ROWS * len(fewer)


def _share_of_digits(lines: Sequence[Placed]) -> float:
    text = "".join(line.text for line in lines)
    return sum(map(str.isdigit, text)) / len(text)


def _ems_wide(line: Placed) -> float:
    return (line.box.x1 - line.box.x0) / (line.box.y1 - line.box.y0)


def _top_down(lines: Iterable[Placed]) -> list[Placed]:
    """Lines from top to bottom, those of one height from left to right."""
    rows: list[list[Placed]] = []
    for line in sorted(lines, key=lambda line: line.box.y0 + line.box.y1):
        above = rows[-1][0].box if rows else None
        if above and line.box.y0 + line.box.y1 - above.y0 - above.y1 < line.box.y1 - line.box.y0:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda line: line.box.x0)]


def _size(line: Placed) -> float:
    """The size of its type in points, as well as can be told."""
    if _is_long(line):
        return _WIDTH * (line.box.x1 - line.box.x0) / sum(map(_ems, line.text))
    return _HEIGHT * (line.box.y1 - line.box.y0)


def _is_long(line: Placed) -> bool:
    return sum(map(_ems, line.text)) >= _LONG_EMS


def _glyphs(line: Placed, usual: float) -> list[Glyph]:
    """The characters of a line side by side."""
    glyphs: list[Glyph] = []
    (text, box), step = line, _STEP if _is_long(line) else _ROUGH_STEP
    size = usual * step ** round(log(_size(line) / usual, step))
    baseline = (box.y0 + box.y1) / 2 + size * (0.5 - _DESCENT)
    em = (box.x1 - box.x0) / sum(map(_ems, text))
    x, after_space = box.x0, False
    for character in text:
        following = x + em * _ems(character)
        if not character.isspace():
            space: Space = "printed" if after_space else ""
            glyphs.append(Glyph(character, x, following, baseline, size, False, space))
        x, after_space = following, character.isspace()
    return glyphs


def _has_area(box: Box) -> bool:
    return box.x1 > box.x0 and box.y1 > box.y0


def _ems(character: str) -> float:
    return 1.0 if is_wide(character) else 0.5
