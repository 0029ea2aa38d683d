"""What exporters share: everyone of whom passages, facts or events speak, as known at one date."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from finlore.ports import View
from finlore.records.fact import Party, StoredEvent, StoredFact
from finlore.records.names import Entity

ROLES = ("subject", "object", "involved")
"""The parts that entities play in an event."""


@dataclass(frozen=True, slots=True)
class Part:
    """An entity that plays a part in an event."""

    role: str
    entity: str


def entities_of(view: View, facts: Iterable[StoredFact], events: Iterable[StoredEvent]) -> list[Entity]:
    """Those of the view in its order, then those of whom only facts and events speak, by id."""
    known = [view.entity(number) for number in range(len(view.entity_ids))]
    ids = {entity.id for entity in known}
    spoken = {id_: party for id_, party in chain(*map(_of_fact, facts), *map(_of_event, events)) if id_ not in ids}
    return [*known, *(Entity(id_, party.name, _kind(id_, party)) for id_, party in sorted(spoken.items()))]


def parts_of(event: StoredEvent) -> list[Part]:
    """Who takes part in an event, each in the first of its roles."""
    found = {event.subject: "subject"}
    if event.object:
        found.setdefault(event.object, "object")
    for entity in event.involved:
        found.setdefault(entity, "involved")
    return [Part(role, entity) for entity, role in found.items()]


def linked(facts: Sequence[StoredFact]) -> list[tuple[StoredFact, str]]:
    """Facts that have an object, each with its id."""
    return [(fact, fact.object) for fact in facts if fact.object is not None]


def _of_fact(stored: StoredFact) -> Iterator[tuple[str, Party]]:
    yield stored.subject, stored.fact.subject
    if stored.object is not None and stored.fact.object is not None:
        yield stored.object, stored.fact.object


def _of_event(stored: StoredEvent) -> Iterator[tuple[str, Party]]:
    yield stored.subject, stored.event.subject
    if stored.object is not None and stored.event.object is not None:
        yield stored.object, stored.event.object
    yield from zip(stored.involved, stored.event.involved, strict=True)


def _kind(entity: str, party: Party) -> str:
    kind, colon, _ = entity.partition(":")
    if colon:
        return kind
    return "index" if party.kind == "index" else "security"  # what has a code of its own
