"""Which of several documents with the same text is the one that is read, and when. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from finlore.records.instant import ALWAYS, Instant


@dataclass(frozen=True, slots=True, order=True)
class Copy:
    """A document version, one of those that have the same text. Alive iff ``known <= D < until``."""

    known: Instant
    document: str
    version: int
    until: Instant


@dataclass(frozen=True, slots=True)
class Interval:
    """Read iff ``start <= D < end``; `end` is ALWAYS where there is no such D."""

    start: Instant
    end: Instant


def carriers(copies: Iterable[Copy]) -> dict[Copy, Interval]:
    """When each copy carries the text: at any instant, of the copies alive then, the one known earliest (then that of
    the smallest document id, then of the smallest version).

    Whoever takes over was known later and is never overtaken while it lives, so one interval is enough for each.
    """
    intervals: dict[Copy, Interval] = {}
    free_from = ALWAYS  # the first instant at which no copy seen so far is alive
    for copy in sorted(copies):
        start = max(copy.known, free_from)
        intervals[copy] = Interval(start, copy.until) if start < copy.until else Interval(copy.known, ALWAYS)
        free_from = max(free_from, copy.until)
    return intervals
