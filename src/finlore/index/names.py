"""What surfaces mean at a date, by the rules of ARCHITECTURE.md, "How names work"."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from finlore.index.arrays import Ints
from finlore.index.bound import BoundLists, SettledLists, bind, settle
from finlore.index.numbering import Numbering
from finlore.index.postings import Postings
from finlore.index.segment import Segment
from finlore.index.stored_names import NO_NAMES, Links, Statements, StoredNames
from finlore.records.index import KnownName
from finlore.records.instant import NEVER, Instant
from finlore.records.names import Entity, SameName


@dataclass(frozen=True, slots=True)
class Meanings:
    """What every surface of a table means at one date, and by which statement: (n_surfaces,) each.

    `entities` are numbers before merges, -1 where nothing is known of a surface; `ranks` their order as strings.
    """

    entities: Ints
    ranks: Ints
    strengths: Ints
    known: Ints

    @classmethod
    def of(cls, statements: Statements, ranks: Ints, n_surfaces: int) -> "Meanings":
        """As one statement for each surface says, or none."""
        found = cls(*(np.full(n_surfaces, empty) for empty in (-1, -1, -1, int(NEVER))))
        found.entities[statements.surfaces] = statements.targets
        found.ranks[statements.surfaces] = ranks[statements.targets]
        found.strengths[statements.surfaces] = statements.strengths
        found.known[statements.surfaces] = statements.known
        return found

    def take(self, statements: Statements, chosen: Ints, targets: Ints, ranks: Ints) -> None:
        """Let the chosen statements (one of a surface at most) decide where they are stronger, earlier or smaller."""
        surfaces = statements.surfaces[chosen]
        claims = (-statements.strengths[chosen].astype(np.int64), statements.known[chosen], ranks[targets[chosen]])
        held = (-self.strengths[surfaces], self.known[surfaces], self.ranks[surfaces])
        wins, equal = np.zeros(len(chosen), np.bool_), np.ones(len(chosen), np.bool_)
        for claim, current in zip(claims, held, strict=True):
            wins |= equal & (claim < current)
            equal &= claim == current
        at, chosen = surfaces[wins], chosen[wins]
        self.strengths[at], self.known[at] = statements.strengths[chosen], statements.known[chosen]
        self.entities[at], self.ranks[at] = targets[chosen], ranks[targets[chosen]]


class NameTable:
    """All names of a store, shipped and learnt, whenever they became known; cut at a date by its methods.

    `names` and `links` join those of `stored`, of which the statements about the surfaces `restated` no longer count.
    `merges` maps an entity to the one that a person merged it into. Surfaces and entities are numbered as in `stored`,
    then as they come; those that only segments speak of last.
    """

    def __init__(
        self,
        names: Sequence[KnownName],
        links: Sequence[SameName],
        merges: Mapping[str, str],
        *,
        stored: StoredNames = NO_NAMES,
        restated: Collection[str] = (),
    ) -> None:
        self.stored, self._newer = stored, sorted(names, key=lambda name: name.surface)
        self.surfaces, self.entities = Numbering(stored.surfaces), Numbering(stored.entities)
        for name in self._newer:
            self.surfaces.add(name.surface)
        for entity in sorted({name.entity for name in names} | set(merges) | set(merges.values())):
            self.entities.add(entity)
        self.merges = dict(merges)
        self._ranks = self.entities.ranks()
        self.merged = np.arange(len(self.entities))
        for entity in self.merges:
            self.merged[self.entities.number(entity)] = self.entities.number(self.after_merges(entity))
        self._kept = self._unless_restated(restated)
        self._direct = self._all_statements()
        self._links = stored.links.joined(self._newer_links(links))
        self._bound: WeakKeyDictionary[Postings, BoundLists] = WeakKeyDictionary()
        self._settled: WeakKeyDictionary[Postings, SettledLists] = WeakKeyDictionary()
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
            lists = segment.names
            if lists not in self._bound:
                held = self.stored.bound.get(lists)
                self._bound[lists] = held or bind(lists.strings, self.surfaces.number, self.entities.add)
            return self._bound[lists]

    def settled(self, segment: Segment) -> SettledLists:
        """The distinct entities of the rows of `segment` when all names are known; worked out once.

        Of a segment that is stored with the names, once for all tables over these: what names mean by then may differ
        (views count that themselves), what has no number in all of them counts as nothing.
        """
        lists = self.bound(segment)
        held = self.stored.settled if segment.names in self.stored.bound else self._settled
        with self._binding:
            if segment.names not in held:
                last = self.meanings(Instant(NEVER - 1)).entities
                entities = self.after_all_merges(lists.entities(last))
                if held is self.stored.settled:
                    entities = np.where(entities < len(self.stored.entities), entities, -1)
                held[segment.names] = settle(segment, entities)
            return held[segment.names]

    def after_all_merges(self, entities: Ints) -> Ints:
        """The numbers that entity numbers count as; -1 and what only segments speak of stay."""
        if not self.merges:
            return entities
        merged = np.append(self.merged, -1)
        return np.where(entities < len(self.merged), merged[np.minimum(entities, len(self.merged))], entities)

    def spoken_of(self, surfaces: Iterable[str]) -> dict[str, int]:
        """The numbers of those of the surfaces that names or segments speak of; -1 of one that only follows the kind in
        an entity id (where names are stored, that has a number too)."""
        asked = dict.fromkeys(surfaces)
        numbers, tails = self.surfaces.numbers(asked), self.entities.added_tails
        return {surface: numbers.get(surface, -1) for surface in asked if surface in numbers or surface in tails}

    def resolve(self, as_of: Instant) -> dict[str, str]:
        """Surface -> entity of every surface that has an alias known at `as_of`, merges applied."""
        meanings = self.meanings(as_of).entities
        known = np.flatnonzero(meanings >= 0)
        entities = self.merged[meanings[known]]
        return dict(zip(self.surfaces.take(known), self.entities.take(entities), strict=True))

    def meanings(self, as_of: Instant) -> Meanings:
        """What every surface means at `as_of`."""
        return self._last_meanings if as_of >= self._last_known else self._meanings(as_of)

    @cached_property
    def _last_known(self) -> int:
        """Since when nothing more has become known."""
        return int(self._direct.known.max(initial=0))

    @cached_property
    def _last_meanings(self) -> Meanings:
        return self._meanings(Instant(NEVER - 1))

    def _meanings(self, as_of: Instant) -> Meanings:
        direct, links = self._direct, self._links
        best = direct.best(as_of)
        found = Meanings.of(direct.at(best), self._ranks, len(self.surfaces))
        targets = np.full(len(links.vias), -1)
        held = np.flatnonzero(self._links_known <= as_of)
        targets[held] = found.entities[links.vias[held]]
        held = held[~(links.unlisted_only[held] & self._listed[targets[held]])]
        said = Statements(links.surfaces, targets, links.strengths, self._links_known)
        order = np.lexsort(
            (self._ranks[targets[held]], said.known[held], -said.strengths[held].astype(np.int64), said.surfaces[held])
        )
        held = held[order]
        first = held[np.flatnonzero(np.diff(said.surfaces[held], prepend=-1))]
        found.take(said, first, targets, self._ranks)
        return found

    def stated(self, entity: str, meanings: Meanings, as_of: Instant) -> Entity | None:
        """What is said of `entity` at `as_of`, with all that was merged into it; None where nothing is."""
        number = self.entities.number(entity)
        group = np.flatnonzero(self.merged == number)
        own = [name for member in group.tolist() for name in self._names_of(member) if name.known <= as_of]
        if not own:
            return None
        first = min(
            own,
            key=lambda name: (name.entity != entity, name.name == name.entity, -name.strength, name.known, name.name),
        )
        here = np.flatnonzero((meanings.entities >= 0) & np.isin(meanings.entities, group))
        aliases = zip(-meanings.strengths[here], meanings.known[here], self.surfaces.take(here), strict=True)
        names = tuple(surface for _, _, surface in sorted(aliases))
        return Entity(entity, first.name, first.kind, names, Instant(min(name.known for name in own)))

    def _names_of(self, entity: int) -> list[KnownName]:
        order, targets = self._by_target
        low, high = np.searchsorted(targets, (entity, entity + 1)).tolist()
        return [self._name(at) for at in order[low:high].tolist()]

    def _name(self, at: int) -> KnownName:
        if at >= len(self._kept):
            return self._newer[at - len(self._kept)]
        kind, name = self.stored.told(int(self._kept[at]))
        surface, entity = self.surfaces[int(self._direct.surfaces[at])], self.entities[int(self._direct.targets[at])]
        known = Instant(int(self._direct.known[at]))
        return KnownName(surface, entity, kind, name, int(self._direct.strengths[at]), known)

    @cached_property
    def _by_target(self) -> tuple[Ints, Ints]:
        """The statements in the order of their targets, and these."""
        order = np.argsort(self._direct.targets, kind="stable")
        return order, self._direct.targets[order]

    @cached_property
    def _listed(self) -> Ints:
        """(n_entities + 1,) Whether each is a security; the last, for -1, is not."""
        added = [":" not in self.entities[number] for number in range(len(self.stored.listed), len(self._ranks) - 1)]
        return np.concatenate([self.stored.listed, np.array([*added, False], np.bool_)])

    @cached_property
    def _links_known(self) -> Ints:
        """(n_links,) A link is known when both of its surfaces mean something."""
        first = np.full(len(self.surfaces), int(NEVER))
        np.minimum.at(first, self._direct.surfaces, self._direct.known)
        known: Ints = np.maximum(first[self._links.surfaces], first[self._links.vias])
        return known

    def _unless_restated(self, restated: Collection[str]) -> Ints:
        """The stored statements that still count."""
        again = np.zeros(len(self.stored.surfaces) + 1, np.bool_)
        again[[self.stored.surfaces.find(surface) for surface in restated]] = True  # the last for those that are new
        again[-1] = False
        return np.flatnonzero(~again[self.stored.direct.surfaces])

    def _all_statements(self) -> Statements:
        """Those that are stored, then the others, each in the order surface, strongest, earliest, smallest target."""
        names = self._newer
        surfaces = np.array([self.surfaces.number(name.surface) for name in names], np.int64)
        targets = np.array([self.entities.number(name.entity) for name in names], np.int64)
        strengths = np.array([name.strength for name in names], np.int64)
        known = np.array([name.known for name in names], np.int64)
        order = np.lexsort((self._ranks[targets], known, -strengths, surfaces))
        self._newer = [names[at] for at in order.tolist()]
        newer = Statements(surfaces, targets, strengths, known).at(order)
        kept = self.stored.direct
        return (kept if len(self._kept) == len(kept.known) else kept.at(self._kept)).joined(newer)

    def _newer_links(self, links: Iterable[SameName]) -> Links:
        return Links.of(links, self.surfaces.add)
