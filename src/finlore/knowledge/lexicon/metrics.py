"""The figures of a document as facts: those of its tables and those that its sentences state."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from finlore.intake.tables.labels import read_label
from finlore.intake.tables.periods import find_period
from finlore.intake.tables.values import PART
from finlore.knowledge.lexicon.concern import called, fuller_names, is_headline, protagonist
from finlore.knowledge.lexicon.english_sentence import main_period
from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.lexicon.period import StatedPeriod
from finlore.knowledge.lexicon.stated_periods import find_stated_periods
from finlore.knowledge.lexicon.statement_state import CARRIED, Statement
from finlore.knowledge.lexicon.statements import find_statements
from finlore.knowledge.lexicon.topics import is_run_together
from finlore.knowledge.sentences import Named, Reading
from finlore.knowledge.timeline import GUIDANCE
from finlore.language.codes import code_surface
from finlore.language.normal import fold, has_han, normalise
from finlore.records.document import Document
from finlore.records.fact import Evidence, Fact, Party
from finlore.records.instant import Instant, as_datetime, end_of_day
from finlore.records.mapped import MappedText
from finlore.records.names import FoundNames
from finlore.records.table import Basis, TableValue

_COMPANIES: Final = frozenset({"security", "company", "organisation", "rating_agency"})
_MEASURED: Final = frozenset({"industry", "concept", "product", "material", "index"})
_QUOTED: Final = frozenset({"metric:share_price", "metric:target_price", "metric:market_cap"})
"""Measures that are attributes of a security; `attributes` states them."""
_ABOUT: Final = ("industry", "concept", "product", "material")
_LISTED: Final = re.compile(r"\s*(?:[、/]|和|与|及|以及)\s*")
_PATTERNS: Final = Patterns("lexicon/figures.toml")
_SEGMENT: Final = re.compile(r"[;；。!?！？\n]")
_OF_THE_WHOLE: Final = frozenset({"multiple", "per_share", "price"})
_RARELY_OF_PARTS: Final = frozenset(
    f"metric:{name}"
    for name in ("net_profit", "net_profit_parent", "net_profit_deducted", "roe", "roa", "total_assets", "net_assets")
)
_OF_COMPANIES: Final = frozenset(
    f"metric:{name}" for name in ("revenue", "gross_profit", "gross_margin", "operating_cost", "net_profit", "orders")
)
"""What only companies, and parts of them, have: 储能业务收入 is none of an industry."""
_BEGINNING: Final = 3
_LEADING: Final = 40  # characters within which a sentence without figures says of when the next ones speak
_TABLE, _DOUBTFUL, _SENTENCE, _PART, _TOPIC = 0.95, 0.5, 0.85, 0.6, 0.5


def table_facts(document: Document, values: Iterable[TableValue], subject: Party | None) -> list[Fact]:
    """The numbers of tables whose measure is known, of the company that the table or the document says."""
    published = published_on(document)
    facts = []
    for value in values:
        party = _owner(value, subject)
        if not value.metric or party is None or (value.metric in _QUOTED and not value.period):
            continue
        found = find_period(value.period) if value.period else None
        first, last = _days(value.period, (found.first, found.last) if found else None)
        facts.append(
            Fact(
                party, value.metric, evidence_at(document, value.start, value.end),
                document.text[value.start : value.end], value=value.value, unit=value.unit, period=value.period,
                basis=_basis(value.basis, found.last if found else None, published, is_forecast=False),
                valid_from=first, valid_to=last, confidence=_DOUBTFUL if value.is_doubtful else _TABLE,
                note="fails a check of its table" if value.is_doubtful else "", part=_part_of(value),
            )
        )  # fmt: skip
    return facts


def _part_of(value: TableValue) -> str:
    """What the label of a part says beside the measure (储能 / 营业收入 -> 储能); "" of the whole."""
    if PART not in value.metric and not value.metric.endswith(".share"):
        return ""
    labels = [(piece, read_label(piece)) for piece in value.label.split(" / ")]
    return " ".join(piece for piece, label in labels if not (label.metric or label.is_bare)) or value.label


def _owner(value: TableValue, subject: Party | None) -> Party | None:
    """Whose number it is: a company of a comparison, else that of the document."""
    if value.security is not None:
        if subject is not None and value.security == subject.entity:
            return subject
        return Party(value.company or value.security, code_surface(value.security), "security", entity=value.security)
    if value.company:
        return Party(value.company, fold(value.company), "company")
    return None


def evidence_at(document: Document, start: int, end: int) -> Evidence:
    """A place of the text with the passage that it begins in, -1 where it begins in none."""
    number = bisect_right(document.passages, start, key=lambda passage: passage.start) - 1
    return Evidence(start, end, number if number >= 0 and start < document.passages[number].end else -1)


def published_on(document: Document) -> date | None:
    """The day of publication in the market's zone."""
    published = document.metadata.published_at
    return as_datetime(published).date() if published is not None else None


