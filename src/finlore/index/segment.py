"""Passages as arrays, sorted by (known, key), so that "known at D" is a prefix of every one of them.

Sentences are numbered by (known, key, ordinal). A posting holds a sentence (or a list) and a count (`arrays.packed`).
"""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from finlore.errors import LimitExceeded
from finlore.index.arrays import (
    LIMIT,
    Ints,
    Numbers,
    Posts,
    counts_of,
    listed,
    narrow,
    numbers_of,
    packed,
    runs_of,
    starts_of,
)
from finlore.index.cues import MARK
from finlore.index.folder import ArrayFolder
from finlore.index.postings import Postings, postings_of
from finlore.index.strings import Strings
from finlore.records.index import IndexRow
from finlore.records.instant import ALWAYS, Instant

FORMAT = 1
"""Changes with the meaning of the arrays; a folder of another format is built again."""


@dataclass(frozen=True, eq=False)
class Segment:
    """`sizes`: sentences of each row, `lengths`: its words, `name_sizes`: name lists of each sentence, `names_in`: the
    name lists of each sentence, one sentence after another: the other direction of `names`."""

    keys: Ints
    known: Ints
    until: Ints
    languages: Numbers
    lengths: Numbers
    sizes: Numbers
    words: Postings
    names: Postings
    name_sizes: Numbers
    names_in: Posts

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def starts(self) -> Ints:
        """The first sentence of each row, and at last the number of sentences."""
        return starts_of(self.sizes)

    @cached_property
    def name_starts(self) -> Ints:
        """Where the names of each sentence start in `names_in`."""
        return starts_of(self.name_sizes)

    @cached_property
    def sentence_rows(self) -> Numbers:
        return np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)

    @cached_property
    def by_key(self) -> Ints:
        """Rows in the order of their keys."""
        return np.argsort(self.keys)

    def rows_of(self, keys: Ints) -> Ints:
        """The row of each key, -1 where it has none here."""
        if not len(self) or not len(keys):
            return np.full(len(keys), -1)
        if len(keys) < len(self) // 64:  # cheaper than an order of all keys
            return self._rows_of_few(keys)
        order = self.by_key
        rows = order[np.minimum(np.searchsorted(self.keys, keys, sorter=order), len(order) - 1)]
        return np.where(self.keys[rows] == keys, rows, -1)

    def _rows_of_few(self, keys: Ints) -> Ints:
        order = np.argsort(keys, kind="stable")
        wanted = keys[order]
        at = np.minimum(np.searchsorted(wanted, self.keys), len(wanted) - 1)
        found = np.flatnonzero(wanted[at] == self.keys)
        rows = np.full(len(keys), -1)
        rows[order[at[found]]] = found
        return rows

    @classmethod
    def from_rows(cls, rows: Iterable[IndexRow]) -> "Segment":
        """The segment of `rows`, in whatever order they come; their keys must differ."""
        ordered = sorted(rows, key=lambda row: (row.known, row.key))
        sentences = [sentence for row in ordered for sentence in row.sentences]
        check_size(len(sentences))
        sizes = _column(len(row.sentences) for row in ordered)
        words = postings_of([sentence.words for sentence in sentences])
        names = postings_of([sentence.names for sentence in sentences])
        return _linked(
            keys=_column(row.key for row in ordered),
            known=_column(row.known for row in ordered),
            until=_column(row.until for row in ordered),
            languages=_column(row.language for row in ordered),
            lengths=_lengths(words, sizes),
            sizes=sizes,
            words=words,
            names=names,
        )

    def ending(self, until: Mapping[int, Instant]) -> "Segment":
        """The same rows with other ends, and all that was worked out about them; keys without a row are passed over.

        A row that ends before all time (ALWAYS) stands for nothing any more, whatever becomes of its key.
        """
        rows = self.rows_of(np.fromiter(until, np.int64, len(until)))
        told = np.flatnonzero(rows >= 0)
        told = told[self.until[rows[told]] > ALWAYS]
        if not len(told):
            return self
        ends = np.array(self.until)
        ends[rows[told]] = np.fromiter(until.values(), np.int64, len(until))[told]
        return self.with_ends(ends)

    def with_ends(self, until: Ints) -> "Segment":
        """The same rows with these ends (n_rows,), and all that was worked out about them."""
        other = copy(self)
        object.__setattr__(other, "until", until)
        return other

    def save(self, folder: Path) -> None:
        """Write all arrays into `folder`, which exists and is the caller's own until it is renamed into place."""
        ArrayFolder(folder).save(_arrays(self), "format.json", format=FORMAT)

    @classmethod
    def load(cls, folder: Path) -> "Segment":
        """The segment in `folder`, memory mapped; StoreDamaged when it is incomplete or of another format."""
        held = ArrayFolder(folder)
        held.stated("format.json", FORMAT)
        return _segment_of(held)


_COLUMNS = ("keys", "languages", "lengths", "sizes", "name_sizes", "names_in")
_IN_RUNS = ("known", "until")  # the same for all passages of a document
_PARTS = ("words", "names")


def _arrays(segment: Segment) -> dict[str, Numbers]:
    """Every array by the name of its file."""
    arrays = {name: getattr(segment, name) for name in _COLUMNS}
    for name in _IN_RUNS:
        arrays[f"{name}.values"], arrays[f"{name}.sizes"] = runs_of(getattr(segment, name))
    for part in _PARTS:
        held: Postings = getattr(segment, part)
        arrays |= {f"{part}.blob": held.strings.blob, f"{part}.bytes": held.strings.sizes}
        arrays |= {f"{part}.sizes": held.sizes, f"{part}.posts": held.posts}
    return arrays


def _segment_of(arrays: ArrayFolder) -> Segment:
    words, names = (
        Postings(
            Strings(arrays[f"{part}.blob"], arrays[f"{part}.bytes"]), arrays[f"{part}.sizes"], arrays[f"{part}.posts"]
        )
        for part in _PARTS
    )
    in_runs = {name: np.repeat(arrays[f"{name}.values"], arrays[f"{name}.sizes"]) for name in _IN_RUNS}
    return Segment(**{name: arrays[name] for name in _COLUMNS}, **in_runs, words=words, names=names)


def check_size(n_sentences: int) -> None:
    """LimitExceeded where the sentences of one segment cannot be numbered."""
    if n_sentences >= LIMIT:
        raise LimitExceeded(f"an index holds at most {LIMIT} sentences, not {n_sentences}")


def _column(values: Iterable[int]) -> Ints:
    return np.array(list(values), np.int64)


def _lengths(words: Postings, sizes: Ints) -> Ints:
    """Words of each row, as counted in the postings; relation marks are none."""
    marks = words.strings.starting(MARK)
    posts = np.concatenate([words.posts[: words.starts[marks.start]], words.posts[words.starts[marks.stop] :]])
    rows = np.repeat(np.arange(len(sizes)), sizes)[numbers_of(posts)]
    return np.bincount(rows, counts_of(posts), minlength=len(sizes)).astype(np.int64)


def _linked(*, words: Postings, names: Postings, **columns: Ints) -> Segment:
    """A segment in its stored types, with the names of each sentence added."""
    n_sentences = int(columns["sizes"].sum())
    name_sizes, names_in = listed(numbers_of(names.posts), packed(names.owners(), counts_of(names.posts)), n_sentences)
    wide = {name: columns.pop(name) for name in ("keys", "known", "until")}
    narrowed = {name: narrow(column) for name, column in columns.items()}
    return Segment(**wide, **narrowed, words=words, names=names, name_sizes=narrow(name_sizes), names_in=names_in)
