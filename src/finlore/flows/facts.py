"""Reading facts and events: names of entities, relations and drivers at a date -> what is known of them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import get_args

from finlore.errors import NotFound, UsageError
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.knowledge.timeline import SingleRelations, difference, settled, single_relations, standing, steps
from finlore.knowledge.vocabulary import Vocabulary
from finlore.language.codes import canonical_security
from finlore.language.normal import fold
from finlore.records.fact import Change, Party, StoredEvent, StoredFact
from finlore.records.instant import ALWAYS, Instant
from finlore.records.names import EntityKind
from finlore.records.schema import Schema


@dataclass(frozen=True, slots=True)
class Timeline:
    """What became known of an entity after `since` (ALWAYS: ever) and by `until`: step by step, the events among it;
    and how what stood at the first instant `differs` from what stands at the last."""

    entity: str
    since: Instant
    until: Instant
    steps: tuple[Change, ...]
    differs: tuple[Change, ...]
    events: tuple[StoredEvent, ...]


class Facts:
    """Reads facts and events. `schema` gives the schema in force: what relations and drivers are called, and which have
    one value at a time. `zone` tells one day from the next."""

    def __init__(self, *, schema: Callable[[], Schema], zone: str) -> None:
        self._load_schema, self._zone = schema, zone

    @property
    def schema(self) -> Schema:
        return self._load_schema()

    @property
    def vocabulary(self) -> Vocabulary:
        return _vocabulary(self.schema)

    @property
    def _single(self) -> SingleRelations:
        return _single_relations(self.schema)

    def facts(self, known: KnowledgeAt, *, subject: str | None, relation: str | None) -> list[StoredFact]:
        """The facts of a subject and relation, or of all, each with its interval and what contradicts it."""
        relations = None if relation is None else self._ids(relation, "relation")
        whom = None if subject is None else entity_named(known, subject)
        found = known.facts(None if whom is None else [whom], relations)
        return self._settled(known, [fact for fact in found if whom in (None, fact.subject)])

    def changes(
        self, before: KnowledgeAt | None, known: KnowledgeAt, *, subject: str | None, relation: str | None
    ) -> list[Change]:
        """How the facts that stand at one date differ from those that stood at another, None for none."""
        stands = standing(self.facts(known, subject=subject, relation=relation), known.as_of)
        stood: list[StoredFact] = []
        if before is not None:
            try:
                stood = standing(self.facts(before, subject=subject, relation=relation), before.as_of)
            except NotFound:
                stood = []  # nobody knew of the subject then
        return difference(stood, stands, single=self._single, at=known.as_of)

    def events(self, known: KnowledgeAt, *, subject: str | None, driver: str | None) -> list[StoredEvent]:
        """The events in which a subject takes part, or all; `driver` may also be a kind of event."""
        meant = None if driver is None else self._ids(driver, "driver")
        drivers = (
            None if meant is None else {d.id for d in self.schema.drivers if meant & {d.id, *(e.id for e in d.events)}}
        )
        found = known.events(None if subject is None else [entity_named(known, subject)], drivers)
        return [event for event in found if meant is None or meant & {event.event.driver, event.event.subtype}]

    def of_entity(self, known: KnowledgeAt, entity: str) -> tuple[list[StoredFact], list[StoredEvent]]:
        """All facts and events in which an entity takes part."""
        return self._settled(known, known.facts([entity])), known.events([entity])

    def timeline(self, before: KnowledgeAt | None, known: KnowledgeAt, name: str) -> Timeline:
        """What became known of an entity since `before`, None for ever, and until `known`."""
        entity = entity_named(known, name)
        facts, events = self.of_entity(known, entity)
        old = self.of_entity(before, entity)[0] if before else []
        since = before.as_of if before else ALWAYS
        changes = steps(facts, single=self._single, after=since, to=known.as_of)
        stood, stands = standing(old, since), standing(facts, known.as_of)
        return Timeline(
            entity=entity,
            since=since,
            until=known.as_of,
            steps=tuple(changes),
            differs=tuple(difference(stood, stands, single=self._single, at=known.as_of)),
            events=tuple(event for event in events if since < event.known_at),
        )

    def _settled(self, known: KnowledgeAt, facts: Sequence[StoredFact]) -> list[StoredFact]:
        """The facts with their intervals and contradictions, worked out among all that is known of the same subjects
        and relations, so that what was not asked for counts as well."""
        chosen = {fact.id for fact in facts}
        rivals = self._rivals(known, facts)
        all_facts = [*facts, *(fact for fact in rivals if fact.id not in chosen)]
        found = settled(all_facts, single=self._single, zone=self._zone)
        return found[: len(facts)]

    def _rivals(self, known: KnowledgeAt, facts: Iterable[StoredFact]) -> list[StoredFact]:
        """All facts that may supersede or contradict these: of the same subject and a relation that has one value."""
        linked = [fact for fact in facts if fact.object is not None and fact.fact.relation in self._single.relations]
        if not linked:
            return []
        return known.facts({fact.subject for fact in linked}, {fact.fact.relation for fact in linked})

    def _ids(self, name: str, what: str) -> frozenset[str]:
        ids = self.vocabulary.ids(name)
        if not ids:
            near = get_close_matches(fold(name), self.vocabulary.names, n=3, cutoff=0.5)
            raise UsageError(f"the schema has no {what} {name!r}", hint=f"perhaps {', '.join(near)}" if near else "")
        return ids


@lru_cache(maxsize=4)
def _vocabulary(schema: Schema) -> Vocabulary:
    return Vocabulary.of(schema)


@lru_cache(maxsize=4)
def _single_relations(schema: Schema) -> SingleRelations:
    return single_relations(schema)


def possible_ids(name: str) -> tuple[str, ...]:
    """What may be the id of whom a name means: the name itself, that of its security, or that of a kind."""
    code = canonical_security(name)
    return (name, *([code] if code else []), *(f"{kind}:{fold(name)}" for kind in get_args(EntityKind)))


def entity_named(known: KnowledgeAt, name: str) -> str:
    """The id of whom a name means; of one that no passage mentions, of whom facts and events speak; of one that means
    nothing, the security that they call so. UsageError where they call several so."""
    try:
        return known.entity_of(name)
    except NotFound:
        ids = {known.meaning(name), *possible_ids(name)} - {None}
        for entity, party in _parties(known, [id_ for id_ in ids if id_]):
            if {entity, party.entity or f"{party.kind}:{party.surface}"} & ids:
                return entity
        called = fold(name)
        found = {
            entity
            for entity, party in _parties(known, None)
            if party.entity and ":" not in party.entity and called in (fold(party.surface), fold(party.name))
        }
        if not found:
            raise
    if len(found) > 1:
        raise UsageError(f"{name!r} is said of {', '.join(sorted(found))}", hint="ask for one of them")
    return found.pop()


def _parties(known: KnowledgeAt, entities: Collection[str] | None) -> Iterator[tuple[str, Party]]:
    """Who takes part in the facts and events of some entities, or in all: ids, and as the documents have them."""
    for fact in known.facts(entities):
        yield fact.subject, fact.fact.subject
        if fact.object and fact.fact.object:
            yield fact.object, fact.fact.object
    for event in known.events(entities):
        yield event.subject, event.event.subject
        if event.object and event.event.object:
            yield event.object, event.event.object
        yield from zip(event.involved, event.event.involved, strict=True)
