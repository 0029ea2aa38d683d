"""A text made from another one, with the way back: what is matched or read is a copy, what is cited is the source."""

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MappedText:
    """`text`, and for each of its characters the offset in the source that it comes from.

    One character of the source may read as several, and several as none.
    """

    text: str
    starts: tuple[int, ...] = (0,)  # offsets in `text` where the mapping jumps
    shifts: tuple[int, ...] = (0,)  # offset in the source minus offset in `text` from there on

    def origin(self, offset: int) -> int:
        return offset + self.shifts[bisect_right(self.starts, offset) - 1]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range of the source that characters [start, end) come from; not for empty ranges."""
        if len(self.starts) == 1:
            return start + self.shifts[0], end + self.shifts[0]
        return self.origin(start), self.origin(end - 1) + 1
