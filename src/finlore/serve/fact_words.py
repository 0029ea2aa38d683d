"""Facts, events and timelines as JSON documents. `called` tells what an entity id is called at their date."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from typing import get_args

from finlore.flows import Timeline
from finlore.knowledge.vocabulary import Vocabulary
from finlore.records.fact import Change, ChangeKind, Event, Fact, StoredEvent, StoredFact
from finlore.records.instant import isoformat
from finlore.serve.words import Json, told

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
    return {
        **_said(stored, called),
        "label": asdict(vocabulary.label(stored.fact.relation)),
        **told(stored.fact, "text value unit period basis part bound"),
        **told(stored, "until contradicts"),
        **told(stored.fact, "status note"),
    }


def event(stored: StoredEvent, vocabulary: Vocabulary, called: Called) -> Json:
    said = stored.event
    return {
        **_said(stored, called),
        **told(said, "driver subtype"),
        "label": asdict(vocabulary.label(said.subtype or said.driver)),
        "direction": said.direction,
        "involved": list(stored.involved),
        **told(said, "time_frame cause metric reasoning"),
        "roles": [{"role": role.name, **told(role, "text start end")} for role in said.roles],
    }


def _said(stored: StoredFact | StoredEvent, called: Called) -> Json:
    """What facts and events have in common: `name` and `name_of_object` are what the store calls them at the date,
    `subject_name` and `object_name` the words of the document."""
    said: Fact | Event = stored.said
    printed = said.object.name if said.object else None
    source, quoted = told(stored.source, "document version title broker published_at page passage quote"), said.evidence
    return {
        **told(stored, "id subject"),
        "name": called(stored.subject) or said.subject.name,
        "subject_name": said.subject.name,
        "relation": said.relation,
        "object": stored.object,
        "name_of_object": stored.object and (called(stored.object) or printed),
        "object_name": printed,
        **told(said, "valid_from valid_to"),
        "known_at": isoformat(stored.known_at),
        "source": {**source, "passage": source["passage"] or None, **told(quoted, "start end")},
        "extractor": stored.extractor,
        "confidence": said.confidence,
    }


def _change(change: Change, vocabulary: Vocabulary, called: Called) -> Json:
    return {
        "change": change.kind,
        "at": isoformat(change.at),
        **fact(change.fact, vocabulary, called),
        "before": fact(change.before, vocabulary, called) if change.before else None,
    }
