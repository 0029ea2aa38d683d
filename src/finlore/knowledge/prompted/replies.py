"""A reply -> what stands in the text of it. A model says where to look and which type it is; words, parties, numbers,
units and dates are read there by code, and whatever cannot be found there is dropped and counted."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Final, cast

from finlore.intake.tables.labels import read_label
from finlore.intake.tables.units import is_money, is_relative
from finlore.knowledge.lexicon.amounts import Amount, find_amounts
from finlore.knowledge.lexicon.instructions import speaks_to_model
from finlore.knowledge.lexicon.metrics import ends, published_on
from finlore.knowledge.lexicon.ratings import find_ratings, grade_of, rating_words
from finlore.knowledge.lexicon.time_frames import time_frames
from finlore.knowledge.prompted.cast import Cast, Spoken
from finlore.knowledge.prompted.cued import cued
from finlore.knowledge.prompted.excerpts import Excerpt, Place, find, find_whole
from finlore.knowledge.prompted.form import DIRECTIONS
from finlore.language.codes import canonical_security
from finlore.language.normal import normalise
from finlore.records.document import Document
from finlore.records.fact import Direction, Event, Evidence, Fact
from finlore.records.instant import Instant, end_of_day
from finlore.records.names import EntityKind, FoundNames
from finlore.records.schema import AttributeType, LinkType, Quantity, Schema

_EXACT, _ALIKE, _DOUBTED, _IMPLIED = 0.8, 0.7, 0.45, 0.05  # what is doubted is asked about
_LONGEST_QUOTE: Final = 600
_LONGEST_REASON: Final = 240
_MOST_INVOLVED: Final = 8
_COMPANIES: Final[tuple[EntityKind, ...]] = ("security", "company", "organisation")
_EQUITY: Final = re.compile(r"股|权益|stake|equity|interest|shares?\b", re.IGNORECASE)


class _Dropped(Exception):
    """An item that cannot stand, and why."""


@dataclass(slots=True)
class Found:
    """What of replies stands in the text, and how much did not, by reason."""

    facts: list[Fact] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Found") -> None:
        self.facts += other.facts
        self.events += other.events
        self.dropped.update(other.dropped)


@dataclass(frozen=True, slots=True)
class _Quoted:
    """One item at its place: `lines` are those that the quote touches."""

    row: Mapping[str, object]
    excerpt: Excerpt
    quote: Place
    lines: tuple[int, int]

    def words(self, key: str) -> str:
        return _words(self.row, key)

    def find(self, key: str) -> Place | None:
        """Where the words of a part stand: in the quote, else in its lines."""
        words = self.words(key)
        return find(self.excerpt, words, self.quote.start, self.quote.end) or find(self.excerpt, words, *self.lines)

    def find_whole(self, key: str, *, within: Place) -> Place | None:
        """Where they stand and cut no word in two."""
        return find_whole(self.excerpt, self.words(key), within.start, within.end)

    @property
    def line(self) -> Place:
        return Place(*self.lines)

    @property
    def said(self) -> str:
        return self.excerpt.text[self.quote.start : self.quote.end]

    def text(self, place: Place | None) -> str:
        return " ".join(self.excerpt.text[place.start : place.end].split()) if place else ""

    @property
    def evidence(self) -> Evidence:
        return Evidence(*self.excerpt.span(self.quote.start, self.quote.end), self.excerpt.passage)

    @property
    def sentence(self) -> Evidence:
        return Evidence(*self.excerpt.span(*self.lines), self.excerpt.passage)


class ReplyReader:
    """Reads replies about the passages of one document."""

    def __init__(self, document: Document, names: FoundNames, schema: Schema) -> None:
        self._cast = Cast(document, names, schema)
        self._published_at, self._published = document.metadata.published_at, published_on(document)
        self._security = document.metadata.security
        listed: tuple[AttributeType | LinkType, ...] = (*schema.attributes, *schema.links)
        self._relations = {relation.id: relation for relation in listed}
        self._types = {event.id: event for driver in schema.drivers for event in driver.events}
        self._cued = cued(schema)

    def read(self, reply: object, shown: Sequence[Excerpt | None]) -> Found:
        """What a reply about these excerpts, numbered from 1, says and they say too; each item once. Passages of other
        documents are None, and what is said of them is left to their readers."""
        found = Found()
        for what in ("facts", "events"):
            for row in _rows(reply, what):
                try:
                    quoted = _quoted(row, shown)
                    if quoted is None:
                        continue
                    if what == "facts":
                        found.facts += self._facts(quoted)
                    else:
                        found.events.append(self._event(quoted))
                except _Dropped as why:
                    found.dropped[f"{what.removesuffix('s')}: {why}"] += 1
        return Found(list(dict.fromkeys(found.facts)), list(dict.fromkeys(found.events)), found.dropped)

    # facts

    def _facts(self, quoted: _Quoted) -> Iterator[Fact]:
        relation = self._relations.get(quoted.words("r"))
        if relation is None:
            raise _Dropped("unknown relation")
        place = quoted.find_whole("o", within=quoted.quote) or quoted.find_whole("o", within=quoted.line)
        is_link = isinstance(relation, LinkType)
        subject = self._subject(quoted, relation.domain, place, place or quoted.quote, is_quoted=is_link)
        sure = _sure(quoted, subject, is_doubted=is_link and self._cued.speak_against(relation.id, quoted.said))
        plain = Fact(subject.party, relation.id, quoted.evidence, quoted.text(place), confidence=sure)
        if isinstance(relation, LinkType) or relation.value == "entity":
            yield self._linked(plain, quoted, relation)
        elif place is None:
            raise _Dropped("its value does not stand in the text")
        elif relation.value == "number":
            yield from self._measured(plain, quoted, relation, place)
        else:
            yield self._worded(plain, quoted, relation, place)

    def _subject(
        self,
        quoted: _Quoted,
        kinds: Sequence[EntityKind],
        object_: Place | None,
        statement: Place,
        *,
        is_quoted: bool,
    ) -> Spoken:
        """Whom it is about: the document's subject, or who is named in the quote; of attributes also in its lines."""
        at = quoted.find_whole("s", within=quoted.quote)
        at = at if at or is_quoted else quoted.find_whole("s", within=quoted.line)
        subject = self._cast.party(quoted.words("s"), quoted.excerpt, at, kinds)
        if subject is None:
            raise _Dropped("its subject does not stand there")
        is_own = subject.party is self._cast.subject
        if is_own and self._cast.is_of_another(quoted.excerpt, quoted.quote, object_, said=statement.start):
            raise _Dropped("it is of somebody else")
        return subject

    def _linked(self, fact: Fact, quoted: _Quoted, relation: AttributeType | LinkType) -> Fact:
        """With whom, and the share that stands beside it."""
        object_ = self._object(quoted, relation.range)
        if object_ is None:
            raise _Dropped("its object does not stand there")
        if object_.party == fact.subject:
            raise _Dropped("its object is its subject")
        fact = replace(fact, object=object_.party, text=object_.party.name)
        shares = [a for a in _amounts(quoted, quoted.quote) if a.unit == "%"] if _EQUITY.search(quoted.said) else []
        is_held = isinstance(relation, LinkType) or relation.quantity == "percent"
        return replace(fact, value=shares[0].value, unit="%") if is_held and len(shares) == 1 else fact

    def _measured(self, fact: Fact, quoted: _Quoted, attribute: AttributeType, place: Place) -> Iterator[Fact]:
        """The number that stands at the place, with the unit that is printed there."""
        amounts = [a for a in _amounts(quoted, quoted.line) if a.start < place.end and place.start < a.end]
        if len(amounts) != 1:
            raise _Dropped("its value is no number")
        amount = amounts[0]
        if not _suits(amount.unit, attribute.quantity):
            raise _Dropped("its value is of another unit")
        day = self._published_at
        until = None if attribute.opinion else day
        text = quoted.text(Place(amount.start, amount.end))
        stated = replace(fact, text=text, value=amount.value, unit=amount.unit, valid_from=day, valid_to=until)
        yield from ends(stated, amount.high)

    def _worded(self, fact: Fact, quoted: _Quoted, attribute: AttributeType, place: Place) -> Fact:
        if attribute.id == "investment_rating":
            return _rated(fact, quoted, place)
        if attribute.id != "stock_ticker":
            return fact
        code = canonical_security(fact.text)
        if code is None or (fact.subject is self._cast.subject and self._security not in (None, code)):
            raise _Dropped("it is of somebody else" if code else "its value is no code")
        return replace(fact, note="" if code == fact.text else code)

    # events

    def _event(self, quoted: _Quoted) -> Event:
        kind, direction = self._types.get(quoted.words("t")), quoted.words("d")
        if kind is None:
            raise _Dropped("unknown type")
        if direction not in DIRECTIONS:
            raise _Dropped("unknown direction")
        said = quoted.find("w")
        if said is None:
            raise _Dropped("its words do not stand in the text")
        object_ = self._object(quoted, ()) if quoted.words("o") else None
        subject = self._subject(quoted, _COMPANIES, object_.at if object_ else None, said, is_quoted=True)
        is_doubted = self._cued.speak_against(kind.id, quoted.text(said)) or (
            self._cued.speak_against(kind.id, quoted.said)
        )
        object_ = None if object_ and object_.party == subject.party else object_
        parties = [subject.party, *([object_.party] if object_ else [])]
        when = quoted.text(quoted.find("when"))
        since, until = self._when(when)
        return Event(
            subject=subject.party,
            relation=quoted.text(said),
            driver=kind.driver,
            subtype=kind.id,
            direction=cast(Direction, direction),
            evidence=quoted.sentence,
            object=object_.party if object_ else None,
            involved=tuple(self._cast.involved(quoted.excerpt, quoted.quote, parties)[:_MOST_INVOLVED]),
            time_frame=when,
            valid_from=since,
            valid_to=until,
            cause=quoted.text(quoted.find("because") or find(quoted.excerpt, quoted.words("because"))),
            metric=read_label(quoted.text(quoted.find("metric"))).id,
            reasoning=_reason(quoted),
            confidence=_sure(quoted, subject, is_doubted=is_doubted),
        )

    def _object(self, quoted: _Quoted, kinds: Sequence[EntityKind]) -> Spoken | None:
        """Whom the quote itself names as the other one."""
        return self._cast.party(quoted.words("o"), quoted.excerpt, quoted.find_whole("o", within=quoted.quote), kinds)

    def _when(self, words: str) -> tuple[Instant | None, Instant | None]:
        """The first second and the end of the time that the words name."""
        frame = next(iter(time_frames(words, self._published)), None)
        return _day_begins(frame.first) if frame else None, end_of_day(frame.last) if frame and frame.last else None


