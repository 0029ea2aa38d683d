"""A segment without the rows that stand for nothing any more: nothing is sorted, each array is passed over once."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from finlore.index.arrays import COUNT_BITS, Ints, Numbers, Posts, counts_of, narrow, numbers_of, packed, released
from finlore.index.postings import POSTINGS_AT_A_TIME, Postings
from finlore.index.segment import Segment
from finlore.records.instant import ALWAYS


@dataclass(frozen=True, slots=True)
class _Sentences:
    """`moved`: the new number of each sentence, -1 where it leaves. All that leave lie between `low` and `high`."""

    moved: Numbers
    low: int
    high: int

    @classmethod
    def of(cls, stays: Numbers) -> "_Sentences":
        moved = np.cumsum(stays, dtype=np.int32) - np.int32(1)
        moved[~stays] = -1
        leaves = np.flatnonzero(~stays)
        return cls(moved, *((int(leaves[0]), int(leaves[-1]) + 1) if len(leaves) else (0, 0)))

    def near(self, posts: Posts) -> Ints:
        """The places of postings of sentences between those that leave."""
        width = np.uint32((self.high - self.low) << COUNT_BITS)
        return np.flatnonzero(posts - np.uint32(self.low << COUNT_BITS) < width)  # smaller ones wrap around

    def renumbered(self, posts: Posts) -> Posts:
        """The postings that stay, with the new numbers of their sentences."""
        leave = np.uint32(int((self.moved < 0).sum()) << COUNT_BITS)
        found: Posts = posts - (posts >= np.uint32(self.high << COUNT_BITS)) * leave
        near = self.near(posts)
        moved = self.moved[numbers_of(posts[near])]
        found[near] = packed(moved, counts_of(posts[near]))
        return np.delete(found, near[moved < 0]) if (moved < 0).any() else found


def thinned(segment: Segment, folder: Path, *, chunk: int = POSTINGS_AT_A_TIME) -> tuple[Segment, Ints]:
    """What `merged` makes of one segment, in `folder`, which exists and is empty; and the name lists that stay.

    Rows that end before all time leave, with every string that only they used; about `chunk` postings are in memory.
    """
    keep = segment.until > ALWAYS
    stays = np.repeat(keep, segment.sizes)
    sentences = _Sentences.of(stays)
    words, _ = _thinned_postings(segment.words, sentences, folder / "words.posts.npy", chunk)
    names, lists = _thinned_postings(segment.names, sentences, folder / "names.posts.npy", chunk)
    new_lists = np.full(len(segment.names.sizes), -1)
    new_lists[lists] = np.arange(len(lists))
    names_in = _written(folder / "names_in.npy", len(names.posts), _names_in(segment, stays, new_lists, chunk=chunk))
    Segment(
        keys=segment.keys[keep],
        known=segment.known[keep],
        until=segment.until[keep],
        languages=narrow(segment.languages[keep]),
        lengths=narrow(segment.lengths[keep]),
        sizes=narrow(segment.sizes[keep]),
        words=words,
        names=names,
        name_sizes=narrow(segment.name_sizes[stays]),
        names_in=names_in,
    ).save(folder)
    return Segment.load(folder), lists


def _thinned_postings(held: Postings, sentences: _Sentences, file: Path, chunk: int) -> tuple[Postings, Ints]:
    """Lists without what leaves, and which of the strings stay."""
    sizes = held.sizes.astype(np.int64)
    for start in range(0, len(held.posts), chunk):
        posts = held.posts[start : start + chunk]
        near = sentences.near(posts)
        leaves = near[sentences.moved[numbers_of(posts[near])] < 0]
        sizes -= np.bincount(np.searchsorted(held.starts, leaves + start, "right") - 1, minlength=len(sizes))
        released(held.posts)
    stays = np.flatnonzero(sizes)
    chunks = (sentences.renumbered(held.posts[at : at + chunk]) for at in range(0, len(held.posts), chunk))
    posts = _written(file, int(sizes.sum()), chunks)
    return Postings(held.strings.without(np.flatnonzero(sizes == 0)), narrow(sizes[stays]), posts), stays


def _names_in(segment: Segment, stays: Numbers, new_lists: Ints, *, chunk: int) -> Iterator[Posts]:
    """The names of the sentences that stay, so many sentences at a time that they have about `chunk` names."""
    bounds = [*np.searchsorted(segment.name_starts, np.arange(0, len(segment.names_in), chunk)).tolist(), len(stays)]
    for low, high in pairwise(bounds):
        posts = segment.names_in[segment.name_starts[low] : segment.name_starts[high]]
        posts = posts[np.repeat(stays[low:high], segment.name_sizes[low:high])]
        yield packed(new_lists[numbers_of(posts)], counts_of(posts))


def _written(file: Path, size: int, chunks: Iterator[Posts]) -> Posts:
    if not size:
        return np.empty(0, np.uint32)  # nothing cannot be mapped
    posts: Posts = np.lib.format.open_memmap(file, mode="w+", dtype=np.uint32, shape=(size,))
    done = 0
    for chunk in chunks:
        posts[done : done + len(chunk)] = chunk
        done += len(chunk)
        released(posts)
    return posts
