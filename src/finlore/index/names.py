"""What surfaces mean at a date, by the rules of ARCHITECTURE.md, "How names work"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from finlore.index.arrays import Ints
from finlore.index.bound import BoundLists, SettledLists, bind, settle
from finlore.index.segment import Segment
from finlore.records.index import KnownName
from finlore.records.instant import NEVER, Instant
from finlore.records.names import Entity, SameName


@dataclass(frozen=True, slots=True)
class _Statements:
    """Statements "surface means target", in the order surface, strongest, earliest, smallest target id."""

    surfaces: Ints
    targets: Ints
    strengths: Ints
    known: Ints

    def best(self, as_of: Instant) -> Ints:
        """Those that decide at `as_of`: the first of each surface among the statements known by then."""
        known = np.flatnonzero(self.known <= as_of)
        surfaces = self.surfaces[known]
        return known[np.flatnonzero(np.diff(surfaces, prepend=-1))]


@dataclass(frozen=True, slots=True)
class Meanings:
    """What every surface of a table means at one date, and by which statement: (n_surfaces,) each.

    `entities` are numbers before merges, -1 where nothing is known of a surface.
    """

    entities: Ints
    strengths: Ints
    known: Ints

    def take(self, statements: _Statements, chosen: Ints, targets: Ints) -> None:
        """Let the chosen statements (one of a surface at most) decide where they are stronger, earlier or smaller."""
        surfaces = statements.surfaces[chosen]
        claims = (-statements.strengths[chosen], statements.known[chosen], targets[chosen])
        held = (-self.strengths[surfaces], self.known[surfaces], self.entities[surfaces])
        wins, equal = np.zeros(len(chosen), np.bool_), np.ones(len(chosen), np.bool_)
        for claim, current in zip(claims, held, strict=True):
            wins |= equal & (claim < current)
            equal &= claim == current
        at = surfaces[wins]
        self.strengths[at], self.known[at] = statements.strengths[chosen][wins], statements.known[chosen][wins]
        self.entities[at] = targets[chosen][wins]


class NameTable:
    """All names of a store, shipped and learnt, whenever they became known; cut at a date by its methods.

    `merges` maps an entity to the one that a person merged it into. Surfaces are numbered in string order, and so are
    the entities that names or merges speak of; those that only segments speak of follow. `guesses` holds what stands
    behind the kind in every entity id.
    """

    def __init__(self, names: Sequence[KnownName], links: Sequence[SameName], merges: Mapping[str, str]) -> None:
        self.names = names
        self.entities = sorted({name.entity for name in names} | set(merges) | set(merges.values()))
        self.entity_numbers = {entity: number for number, entity in enumerate(self.entities)}
        self.guesses = {entity.partition(":")[2] for entity in self.entities}
        self.surfaces = sorted(dict.fromkeys(name.surface for name in names))  # fast where they come sorted
        self.surface_numbers = {surface: number for number, surface in enumerate(self.surfaces)}
        self.merges = dict(merges)
        self.merged = np.arange(len(self.entities))
        for entity in self.merges:
            self.merged[self.entity_numbers[entity]] = self.entity_numbers[self.after_merges(entity)]
        self._direct = self._sorted_names()
        self._links = self._known_links(links)
        self._listed = np.fromiter((":" not in entity for entity in self.entities), np.bool_, len(self.entities))
        self._bound: WeakKeyDictionary[Segment, BoundLists] = WeakKeyDictionary()
        self._settled: WeakKeyDictionary[Segment, SettledLists] = WeakKeyDictionary()
        self._binding = Lock()

    def after_merges(self, entity: str) -> str:
        """The entity that `entity` counts as; a circle of merges ends at its smallest id."""
        seen: dict[str, None] = {}
        while entity in self.merges:
            if entity in seen:
                circle = list(seen)
                return min(circle[circle.index(entity) :])
            seen[entity] = None
            entity = self.merges[entity]
        return entity

    def bound(self, segment: Segment) -> BoundLists:
        """What the name lists of `segment` refer to; read once for as long as both live."""
        with self._binding:
            if segment not in self._bound:
                self._bound[segment] = bind(segment, self.surface_numbers, self._entity_number)
            return self._bound[segment]

    def settled(self, segment: Segment) -> SettledLists:
        """The distinct entities of the rows of `segment` when all names are known; worked out once."""
        lists = self.bound(segment)
        with self._binding:
            if segment not in self._settled:
                last = self.meanings(Instant(NEVER - 1)).entities
                self._settled[segment] = settle(segment, self.after_all_merges(lists.entities(last)))
            return self._settled[segment]

    def after_all_merges(self, entities: Ints) -> Ints:
        """The numbers that entity numbers count as; -1 and what only segments speak of stay."""
        merged = np.append(self.merged, -1)
        return np.where(entities < len(self.merged), merged[np.minimum(entities, len(self.merged))], entities)

    def _entity_number(self, entity: str) -> int:
        """Entities that only segments speak of are numbered after those of the table, as they come."""
        number = self.entity_numbers.setdefault(entity, len(self.entities))
        if number == len(self.entities):
            self.entities.append(entity)
            self.guesses.add(entity.partition(":")[2])
        return number

    def resolve(self, as_of: Instant) -> dict[str, str]:
        """Surface -> entity of every surface that has an alias known at `as_of`, merges applied."""
        meanings = self.meanings(as_of).entities
        known = np.flatnonzero(meanings >= 0)
        return {
            self.surfaces[surface]: self.entities[entity]
            for surface, entity in zip(known.tolist(), self.merged[meanings[known]].tolist(), strict=True)
        }

    def meanings(self, as_of: Instant) -> "Meanings":
        """What every surface means at `as_of`."""
        n = len(self.surfaces)
        found = Meanings(np.full(n, -1), np.full(n, -1), np.full(n, int(NEVER)))
        found.take(self._direct, self._direct.best(as_of), self._direct.targets)
        links = self._links
        held = np.flatnonzero(links.known <= as_of)
        targets = np.full(len(links.targets), -1)
        targets[held] = found.entities[links.targets[held]]
        held = held[~(self._unlisted_only[held] & self._listed[targets[held]])]
        order = np.lexsort((targets[held], links.known[held], -links.strengths[held], links.surfaces[held]))
        held = held[order]
        first = held[np.flatnonzero(np.diff(links.surfaces[held], prepend=-1))]
        found.take(links, first, targets)
        return found

    def stated(self, entity: str, meanings: "Meanings", as_of: Instant) -> Entity | None:
        """What is said of `entity` at `as_of`, with all that was merged into it; None where nothing is."""
        number = self.entity_numbers.get(entity, -1)
        group = np.flatnonzero(self.merged == number)
        own = [name for member in group.tolist() for name in self._names_of(member) if name.known <= as_of]
        if not own:
            return None
        first = min(
            own,
            key=lambda name: (name.entity != entity, name.name == name.entity, -name.strength, name.known, name.name),
        )
        here = np.flatnonzero((meanings.entities >= 0) & np.isin(meanings.entities, group))
        order = np.lexsort((here, meanings.known[here], -meanings.strengths[here]))
        aliases = tuple(self.surfaces[surface] for surface in here[order].tolist())
        return Entity(entity, first.name, first.kind, aliases, Instant(min(name.known for name in own)))

    def _names_of(self, entity: int) -> list[KnownName]:
        low, high = np.searchsorted(self._targets_sorted, (entity, entity + 1)).tolist()
        return [self.names[at] for at in self._by_target[low:high].tolist()]

    def _sorted_names(self) -> _Statements:
        surfaces = np.array([self.surface_numbers[name.surface] for name in self.names], np.int64)
        targets = np.array([self.entity_numbers[name.entity] for name in self.names], np.int64)
        strengths = np.array([name.strength for name in self.names], np.int64)
        known = np.array([name.known for name in self.names], np.int64)
        self._by_target = np.argsort(targets, kind="stable")
        self._targets_sorted = targets[self._by_target]
        order = np.lexsort((targets, known, -strengths, surfaces))
        return _Statements(surfaces[order], targets[order], strengths[order], known[order])

    def _known_links(self, links: Sequence[SameName]) -> _Statements:
        """Links between surfaces that ever have an alias; a link is known when both have one. Targets are surfaces."""
        first_known = np.full(len(self.surfaces), int(NEVER))
        np.minimum.at(first_known, self._direct.surfaces, self._direct.known)
        numbers = self.surface_numbers
        held = [link for link in links if link.surface in numbers and link.via in numbers]
        surfaces = np.array([numbers[link.surface] for link in held], np.int64)
        via = np.array([numbers[link.via] for link in held], np.int64)
        strengths = np.array([link.strength for link in held], np.int64)
        self._unlisted_only = np.array([link.unlisted_only for link in held], np.bool_)
        known = np.maximum(first_known[surfaces], first_known[via])
        return _Statements(surfaces, via, strengths, known)
