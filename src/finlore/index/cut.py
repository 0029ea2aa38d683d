"""One segment cut at a date: which rows are visible, and how far each list reaches."""

from collections.abc import Collection, Mapping
from functools import cached_property

import numpy as np

from finlore.index.arrays import COUNT_BITS, Ints, Posts, numbers_of, slices
from finlore.index.bound import SettledLists
from finlore.index.segment import Segment
from finlore.ports import Bools
from finlore.records.instant import ALWAYS, Instant


class SegmentCut:
    """The rows of `segment` known at `as_of`: a prefix. `alive` (n_rows,) is False where a row has ended.

    `until` are ends that the segment has not been told yet, `replaced` keys whose rows here no longer count.
    """

    def __init__(
        self, segment: Segment, as_of: Instant, *, until: Mapping[int, Instant], replaced: Collection[int]
    ) -> None:
        self.segment = segment
        self.n_rows = int(np.searchsorted(segment.known, np.int64(as_of), "right"))
        self.n_sentences = int(segment.starts[self.n_rows])
        self.alive = self._alive(as_of, until, replaced)
        self.whole = bool(self.alive.all())

    def _alive(self, as_of: Instant, until: Mapping[int, Instant], replaced: Collection[int]) -> Bools:
        held = self.segment.until[: self.n_rows]
        alive = np.asarray(held > as_of)
        changed = self.segment.rows_of(np.fromiter(until, np.int64, len(until)))
        ends = np.fromiter(until.values(), np.int64, len(until))
        here = (changed >= 0) & (changed < self.n_rows)
        here[here] = held[changed[here]] > ALWAYS  # such a row stands for nothing, whatever becomes of its key
        alive[changed[here]] = ends[here] > as_of
        gone = self.segment.rows_of(np.fromiter(replaced, np.int64, len(replaced)))
        alive[gone[(gone >= 0) & (gone < self.n_rows)]] = False
        return alive

    @cached_property
    def reach(self) -> Ints:
        """(n_lists,) How many postings of each name list lie before the cut."""
        names = self.segment.names
        if self.n_rows == len(self.segment):
            return names.sizes.astype(np.int64)
        before = self.segment.names_in[: self.segment.name_starts[self.n_sentences]]
        return np.bincount(before >> np.uint32(COUNT_BITS), minlength=len(names.sizes))

    @cached_property
    def visible(self) -> Ints:
        """(n_lists,) How many postings of each name list are visible."""
        if self.whole:
            return self.reach
        places, _ = self._names_of_rows(np.flatnonzero(~self.alive))
        dead = self.segment.names_in[places] >> np.uint32(COUNT_BITS)
        return self.reach - np.bincount(dead, minlength=len(self.reach))

    def firsts(self, settled: SettledLists) -> Ints:
        """(n_lists,) In how many visible rows each list stands for its entity."""
        firsts = np.bincount(settled.firsts[: settled.starts[self.n_rows]], minlength=len(settled.entities))
        if not self.whole:
            dead = np.flatnonzero(~self.alive)
            places, _ = slices(settled.starts[dead], settled.starts[dead + 1] - settled.starts[dead])
            firsts -= np.bincount(settled.firsts[places], minlength=len(firsts))
        return firsts

    def word(self, term: str) -> Posts:
        """Visible postings of a word."""
        words = self.segment.words
        at = words.strings.find(term)
        if at < 0:
            return np.zeros(0, np.uint32)
        posts = words.of(at)
        posts = posts[: np.searchsorted(posts, np.uint32(self.n_sentences << COUNT_BITS))]  # a plain int would copy all
        return posts if self.whole else posts[self._stands(numbers_of(posts))]

    def list(self, number: int) -> Posts:
        """Visible postings of one name list."""
        start = self.segment.names.starts[number]
        posts = self.segment.names.posts[start : start + self.reach[number]]
        return posts if self.whole else posts[self._stands(numbers_of(posts))]

    def lists(self, numbers: Ints) -> tuple[Posts, Ints]:
        """Visible postings of some name lists, and the place in `numbers` of each."""
        places, owner = slices(self.segment.names.starts[numbers], self.reach[numbers])
        posts = self.segment.names.posts[places]
        if self.whole:
            return posts, owner
        stands = self._stands(numbers_of(posts))
        return posts[stands], owner[stands]

    def names_of_rows(self, rows: Ints) -> tuple[Posts, Ints]:
        """Name lists of visible rows with their counts, and the place in `rows` of each."""
        places, owner = self._names_of_rows(rows)
        stands = self.alive[rows][owner]
        return self.segment.names_in[places[stands]], owner[stands]

    def names_of_sentences(self, sentences: Ints) -> tuple[Posts, Ints]:
        """Name lists of sentences of visible rows with their counts, and the place in `sentences` of each."""
        places, owner = slices(self.segment.name_starts[sentences], self.segment.name_sizes[sentences])
        stands = self._stands(sentences)[owner]
        return self.segment.names_in[places[stands]], owner[stands]

    def _names_of_rows(self, rows: Ints) -> tuple[Ints, Ints]:
        first, last = (self.segment.name_starts[self.segment.starts[rows + more]] for more in (0, 1))
        return slices(first, last - first)

    def _stands(self, sentences: Ints) -> Bools:
        return self.alive[self.segment.sentence_rows[sentences]]
