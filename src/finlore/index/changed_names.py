"""Stored names brought up to date from what changed: what stays is moved as numbers, no string of it is read."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from finlore.index.arrays import Ints
from finlore.index.bound import BoundLists, bind, speak_of
from finlore.index.numbering import tails
from finlore.index.postings import Postings
from finlore.index.stored_names import Links, Statements, StoredNames
from finlore.ports import Bools
from finlore.records.index import NESTED, KnownName
from finlore.records.names import EntityKind, SameName

_KINDS = get_args(EntityKind)


@dataclass(frozen=True, slots=True)
class Restated:
    """All that is said now about some surfaces: statements of what they mean, links from or to them; and links that are
    new. What was stored about them counts no more."""

    surfaces: Collection[str]
    names: Sequence[KnownName]
    links: Sequence[SameName]


@dataclass(frozen=True, slots=True)
class _Kept:
    """What stays of stored names, by the old numbers; lists of `bound` are those of the segments that were known."""

    statements: Ints
    links: Links
    bound: Mapping[Postings, BoundLists]


def changed(
    stored: StoredNames,
    restated: Restated,
    *,
    sequence: int,
    segments: Sequence[Postings],
    thinned: Mapping[Postings, tuple[Postings, Ints]],
) -> StoredNames:
    """As `StoredNames.of` everything. `thinned`: segments that are made of others, with the lists that stay of them."""
    kept = _kept(stored, restated, segments, thinned)
    surfaces, entities = _spoken(restated, [lists for lists in segments if lists not in kept.bound])
    gone_surfaces, gone_entities = _unspoken(stored, kept)
    new_entities, of_entity = stored.entities.changed(gone_entities, sorted(entities))
    new_surfaces, of_surface = stored.surfaces.changed(
        _unless_tails(stored, gone_surfaces, gone_entities), sorted(surfaces | set(tails(entities)))
    )
    names = restated.names
    direct = stored.direct.at(kept.statements)
    told = Statements(of_surface[direct.surfaces], of_entity[direct.targets], direct.strengths, direct.known).joined(
        Statements(
            *np.array(
                [(new_surfaces.find(n.surface), new_entities.find(n.entity), n.strength, n.known) for n in names],
                np.int64,
            )
            .reshape(-1, 4)
            .T
        )
    )
    unsaid = np.ones(len(stored.said), np.bool_)
    unsaid[stored.said_at[kept.statements]] = False
    said = stored.said.without(np.flatnonzero(unsaid)).joined(f"{n.kind}{NESTED}{n.name}" for n in names)
    said_at = (np.cumsum(~unsaid) - 1)[stored.said_at[kept.statements]]
    said_at = np.concatenate([said_at, np.arange(len(said_at), len(said))])
    order = np.lexsort((told.targets, told.known, -told.strengths, told.surfaces))
    listed = np.zeros(len(new_entities), np.bool_)
    stays = of_entity[:-1] >= 0
    listed[of_entity[:-1][stays]] = stored.listed[stays]
    listed[[new_entities.find(entity) for entity in entities if ":" not in entity]] = True
    bound = {
        lists: kept.bound[lists].renumbered(of_surface, of_entity)
        if lists in kept.bound
        else bind(lists.strings, new_surfaces.find, new_entities.find)
        for lists in segments
    }
    return StoredNames(
        sequence,
        new_surfaces,
        new_entities,
        listed,
        told.at(order),
        said_at[order],
        said,
        kept.links.renumbered(of_surface).joined(Links.of(restated.links, new_surfaces.find)),
        bound,
    )


def _kept(
    stored: StoredNames,
    restated: Restated,
    segments: Sequence[Postings],
    thinned: Mapping[Postings, tuple[Postings, Ints]],
) -> _Kept:
    again = np.zeros(len(stored.surfaces) + 1, np.bool_)
    again[[stored.surfaces.find(surface) for surface in restated.surfaces]] = True
    again[-1] = False  # surfaces that are new
    links = stored.links
    bound = {lists: stored.bound[lists] for lists in segments if lists in stored.bound}
    for lists, (before, stays) in thinned.items():
        if before in stored.bound:
            bound[lists] = stored.bound[before].at(stays)
    return _Kept(
        np.flatnonzero(~again[stored.direct.surfaces]),
        links.at(np.flatnonzero(~(again[links.surfaces] | again[links.vias]))),
        bound,
    )


def _spoken(restated: Restated, new: Iterable[Postings]) -> tuple[set[str], set[str]]:
    """Surfaces and entities that new statements, links and name lists speak of."""
    surfaces = {name.surface for name in restated.names}
    surfaces |= {surface for link in restated.links for surface in (link.surface, link.via)}
    entities = {name.entity for name in restated.names}
    for lists in new:
        speak_of(lists.strings, surfaces, entities)
    return surfaces, entities


def _unspoken(stored: StoredNames, kept: _Kept) -> tuple[Ints, Ints]:
    """Old numbers of surfaces and entities of which nothing speaks any more; those of which nothing spoke before are
    only what follows the kind in an entity."""
    then = _spoken_of(stored, stored.direct, stored.links, stored.bound.values())
    now = _spoken_of(stored, stored.direct.at(kept.statements), kept.links, kept.bound.values())
    surfaces, entities = (np.flatnonzero(before & ~after) for before, after in zip(then, now, strict=True))
    of_gone = [stored.surfaces.find(tail) for tail in tails(stored.entities[at] for at in entities.tolist())]
    only_tails = [at for at in of_gone if not now[0][at]]
    return np.union1d(surfaces, np.array(only_tails, np.int64)), entities


def _spoken_of(
    stored: StoredNames, direct: Statements, links: Links, bound: Iterable[BoundLists]
) -> tuple[Bools, Bools]:
    surfaces, entities = np.zeros(len(stored.surfaces) + 1, np.bool_), np.zeros(len(stored.entities) + 1, np.bool_)
    surfaces[direct.surfaces] = surfaces[links.surfaces] = surfaces[links.vias] = True
    entities[direct.targets] = True
    for lists in bound:
        surfaces[lists.surfaces] = surfaces[lists.covers] = True
        entities[lists.guesses] = entities[lists.subjects] = True
    return surfaces[:-1], entities[:-1]  # the last are for -1


def _unless_tails(stored: StoredNames, surfaces: Ints, gone_entities: Ints) -> Ints:
    """Those of the surfaces that no entity which stays has after its kind."""
    gone = set(gone_entities.tolist())

    def is_tail(surface: str) -> bool:
        found = stored.entities.find_all(f"{kind}:{surface}" for kind in _KINDS)
        return any(at not in gone for at in found.values())

    return surfaces[[not is_tail(stored.surfaces[at]) for at in surfaces.tolist()]] if len(surfaces) else surfaces
