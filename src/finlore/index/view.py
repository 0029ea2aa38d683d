"""Everything known at a date, over a base segment and the segments of what came since.

Exact: a view at D over any layout and any future equals, to the last bit, one over an index that never saw the future.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import get_args

import numpy as np

from finlore.index.arrays import Ints, Numbers, Posts, counts_of, numbers_of, slices, starts_of, summed
from finlore.index.cut import SegmentCut
from finlore.index.names import NameTable
from finlore.index.numbering import Numbered
from finlore.index.segment import Segment
from finlore.index.vectors import JoinedVectors, SegmentVectors
from finlore.ports import Bools, Vectors
from finlore.records.instant import Instant
from finlore.records.names import Entity, EntityKind

_KINDS = get_args(EntityKind)
NO_VECTORS: Mapping[str, Sequence[SegmentVectors]] = {}


class IndexView:
    """`ports.View` over segments. A row's number is its place in the segments one after another, each cut at `as_of`.

    `until` holds ends of rows that the segments have not been told yet; `replaced` the keys whose rows no longer count
    but in the last segment (forgotten, or written anew there). `vectors`: those of each segment, by model. Names are
    cut by `names` at the same date.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        names: NameTable,
        *,
        as_of: Instant,
        sequence: int,
        until: Mapping[int, Instant],
        replaced: frozenset[int],
        vectors: Mapping[str, Sequence[SegmentVectors]] = NO_VECTORS,
    ) -> None:
        self.as_of, self.sequence = as_of, sequence
        self._names, self._vectors = names, vectors
        self._cuts = [
            SegmentCut(segment, as_of, until=until, replaced=replaced if place < len(segments) else ())
            for place, segment in enumerate(segments, 1)
        ]
        self._first_rows = starts_of(np.array([cut.n_rows for cut in self._cuts], np.int64))
        self._first_sentences = starts_of(np.array([cut.n_sentences for cut in self._cuts], np.int64))
        self.n_passages = sum(int(cut.alive.sum()) for cut in self._cuts)
        self._number_entities()

    def _number_entities(self) -> None:
        """Number the entities that have a visible mention; every list gets its entity, or -1."""
        bound = [self._names.bound(cut.segment) for cut in self._cuts]
        self._owned = [lists.owned for lists in bound]
        self._meanings = self._names.meanings(self.as_of)
        meant = [self._names.after_all_merges(lists.entities(self._meanings.entities)) for lists in bound]
        held = np.zeros(len(self._names.entities) + 1, np.int64)  # the last for lists without an entity
        for cut, entities in zip(self._cuts, meant, strict=True):
            held += np.bincount(entities % len(held), cut.visible, minlength=len(held)).astype(np.int64)
        held[-1] = 0
        self._present = np.flatnonzero(held)
        self._local = np.full(len(held), -1)
        self._local[self._present] = np.arange(len(self._present))
        self._list_entities = [self._local[entities] for entities in meant]

    # rows

    @cached_property
    def keys(self) -> Ints:
        return self._column(lambda cut: cut.segment.keys[: cut.n_rows])

    @cached_property
    def known(self) -> Ints:
        return self._column(lambda cut: cut.segment.known[: cut.n_rows])

    @cached_property
    def alive(self) -> Bools:
        return np.concatenate([np.zeros(0, np.bool_), *(cut.alive for cut in self._cuts)])

    @cached_property
    def lengths(self) -> Ints:
        return self._column(lambda cut: cut.segment.lengths[: cut.n_rows])

    @cached_property
    def languages(self) -> Ints:
        return self._column(lambda cut: cut.segment.languages[: cut.n_rows])

    @cached_property
    def sentence_rows(self) -> Numbers:
        rows = [cut.segment.sentence_rows[: cut.n_sentences] for cut in self._cuts]
        firsts = self._first_rows.astype(np.int32)
        return np.concatenate([np.zeros(0, np.int32), *(own + first for own, first in zip(rows, firsts, strict=False))])

    @cached_property
    def sentence_ordinals(self) -> Numbers:
        ordinals = [np.zeros(0, np.int32)]
        for cut in self._cuts:
            starts = cut.segment.starts[:-1][: cut.n_rows].astype(np.int32)
            own = np.repeat(starts, cut.segment.sizes[: cut.n_rows])
            ordinals.append(np.arange(len(own), dtype=np.int32) - own)
        return np.concatenate(ordinals)

    def _column(self, of: Callable[[SegmentCut], Ints]) -> Ints:
        return _joined([of(cut) for cut in self._cuts])

    # words

    def words(self, term: str) -> tuple[Ints, Ints]:
        posts = [cut.word(term) for cut in self._cuts]
        firsts = self._first_sentences.tolist()
        sentences = [_moved(numbers_of(own), first) for own, first in zip(posts, firsts, strict=False)]
        return _joined(sentences), _joined([counts_of(own) for own in posts])

    # names

    def sentence_entities(self, sentences: Ints) -> tuple[Ints, Ints, Ints]:
        return self._entities_in(sentences, self._first_sentences, SegmentCut.names_of_sentences)

    def row_entities(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        return self._entities_in(rows, self._first_rows, SegmentCut.names_of_rows)

    def _entities_in(
        self, places: Ints, firsts: Ints, names_of: Callable[[SegmentCut, Ints], tuple[Posts, Ints]]
    ) -> tuple[Ints, Ints, Ints]:
        owners, entities, counts = [], [], []
        for at, cut in enumerate(self._cuts):
            mine = np.flatnonzero((places >= firsts[at]) & (places < firsts[at + 1]))
            posts, owner = names_of(cut, places[mine] - firsts[at])
            found = self._list_entities[at][numbers_of(posts)]
            seen = found >= 0
            owners.append(mine[owner[seen]])
            entities.append(found[seen])
            counts.append(counts_of(posts[seen]))
        return summed(_joined(owners), _joined(entities), _joined(counts), len(self._present))

    def entity_sentences(self, entities: Ints) -> tuple[Ints, Ints, Ints]:
        sentences, counts, owners = self._mentions(entities)
        return summed(owners, sentences, counts, int(self._first_sentences[-1]))

    def mention_lists(self, entity: int) -> Iterator[Ints]:
        for cut, (order, starts), first in zip(self._cuts, self._lists_by_entity, self._first_sentences, strict=False):
            for number in order[starts[entity] : starts[entity + 1]].tolist():
                yield _moved(numbers_of(cut.list(number)), first)

    def entity_rows(self, entities: Ints) -> tuple[Ints, Ints, Ints]:
        sentences, counts, owners = self._mentions(entities)
        return summed(owners, self.sentence_rows[sentences], counts, len(self.keys))

    def _mentions(self, entities: Ints) -> tuple[Ints, Ints, Ints]:
        """(sentence, count, position in `entities`) of every mention, list by list."""
        sentences, counts, owners = [], [], []
        for cut, lists_by_entity, first in zip(self._cuts, self._lists_by_entity, self._first_sentences, strict=False):
            lists, owner = _runs(*lists_by_entity, entities)
            posts, place = cut.lists(lists)
            sentences.append(numbers_of(posts) + first)
            counts.append(counts_of(posts))
            owners.append(owner[place])
        return _joined(sentences), _joined(counts), _joined(owners)

    @cached_property
    def _lists_by_entity(self) -> list[tuple[Ints, Ints]]:
        """For each segment its lists in the order of their entities, and where each entity starts among them."""
        numbers = np.arange(len(self._present) + 1)
        found = []
        for entities in self._list_entities:
            order = np.argsort(entities, kind="stable")
            found.append((order, np.searchsorted(entities[order], numbers)))
        return found

    @cached_property
    def entity_counts(self) -> Ints:
        counts = np.zeros(len(self._present), np.int64)
        for cut, entities in zip(self._cuts, self._list_entities, strict=True):
            settled = self._names.settled(cut.segment)
            then = self._local[settled.entities]
            changed = np.zeros(len(self._present) + 1, np.bool_)  # entities with other lists then; the last for -1
            changed[entities[entities != then]] = changed[then[entities != then]] = True
            changed[-1] = True
            same = np.flatnonzero(~changed[entities])
            counts += np.bincount(entities[same], cut.firsts(settled)[same], minlength=len(counts)).astype(np.int64)
            other = np.flatnonzero(changed[entities] & (entities >= 0))
            posts, place = cut.lists(other)
            pairs = entities[other[place]] << 32 | cut.segment.sentence_rows[numbers_of(posts)]
            pairs.sort()
            counts += np.bincount(pairs[np.diff(pairs, prepend=-1) != 0] >> 32, minlength=len(counts))
        return counts

    def owners(self, rows: Ints) -> Ints:
        owners = np.full(len(rows), -1)
        for at, cut in enumerate(self._cuts):
            mine = np.flatnonzero((rows >= self._first_rows[at]) & (rows < self._first_rows[at + 1]))
            posts, owner = cut.names_of_sentences(cut.segment.starts[rows[mine] - self._first_rows[at]])
            lists = numbers_of(posts)
            owned = self._owned[at][lists]
            owners[mine[owner[owned]]] = self._list_entities[at][lists[owned]]
        return owners

    def owned_rows(self, entities: Ints) -> tuple[Ints, Ints]:
        found_rows, positions = [], []
        for at, cut in enumerate(self._cuts):
            lists, owner = _runs(*self._lists_by_entity[at], entities)
            owned = self._owned[at][lists]
            posts, place = cut.lists(lists[owned])
            found_rows.append(cut.segment.sentence_rows[numbers_of(posts)] + self._first_rows[at])
            positions.append(owner[owned][place])
        rows, owners = _joined(found_rows), _joined(positions)
        keyed = owners << 32 | rows
        keyed.sort()
        return keyed & 0xFFFFFFFF, keyed >> 32

    # entities

    @cached_property
    def entity_ids(self) -> Sequence[str]:
        return Numbered(self._names.entities, self._present)

    def lookup(self, surfaces: Iterable[str]) -> dict[str, int]:
        spoken = self._names.spoken_of(surfaces)
        found = ((surface, self._meant_by(surface, number)) for surface, number in spoken.items())
        return {surface: entity for surface, entity in found if entity >= 0}

    def _meant_by(self, surface: str, number: int) -> int:
        """What an alias says, else the entity of this name and some kind that most passages mention, else -1."""
        if number >= 0 and self._meanings.entities[number] >= 0:
            return int(self._local[self._names.merged[self._meanings.entities[number]]])
        numbers = (self._names.entities.number(f"{kind}:{surface}") for kind in _KINDS)
        found = np.array([number for number in numbers if 0 <= number < len(self._local)], np.int64)
        local = set(self._local[self._names.after_all_merges(found)].tolist()) - {-1}
        return min(local, key=lambda entity: (-self.entity_counts[entity], self.entity_ids[entity]), default=-1)

    def entity(self, number: int) -> Entity:
        id_, n_passages = self.entity_ids[number], int(self.entity_counts[number])
        stated = self._names.stated(id_, self._meanings, self.as_of)
        if stated is not None:
            return replace(stated, n_passages=n_passages)
        kind, _, name = id_.rpartition(":")
        known = min(int(cut.segment.known[row]) for cut, row in self._first_mentions(number))
        return Entity(id_, name, kind or "security", (name,), Instant(known), n_passages)

    def _first_mentions(self, number: int) -> list[tuple[SegmentCut, int]]:
        rows, _, _ = self.entity_rows(np.array([number]))
        ends = [int(np.searchsorted(rows, first)) for first in self._first_rows]
        return [
            (cut, int(rows[low] - self._first_rows[at]))
            for at, (cut, low, high) in enumerate(zip(self._cuts, ends, ends[1:], strict=False))
            if low < high
        ]

    # vectors

    def vectors(self, model: str) -> tuple[Ints, Vectors] | None:
        held = self._vectors.get(model, ())
        shown = [
            (first, own.shown(cut.alive))
            for cut, first, vectors in zip(self._cuts, self._first_rows, held, strict=False)
            for own in vectors
        ]
        rows = _joined([own.rows + first for first, own in shown])
        return (rows, JoinedVectors([own for _, own in shown])) if len(rows) else None


def _joined(parts: Iterable[Ints]) -> Ints:
    """All parts in one array of int64; no copy of a single one that is that already."""
    held = list(parts)
    joined: Ints = held[0] if len(held) == 1 else np.concatenate([np.zeros(0, np.int64), *held])
    return joined.astype(np.int64, copy=False)


def _moved(numbers: Ints, by: int) -> Ints:
    """The numbers, which are the caller's own, plus `by`."""
    if by:
        numbers += by
    return numbers


def _runs(order: Ints, starts: Ints, entities: Ints) -> tuple[Ints, Ints]:
    """The lists of each entity, and the position in `entities` of each."""
    places, owner = slices(starts[entities], starts[entities + 1] - starts[entities])
    return order[places], owner
