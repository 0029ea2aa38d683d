"""Segments of a page in stream order -> chunks in reading order, a side bar apart from the main column.

Most producers write one column after the other, so stream order is trusted inside a column and geometry decides only
what stands beside what. Sorting by height before columns are known would mix them.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from finlore.adapters.parse_pdf.rows import Segment, enclosing
from finlore.records.document import Box

_TOUCH = 0.5  # points that neighbours may overlap
_CROSSING = 0.12  # share of characters that may cross the gap between main column and side bar
_SIDE_WIDTH = 0.6  # a side bar is narrower than this share of the main column
_SIDE_ROWS = 4
_SIDE_SHARE = 0.04  # of the characters of the page
_JUMP_LINES = 4.0  # a larger step down starts a chunk of its own
_BESIDE_ROWS, _BESIDE_PROSE_ROWS = 5, 3  # a step up past so many lines changes the column: no cell has as many
_PROSE_EMS = 9.0
_MOST_CHUNKS = 500  # more are the scattered marks of a drawing, which has no reading order


@dataclass(frozen=True, slots=True)
class Chunk:
    """Segments that follow one another in the stream within one column."""

    segments: tuple[Segment, ...]
    box: Box
    is_side: bool


def chunks_of(segments: Sequence[Segment]) -> list[Chunk]:
    """Chunks in reading order: the main column from top to bottom, then the side bar."""
    side = _side_bar(segments)
    in_side = [side is not None and side.x0 <= segment.box.x0 and segment.box.x1 <= side.x1 for segment in segments]
    chunks: list[Chunk] = []
    for is_side in (False, True):
        column = [segment for segment, inside in zip(segments, in_side, strict=True) if inside == is_side]
        chunks += _top_down([_chunk(run, is_side=is_side) for run in _runs(column)])
    return chunks


def _chunk(segments: Sequence[Segment], *, is_side: bool) -> Chunk:
    return Chunk(tuple(segments), enclosing(segment.box for segment in segments), is_side)


def _side_bar(segments: Sequence[Segment]) -> Box | None:
    """The strip of the page that holds a side bar: beyond the widest vertical gap with few crossing segments."""
    candidates = []
    for gap in _gaps(segments):
        left = [segment for segment in segments if segment.box.x1 <= gap + _TOUCH]
        right = [segment for segment in segments if segment.box.x0 >= gap]
        if not _interleaved(segments, gap):
            candidates.append((_gap_width(left, right), left, right))
    for _, left, right in sorted(candidates, key=lambda candidate: -candidate[0]):
        narrow, wide = sorted((left, right), key=_width)
        if _width(narrow) < _SIDE_WIDTH * _width(wide) and _stands_beside(narrow, wide):
            return _strip(narrow, is_left=narrow is left)
    return None


def _gaps(segments: Sequence[Segment]) -> list[float]:
    """Positions that few characters cross and that have some on both sides."""
    ends = sorted((segment.box.x1, len(segment.glyphs)) for segment in segments)
    starts = sorted((segment.box.x0, len(segment.glyphs)) for segment in segments)
    ended = [0, *accumulate(n for _, n in ends)]
    started = [0, *accumulate(n for _, n in starts)]
    gaps = []
    for gap in sorted({round(x0) - _TOUCH for x0, _ in starts}):
        left = ended[bisect_right(ends, (gap + _TOUCH, math.inf))]
        right = started[-1] - started[bisect_left(starts, (gap, 0))]
        if min(left, right) >= _SIDE_SHARE * started[-1] and left + right >= (1 - _CROSSING) * started[-1]:
            gaps.append(gap)
    return gaps


def _interleaved(segments: Sequence[Segment], gap: float) -> bool:
    """Whether the stream goes to and fro across the gap row by row, as in a table."""
    is_left = [
        segment.box.x1 <= gap + _TOUCH for segment in segments if not segment.box.x0 < gap < segment.box.x1 - _TOUCH
    ]
    changes = sum(a != b for a, b in pairwise(is_left))
    return changes > max(4, 0.3 * min(sum(is_left), len(is_left) - sum(is_left)))


def _width(side: Sequence[Segment]) -> float:
    return max(segment.box.x1 for segment in side) - min(segment.box.x0 for segment in side)


def _gap_width(left: Sequence[Segment], right: Sequence[Segment]) -> float:
    return min(segment.box.x0 for segment in right) - max(segment.box.x1 for segment in left)


def _stands_beside(narrow: Sequence[Segment], wide: Sequence[Segment]) -> bool:
    """Whether both have lines of their own and half the side bar's lie at the height of the main column."""
    baselines = {round(segment.baseline) for segment in narrow}
    top, bottom = min(segment.box.y0 for segment in wide), max(segment.box.y1 for segment in wide)
    beside = [baseline for baseline in baselines if top <= baseline <= bottom]
    half = 0.5 * _width(wide)
    prose = [segment for segment in wide if segment.box.x1 - segment.box.x0 > half]
    return len(baselines) >= _SIDE_ROWS and len(beside) >= 0.5 * len(baselines) and len(prose) >= _SIDE_ROWS


def _strip(narrow: Sequence[Segment], *, is_left: bool) -> Box:
    edge = max(s.box.x1 for s in narrow) if is_left else min(s.box.x0 for s in narrow)
    far = math.inf
    return Box(-far, -far, edge + 0.1, far) if is_left else Box(edge - 0.1, -far, far, far)


def _runs(column: Sequence[Segment]) -> Iterator[list[Segment]]:
    run: list[Segment] = []
    lowest = 0.0
    for segment in column:
        if run and (_is_far_below(segment, lowest) or _steps_up(run, segment)):
            yield run
            run = []
        lowest = max(lowest, segment.baseline) if run else segment.baseline
        run.append(segment)
    if run:
        yield run


def _overlap(one: Box, other: Box) -> float:
    return min(one.x1, other.x1) - max(one.x0, other.x0)


def _is_far_below(segment: Segment, lowest: float) -> bool:
    return segment.baseline - lowest > _JUMP_LINES * segment.size


def _steps_up(run: Sequence[Segment], segment: Segment) -> bool:
    """Whether `segment` goes on above all of `run`, or beside a column of it."""
    if segment.baseline > run[-1].baseline - 0.5 * max(segment.size, run[-1].size):
        return False
    if segment.box.y1 <= min(s.box.y0 for s in run):
        return True
    beside = [s for s in run if s.baseline > segment.baseline - 0.5 * segment.size]
    if any(s.box.x1 > segment.box.x0 and s.box.x0 < segment.box.x1 for s in beside):
        return False
    rows = len({round(s.baseline) for s in beside})
    prose = [s for s in beside if s.box.x1 - s.box.x0 > _PROSE_EMS * s.size]
    return rows >= _BESIDE_ROWS or (rows >= _BESIDE_PROSE_ROWS and len(prose) >= rows - 1)


def _top_down(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Stream order, except that a chunk waits for those that lie above it in its own width."""
    if len(chunks) > _MOST_CHUNKS:
        return list(chunks)
    above = [{j for j, other in enumerate(chunks) if _is_above(other, chunk)} for chunk in chunks]
    ordered: list[int] = []
    waiting = list(range(len(chunks)))
    while waiting:
        done = set(ordered)
        ready = next((index for index in waiting if above[index] <= done), waiting[0])
        waiting.remove(ready)
        ordered.append(ready)
    return [chunks[index] for index in ordered]


def _is_above(upper: Chunk, lower: Chunk) -> bool:
    return _overlap(upper.box, lower.box) > 0 and upper.box.y1 <= lower.box.y0 + 2.0
