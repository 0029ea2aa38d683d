"""Events that drive a company, read from sentences by cues, patterns and word order: no model, no network."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from typing import Final

from finlore.knowledge.lexicon.causes import cause_of, causes_in
from finlore.knowledge.lexicon.clauses import clauses_of
from finlore.knowledge.lexicon.coined import parties_in
from finlore.knowledge.lexicon.concern import (
    called,
    fuller_names,
    is_company,
    is_far,
    is_headline,
    is_history,
    is_opinion,
    is_own_body,
    is_short_for,
    lists_risks,
    may_tell,
    protagonist,
)
from finlore.knowledge.lexicon.english_happenings import told_in_english, without_measures_of_value
from finlore.knowledge.lexicon.happenings import Found, Happening, happenings_in
from finlore.knowledge.lexicon.intentions import Intention, awaited, intention_of
from finlore.knowledge.lexicon.reasoning import reason
from finlore.knowledge.lexicon.scene import PARTIES, Scene, placed
from finlore.knowledge.lexicon.things import Part
from finlore.knowledge.lexicon.time_frames import TimeFrame, time_frames
from finlore.knowledge.lexicon.told_once import deals_once, events_once
from finlore.knowledge.lexicon.whom import About, Deal, Sentence, about, deal_of, is_plaintiff, who
from finlore.knowledge.lexicon.wordings import Match, Wordings, wordings_of
from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import has_han
from finlore.records.document import Metadata
from finlore.records.fact import Direction, Event, Party, Role
from finlore.records.instant import Instant, as_datetime, end_of_day
from finlore.records.schema import Schema

_DIRECTIONS: Final[dict[int, Direction]] = {1: "good", 0: "neutral", -1: "bad"}
_MOST_INVOLVED: Final = 8
_COMPANIES: Final = frozenset({"security", "company"})
_NO_DEALS: Final = frozenset({"", "lawsuit", "ruling"})
_TAKING: Final = frozenset({"person", "organisation", "broker", "regulator", "rating_agency"})
_EXPECTED: Final = 0.75
_OF_A_PART = re.compile(r"\s(?:segment|business|division|unit|brand)s?\b")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?:年(?!代|[-至])|[.Qq]\d)")


@dataclass(frozen=True, slots=True)
class _Coverage:
    """Whom the document covers, the house that speaks in it, when it appeared, and the newest year that it tells of."""

    subject: Party | None
    broker: str | None
    published: date | None
    newest: date | None
    schema: Schema
    fuller: Mapping[str, Party]

    def meant(self, name: Named) -> Named:
        """The name, or the subject or the company of the document that a guess is short for."""
        if name.party.kind == "name" and (party := self.fuller.get(called(name.party.name))):
            return replace(name, party=party)
        if self.subject is None or name.party.kind not in {"name", "company"}:
            return name
        return replace(name, party=self.subject) if is_short_for(name.party.name, self.subject.name) else name


def find_events(readings: Iterable[Reading], subject: Party | None, metadata: Metadata, schema: Schema) -> list[Event]:
    """The events that sentences state, in the order of the text. `subject` is whom the document covers ("the company").

    A title that is no name of a company covers nobody. Left out: lists of risks, what is only supposed, definitions and
    disclaimers, and what is said of no company.
    """
    wordings = wordings_of(schema)
    readings, title = list(readings), metadata.title or ""
    fuller = fuller_names(readings, title)
    if subject is None or subject.kind not in _COMPANIES:
        is_title = subject is None or "title" in wordings.find(subject.name) or is_headline(subject.name)
        subject = protagonist(fuller, title) or (None if is_title else subject)
    published = _day(metadata.published_at)
    newest = published or _newest(readings)
    coverage = _Coverage(subject, metadata.broker, published, newest, schema, fuller)
    events: list[Event] = []
    for _, passage in groupby(readings, key=lambda reading: reading.passage):
        events += events_once(_events_of_passage(passage, wordings, coverage))
    return events


def _events_of_passage(readings: Iterable[Reading], wordings: Wordings, coverage: _Coverage) -> Iterator[Event]:
    """The events of a passage, up to where it lists risks."""
    for reading in readings:
        if reading.heading and lists_risks(wordings.find(reading.heading)):
            return
        text = reading.text
        found = wordings.find(text)
        if risks := found.get("risks"):
            text = text[: risks[0].start]
            found = wordings.find(text)
        if text and may_tell(reading, text, found):
            yield from _events_of(reading, text, found, coverage)
        if risks:
            return


def _day(instant: Instant | None) -> date | None:
    return None if instant is None else as_datetime(instant).date()


def _newest(readings: Iterable[Reading]) -> date | None:
    """The end of the last year that a document names."""
    years = {int(year) for reading in readings for year in _YEAR.findall(reading.text)}
    return date(max(years), 12, 31) if years else None


def _events_of(reading: Reading, text: str, found: Found, coverage: _Coverage) -> Iterator[Event]:
    clauses = clauses_of(text)
    inside = [(name.start, name.end) for name in reading.names if name.party.kind in PARTIES]
    if waits := awaited(text, 0):
        inside.append(waits)  # an approval that is still to come is none
    happenings = [
        happening
        for happening in happenings_in(text, clauses, found)
        if not any(start <= happening.start and happening.end <= end for start, end in inside)
    ]
    if not has_han(text):
        happenings = told_in_english(text, happenings)
        found = without_measures_of_value(text, found)
    if not happenings:
        return
    names = [
        coverage.meant(name)
        for name in reading.names
        if name.end <= len(text) and name.party.name != coverage.broker and name.party.kind != "metric"
    ]
    free = [name for name in names if name.party.kind in PARTIES and not _is_aside(text, name)]
    free = [name for name in free if not (is_own_body(name.party.name) or _OF_A_PART.match(text, name.end))]
    asides = [name for name in names if name.party.kind in PARTIES and _is_aside(text, name)]
    parties = placed(text, clauses, parties_in(text, clauses, free))
    scene = Scene(text, clauses, parties, time_frames(text, coverage.published), asides)
    sentence = Sentence(reading, found, scene, causes_in(text, clauses, found))
    deals = [deal_of(sentence, happening) for happening in happenings]
    for happening, deal in zip(happenings, deals_once(deals), strict=True):
        if deal is not None and deal.is_noun and len(deal.parts) == 1:
            continue  # 重组报告书签署日: nobody deals
        event = _event(sentence, happening, deal, names, coverage) if deal is not None else None
        if event is not None:
            yield event


def _is_aside(text: str, name: Named) -> bool:
    """Whether a name stands in brackets, as codes and short forms do."""
    before = max(text.rfind("(", 0, name.start), text.rfind("（", 0, name.start))
    return before >= 0 and text.find(")", before, name.start) < 0 and text.find("）", before, name.start) < 0


def _event(
    sentence: Sentence, happening: Happening, deal: Deal, names: Sequence[Named], coverage: _Coverage
) -> Event | None:
    """The event that a happening is; None where it is that of no company, no news or only an opinion."""
    topic = about(sentence, happening, deal, coverage.subject)
    cause = cause_of(sentence.causes, happening.about_at, is_bad=happening.sign < 0)
    clause = sentence.scene.clause(happening.start)
    if topic is None or is_opinion(happening, sentence.found, clause, has_cause=cause is not None):
        return None
    subject, object_ = who(sentence, happening, deal, topic, coverage.subject)
    when = _when(sentence, happening)
    plan = _plan(sentence, happening, deal)
    object_ = object_ if object_ and (object_.kind in _TAKING or is_company(object_, acts=True)) else None
    is_known = subject == coverage.subject or subject in coverage.fuller.values()
    if not (is_known or is_company(subject, acts=deal.frame not in _NO_DEALS)):
        return None
    if is_far(happening.event.id, subject, coverage.subject) or (when and is_history(when.last, coverage.newest)):
        return None
    said_cause = sentence.text[cause.start : cause.end] if cause else ""
    measure = _moved_measure(sentence, happening)
    metric = measure.owner.metric if measure else ""
    direction = "neutral" if is_plaintiff(sentence, deal, subject) else _DIRECTIONS[happening.sign]
    known = {subject.surface, object_ and object_.surface}
    involved = [party for party in dict.fromkeys(name.party for name in names) if party.surface not in known]
    return Event(
        subject=subject,
        relation=sentence.text[plan.start if plan else happening.start : happening.end],
        driver=happening.event.driver,
        subtype=happening.event.id,
        direction=direction,
        evidence=sentence.reading.evidence(0, len(sentence.text)),
        object=object_,
        involved=tuple(involved[:_MOST_INVOLVED]),
        time_frame=_time_words(sentence, when, plan),
        valid_from=_from(when),
        valid_to=end_of_day(when.last) if when and when.last else None,
        cause=said_cause,
        metric=metric,
        reasoning=reason(
            happening.event,
            coverage.schema,
            direction=direction,
            cause=said_cause,
            metric=sentence.text[measure.start : measure.end] if measure else "",
            is_chinese=has_han(sentence.text),
        ),
        confidence=_confidence(sentence, happening, topic, is_planned=plan is not None),
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


def _moved_measure(sentence: Sentence, happening: Happening) -> Match | None:
    """The measure that an event moves: its own or one in its words, else that of the effect where the event is a
    cause."""
    measures = [m for m in sentence.found.get("measure", ()) if m.owner.metric]
    own = (m for m in measures if (happening.start <= m.start and m.end <= happening.end) or happening.is_of(m))
    bringing = next((cause for cause in sentence.causes if cause.holds(happening.start)), None)
    effects = [m for m in measures if bringing and bringing.brings(m.start)]
    return next(own, None) or min(effects, key=lambda m: abs(m.start - happening.start), default=None)


def _plan(sentence: Sentence, happening: Happening, deal: Deal) -> Intention | None:
    """Whether a deal is planned, or waits to be approved."""
    if deal.frame in _NO_DEALS:
        return None
    first, _ = sentence.scene.clause(happening.start)
    return intention_of(sentence.text, first, happening.start, happening.end)


def _time_words(sentence: Sentence, when: TimeFrame | None, plan: Intention | None) -> str:
    """The words for the time, else what a deal waits for."""
    if when is None and plan and plan.awaits:
        return sentence.text[slice(*plan.awaits)]
    return sentence.text[when.start : when.end] if when else ""


def _confidence(sentence: Sentence, happening: Happening, topic: About, *, is_planned: bool) -> float:
    """By kind of evidence: figures and named subjects are sure, what is expected or said of others is less so."""
    base = 0.75 + 0.1 * (happening.has_number and happening.moves) - 0.05 * (happening.sign == 0)
    base += 0.1 * topic.sure - 0.1 * (sentence.reading.role == "table")
    return round(base * (_EXPECTED if happening.is_expected or is_planned else 1.0), 2)