def _quoted(row: Mapping[str, object], shown: Sequence[Excerpt | None]) -> _Quoted | None:
    """The item at the place of its quote; None for one of another document."""
    number, words = row.get("p"), _words(row, "q")
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= len(shown):
        raise _Dropped("no such passage")
    excerpt = shown[number - 1]
    if excerpt is None:
        return None
    quote = find(excerpt, words) if len(words) <= _LONGEST_QUOTE else None
    if quote is None:
        raise _Dropped("its quote does not stand in the passage")
    return _Quoted(row, excerpt, quote, excerpt.lines(quote.start, quote.end))


def _amounts(quoted: _Quoted, within: Place) -> Iterable[Amount]:
    """The numbers of the quote's lines that lie in a part of them, placed in the excerpt."""
    first, last = quoted.lines
    normal = normalise(quoted.excerpt.text[first:last])
    for amount in find_amounts(normal.text):
        start, end = (first + at for at in normal.span(amount.start, amount.end))
        if within.start <= start and end <= within.end:
            yield replace(amount, start=start, end=end)


def _suits(unit: str, quantity: Quantity) -> bool:
    """Whether a number with this unit may be of that quantity; one without a unit may be of any."""
    if not unit or quantity in ("", "count", "shares"):
        return True
    if quantity in ("money", "price"):
        return is_money(unit.partition("/")[0])
    return is_relative(unit)


