"""Array steps that the index is made of. Everything is integers, so no sum depends on order or layout."""

import mmap as mmap_module
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""Integers in whatever width they are stored."""
Ints = NDArray[np.int64]
Posts = NDArray[np.uint32]
"""Postings: ``number << COUNT_BITS | count``."""

COUNT_BITS = 4
MOST = (1 << COUNT_BITS) - 1
"""Counts per sentence stop here: 4 bytes a posting, with room for 268 million sentences."""
LIMIT = 1 << (32 - COUNT_BITS)


_RELEASE: int | None = getattr(mmap_module, "MADV_DONTNEED", None)


def narrow(numbers: Numbers) -> Numbers:
    """The same numbers in the smallest unsigned type that holds them all."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def starts_of(sizes: Numbers) -> Ints:
    """Where each of the lists of these sizes starts, and at last where they end: (n + 1,)."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def runs_of(numbers: Ints) -> tuple[Ints, Numbers]:
    """Equal neighbours once, and how many of each."""
    first = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)])
    return numbers[first], narrow(np.diff(np.append(first, len(numbers))))


def slices(starts: Ints, sizes: Numbers) -> tuple[Ints, Ints]:
    """Positions of many slices one after another, and the slice that each belongs to."""
    sizes = sizes.astype(np.int64)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return np.arange(len(owner)) + (starts - np.cumsum(sizes) + sizes)[owner], owner


def packed(numbers: Numbers, counts: Numbers) -> Posts:
    return (numbers.astype(np.uint32) << np.uint32(COUNT_BITS)) | np.minimum(counts, MOST).astype(np.uint32)


def numbers_of(posts: Posts) -> Ints:
    return (posts >> np.uint32(COUNT_BITS)).astype(np.int64)


def counts_of(posts: Posts) -> Ints:
    return (posts & np.uint32(MOST)).astype(np.int64)


def renumbered(posts: Posts, numbers: Numbers) -> Posts:
    """The postings with other numbers and the same counts."""
    return (numbers.astype(np.uint32) << np.uint32(COUNT_BITS)) | (posts & np.uint32(MOST))


def in_lists(owners: Numbers, posts: Posts) -> Posts:
    """The lists of each owner one after another, each ascending."""
    keyed = owners.astype(np.uint64) << np.uint64(32) | posts
    keyed.sort()
    return keyed.astype(np.uint32)  # keeps the low half


def listed(owners: Numbers, posts: Posts, n_owners: int) -> tuple[Ints, Posts]:
    """Sizes of the lists of each owner, and the lists one after another, each ascending."""
    return np.bincount(owners, minlength=n_owners).astype(np.int64), in_lists(owners, posts)


def distinct(numbers: Ints) -> Ints:
    """Each number once, ascending. `np.unique` hashes, which takes ten times as long."""
    ordered = np.sort(numbers)
    found: Ints = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return found


def released(array: Numbers) -> None:
    """Give the pages of a mapped file back, so that a pass over a large one takes no memory; its content stays."""
    if isinstance(array.base, mmap) and _RELEASE is not None:
        array.base.madvise(_RELEASE)


def summed(owners: Ints, places: Ints, counts: Ints, n_places: int) -> tuple[Ints, Ints, Ints]:
    """(place, count, owner), one for each distinct pair, ascending by owner, then place; counts (<= MOST) are added."""
    n_places = max(n_places, 1)
    pairs = owners * n_places + places
    if not (pairs[1:] > pairs[:-1]).all():
        keyed = pairs << COUNT_BITS | counts  # sorting one array is several times faster than an order of two
        keyed.sort()
        pairs, counts = keyed >> COUNT_BITS, keyed & MOST
        first = np.flatnonzero(np.diff(pairs, prepend=-1))
        pairs, counts = pairs[first], np.add.reduceat(counts, first)
    owners = pairs // n_places
    return pairs - owners * n_places, counts, owners
