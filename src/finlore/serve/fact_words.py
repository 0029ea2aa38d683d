"""Facts, events and timelines as JSON documents. `called` tells what an entity id is called at their date."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import get_args

from finlore.flows import Timeline
from finlore.knowledge.vocabulary import Vocabulary
from finlore.records.fact import Change, ChangeKind, Event, Evidence, Fact, Source, StoredEvent, StoredFact
from finlore.records.instant import isoformat
from finlore.serve.words import Json

Called = Callable[[str], str | None]


def facts(found: Sequence[StoredFact], vocabulary: Vocabulary, called: Called) -> Json:
    called = _or_printed(called, found)
    return {"facts": [fact(stored, vocabulary, called) for stored in found]}


def events(found: Sequence[StoredEvent], vocabulary: Vocabulary, called: Called) -> Json:
    called = _or_printed(called, found)
    return {"events": [event(stored, vocabulary, called) for stored in found]}


def timeline(found: Timeline, vocabulary: Vocabulary, called: Called) -> Json:
    """`timeline` has what became known, step by step; `difference` what the last day has that the first had not; `days`
    how much each day brought."""
    return {
        "entity": found.entity,
        "from": isoformat(found.since),
        "to": isoformat(found.until),
        "timeline": changed(found.steps, vocabulary, called),
        "difference": changed(found.differs, vocabulary, called),
        "events": [event(stored, vocabulary, called) for stored in found.events],
        "days": list(_days(found)),
    }


def changed(changes: Sequence[Change], vocabulary: Vocabulary, called: Called) -> list[Json]:
    called = _or_printed(called, [change.fact for change in changes])
    return [_change(change, vocabulary, called) for change in changes]


def _or_printed(called: Called, found: Iterable[StoredFact | StoredEvent]) -> Called:
    """The same, and of a code that the store has no name for the last that is printed for it."""
    parties = ((s.subject, s.said.subject) for s in found), ((s.object, s.said.object) for s in found)
    printed = {id_: party.name for id_, party in chain(*parties) if id_ and party and party.name not in id_}
    return lambda id_: called(id_) or printed.get(id_)


def _days(found: Timeline) -> Iterator[Json]:
    """How much of each kind each day brought, in order."""
    kinds: list[tuple[str | None, str]] = [(isoformat(change.at), change.kind) for change in found.steps]
    kinds += [(isoformat(stored.known_at), "events") for stored in found.events]
    counts = Counter(((at or "")[:10], kind) for at, kind in kinds)
    for day in sorted({day for day, _ in counts}):
        yield {"day": day, **{kind: counts[day, kind] for kind in (*get_args(ChangeKind), "events")}}


def fact(stored: StoredFact, vocabulary: Vocabulary, called: Called) -> Json:
    stated = stored.fact
    return {
        **_told(stored, called),
        "label": _label(stated.relation, vocabulary),
        "text": stated.text,
        "value": stated.value,
        "unit": stated.unit,
        "period": stated.period,
        "basis": stated.basis,
        "part": stated.part,
        "bound": stated.bound,
        "until": isoformat(stored.until),
        "contradicts": list(stored.contradicts),
        "status": stated.status,
        "note": stated.note,
    }


def event(stored: StoredEvent, vocabulary: Vocabulary, called: Called) -> Json:
    said = stored.event
    return {
        **_told(stored, called),
        "driver": said.driver,
        "subtype": said.subtype,
        "label": _label(said.subtype or said.driver, vocabulary),
        "direction": said.direction,
        "involved": list(stored.involved),
        "time_frame": said.time_frame,
        "cause": said.cause,
        "metric": said.metric,
        "reasoning": said.reasoning,
        "roles": [{"role": role.name, "text": role.text, "start": role.start, "end": role.end} for role in said.roles],
    }


def _told(stored: StoredFact | StoredEvent, called: Called) -> Json:
    """What facts and events have in common: `name` and `name_of_object` are what the store calls them at the date,
    `subject_name` and `object_name` the words of the document."""
    said: Fact | Event = stored.said
    return {
        "id": stored.id,
        "subject": stored.subject,
        "name": called(stored.subject) or said.subject.name,
        "subject_name": said.subject.name,
        "relation": said.relation,
        "object": stored.object,
        "name_of_object": stored.object and (called(stored.object) or (said.object.name if said.object else None)),
        "object_name": said.object.name if said.object else None,
        "valid_from": isoformat(said.valid_from),
        "valid_to": isoformat(said.valid_to),
        "known_at": isoformat(stored.known_at),
        "source": _source(stored.source, said.evidence),
        "extractor": stored.extractor,
        "confidence": said.confidence,
    }


def _change(change: Change, vocabulary: Vocabulary, called: Called) -> Json:
    before = fact(change.before, vocabulary, called) if change.before else None
    return {
        "change": change.kind,
        "at": isoformat(change.at),
        **fact(change.fact, vocabulary, called),
        "before": before,
    }


def _source(source: Source, evidence: Evidence) -> Json:
    return {
        "document": source.document,
        "version": source.version,
        "title": source.title,
        "broker": source.broker,
        "published_at": isoformat(source.published_at),
        "page": source.page,
        "passage": source.passage or None,
        "quote": source.quote,
        "start": evidence.start,
        "end": evidence.end,
    }


def _label(id_: str, vocabulary: Vocabulary) -> Json:
    labels = vocabulary.label(id_)
    return {"zh": labels.zh, "en": labels.en}
