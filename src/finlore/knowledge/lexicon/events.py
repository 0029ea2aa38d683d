"""Events that drive a company, read from sentences by cues, patterns and word order: no model, no network."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from finlore.knowledge.lexicon.causes import Cause, cause_of, causes_in
from finlore.knowledge.lexicon.clauses import Clauses, clauses_of
from finlore.knowledge.lexicon.frames import PARTIES, Part, Scene, frame_of, marked, parts_of
from finlore.knowledge.lexicon.happenings import Found, Happening, happenings_in
from finlore.knowledge.lexicon.time_frames import TimeFrame, time_frames
from finlore.knowledge.lexicon.wordings import Match, wordings_of
from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import fold
from finlore.records.document import Metadata
from finlore.records.fact import Direction, Event, Party, Role
from finlore.records.instant import Instant, as_datetime, end_of_day
from finlore.records.schema import Schema

_DIRECTIONS: Final[dict[int, Direction]] = {1: "good", 0: "neutral", -1: "bad"}
_MOST_INVOLVED: Final = 8
_SURROUNDINGS: Final = frozenset({"policy", "macro", "demand"})
"""Drivers that come from outside: what is said of the industry concerns the covered company too."""
_OF_SHARES: Final = frozenset({"pledge", "reduction", "buyback"})
"""What is done to the shares of a company: the company is the subject, whoever does it."""
_EXPECTED: Final = 0.75
_LONGEST: Final = 600


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with all that was found in it; `causes` and `scene` of the text up to where risks are listed."""

    reading: Reading
    found: Found
    scene: Scene
    causes: Sequence[Cause]

    @property
    def text(self) -> str:
        return self.scene.text

    @property
    def clauses(self) -> Clauses:
        return self.scene.clauses


@dataclass(frozen=True, slots=True)
class _About:
    """Whom a happening is about, and how surely: 1 named in its clause, 0 nobody named, less where others are meant."""

    party: Party
    sure: float
    start: int = -1


def find_events(readings: Iterable[Reading], subject: Party | None, metadata: Metadata, schema: Schema) -> list[Event]:
    """The events that sentences state, in the order of the text. `subject` is whom the document covers ("the company").

    Left out: lists of risks, what is only supposed, definitions and disclaimers, and what is said of no company.
    """
    wordings = wordings_of(schema)
    published = _day(metadata.published_at)
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
            events += _events_of(reading, text, found, subject, metadata, published)
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
    share = sum(character.isdigit() for character in text) / len(text)
    return share > 0.4 or (reading.role == "table" and (share > 0.25 or text.count("|") > 6))


def _events_of(
    reading: Reading, text: str, found: Found, subject: Party | None, metadata: Metadata, published: date | None
) -> Iterator[Event]:
    clauses = clauses_of(text)
    happenings = happenings_in(text, clauses, found)
    if not happenings:
        return
    names = [name for name in reading.names if name.end <= len(text) and name.party.name != metadata.broker]
    parties = [name for name in names if name.party.kind in PARTIES and not _is_aside(text, name)]
    scene = Scene(text, clauses, parties, time_frames(text, published))
    sentence = _Sentence(reading, found, scene, causes_in(text, clauses, found))
    for happening in happenings:
        event = _event(sentence, happening, names, subject)
        if event is not None:
            yield event


def _is_aside(text: str, name: Named) -> bool:
    """Whether a name stands in brackets, as codes and short forms do."""
    before = max(text.rfind("(", 0, name.start), text.rfind("（", 0, name.start))
    return before >= 0 and text.find(")", before, name.start) < 0 and text.find("）", before, name.start) < 0


def _event(sentence: _Sentence, happening: Happening, names: Sequence[Named], covered: Party | None) -> Event | None:
    frame, parts = _frame(sentence, happening)
    about = _about(sentence, happening, covered) or _doer(sentence, parts)
    if about is None:
        return None
    subject, object_ = _who(sentence, happening, about, frame, parts, covered)
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
        direction=_DIRECTIONS[happening.sign],
        evidence=evidence,
        object=object_,
        involved=tuple(involved[:_MOST_INVOLVED]),
        time_frame=sentence.text[when.start : when.end] if when else "",
        valid_from=_from(when),
        valid_to=end_of_day(when.last) if when and when.last else None,
        cause=sentence.text[cause.start : cause.end] if cause else "",
        metric=happening.metric or _moved_metric(sentence, happening),
        reasoning=sentence.text,
        confidence=_confidence(sentence, happening, about),
        roles=tuple(_role(sentence, part) for part in parts),
    )


def _from(when: TimeFrame | None) -> Instant | None:
    """The first second of a time frame."""
    return Instant(end_of_day(when.first - timedelta(days=1)) + 1_000_000) if when and when.first else None


def _role(sentence: _Sentence, part: Part) -> Role:
    start, end = sentence.reading.mapped.span(part.start, part.end)
    return Role(part.name, sentence.text[part.start : part.end], start, end)


