"""Names of what was taken in: which are one company's. The sure ones are merged, of the doubtful ones people are asked.

A merge holds at every date, so the machine makes one only where it would have made it at every date at which the name
can be read: an identifier or a known alias says so, and said so when the name was first known. It leaves alone what
anybody ever decided about. Its merges are decisions like those of people, and are taken back like them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Final

import numpy as np

from finlore.flows.knowledge_at import KnowledgeAt
from finlore.graph.folded import surface_of
from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.quality.doubts import merges
from finlore.knowledge.quality.name_parts import read_name
from finlore.knowledge.quality.normalise import (
    COMPANIES,
    MergeProposal,
    company,
    is_worth_asking,
    kind_of,
    propose,
    stated,
)
from finlore.knowledge.review import ask, decide, standing_decisions, undo
from finlore.ports import Ints, Store
from finlore.records.fact import Event, Fact, Party, StoredEvent, StoredFact
from finlore.records.index import passage_key
from finlore.records.instant import Instant, now
from finlore.records.review import Decision

MACHINE: Final = "finlore"
"""Who decided, where the machine did."""
_SHORTEST: Final = 2


def normalise(
    store: Store,
    known: KnowledgeAt,
    documents: Collection[str],
    *,
    said: Mapping[str, Instant],
    gazetteer: Gazetteer,
) -> None:
    """Merge, or ask about, the companies that some documents name and nobody knows. `said` are those that facts and
    events speak of, and since when (`unknown_companies`). `known` is the graph at its latest."""
    names = _Names(store, known, gazetteer)
    new = names.in_documents(documents) | said.keys()
    _take_back(store, names, documents)
    meanings = names.meanings(known.as_of)
    older = names.beginning_with(names.taught_in(documents))
    sayings = [names.called(saying) for saying in stated(map(company, sorted(new.union(older))), meanings)]
    sure = [
        proposal
        for proposal in sayings
        if names.was_sure(surface := proposal.a.surface, proposal.b.entity, names.since(surface, said))
    ]
    questions = [(item, of.reason) for of in sure for item in merges([of], known=meanings, asked_at=now())]
    ask(store, (item for item, _ in questions))
    for item, reason in questions:
        if not store.decisions(item.id):
            decide(store, Decision(item.id, "accepted", now(), note=reason, by=MACHINE))
    asked = [company(surface) for surface in sorted(new) if surface in said or read_name(surface).form]
    doubtful = [p for p in propose(asked, known=meanings, others=names.legal) if is_worth_asking(p, meanings)]
    ask(store, merges([*doubtful, *(p for p in sayings if p not in sure)], known=meanings, asked_at=now()))


def _take_back(store: Store, names: "_Names", documents: Collection[str]) -> None:
    """Undo merges of the machine that it would not have made: one of these documents named the company at an earlier
    date, when nothing said yet whose name that is."""
    for item, decision in standing_decisions(store):
        if decision.by == MACHINE:
            stated = dict(item.payload)
            surface, into = stated["entity"].partition(":")[2], stated["into"]
            since = names.named_since(surface, into, documents)
            if since is not None and not names.was_sure(surface, into, since):
                undo(store, item.id, at=now(), by=MACHINE)


def unknown_companies(said: Iterable[StoredFact | StoredEvent]) -> Iterator[tuple[str, Instant]]:
    """(surface, since when it is spoken of) of each company in facts and events that stands for nobody known."""
    for stored in said:
        for party, entity in _resolved(stored):
            if entity == f"{party.kind}:{party.surface}" and party.kind in COMPANIES:
                yield party.surface, stored.known_at


def _resolved(stored: StoredFact | StoredEvent) -> Iterator[tuple[Party, str]]:
    said: Fact | Event = stored.said
    yield said.subject, stored.subject
    if said.object is not None and stored.object is not None:
        yield said.object, stored.object
    if isinstance(stored, StoredEvent):
        yield from zip(stored.event.involved, stored.involved, strict=True)


class _Names:
    """The names of companies in the graph at its latest, and what they meant at any date."""

    def __init__(self, store: Store, known: KnowledgeAt, gazetteer: Gazetteer) -> None:
        self._store, self._known, self._gazetteer = store, known, gazetteer
        self._meanings: dict[Instant, Mapping[str, str]] = {}

    def meanings(self, at: Instant) -> Mapping[str, str]:
        """Folded surface -> whom it means, of companies; what only stands for itself means nobody yet."""
        if at not in self._meanings:
            self._meanings[at] = _Meanings(self._store.surfaces(as_of=at), self._gazetteer, at)
        return self._meanings[at]

    def in_documents(self, documents: Collection[str]) -> frozenset[str]:
        """Surfaces mentioned in documents, of companies that nobody knows."""
        ids = self._known.view.entity_ids
        return frozenset(filter(None, (_unknown(ids[number]) for number in self._entities_in(documents))))

    def taught_in(self, documents: Collection[str]) -> frozenset[str]:
        """The surfaces of whoever is mentioned in documents: what these teach is among them."""
        ids = self._known.view.entity_ids
        entities = {ids[number] for number in self._entities_in(documents)}
        meanings = self.meanings(self._known.as_of)
        return frozenset(s for s, entity in meanings.items() if entity in entities and len(s) >= _SHORTEST)

    def beginning_with(self, surfaces: frozenset[str]) -> list[str]:
        """Names that nobody knows and that begin with one of these."""
        lengths = sorted({len(surface) for surface in surfaces})
        return [name for name in self._unknown if any(name[:n] in surfaces for n in lengths if n < len(name))]

    @cached_property
    def legal(self) -> list[Party]:
        """Legal names that nobody knows, to compare with."""
        return [company(name) for name in self._unknown if read_name(name).form]

    def called(self, proposal: MergeProposal) -> MergeProposal:
        """The same with what the entity that stays is called, where it has but a code."""
        number = self._numbers.get(proposal.b.entity)
        name = proposal.b.name if number is None else self._known.view.entity(number).name
        return replace(proposal, b=replace(proposal.b, name=name))

    def was_sure(self, surface: str, into: str, at: Instant) -> bool:
        """Whether a name was known to be this one's at a date."""
        found = stated([company(surface)], self.meanings(at))
        return any(proposal.b.entity == into for proposal in found)

    def since(self, surface: str, parties: Mapping[str, Instant]) -> Instant:
        """When a passage that names it, or a fact that is told of it, was first known."""
        view = self._known.view
        numbers = [self._numbers[e] for kind in sorted(COMPANIES) if (e := f"{kind}:{surface}") in self._numbers]
        rows, _, _ = view.entity_rows(np.array(numbers, np.int64))
        told = parties.get(surface, self._known.as_of)
        return min(told, Instant(int(view.known[rows].min()))) if len(rows) else told

    def named_since(self, surface: str, into: str, documents: Collection[str]) -> Instant | None:
        """When a passage of these documents that names what was merged was first known; None where none does."""
        view = self._known.view
        if into not in self._numbers:
            return None
        rows, _, _ = view.entity_rows(np.array([self._numbers[into]], np.int64))
        keys = view.keys[np.intersect1d(rows, self._rows_of(documents))].tolist()
        found = self._store.passages(keys, as_of=self._known.as_of)
        return min((passage.known_at for passage in found if surface in surface_of(passage.text)), default=None)

    @cached_property
    def _unknown(self) -> list[str]:
        return [surface for entity in self._known.view.entity_ids if (surface := _unknown(entity))]

    def _entities_in(self, documents: Collection[str]) -> list[int]:
        entities, _, _ = self._known.view.row_entities(self._rows_of(documents))
        return [int(number) for number in np.unique(entities)]

    def _rows_of(self, documents: Collection[str]) -> Ints:
        """The passages of documents, ascending."""
        wanted = set(documents)
        keys = [
            passage_key(document.id, document.version, ordinal)
            for document in self._store.documents(as_of=self._known.as_of)
            if document.id in wanted
            for ordinal in range(document.n_passages)
        ]
        return np.flatnonzero(np.isin(self._known.view.keys, np.array(keys, np.int64)))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {entity: number for number, entity in enumerate(self._known.view.entity_ids)}


class _Meanings(Mapping[str, str]):
    """What surfaces mean at an instant, shipped names among them that no document mentions; these are not listed."""

    def __init__(self, surfaces: Mapping[str, str], gazetteer: Gazetteer, at: Instant) -> None:
        self._known = {s: e for s, e in surfaces.items() if kind_of(e) in COMPANIES and _unknown(e) != s}
        self._gazetteer, self._at = gazetteer, at

    def __getitem__(self, surface: str) -> str:
        if surface in self._known:
            return self._known[surface]
        for alias in self._gazetteer.aliases(surface):
            if alias.kind in COMPANIES and alias.known_at is not None and alias.known_at <= self._at:
                return alias.entity
        raise KeyError(surface)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _unknown(entity: str) -> str:
    """The surface of a company that only stands for itself, "" of others."""
    kind, colon, surface = entity.partition(":")
    return surface if colon and kind in COMPANIES else ""
