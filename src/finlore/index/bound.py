"""What the name lists of one segment refer to, by the numbers of a name table."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from finlore.index.arrays import Ints, numbers_of, starts_of
from finlore.index.segment import Segment
from finlore.records.index import DIRECT, NESTED, OWNED


@dataclass(frozen=True, slots=True)
class BoundLists:
    """Numbers of surfaces and entities, -1 where there is nothing.

    `surfaces`, `guesses` (kind:surface), `subjects` (the entity that a list names itself) and `owned` are (n_lists,);
    `covers` are surfaces that have an alias at some date, each with its list in `covered`.
    """

    surfaces: Ints
    guesses: Ints
    subjects: Ints
    owned: NDArray[np.bool_]
    covers: Ints
    covered: Ints

    def entities(self, meanings: Ints) -> Ints:
        """(n_lists,) The entity of each list before merges, -1 for lists not visible, when surfaces mean `meanings`."""
        known = np.append(meanings, -1)  # so that surface -1 means nothing
        entities = np.where(known[self.surfaces] >= 0, known[self.surfaces], self.guesses)
        entities[self.covered[known[self.covers] >= 0]] = -1
        return np.where(self.subjects >= 0, self.subjects, entities)

    def at(self, stays: Ints) -> "BoundLists":
        """Of some of the lists (ascending), numbered anew."""
        lists = np.full(len(self.surfaces), -1)
        lists[stays] = np.arange(len(stays))
        covered = lists[self.covered]
        covering = covered >= 0
        return BoundLists(
            self.surfaces[stays],
            self.guesses[stays],
            self.subjects[stays],
            self.owned[stays],
            self.covers[covering],
            covered[covering],
        )

    def renumbered(self, surfaces: Ints, entities: Ints) -> "BoundLists":
        """With new numbers of surfaces and entities; the last of them are those of -1."""
        return BoundLists(
            surfaces[self.surfaces],
            entities[self.guesses],
            entities[self.subjects],
            self.owned,
            surfaces[self.covers],
            self.covered,
        )


@dataclass(frozen=True, slots=True)
class SettledLists:
    """Distinct entities of each row when all names are known, whenever that is.

    `entities` (n_lists,), -1 for lists not visible then; `firsts` one list of each distinct (row, entity), row by row;
    `starts` (n_rows + 1,) where each row starts in `firsts`. What names do not change between a date and then, a view
    counts from here, at the cost of a prefix instead of a sort.
    """

    entities: Ints
    firsts: NDArray[np.uint32]
    starts: Ints


def bind(lists: Sequence[str], surface_number: Callable[[str], int], entity_number: Callable[[str], int]) -> BoundLists:
    """What name lists, given by their strings, refer to. A surface without a number (-1) means nothing at any date."""
    n = len(lists)
    surfaces, guesses, subjects = (np.full(n, -1) for _ in range(3))
    owned = np.zeros(n, np.bool_)
    covers: list[tuple[int, int]] = []
    surface_number, entity_number = cache(surface_number), cache(entity_number)
    for at, string in enumerate(lists):
        if string.startswith((DIRECT, OWNED)):
            subjects[at], owned[at] = entity_number(string[1:]), string.startswith(OWNED)
            continue
        surface, kind, *longer = string.split(NESTED)
        surfaces[at] = surface_number(surface)
        if kind:
            guesses[at] = entity_number(f"{kind}:{surface}")
        covers += ((number, at) for cover in longer if (number := surface_number(cover)) >= 0)
    pairs = np.array(covers, np.int64).reshape(-1, 2)
    return BoundLists(surfaces, guesses, subjects, owned, pairs[:, 0], pairs[:, 1])


def speak_of(lists: Iterable[str], surfaces: set[str], entities: set[str]) -> None:
    """Add all surfaces and all entity ids that name lists refer to."""
    for string in lists:
        if string.startswith((DIRECT, OWNED)):
            entities.add(string[1:])
            continue
        surface, kind, *longer = string.split(NESTED)
        surfaces.update((surface, *longer))
        if kind:
            entities.add(f"{kind}:{surface}")


def settle(segment: Segment, entities: Ints) -> SettledLists:
    """`entities`: what the lists mean when all names are known."""
    by_entity = np.argsort(entities, kind="stable")
    rank = np.empty_like(by_entity)
    rank[by_entity] = np.arange(len(by_entity))
    lists = numbers_of(segment.names_in)
    rows = np.repeat(segment.sentence_rows, segment.name_sizes)
    seen = entities[lists] >= 0
    pairs = rows[seen].astype(np.int64) << 32 | rank[lists[seen]]  # equal entities stand together within a row
    pairs.sort()
    rows, lists = pairs >> 32, by_entity[pairs & 0xFFFFFFFF]
    first = np.diff(rows, prepend=-1) != 0
    first |= np.diff(entities[lists], prepend=-1) != 0
    starts = starts_of(np.bincount(rows[first], minlength=len(segment)))
    return SettledLists(entities, lists[first].astype(np.uint32), starts)
