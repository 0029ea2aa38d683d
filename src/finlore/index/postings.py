"""Posting lists: which numbered sentences hold a string, and how often. Knows no rows and no dates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from finlore.index.arrays import Ints, Numbers, Posts, counts_of, listed, narrow, numbers_of, packed, slices, starts_of
from finlore.index.strings import Strings

POSTINGS_AT_A_TIME = 2_000_000
"""Sorted together in a merge (16 bytes each)."""


@dataclass(frozen=True, eq=False)
class Postings:
    """Lists of sentences, one for each string. `sizes` (n_strings,), `posts` ascending within each list."""

    strings: Strings
    sizes: Numbers
    posts: Posts

    @cached_property
    def starts(self) -> Ints:
        return starts_of(self.sizes)

    def of(self, at: int) -> Posts:
        return self.posts[self.starts[at] : self.starts[at + 1]]

    def owners(self) -> Numbers:
        """The string of each posting."""
        return np.repeat(np.arange(len(self.sizes), dtype=np.uint32), self.sizes)


def postings_of(sentences: Sequence[Mapping[str, int]]) -> Postings:
    """The lists of every string of the sentences, which are numbered by their place."""
    strings = sorted(set(chain.from_iterable(sentences)))
    place = {string: number for number, string in enumerate(strings)}
    sizes = np.fromiter(map(len, sentences), np.int64, len(sentences))
    total = int(sizes.sum())
    owners = np.fromiter(map(place.__getitem__, chain.from_iterable(sentences)), np.uint32, total)
    counts = np.fromiter(chain.from_iterable(sentence.values() for sentence in sentences), np.int64, total)
    held, posts = listed(owners, packed(np.repeat(np.arange(len(sentences)), sizes), counts), len(strings))
    return Postings(Strings.of(strings), narrow(held), posts)


def merged_postings(
    parts: Sequence[Postings], numbering: Sequence[Ints], *, chunk: int = POSTINGS_AT_A_TIME
) -> Postings:
    """Lists joined by string, their sentences renumbered (-1: left out).

    Ranges of strings with about `chunk` postings are sorted one after another, so that memory stays bounded.
    """
    sizes = [_surviving(part, numbers) for part, numbers in zip(parts, numbering, strict=True)]
    live = [np.flatnonzero(own) for own in sizes]
    named = [[part.strings[at] for at in used.tolist()] for part, used in zip(parts, live, strict=True)]
    strings = sorted(set().union(*named))
    place = {string: number for number, string in enumerate(strings)}
    targets = [np.fromiter(map(place.__getitem__, own), np.int64, len(own)) for own in named]
    total = np.zeros(len(strings), np.int64)
    for target, used, own in zip(targets, live, sizes, strict=True):
        total[target] += own[used]
    starts = starts_of(total)
    posts = np.empty(starts[-1], np.uint32)
    cuts = np.unique(np.append(np.searchsorted(starts, np.arange(0, starts[-1], chunk)), (0, len(strings))))
    for low, high in pairwise(cuts.tolist()):
        pieces = []
        for part, used, target, numbers in zip(parts, live, targets, numbering, strict=True):
            here = slice(*np.searchsorted(target, (low, high)).tolist())
            pieces.append(_moved(part, used[here], target[here], numbers))
        owners, moved = (np.concatenate(column) for column in zip(*pieces, strict=True))
        posts[starts[low] : starts[high]] = listed(owners, moved, len(strings))[1]
    return Postings(Strings.of(strings), narrow(total), posts)


def _surviving(part: Postings, numbers: Ints) -> Ints:
    """How many postings of each string stay."""
    if (numbers >= 0).all():
        return part.sizes.astype(np.int64)
    stays = numbers[numbers_of(part.posts)] >= 0
    return np.bincount(part.owners()[stays], minlength=len(part.sizes)).astype(np.int64)


def _moved(part: Postings, strings: Ints, targets: Ints, numbers: Ints) -> tuple[Ints, Posts]:
    """(new string, posting with its new sentence) of what stays in the lists of some strings."""
    where, owner = slices(part.starts[strings], part.sizes[strings])
    posts = part.posts[where]
    moved = numbers[numbers_of(posts)]
    stays = moved >= 0
    return targets[owner[stays]], packed(moved[stays], counts_of(posts[stays]))