def _rated(fact: Fact, quoted: _Quoted, place: Place) -> Fact:
    """The one word of the rating lists at the place, which holds all of it, with what the text there says of it."""
    first, last = quoted.lines
    normal = normalise(quoted.excerpt.text[first:last])
    spots = (normal.span(*spot) for spot in rating_words(normal.text))
    words = [Place(first + start, first + end) for start, end in spots if first + start < place.end]
    words = [word for word in words if place.start < word.end]
    if not words or any(word.start < place.start or place.end < word.end for word in words):
        raise _Dropped("its value is no rating")
    text = quoted.excerpt.text[place.start : place.end]
    normal = normalise(text)
    ratings = find_ratings(normal.text)
    if len(ratings) == 1:
        start, end = normal.span(ratings[0].start, ratings[0].end)
        return replace(fact, text=text[start:end], note=ratings[0].note)
    if len(words) > 1:
        raise _Dropped("its value is no rating")
    word = quoted.text(words[0])
    return replace(fact, text=word, note=grade_of(word) or "")


def _reason(quoted: _Quoted) -> str:
    """Why an event drives its subject: the model's words, or the quote where they are none, or orders to a model."""
    why = " ".join(quoted.words("why").split())[:_LONGEST_REASON]
    return why if why and not speaks_to_model(why) else quoted.text(quoted.quote)


def _sure(quoted: _Quoted, subject: Spoken, *, is_doubted: bool) -> float:
    base = _DOUBTED if is_doubted else _EXACT if quoted.quote.is_exact else _ALIKE
    return round(base - _IMPLIED * (subject.at is None), 2)


def _day_begins(day: date | None) -> Instant | None:
    return None if day is None else Instant(end_of_day(day - timedelta(days=1)) + 1_000_000)


def _rows(reply: object, key: str) -> Iterator[Mapping[str, object]]:
    """The items of a list; what is none of the kind is an item that says nothing."""
    listed = reply.get(key) if isinstance(reply, Mapping) else None
    yield from (row if isinstance(row, Mapping) else {} for row in listed) if isinstance(listed, list) else ()


def _words(row: Mapping[str, object], key: str) -> str:
    said = row.get(key)
    return said.strip() if isinstance(said, str) else ""
