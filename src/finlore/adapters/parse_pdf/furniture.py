"""Which segments of a page are furniture: what repeats at its top or bottom, page numbers, spines of single glyphs."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from finlore.adapters.parse_pdf.rows import Segment
from finlore.adapters.parse_pdf.tables import is_number

_TOP, _BOTTOM = 0.12, 0.10  # share of the page's height
_SHARE = 0.4  # of the pages that have text
_SAME_HEIGHT = 3.0  # points
_UNREADABLE = 0.4  # times the body size: tracking marks, not text for people
_SPINE_MARGIN = 0.15  # share of the page's width
_SPINE_GLYPHS = 3
_TABLE_NUMBERS, _TABLE_COLUMNS = 2, 4  # so many numbers, or texts, side by side are a row of a table
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"(?:[-–—]\s*)?\d{1,4}(?:\s*[-–—])?|\d{1,4}\s*/\s*\d{1,4}|第\s*\d+\s*页.{0,12}|(?:page\s*)?\d+\s*of\s*\d+|page\s*\d+",
    re.I,
)

Size = tuple[float, float]


class Parted(NamedTuple):
    """The segments of a page by what they are."""

    body: list[Segment]
    running: list[Segment]  # heads, feet, page numbers
    spines: list[list[Segment]]


def repeated(pages: Iterable[tuple[Size, Sequence[Segment]]]) -> frozenset[str]:
    """Texts, digits masked, that stand in the top or bottom band of at least 40 % of the pages, and of two, always at
    the same height: figures and labels of tables do not."""
    counts: Counter[tuple[str, int]] = Counter()
    n_pages = 0
    for size, segments in pages:
        n_pages += 1
        counts.update({(_masked(segment), _height(segment)) for segment in segments if _in_band(segment, size)})
    least = max(2, _SHARE * n_pages)
    return frozenset(text for (text, at), n in counts.items() if n + counts[text, at + 1] >= least)


def _height(segment: Segment) -> int:
    return round(segment.baseline / _SAME_HEIGHT)


def part(segments: Sequence[Segment], size: Size, *, repeated_texts: frozenset[str], body_size: float) -> Parted:
    """Body, running heads and feet, and spines, each in stream order."""
    spines = _spines(segments, size)
    in_spine = {index for spine in spines for index in spine}
    columns = Counter(round(segment.baseline) for segment in segments)
    numbers = Counter(round(segment.baseline) for segment in segments if is_number(segment.text))
    in_table = {at for at, n in columns.items() if n >= _TABLE_COLUMNS or numbers[at] >= _TABLE_NUMBERS}
    running = {
        index
        for index, segment in enumerate(segments)
        if index not in in_spine
        if not _is_readable(segment, size, body_size)
        or (round(segment.baseline) not in in_table and _is_running(segment, size, repeated_texts))
    }
    body = [segment for index, segment in enumerate(segments) if index not in in_spine and index not in running]
    return Parted(body, [segments[index] for index in sorted(running)], [[segments[i] for i in s] for s in spines])


def _is_readable(segment: Segment, size: Size, body_size: float) -> bool:
    """Whether people can see it: it is not tiny, and not beside the page."""
    box, (width, height) = segment.box, size
    return segment.size >= _UNREADABLE * body_size and box.x1 > 0 and box.x0 < width and box.y1 > 0 and box.y0 < height


def _is_running(segment: Segment, size: Size, repeated_texts: frozenset[str]) -> bool:
    is_known = _masked(segment) in repeated_texts or _PAGE_NUMBER.fullmatch(segment.text.strip())
    return bool(is_known) and _in_band(segment, size)


def _masked(segment: Segment) -> str:
    return _DIGITS.sub("#", segment.text.replace(" ", ""))


def _in_band(segment: Segment, size: Size) -> bool:
    return segment.box.y1 <= _TOP * size[1] or segment.box.y0 >= (1 - _BOTTOM) * size[1]


def _spines(segments: Sequence[Segment], size: Size) -> list[list[int]]:
    """Runs of indices of single glyphs set one below the other at the left or right edge of the page."""
    runs: list[list[int]] = []
    for index, segment in enumerate(segments):
        if len(segment.glyphs) != 1 or not _at_edge(segment, size):
            continue
        if runs and runs[-1][-1] == index - 1 and _stacked(segments[index - 1], segment):
            runs[-1].append(index)
        else:
            runs.append([index])
    return [run for run in runs if len(run) >= _SPINE_GLYPHS]


def _stacked(upper: Segment, lower: Segment) -> bool:
    em = max(upper.size, lower.size)
    return abs(upper.box.x0 - lower.box.x0) < 0.5 * em and 0 < lower.baseline - upper.baseline < 3 * em


def _at_edge(segment: Segment, size: Size) -> bool:
    return segment.box.x1 < _SPINE_MARGIN * size[0] or segment.box.x0 > (1 - _SPINE_MARGIN) * size[0]
