"""Characters -> segments (runs without a wide gap) -> rows (what is printed on one baseline of one column)."""

import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from finlore.adapters.parse_pdf.characters import Glyph
from finlore.records.document import Box

_CELL_GAP = 0.95  # ems without ink that end a segment
_SAME_BASELINE = 0.4  # ems; an index or exponent still belongs to its row
_SAME_ROW = 0.6
_WIDE_LATIN_SPACE, _WIDE_SPACE = 0.6, 0.8  # ems
_ASCENT, _DESCENT = 0.88, 0.14  # of a font's size: the em box of most faces
_RAISED_SIZE, _RAISED_BY = 0.8, 0.2  # ems of the number before: at most so large, at least so much higher
_RAISED = str.maketrans("0123456789()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁽⁾")


@dataclass(frozen=True, slots=True)
class Segment:
    """Glyphs of one baseline without a wide gap between them, in stream order; `spelled` are these with spaces."""

    glyphs: tuple[Glyph, ...]
    box: Box
    baseline: float
    size: float
    spelled: tuple[Glyph, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """Segments of one printed line from left to right."""

    segments: tuple[Segment, ...]
    box: Box
    baseline: float
    size: float  # of most of its glyphs
    is_bold: bool

    @property
    def text(self) -> str:
        return text_of(row_glyphs(self))


def enclosing(boxes: Iterable[Box]) -> Box:
    """The smallest box around all of `boxes` (at least one)."""
    x0, y0, x1, y1 = zip(*((box.x0, box.y0, box.x1, box.y1) for box in boxes), strict=True)
    return Box(min(x0), min(y0), max(x1), max(y1))


def is_wide(character: str) -> bool:
    """Han, kana, hangul and full-width forms: scripts that are set without spaces."""
    return character > "\u2e7f" and unicodedata.east_asian_width(character) in "WF"


def segments_of(glyphs: Sequence[Glyph]) -> list[Segment]:
    """Runs in stream order; a wide gap, a step back, or another baseline ends one."""
    runs: list[list[Glyph]] = []
    for glyph in glyphs:
        if runs and _continues(runs[-1][-1], glyph):
            runs[-1].append(glyph)
        else:
            runs.append([glyph])
    return [make_segment(run) for run in runs]


def words_of(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    """Glyphs parted at spaces alone, for text that has no common baseline."""
    words: list[list[Glyph]] = []
    for glyph in glyphs:
        if words and not glyph.space:
            words[-1].append(glyph)
        else:
            words.append([glyph])
    return words


def _continues(last: Glyph, glyph: Glyph) -> bool:
    em = max(last.size, glyph.size)
    gap = glyph.x0 - last.x1 if (glyph.x0, glyph.x1) != (last.x0, last.x1) else 0.0  # the letters of a ligature
    return abs(glyph.baseline - last.baseline) <= _SAME_BASELINE * em and -0.5 * em < gap < _CELL_GAP * em


def make_segment(run: Sequence[Glyph]) -> Segment:
    size = max(glyph.size for glyph in run)
    baseline = next(glyph.baseline for glyph in run if glyph.size == size)
    x0, x1 = min(glyph.x0 for glyph in run), max(glyph.x1 for glyph in run)
    box = Box(x0, baseline - _ASCENT * size, x1, baseline + _DESCENT * size)
    spelled = tuple(spell(run))
    return Segment(tuple(run), box, baseline, size, spelled, text_of(spelled))


def rows_of(segments: Iterable[Segment]) -> list[Row]:
    """Rows from top to bottom of segments that belong to one column."""
    groups: list[list[Segment]] = []
    for segment in sorted(segments, key=lambda segment: segment.baseline):
        if groups and _joins(groups[-1], segment):
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return [make_row(group) for group in groups]


def _joins(row: Sequence[Segment], segment: Segment) -> bool:
    """Whether a segment, not higher than the row, stands beside what the row holds (cells may sit a little lower)."""
    step = segment.baseline - row[0].baseline
    em = max(segment.size, row[0].size)
    return step <= _SAME_ROW * em and all(_apart(segment.box, other.box) for other in row)


def _apart(one: Box, other: Box) -> bool:
    shared = min(one.x1, other.x1) - max(one.x0, other.x0)
    return shared < 0.5 * min(one.x1 - one.x0, other.x1 - other.x0) or shared <= 0


def make_row(segments: Iterable[Segment]) -> Row:
    ordered = tuple(sorted(segments, key=lambda segment: segment.box.x0))
    glyphs = [glyph for segment in ordered for glyph in segment.glyphs]
    largest = max(ordered, key=lambda segment: segment.size)
    sizes = sorted(glyph.size for glyph in glyphs)
    is_bold = sum(glyph.bold for glyph in glyphs) >= 0.8 * len(glyphs)
    box = enclosing(segment.box for segment in ordered)
    return Row(ordered, box, largest.baseline, sizes[len(sizes) // 2], is_bold)


def text_of(glyphs: Iterable[Glyph]) -> str:
    return "".join([glyph.text for glyph in glyphs])


def spell(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """The glyphs of one segment with its spaces. Gaps beside wide characters are mostly spacing, not spaces."""
    spelled: list[Glyph] = []
    for glyph in _raised(glyphs):
        if glyph.space and spelled and glyph.x0 - spelled[-1].x1 > _least_space(spelled[-1], glyph):
            spelled.append(blank(" ", spelled[-1], glyph.x0))
        spelled.append(glyph)
    return spelled


def _raised(glyphs: Iterable[Glyph]) -> Iterator[Glyph]:
    """The glyphs, small digits above the line behind a number as such: the mark of a note is no digit of 13.1¹."""
    foot: Glyph | None = None
    for glyph in glyphs:
        is_raised = (
            foot is not None
            and (foot.text.isdecimal() or foot.text in "%)")
            and glyph.size <= _RAISED_SIZE * foot.size
            and foot.baseline - glyph.baseline >= _RAISED_BY * foot.size
        )
        foot = foot if is_raised else glyph
        yield glyph._replace(text=glyph.text.translate(_RAISED)) if is_raised else glyph


def _least_space(before: Glyph, after: Glyph) -> float:
    """The width from which a gap counts as a space: wide characters are spread by justification."""
    n_wide = is_wide(before.text[-1]) + is_wide(after.text[0])
    if after.space == "printed" and n_wide < 2:
        return -math.inf
    return (-math.inf, _WIDE_LATIN_SPACE, _WIDE_SPACE)[n_wide] * after.size


def blank(text: str, before: Glyph, x1: float) -> Glyph:
    """A space or tab that fills the gap after a glyph."""
    return Glyph(text, before.x1, x1, before.baseline, before.size, before.bold, "")


def row_glyphs(row: Row) -> list[Glyph]:
    """A row read as prose: a space between segments, none where wide characters are merely spread."""
    spelled: list[Glyph] = []
    for segment in row.segments:
        if spelled:
            wide = is_wide(segment.text[0]) or is_wide(spelled[-1].text[-1])
            if segment.box.x0 - spelled[-1].x1 > (1.5 if wide else 0.15) * row.size:
                spelled.append(blank(" ", spelled[-1], segment.box.x0))
        spelled += segment.spelled
    return spelled
