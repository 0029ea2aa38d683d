"""What exporters share: everyone of whom passages, facts or events speak, as known at one date, and what is told of
each fact and event, by the names of columns."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Final

from finlore.ports import View
from finlore.records.fact import Party, StoredEvent, StoredFact
from finlore.records.instant import isoformat
from finlore.records.names import Entity

ROLES = ("subject", "object", "involved")
"""The parts that entities play in an event."""
_FACT: Final = (
    *("id", "subject", "said.relation", "object", "said.text", "said.value", "said.unit", "said.period", "said.basis"),
    *("said.part", "said.bound", "said.valid_from", "said.valid_to", "known_at", "until", "said.confidence"),
    *("said.status", "extractor", "source.document", "source.quote"),
)
_EVENT: Final = (
    *("id", "subject", "object", "said.driver", "said.subtype", "said.direction", "said.relation", "said.cause"),
    *("said.metric", "said.reasoning", "said.valid_from", "said.valid_to", "known_at", "said.confidence"),
    *("extractor", "source.document", "source.quote"),
)
FACT_COLUMNS: Final = tuple(path.rpartition(".")[2] for path in _FACT)
EVENT_COLUMNS: Final = tuple(path.rpartition(".")[2] for path in _EVENT)
INSTANTS: Final = frozenset({"valid_from", "valid_to", "known_at", "until"})
NUMBERS: Final = frozenset({"value", "confidence"})
_of_fact_columns, _of_event_columns = attrgetter(*_FACT), attrgetter(*_EVENT)
Cell = str | float | None


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


def told(stored: StoredFact | StoredEvent) -> dict[str, Cell]:
    """What is told of a fact or an event by name of column: numbers (`NUMBERS`), ISO dates (`INSTANTS`), all others
    text; subject and object as ids of entities."""
    if isinstance(stored, StoredFact):
        columns, values = FACT_COLUMNS, _of_fact_columns(stored)
    else:
        columns, values = EVENT_COLUMNS, _of_event_columns(stored)
    return {
        name: isoformat(value) if name in INSTANTS else storable(value) if isinstance(value, str) else value
        for name, value in zip(columns, values, strict=True)
    }


def storable(text: str) -> str:
    """Without lone surrogates, which UTF-8 has not."""
    return text.encode("utf-8", "replace").decode()


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
