"""The store as it was known at one date: everything that a reading flow may see."""

from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path

import numpy as np

from finlore.errors import NotFound
from finlore.knowledge.confirmed import events_once, facts_once
from finlore.knowledge.review import Effects, reviewed, standing
from finlore.language.codes import canonical_security
from finlore.language.normal import fold
from finlore.ports import Store, View
from finlore.records.document import Document, StoredPassage
from finlore.records.fact import StoredEvent, StoredFact
from finlore.records.instant import Instant
from finlore.records.store import StoredDocument


class KnowledgeAt:
    """Passages, documents and names of `store`, all cut at one instant.

    `sequence`: as the store stood after that transaction.
    """

    def __init__(self, store: Store, as_of: Instant, *, sequence: int | None = None) -> None:
        self.as_of = as_of
        self._store, self._sequence = store, sequence
        self._documents: dict[tuple[str, int], Document | None] = {}

    @cached_property
    def view(self) -> View:
        return self._store.view(self.as_of, sequence=self._sequence)

    def passages(self, keys: Iterable[int]) -> dict[int, StoredPassage]:
        """Stored passages by key, in the order asked for."""
        wanted = list(dict.fromkeys(int(key) for key in keys))
        found = {passage.key: passage for passage in self._store.passages(wanted, as_of=self.as_of)}
        return {key: found[key] for key in wanted if key in found}

    def all_passages(self) -> list[StoredPassage]:
        return list(self.passages(self.view.keys[self.view.alive].tolist()).values())

    def document(self, name: str, version: int | None = None) -> Document | None:
        """A version of a document, the one alive at the date unless another is asked for."""
        if version is None:
            alive = (stored.version for stored in self._store.documents(as_of=self.as_of) if stored.id == name)
            version = max(alive, default=0)
        if (name, version) not in self._documents:
            self._documents[name, version] = self._store.document(name, version, as_of=self.as_of)
        return self._documents[name, version]

    def documents(self) -> list[StoredDocument]:
        """The versions alive at the date."""
        return self._store.documents(as_of=self.as_of)

    def document_at(self, place: str) -> Document | None:
        """The document of an id, or of a path as a person writes it."""
        return self.document(place) or self.document(str(Path(place).resolve()))

    def read_slice(self, document: str, version: int, start: int, end: int) -> str | None:
        """The text between two offsets of a document version."""
        whole = self.document(document, version)
        return whole.text[start:end] if whole else None

    def facts(
        self,
        entities: Collection[str] | None = None,
        relations: Collection[str] | None = None,
        *,
        documents: Collection[str] | None = None,
    ) -> list[StoredFact]:
        """Facts of which one of the entities is subject or object, of these relations, out of these documents; None:
        whichever. What several extractors read out of a document is told once, and all of it as people left it."""
        found = self._store.facts(
            as_of=self.as_of, entities=entities, relations=relations, documents=documents, sequence=self._sequence
        )
        return reviewed(facts_once(found), self._decided)

    def events(
        self,
        entities: Collection[str] | None = None,
        drivers: Collection[str] | None = None,
        *,
        documents: Collection[str] | None = None,
    ) -> list[StoredEvent]:
        """Events in which one of the entities takes part, of these drivers, out of these documents; None: whichever;
        told once, and as people left them, as facts are."""
        found = self._store.events(
            as_of=self.as_of, entities=entities, drivers=drivers, documents=documents, sequence=self._sequence
        )
        return reviewed(events_once(found), self._decided)

    @cached_property
    def _decided(self) -> Effects:
        """What people decided, whenever they did: it is laid over what was known at any date."""
        decisions = self._store.decisions()
        return standing(self._store.reviews(), decisions) if decisions else Effects()

    def number_of(self, name: str) -> int:
        """The number in the view of the entity of a name, an id or a code; NotFound when nothing is known under it."""
        known = self.view.lookup([fold(name)])
        if known:
            return next(iter(known.values()))
        for id_ in (name, canonical_security(name)):
            if id_ and id_ in self.view.entity_ids:
                return self.view.entity_ids.index(id_)
        raise NotFound(f"nothing is known under the name {name!r} at this date", hint="try `finlore search`")

    def entity_of(self, name: str) -> str:
        return self.view.entity_ids[self.number_of(name)]

    def meaning(self, name: str) -> str | None:
        """The id of the entity of a name, whether or not a passage mentions it; None where it means nothing."""
        return self._store.surfaces(as_of=self.as_of).get(fold(name))

    def security_of(self, name: str) -> str | None:
        """The canonical id of the security that a name means; None where it means none."""
        known = self.view.lookup([fold(name)])
        entity = self.view.entity_ids[next(iter(known.values()))] if known else ""
        return entity if entity and ":" not in entity else None

    def name_of(self, entity: str) -> str | None:
        """What an entity id is called; None of one that no passage mentions."""
        number = self._numbers.get(entity)
        return None if number is None else self.view.entity(number).name

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {entity: number for number, entity in enumerate(self.view.entity_ids)}

    def entities_in(self, key: int) -> tuple[str, ...]:
        """Entity ids mentioned in a passage, the most often named first."""
        ids = self.view.entity_ids
        entities, counts, _ = self.view.row_entities(np.flatnonzero(self.view.keys == key))
        named = sorted(zip(entities.tolist(), counts.tolist(), strict=True), key=lambda e: (-e[1], ids[e[0]]))
        return tuple(ids[entity] for entity, _ in named)