def _days(name: str, days: tuple[date, date] | None) -> tuple[Instant | None, Instant | None]:
    if not name or days is None or days[1] == date.max:
        return None, None
    return end_of_day(days[0]), end_of_day(days[1])


def _basis(stated: Basis, last: date | None, published: date | None, *, is_forecast: bool) -> Basis:
    """What is stated, else a forecast where the period was not over at the publication, else what has happened."""
    if stated or is_forecast:
        return "forecast" if is_forecast else stated
    if last is None or published is None or last == date.max:
        return ""
    return "forecast" if last > published else "actual"


def sentence_facts(
    readings: Iterable[Reading], document: Document, found: FoundNames, subject: Party | None
) -> list[Fact]:
    """The figures that sentences state. Sentences out of tables are left to `table_facts`."""
    return list(_SentenceFacts(document, found, subject).facts(list(readings)))


class _SentenceFacts:
    """Reads the sentences of one document in order, and keeps in mind what the last ones spoke of."""

    def __init__(self, document: Document, found: FoundNames, subject: Party | None) -> None:
        self._published = published_on(document)
        self._last_company: Party | None = None  # "the company" of a document that covers none
        self._last_owner: Party | None = None
        self._title = document.metadata.title or ""
        self._subject = subject
        self._fuller: dict[str, Party] = {}
        is_named = subject is not None and (subject.kind in _COMPANIES or not is_headline(subject.name))
        self._fallback = subject if is_named else _most_named(found)
        self._own_surfaces = frozenset(alias.surface for alias in found.aliases if alias.entity == found.subject)
        self._is_company = subject is not None and subject.kind in _COMPANIES
        self._reported = self._of_title(self._title)

    def _of_title(self, title: str) -> StatedPeriod | None:
        """The period that the title of an English report names: First Quarter Fiscal 2023 Results."""
        text = "" if has_han(title) else normalise(title).text
        return main_period(text, find_stated_periods(text, published=self._published)) if text else None

    def facts(self, readings: Sequence[Reading]) -> Iterator[Fact]:
        self._fuller = fuller_names(readings, self._title)
        if not self._is_company and (party := protagonist(self._fuller, self._title)) is not None:
            self._subject = self._fallback = party
            self._is_company = True
        heading, carried, year = "", None, None
        before: Statement | None = None
        for reading in readings:
            if reading.role == "table":
                continue
            if reading.heading != heading:
                self._last_company = self._last_owner = None
                carried = self._headed(reading.heading)
            heading = reading.heading
            companies = [name for name in reading.names if name.party.kind in _COMPANIES]
            leads = [name for name in companies if len(companies) == 1 or _leads(reading.text, name)]
            self._last_company = leads[-1].party if leads else self._last_company
            if not any(map(str.isdecimal, reading.text)):
                before = None
                continue
            normal = normalise(reading.text)
            periods = find_stated_periods(normal.text, published=self._published, year=year)
            statements = find_statements(normal.text, periods, carried=carried, before=before)
            if not has_han(normal.text):
                statements = [self._in_time(statement, carried, reading.heading) for statement in statements]
            for statement in statements:
                yield from self._facts(reading, normal, statement)
            before = statements[-1] if statements else None
            if has_han(normal.text):
                spoken = [
                    p for p in periods if not p.years and p.first != p.last and not _in_bracket(normal.text, p.start)
                ]
            else:
                main = main_period(normal.text, periods)
                leading = statements[0].amount.start if statements else _LEADING
                spoken = [main] if main and main.start < leading else []
                if self._reported is None and main and _PATTERNS["reports"].search(normal.text):
                    self._reported = carried = main
            if spoken:
                carried, year = spoken[-1], spoken[-1].first.year

    def _in_time(self, statement: Statement, carried: StatedPeriod | None, heading: str) -> Statement:
        """What is expected under the heading of an outlook; nobody expects what is over. The days of a fiscal period
        that has been reported are unknown where those of the calendar lie ahead."""
        period, ends = statement.period, statement.period.last if statement.period else None
        is_ahead = ends is None or self._published is None or ends > self._published
        is_forecast = statement.is_forecast or (is_ahead and _PATTERNS["outlook"].search(heading) is not None)
        if is_forecast and not is_ahead and period == carried:
            period = None
        if period and period.is_fiscal and is_ahead and not is_forecast:
            period = replace(period, basis="actual", first=date.max, last=date.max)
        return replace(statement, period=period, is_forecast=is_forecast)

    def _headed(self, heading: str) -> StatedPeriod | None:
        """The period that an English heading names, else the one that the document reports on."""
        if has_han(heading) or self._reported is None:
            return None
        text = normalise(heading).text
        named = main_period(text, find_stated_periods(text, published=self._published))
        return named or self._reported

    def _facts(self, reading: Reading, normal: MappedText, statement: Statement) -> Iterator[Fact]:
        owner = self._owner(reading, normal, statement)
        relation = statement.measure.id
        if owner is None or (relation in _QUOTED and not statement.derived) or is_run_together(statement.topic):
            return
        party, is_part = owner
        self._last_owner = party
        relation += (PART if is_part else "") + (f".{statement.derived}" if statement.derived else "")
        period, amount = statement.period, statement.amount
        first, last = _days(period.name, (period.first, period.last)) if period else (None, None)
        sure = _PART if is_part else _SENTENCE if party is self._subject else _TOPIC
        named = statement.measure.start if statement.measure.start != CARRIED else amount.start
        span = normal.span(min(named, amount.start), max(statement.measure.end, amount.end))
        printed = normal.span(amount.start, amount.end)
        fact = Fact(
            party, relation, reading.evidence(*span), reading.text[slice(*printed)], value=statement.value,
            unit=amount.unit, period=period.name if period else "",
            basis=_basis(
                period.basis if period else "", period.last if period else None, self._published,
                is_forecast=statement.is_forecast,
            ),
            valid_from=first, valid_to=last, confidence=sure, part=statement.topic if is_part else "",
            note=f"stated as {amount.bound}" if amount.bound and amount.high is None else "",
        )  # fmt: skip
        if fact.basis == "forecast" and _PATTERNS["guides"].search(normal.text, 0, amount.start):
            fact = replace(fact, note="; ".join(filter(None, (GUIDANCE, fact.note))))
        yield from ends(fact, amount.high)

    def _owner(self, reading: Reading, normal: MappedText, statement: Statement) -> tuple[Party, bool] | None:
        """Whose figure it is, and whether of a part of the company only."""
        if _PATTERNS["of_peers"].search(statement.words) and statement.measure.quantity in _OF_THE_WHOLE:
            return None
        given = None if has_han(normal.text) else self._latin(reading, normal, statement)
        given = given or (None if self._is_company else self._given(reading, normal, statement))
        if given is not None:
            return given, False
        if statement.topic:
            is_companys = self._is_company and statement.measure.id in _OF_COMPANIES
            named = _named_in(statement.topic, reading.names, only_companies=is_companys)
            if named is not None:
                return self._own(named.party), False
            if self._is_company and self._subject is not None:
                return self._subject, not _is_of_whole(statement)
            return Party(statement.topic, fold(statement.topic), "name"), False
        leader = self._leader(reading, normal, statement)
        owner = self._own(leader) if leader is not None else self._unnamed(statement)
        return (owner, False) if owner else None

    def _latin(self, reading: Reading, normal: MappedText, statement: Statement) -> Party | None:
        """The company that an English sentence names before the measure, or at its head where nothing else is."""
        at = normal.origin(statement.measure.start)
        for name in reading.names:
            words = called(name.party.name)
            is_topic = normalise(words).text == statement.topic
            is_head = not statement.topic and name.start <= _BEGINNING and name.end <= at
            if (is_topic or is_head) and (party := self._fuller.get(words)):
                return self._own(party)
        return None

    def _unnamed(self, statement: Statement) -> Party | None:
        """Whose figure it is where its sentence does not say: in a document that covers no company that of the company
        before, where it is called one or only companies have such figures, else that of what the document is about."""
        if self._is_company:
            return self._subject
        if statement.measure.quantity == "per_share":
            return self._last_company
        is_companys = self._last_company is not None and "公司" in statement.words
        return self._last_company if is_companys else self._fallback or self._last_owner

    @staticmethod
    def _given(reading: Reading, normal: MappedText, statement: Statement) -> Party | None:
        """The company between a measure and its number, or before both where nothing else is named."""
        text, at = reading.text, normal.origin(statement.amount.start)
        named = 0 if statement.measure.start == CARRIED else normal.origin(statement.measure.end - 1)
        begins = max((match.end() for match in _SEGMENT.finditer(text, 0, at)), default=0)
        begins = max(begins, named) if statement.topic else begins
        before = [n for n in reading.names if begins <= n.start and n.end <= at and n.party.kind in _COMPANIES]
        spoken = [
            n
            for n in before
            if not (
                _PATTERNS["source_before"].search(text, max(0, n.start - 5), n.start)
                or _PATTERNS["source_behind"].match(text, n.end)
            )
        ]
        return spoken[-1].party if spoken else None

    def _leader(self, reading: Reading, normal: MappedText, statement: Statement) -> Party | None:
        """The company that a sentence begins with, unless it comes back to its own."""
        if statement.measure.start == CARRIED or _PATTERNS["own_word"].search(statement.words):
            return None
        at = normal.origin(statement.measure.start)
        before = [name for name in reading.names if name.end <= at and name.party.kind in _COMPANIES]
        begins = [name for name in before if name.start <= _BEGINNING]
        return begins[-1].party if begins else None

    def _own(self, party: Party) -> Party:
        """The subject itself where a party is only another name of it."""
        subject = self._subject
        return subject if subject and party.surface in {subject.surface, *self._own_surfaces} else party


