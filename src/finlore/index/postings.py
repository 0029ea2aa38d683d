"""Posting lists: which numbered sentences hold a string, and how often. Knows no rows and no dates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from finlore.index.arrays import Ints, Numbers, Posts, listed, narrow, packed, starts_of
from finlore.index.strings import Strings

POSTINGS_AT_A_TIME = 1_000_000
"""Sorted together in a merge (40 bytes each, while it lasts)."""


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