def _about(sentence: _Sentence, happening: Happening, covered: Party | None) -> _About | None:
    """The nearest party before the happening, clause by clause; None where that is no company."""
    at = happening.about_at
    number = sentence.clauses.number(at)
    for back, clause in enumerate(range(number, -1, -1)):
        first, last = sentence.clauses.span(clause)
        last = min(last, at) if clause == number else last
        topic = _topic(sentence, first, last, covered)
        if topic is not None:
            return _About(topic.party, 1.0 if not back else 0.5, topic.start)
        if _between(sentence.found.get("others", ()), first, last):
            from_outside = happening.event.driver in _SURROUNDINGS and covered is not None
            return _About(covered, -1.5) if from_outside and covered else None
    return _About(covered, -0.5) if covered else None


def _topic(sentence: _Sentence, first: int, last: int, covered: Party | None) -> _About | None:
    """Who acts in [first, last): the last name there that no preposition marks, or the words for the company."""
    spoken = [m.start for m in sentence.found.get("company", ()) if first <= m.start < last] if covered else []
    named = [n for n in sentence.scene.names if first <= n.start < last and n.party.kind in _ACTORS]
    plain = [n for n in named if marked(sentence.scene, n) in {"", "by"}]
    if plain and (not spoken or plain[-1].start > spoken[-1]):
        return _About(plain[-1].party, 1.0, plain[-1].start)
    if spoken and covered:
        return _About(covered, 1.0, spoken[-1])
    return None


_ACTORS: Final = frozenset({"security", "company", "organisation", "name"})


def _between(matches: Sequence[Match], first: int, last: int) -> bool:
    return any(first <= match.start < last for match in matches)


def _frame(sentence: _Sentence, happening: Happening) -> tuple[str, list[Part]]:
    """The deal or proceeding that a happening tells of, with its parts."""
    framed = None if happening.moves else frame_of(sentence.text[happening.start : happening.end])
    if framed is None:
        return "", []
    frame, start, end = framed
    return frame, parts_of(sentence.scene, frame, happening.start + start, happening.start + end)


def _doer(sentence: _Sentence, parts: Sequence[Part]) -> _About | None:
    """The named doer of a deal, where nobody else is the topic."""
    found = ((part, _party(sentence, part)) for part in parts if part.name in {"doer", "target"})
    return next((_About(party, 0.5, part.start) for part, party in found if party), None)


def _who(
    sentence: _Sentence, happening: Happening, about: _About, frame: str, parts: Sequence[Part], covered: Party | None
) -> tuple[Party, Party | None]:
    """Subject and object."""
    doers = [party for part in parts if part.name == "doer" and (party := _party(sentence, part))]
    others = [
        party for part in parts if part.name in {"target", "other"} and (party := _party(sentence, part, coined=True))
    ]
    if frame in _OF_SHARES:
        target = next((_party(sentence, part) for part in parts if part.name == "target"), None)
        return target or covered or about.party, next((doer for doer in doers if doer != target), None)
    if frame:
        subject = doers[0] if doers and (about.sure <= 0 or doers[0].kind in _ACTORS) else about.party
        return subject, next((other for other in others if other.surface != subject.surface), None)
    behind = next((n.party for n in sentence.scene.names if happening.end <= n.start <= happening.end + 20), None)
    object_ = behind if behind and behind.surface != about.party.surface else None
    if happening.swaps and object_:
        return object_, about.party
    return about.party, object_


def _party(sentence: _Sentence, part: Part, *, coined: bool = False) -> Party | None:
    """The party that a part names; words that only stand where a name would are one too if `coined`."""
    named = next((n for n in sentence.scene.names if n.start == part.start and n.end == part.end), None)
    words = sentence.text[part.start : part.end]
    return named.party if named else Party(words, fold(words), "name") if coined and fold(words) else None


def _when(sentence: _Sentence, happening: Happening) -> TimeFrame | None:
    """The last time frame before a happening in its clause, else the first behind it there, else the last before."""
    first, last = sentence.clauses.span(sentence.clauses.number(happening.start))
    times = sentence.scene.times
    before = [time for time in times if time.end <= happening.start]
    here = [time for time in before if time.start >= first]
    behind = [time for time in times if happening.end <= time.start < last]
    return here[-1] if here else behind[0] if behind else before[-1] if before else None


def _moved_metric(sentence: _Sentence, happening: Happening) -> str:
    """The metric that an event moves: of the effect where the event is a cause, else of what stands behind it."""
    measures = [m for m in sentence.found.get("measure", ()) if m.owner.metric]
    for cause in sentence.causes:
        if cause.holds(happening.start):
            return next((m.owner.metric for m in measures if cause.brings(m.start)), "")
    return ""


def _confidence(sentence: _Sentence, happening: Happening, about: _About) -> float:
    """By kind of evidence: figures and named subjects are sure, what is expected or said of others is less so."""
    base = 0.75 + 0.1 * (happening.has_number and happening.moves) - 0.05 * (happening.sign == 0)
    base += 0.1 * about.sure - 0.1 * (sentence.reading.role == "table")
    return round(base * (_EXPECTED if happening.is_expected else 1.0), 2)
