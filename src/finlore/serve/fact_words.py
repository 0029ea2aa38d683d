"""Facts, events and timelines as JSON documents."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import get_args

from finlore.flows import Timeline
from finlore.knowledge.vocabulary import Vocabulary
from finlore.records.fact import Change, ChangeKind, Event, Evidence, Fact, Source, StoredEvent, StoredFact
from finlore.records.instant import isoformat
from finlore.serve.words import Json


def facts(found: Iterable[StoredFact], vocabulary: Vocabulary) -> Json:
    return {"facts": [fact(stored, vocabulary) for stored in found]}


def events(found: Iterable[StoredEvent], vocabulary: Vocabulary) -> Json:
    return {"events": [event(stored, vocabulary) for stored in found]}


def timeline(found: Timeline, vocabulary: Vocabulary) -> Json:
    """`timeline` has what became known, step by step; `difference` what the last day has that the first had not; `days`
    how much each day brought."""
    return {
        "entity": found.entity,
        "from": isoformat(found.since),
        "to": isoformat(found.until),
        "timeline": changed(found.steps, vocabulary),
        "difference": changed(found.differs, vocabulary),
        "events": [event(stored, vocabulary) for stored in found.events],
        "days": list(_days(found)),
    }


def changed(changes: Iterable[Change], vocabulary: Vocabulary) -> list[Json]:
    return [_change(change, vocabulary) for change in changes]


def _days(found: Timeline) -> Iterator[Json]:
    """How much of each kind each day brought, in order."""
    kinds: list[tuple[str | None, str]] = [(isoformat(change.at), change.kind) for change in found.steps]
    kinds += [(isoformat(stored.known_at), "events") for stored in found.events]
    counts = Counter(((at or "")[:10], kind) for at, kind in kinds)
    for day in sorted({day for day, _ in counts}):
        yield {"day": day, **{kind: counts[day, kind] for kind in (*get_args(ChangeKind), "events")}}


def fact(stored: StoredFact, vocabulary: Vocabulary) -> Json:
    stated = stored.fact
    return {
        **_told(stored),
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


def event(stored: StoredEvent, vocabulary: Vocabulary) -> Json:
    said = stored.event
    return {
        **_told(stored),
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


def _told(stored: StoredFact | StoredEvent) -> Json:
    """What facts and events have in common."""
    said: Fact | Event = stored.said
    return {
        "id": stored.id,
        "subject": stored.subject,
        "subject_name": said.subject.name,
        "relation": said.relation,
        "object": stored.object,
        "object_name": said.object.name if said.object else None,
        "valid_from": isoformat(said.valid_from),
        "valid_to": isoformat(said.valid_to),
        "known_at": isoformat(stored.known_at),
        "source": _source(stored.source, said.evidence),
        "extractor": stored.extractor,
        "confidence": said.confidence,
    }


def _change(change: Change, vocabulary: Vocabulary) -> Json:
    before = fact(change.before, vocabulary) if change.before else None
    return {"change": change.kind, "at": isoformat(change.at), **fact(change.fact, vocabulary), "before": before}


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
