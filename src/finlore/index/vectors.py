"""Vectors of passages in the order of the rows of a segment: what is visible is cut out without a copy."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from finlore.index.arrays import Ints, Numbers, starts_of
from finlore.index.segment import Segment
from finlore.ports import Bools, Bytes8
from finlore.records.instant import ALWAYS

_AT_A_TIME = 4_096


@dataclass(frozen=True, slots=True)
class RowVectors:
    """int8 vectors, ``round(127 x unit vector)``: rows of a segment (n,), ascending; values (n, dimension)."""

    rows: Numbers
    values: Bytes8

    @classmethod
    def of(cls, segment: Segment, keys: Ints, values: Bytes8) -> "RowVectors":
        """Those of the keys that have a row in the segment."""
        rows = segment.rows_of(keys)
        order = np.argsort(rows, kind="stable")[int((rows < 0).sum()) :]
        return cls(rows[order].astype(np.uint32), values[order])

    def __len__(self) -> int:
        return len(self.rows)

    def shown(self, alive: Bools) -> "ShownVectors":
        """Those of the rows that are `alive`: (n_rows,) of the rows before a cut."""
        n = int(np.searchsorted(self.rows, np.array(len(alive), self.rows.dtype)))
        stands = alive[self.rows[:n]]
        chosen = None if stands.all() else np.flatnonzero(stands)
        rows = self.rows[:n] if chosen is None else self.rows[chosen]
        return ShownVectors(rows.astype(np.int64), np.asarray(self.values)[:n], chosen)  # plain: cheap to slice

    def all(self) -> "ShownVectors":
        return ShownVectors(self.rows.astype(np.int64), self.values, None)

    def moved(self, origin: Segment, to: Segment, *, but: "RowVectors | None") -> "ShownVectors":
        """Those of the rows of `origin` that stand, by their rows in `to`; none of those that `but` has."""
        rows = to.rows_of(origin.keys[self.rows])
        stays = (rows >= 0) & (origin.until[self.rows] > ALWAYS)
        if but:
            stays &= ~np.isin(rows, but.rows)
        return ShownVectors(rows[stays], self.values, None if stays.all() else np.flatnonzero(stays))

    def without(self, rows: Ints) -> "RowVectors":
        """All but those of some rows."""
        stays = np.isin(self.rows, rows, invert=True)
        return self if stays.all() else RowVectors(self.rows[stays], self.values[stays])


SegmentVectors = Sequence[RowVectors]
"""Vectors of one segment and model; no row twice."""


@dataclass(frozen=True, slots=True)
class ShownVectors:
    """Rows that are visible, and their vectors: all of `values`, or those at the places `chosen`."""

    rows: Ints
    values: Bytes8
    chosen: Ints | None

    def between(self, low: int, high: int) -> Bytes8:
        return self.values[low:high] if self.chosen is None else self.values[self.chosen[low:high]]


class JoinedVectors:
    """Vectors of several places as one: (n, dimension), copied no further than they are asked for."""

    def __init__(self, parts: Iterable[ShownVectors]) -> None:
        self._parts = [part for part in parts if len(part.rows)]
        self._starts: list[int] = starts_of(np.array([len(part.rows) for part in self._parts], np.int64)).tolist()

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[Bytes8]:
        return (vector for at in range(0, len(self), _AT_A_TIME) for vector in self[at : at + _AT_A_TIME])

    def __getitem__(self, at: slice) -> Bytes8:
        """The vectors of a range (its step is 1)."""
        low, high, _ = at.indices(len(self))
        places = [*pairwise(self._starts)]
        touched = [n for n, (start, end) in enumerate(places) if low < end and start < high] or [0]
        pieces = [self._parts[n].between(max(low - places[n][0], 0), max(high - places[n][0], 0)) for n in touched]
        joined: Bytes8 = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        return joined