def _leads(text: str, name: Named) -> bool:
    """Whether what follows is about a company: it begins the sentence, or stands in brackets or before a colon."""
    return name.start <= _BEGINNING or _PATTERNS["heads"].match(text, name.end) is not None


def _in_bracket(text: str, at: int) -> bool:
    return text.rfind("(", 0, at) > text.rfind(")", 0, at)


def _named_in(topic: str, names: Sequence[Named], *, only_companies: bool) -> Named | None:
    """The company that the topic begins with, else the industry or product that it names as a whole."""
    called = [(name, normalise(name.party.name).text) for name in names]
    companies = (name for name, words in called if name.party.kind in _COMPANIES and topic.startswith(words))
    others = (name for name, words in called if name.party.kind in _MEASURED and topic == words)
    return next(companies, None) or (None if only_companies else next(others, None))


def _is_of_whole(statement: Statement) -> bool:
    """Whether a measure is the company's whatever stands before it, or stands a clause before."""
    measure = statement.measure
    return measure.quantity in _OF_THE_WHOLE or (statement.is_carried and measure.id in _RARELY_OF_PARTS)


def _most_named(found: FoundNames) -> Party | None:
    """The industry, concept or product that a document without a subject names most, and more often than any company:
    else it is about those."""
    parties = {alias.surface: Party(alias.name, alias.surface, alias.kind) for alias in found.aliases}
    counts = Counter(mention.surface for mention in found.mentions)
    kinds = {m.surface: parties[m.surface].kind if m.surface in parties else m.kind for m in found.mentions}
    topics = [surface for surface in counts.keys() & parties.keys() if kinds[surface] in _ABOUT]
    best = max(topics, key=lambda surface: (counts[surface], surface), default="")
    rival = max((n for surface, n in counts.items() if kinds[surface] in _COMPANIES), default=0)
    return parties[best] if counts[best] > rival else None


def ends(fact: Fact, high: float | None) -> Iterator[Fact]:
    """The fact; where `high` makes it the low end of a range both ends."""
    if high is None:
        yield fact
        return
    yield replace(fact, bound="low")
    yield replace(fact, value=high, bound="high")
