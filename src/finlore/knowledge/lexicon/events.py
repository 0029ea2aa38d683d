"""Events that drive a company, read from sentences by cues, patterns and word order: no model, no network."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from finlore.knowledge.lexicon.causes import cause_of, causes_in
from finlore.knowledge.lexicon.clauses import clauses_of
from finlore.knowledge.lexicon.frames import PARTIES, Part, Scene, frame_of, people_in
from finlore.knowledge.lexicon.happenings import Found, Happening, happenings_in
from finlore.knowledge.lexicon.time_frames import TimeFrame, time_frames
from finlore.knowledge.lexicon.whom import About, Sentence, about, deal_of, is_plaintiff, who
from finlore.knowledge.lexicon.wordings import wordings_of
from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import HAN
from finlore.records.document import Metadata
from finlore.records.fact import Direction, Event, Party, Role
from finlore.records.instant import Instant, as_datetime, end_of_day
from finlore.records.schema import Schema

_DIRECTIONS: Final[dict[int, Direction]] = {1: "good", 0: "neutral", -1: "bad"}
_MOST_INVOLVED: Final = 8
_COMPANIES: Final = frozenset({"security", "company"})
_EXPECTED: Final = 0.75
_LONGEST: Final = 600
_MOST_DIGITS: Final = 0.4
_DIGIT = re.compile(r"\d")
_CELL = re.compile(r"[|\t]")
_PROSE = re.compile(rf"[{HAN}][^|]{{10,}}[{HAN}。]|(?:[A-Za-z]+[,.]?\s){{7,}}")


@dataclass(frozen=True, slots=True)
class _Coverage:
    """Whom the document covers, the house that speaks in it, and when it appeared."""

    subject: Party | None
    broker: str | None
    published: date | None


def find_events(readings: Iterable[Reading], subject: Party | None, metadata: Metadata, schema: Schema) -> list[Event]:
    """The events that sentences state, in the order of the text. `subject` is whom the document covers ("the company").

    A title that is no name of a company covers nobody. Left out: lists of risks, what is only supposed, definitions and
    disclaimers, and what is said of no company.
    """
    wordings = wordings_of(schema)
    if subject and subject.kind not in _COMPANIES and "title" in wordings.find(subject.name):
        subject = None
    coverage = _Coverage(subject, metadata.broker, _day(metadata.published_at))
    events: list[Event] = []
    risky = -1
    for reading in readings:
        if reading.passage == risky or not reading.text or len(reading.text) > _LONGEST:
            continue
        found = wordings.find(reading.text)
        if _lists_risks(reading, wordings.find(reading.heading) if reading.heading else {}):
            risky = reading.passage
            continue
        text = reading.text
        if "risks" in found:
            text, risky = text[: found["risks"][0].start], reading.passage
            found = wordings.find(text)
        if text and _may_tell(reading, text, found):
            events += _events_of(reading, text, found, coverage)
    return events


def _day(instant: Instant | None) -> date | None:
    return None if instant is None else as_datetime(instant).date()


def _lists_risks(reading: Reading, heading: Found) -> bool:
    return any(match.start <= 6 for match in heading.get("risks", ()))


def _may_tell(reading: Reading, text: str, found: Found) -> bool:
    if not ("event" in found or "move" in found or "judged" in found) or "boilerplate" in found:
        return False
    return not text.rstrip().endswith(("？", "?")) and not _is_numeric(reading, text)


def _is_numeric(reading: Reading, text: str) -> bool:
    """Whether this is no sentence but a row of figures and their labels, as tables and badly read ones have them."""
    if reading.role == "table":
        return not any(_PROSE.search(cell) for cell in _CELL.split(text))
    return len(_DIGIT.findall(text)) / len(text) > _MOST_DIGITS


def _events_of(reading: Reading, text: str, found: Found, coverage: _Coverage) -> Iterator[Event]:
    clauses = clauses_of(text)
    inside = [(name.start, name.end) for name in reading.names if name.party.kind in PARTIES]
    happenings = [
        happening
        for happening in happenings_in(text, clauses, found)
        if not any(start <= happening.start and happening.end <= end for start, end in inside)
    ]
    if not happenings:
        return
    names = [name for name in reading.names if name.end <= len(text) and name.party.name != coverage.broker]
    parties = [name for name in names if name.party.kind in PARTIES and not _is_aside(text, name)]
    parties = sorted((*parties, *people_in(text, names)), key=lambda name: name.start)
    asides = [name for name in names if name.party.kind in PARTIES and _is_aside(text, name)]
    scene = Scene(text, clauses, parties, time_frames(text, coverage.published), asides)
    sentence = Sentence(reading, found, scene, causes_in(text, clauses, found))
    told = [
        event for happening in happenings if (event := _event(sentence, happening, names, coverage.subject)) is not None
    ]
    yield from _once(told)


def _once(events: Sequence[Event]) -> list[Event]:
    """Each deal of a sentence once: a further mention that brings no party of its own adds what the first lacks."""
    told: list[Event] = []
    for event in events:
        frame = _frame_of(event)
        same = [at for at, other in enumerate(told) if frame and _frame_of(other) == frame]
        if same and not (_parties(event) - _parties(*(told[at] for at in same))):
            fuller, other = sorted((told[same[-1]], event), key=lambda known: -len(known.roles))
            known = {role.name for role in fuller.roles}
            more = tuple(role for role in other.roles if role.name not in known)
            told[same[-1]] = replace(fuller, roles=(*fuller.roles, *more))
        else:
            told.append(event)
    return told


def _frame_of(event: Event) -> str:
    framed = frame_of(event.relation) if event.roles else None
    return framed[0] if framed else ""


def _parties(*events: Event) -> set[tuple[int, int]]:
    """Where the parties of deals stand."""
    return {
        (role.start, role.end) for event in events for role in event.roles if role.name in {"doer", "other", "target"}
    }


def _is_aside(text: str, name: Named) -> bool:
    """Whether a name stands in brackets, as codes and short forms do."""
    before = max(text.rfind("(", 0, name.start), text.rfind("（", 0, name.start))
    return before >= 0 and text.find(")", before, name.start) < 0 and text.find("）", before, name.start) < 0


def _event(sentence: Sentence, happening: Happening, names: Sequence[Named], covered: Party | None) -> Event | None:
    deal = deal_of(sentence, happening)
    topic = about(sentence, happening, deal, covered)
    if topic is None:
        return None
    subject, object_ = who(sentence, happening, deal, topic, covered)
    when = _when(sentence, happening)
    cause = cause_of(sentence.causes, happening.about_at)
    others = [name.party for name in names if name.party.kind != "metric"]
    involved = [
        party for party in dict.fromkeys(others) if party.surface not in {subject.surface, object_ and object_.surface}
    ]
    evidence = sentence.reading.evidence(0, len(sentence.text))
    return Event(
        subject=subject,
        relation=sentence.text[happening.start : happening.end],
        driver=happening.event.driver,
        subtype=happening.event.id,
        direction="neutral" if is_plaintiff(sentence, deal, subject) else _DIRECTIONS[happening.sign],
        evidence=evidence,
        object=object_,
        involved=tuple(involved[:_MOST_INVOLVED]),
        time_frame=sentence.text[when.start : when.end] if when else "",
        valid_from=_from(when),
        valid_to=end_of_day(when.last) if when and when.last else None,
        cause=sentence.text[cause.start : cause.end] if cause else "",
        metric=happening.metric or _moved_metric(sentence, happening),
        reasoning=sentence.text,
        confidence=_confidence(sentence, happening, topic),
        roles=tuple(_role(sentence, part) for part in deal.parts),
    )


def _from(when: TimeFrame | None) -> Instant | None:
    """The first second of a time frame."""
    return Instant(end_of_day(when.first - timedelta(days=1)) + 1_000_000) if when and when.first else None


def _role(sentence: Sentence, part: Part) -> Role:
    start, end = sentence.reading.mapped.span(part.start, part.end)
    return Role(part.name, sentence.text[part.start : part.end], start, end)


def _when(sentence: Sentence, happening: Happening) -> TimeFrame | None:
    """The last time frame before a happening in its clause, else the first behind it there, else the last before."""
    first, last = sentence.clauses.span(sentence.clauses.number(happening.start))
    times = sentence.scene.times
    before = [time for time in times if time.end <= happening.start]
    here = [time for time in before if time.start >= first]
    behind = [time for time in times if happening.end <= time.start < last]
    return here[-1] if here else behind[0] if behind else before[-1] if before else None


def _moved_metric(sentence: Sentence, happening: Happening) -> str:
    """The metric that an event moves: named in its own words, else that of the effect where the event is a cause."""
    measures = [m for m in sentence.found.get("measure", ()) if m.owner.metric]
    own = next((m for m in measures if happening.start <= m.start and m.end <= happening.end), None)
    if own:
        return own.owner.metric
    for cause in sentence.causes:
        if cause.holds(happening.start):
            return next((m.owner.metric for m in measures if cause.brings(m.start)), "")
    return ""


def _confidence(sentence: Sentence, happening: Happening, topic: About) -> float:
    """By kind of evidence: figures and named subjects are sure, what is expected or said of others is less so."""
    base = 0.75 + 0.1 * (happening.has_number and happening.moves) - 0.05 * (happening.sign == 0)
    base += 0.1 * topic.sure - 0.1 * (sentence.reading.role == "table")
    return round(base * (_EXPECTED if happening.is_expected else 1.0), 2)
