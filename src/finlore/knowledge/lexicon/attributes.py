"""What a report states about its security: code, exchange, industry, rating, prices, shareholders, products, risks, and
who published it; out of metadata, first lines, tables and sentences."""

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from finlore.knowledge.agreement import surest
from finlore.knowledge.lexicon.holdings import find_holders, holders_in_table
from finlore.knowledge.lexicon.metrics import ends, evidence_at, published_on
from finlore.knowledge.lexicon.products import find_offers
from finlore.knowledge.lexicon.quotes import Quote, QuoteFinder
from finlore.knowledge.lexicon.ratings import Rating, find_previous, find_ratings
from finlore.knowledge.lexicon.risks import introduced_risks, is_risk_heading, split_risks
from finlore.knowledge.lexicon.stated_periods import find_stated_periods
from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import HAN, fold, normalise
from finlore.records.document import Document
from finlore.records.fact import Evidence, Fact, Party
from finlore.records.instant import Instant, end_of_day
from finlore.records.mapped import MappedText
from finlore.records.schema import Schema
from finlore.records.table import Table, TableValue

_EXCHANGES: Final = {"SH": "上海证券交易所", "SZ": "深圳证券交易所", "BJ": "北京证券交易所", "HK": "香港交易所"}
_VENUE: Final = re.compile(r"NASDAQ|Nasdaq|纳斯达克|NYSE American|NYSE|纽交所|AMEX")
_INDUSTRY: Final = re.compile(
    r"(?:所属|所处)?(?:行业|板块)(?:分类|名称)?\s?[:：|]\s?|(?<![a-z])(?:industry|sector)\s?[:：|]\s?", re.IGNORECASE
)
_BREADCRUMB: Final = re.compile(r"研究|报告|点评|行业|[/|｜·]|research|equity", re.IGNORECASE)
_CRUMBS: Final = re.compile(r"\s*[/|｜·丨]\s*")
_DIVISION: Final = re.compile(r"研究|报告|点评|证券|公司|股份|覆盖|跟踪|调研|深度|年|月|日")
_INDUSTRY_NAME: Final = re.compile(
    rf"(?:[{HAN}]{{4,12}}|[{HAN}]{{2,3}}(?:业|物|子|机|车|器|料|工|产|品|信|媒|力|险|行|械|药|饮|游|运|造|材|属|炭|油|筑|饰|牧|渔|务))[ⅡIⅢ]{{0,3}}"
)
_FIRST_LINES, _SHORT_LINE, _LONGEST_PERSON = 24, 40, 4
_COMPANIES: Final = frozenset({"security", "company", "organisation"})
_THINGS: Final = frozenset({"product", "material", "concept", "work"})
_TABLE_ATTRIBUTES: Final = {
    "metric:share_price": "current_stock_price",
    "metric:market_cap": "market_capitalisation",
    "metric:target_price": "target_price",
}
_STATED, _PRINTED, _READ, _GUESSED = 1.0, 0.95, 0.85, 0.6


@dataclass(frozen=True, slots=True)
class Source:
    """What attributes are read from. `subject`: whom the document covers, None where nobody says; `own_surfaces` all
    that it is called."""

    document: Document
    subject: Party | None
    readings: Sequence[Reading]
    tables: Sequence[Table]
    values: Sequence[TableValue]
    own_surfaces: frozenset[str] = frozenset()


def find_attributes(source: Source, schema: Schema) -> list[Fact]:
    """The attributes that a document states, each once."""
    facts = [*_of_metadata(source), *_of_values(source), *_of_holder_tables(source)]
    facts += _Sentences(source, schema).facts()
    return _once(facts, frozenset(attribute.id for attribute in schema.attributes if attribute.single))


def _once(facts: Iterable[Fact], single: frozenset[str]) -> list[Fact]:
    """Each statement once, where it is surest: of what can have one value only that, of a range both ends."""

    def matter(fact: Fact) -> Hashable:
        said = () if fact.relation in single else (fact.object.surface if fact.object else fold(fact.text), fact.unit)
        end = (fact.unit, fact.bound) if fact.relation == "target_price" else ()
        return fact.subject, fact.relation, *said, *end

    kept = surest(facts, matter=matter)
    with_unit = {(f.relation, f.value) for f in kept if f.unit}
    told = (f for f in kept if f.value is None or f.unit or (f.relation, f.value) not in with_unit)
    return sorted(told, key=lambda fact: (fact.evidence.start, fact.relation))


def _of_metadata(source: Source) -> Iterator[Fact]:
    """Code, exchange and research institution."""
    document, subject = source.document, source.subject
    security, broker = document.metadata.security, document.metadata.broker
    if subject is None:
        return
    if security is not None:
        code, _, market = security.partition(".")
        printed = _printed(document, rf"(?<![\d.]){re.escape(code)}(?:\s?\.\s?[A-Za-z]{{2}})?(?!\d)")
        text = document.text[printed.start : printed.end] or security
        yield Fact(
            subject, "stock_ticker", printed, text, confidence=_STATED, note="" if text == security else security
        )
        venue = _VENUE.search(document.text) if market == "US" else None
        if name := _EXCHANGES.get(market) or (venue.group() if venue else ""):
            yield Fact(
                subject, "primary_exchange", printed, name, Party(name, fold(name), "exchange"), confidence=_STATED
            )
    if broker:
        yield Fact(
            subject, "research_institution", _printed(document, re.escape(broker)), broker,
            Party(broker, fold(broker), "broker"), confidence=_STATED,
        )  # fmt: skip


def _printed(document: Document, pattern: str) -> Evidence:
    """Where a document prints what is known of it; an empty place at its beginning where it does not."""
    match = re.search(pattern, document.text)
    return evidence_at(document, *match.span()) if match else Evidence(0, 0)


def _of_values(source: Source) -> Iterator[Fact]:
    """Price, target and market value in the tables of first pages, where they are the subject's today."""
    subject, document = source.subject, source.document
    published = document.metadata.published_at
    for value in source.values:
        relation = _TABLE_ATTRIBUTES.get(value.metric)
        own = subject is not None and not value.company and value.security in (None, subject.entity)
        if relation is None or subject is None or not own or len(value.period) not in (0, 10):
            continue
        day = _day(value.period) or published
        yield Fact(
            subject, relation, evidence_at(document, value.start, value.end),
            document.text[value.start : value.end], value=value.value, unit=value.unit, valid_from=day,
            valid_to=day if relation != "target_price" else None, confidence=_PRINTED,
        )  # fmt: skip


def _day(period: str) -> Instant | None:
    found = find_stated_periods(period) if len(period) == 10 else []
    return end_of_day(found[0].last) if found else None


def _of_holder_tables(source: Source) -> Iterator[Fact]:
    document, subject = source.document, source.subject
    if subject is None or subject.kind not in _COMPANIES:
        return
    for table in source.tables:
        rows: list[list[str]] = [[""] * table.n_columns for _ in range(table.n_rows)]
        for cell in table.cells:
            rows[cell.row][cell.column] = document.text[cell.start : cell.end]
        cells = {(cell.row, cell.column): cell for cell in table.cells}
        for row, column, name, share in holders_in_table(rows):
            place = Evidence(cells[row, column].start, cells[row, column].end)
            yield Fact(
                subject, "major_shareholders", place, name, Party(name, fold(name), _holder_kind(name)), value=share,
                unit="%" if share is not None else "", confidence=_PRINTED,
            )  # fmt: skip


def _holder_kind(name: str) -> str:
    """Longer names are those of bodies; a shorter one may be a person's."""
    return "organisation" if len(name) > _LONGEST_PERSON else "name"


class _Sentences:
    """Reads the attributes out of the sentences of one document."""

    def __init__(self, source: Source, schema: Schema) -> None:
        self._document, self._subject, self._readings = source.document, source.subject, source.readings
        self._published = published_on(source.document)
        self._own_surfaces = source.own_surfaces | {source.subject.surface if source.subject else ""}
        labels = {attribute.id: tuple(cue.text for cue in attribute.cues) for attribute in schema.attributes}
        self._finders = {relation: finder_of(labels.get(relation, ())) for relation in _TABLE_ATTRIBUTES.values()}
        lines = (find_previous(normalise(reading.text).text) for reading in self._readings[:_FIRST_LINES])
        self._previous = next(filter(None, lines), "")
        self._is_company = self._subject is not None and self._subject.kind in _COMPANIES

    def facts(self) -> Iterator[Fact]:
        risky = -1  # the passage in which a sentence says that risks follow
        for number, reading in enumerate(self._readings):
            normal = normalise(reading.text)
            yield from self._ratings(reading, normal)
            yield from self._risks(reading, follows=reading.passage == risky)
            risky = reading.passage if is_risk_heading(reading.text) else risky
            yield from self._products(reading)
            if self._subject is None:
                continue
            if reading.role != "table" and any(map(str.isdecimal, reading.text)):
                yield from self._prices(reading, normal)
            if number < _FIRST_LINES:
                yield from self._industry(reading)
            if self._is_company:
                yield from self._holders(reading)

    def _ratings(self, reading: Reading, normal: MappedText) -> Iterator[Fact]:
        for found in find_ratings(normal.text):
            rating = replace(found, previous=found.previous or self._previous)
            start, end = normal.span(rating.start, rating.end)
            whom = self._rated(reading, rating, start)
            if whom is not None:
                sure = _PRINTED if rating.change else _READ
                yield Fact(
                    whom, "investment_rating", reading.evidence(start, end), reading.text[start:end],
                    confidence=sure - 0.1 * (whom is not self._subject), note=rating.note,
                )  # fmt: skip

    def _rated(self, reading: Reading, rating: Rating, at: int) -> Party | None:
        """Whom a rating is of: the industry or company that the sentence names before it, else the subject."""
        before = [name for name in reading.names if name.end <= at]
        if rating.of_industry or self._subject is None:
            industry = next((name.party for name in reversed(before) if name.party.kind == "industry"), None)
            if industry is not None or rating.of_industry:
                return industry
        companies = [name.party for name in before if name.party.kind in ("security", "company")]
        if companies and self._subject is None:
            return companies[-1]
        return self._subject

    def _prices(self, reading: Reading, normal: MappedText) -> Iterator[Fact]:
        subject = self._subject
        assert subject is not None  # asked for documents that cover somebody
        if self._names_another(reading):
            return
        for quote in self._finders["target_price"].targets(normal.text):
            yield from self._target(reading, normal, quote)
        for relation, found in (
            ("current_stock_price", self._finders["current_stock_price"].prices(normal.text)),
            ("market_capitalisation", self._finders["market_capitalisation"].values(normal.text)),
        ):
            for quote, label in found:
                day = self._quoted_on(normal.text, label)
                yield replace(
                    self._quoted(reading, normal, quote, relation), valid_from=day, valid_to=day, confidence=_READ
                )

    def _target(self, reading: Reading, normal: MappedText, quote: Quote) -> Iterator[Fact]:
        fact = self._quoted(reading, normal, quote, "target_price")
        told = (quote.horizon, f"from {quote.previous}" if quote.previous else "")
        fact = replace(
            fact, confidence=_PRINTED if quote.unit else _READ, valid_from=self._document.metadata.published_at
        )
        yield from ends(replace(fact, note="; ".join(filter(None, told))), quote.high)

    def _quoted(self, reading: Reading, normal: MappedText, quote: Quote, relation: str) -> Fact:
        subject = self._subject
        assert subject is not None  # asked for documents that cover somebody
        start, end = normal.span(quote.start, quote.end)
        place = reading.evidence(start, end)
        return Fact(subject, relation, place, reading.text[start:end], value=quote.value, unit=quote.unit)

    def _quoted_on(self, text: str, label: int) -> Instant | None:
        """The day beside a label (2024年5月31日收盘价), else that of the publication."""
        around = find_stated_periods(text[max(0, label - 24) : label + 24], published=self._published)
        days = [period.last for period in around if period.first == period.last]
        return end_of_day(days[0]) if days else self._document.metadata.published_at

    def _names_another(self, reading: Reading) -> bool:
        """Whether the first company of a sentence is another than the subject: its prices may be the other's."""
        subject = self._subject
        first = next((name.party for name in reading.names if name.party.kind == "security"), None)
        return subject is not None and first is not None and not self._is_own(first, subject)

    def _is_own(self, party: Party, subject: Party) -> bool:
        return self._is_subject(party) or party.name in self._document.metadata.title

    def _is_subject(self, party: Party) -> bool:
        return self._subject is not None and party.surface in self._own_surfaces

    def _industry(self, reading: Reading) -> Iterator[Fact]:
        """The industry behind a label, or in a short line of the first page."""
        assert self._subject is not None  # asked for documents that cover somebody
        label = _INDUSTRY.search(reading.text)
        named: Named | None
        if label is None and (crumb := last_crumb(reading.text)) is not None:
            name = reading.text[slice(*crumb)]
            party = Party(name, fold(name), "industry")
            yield Fact(self._subject, "primary_industry", reading.evidence(*crumb), name, party, confidence=_READ)
            return
        if label is not None:
            named = next((n for n in reading.names if label.end() <= n.start <= label.end() + 12), None)
        else:
            is_line = len(reading.text) <= _SHORT_LINE and _BREADCRUMB.search(reading.text) is not None
            named = next((n for n in reversed(reading.names) if n.party.kind == "industry"), None) if is_line else None
        if named is not None and named.party.kind == "industry":
            place = reading.evidence(named.start, named.end)
            sure = _PRINTED if label else _GUESSED
            yield Fact(self._subject, "primary_industry", place, named.party.name, named.party, confidence=sure)

    def _holders(self, reading: Reading) -> Iterator[Fact]:
        assert self._subject is not None  # asked for companies
        for holding in find_holders(reading):
            party = holding.party
            if party.surface == self._subject.surface or (party.kind == "broker" and holding.share is None):
                continue
            kind = "organisation" if party.kind == "name" else party.kind
            yield Fact(
                self._subject, "major_shareholders", reading.evidence(holding.start, holding.end), party.name,
                replace(party, kind=kind), value=holding.share, unit="%" if holding.share is not None else "",
                confidence=_READ if holding.share is not None else _GUESSED,
            )  # fmt: skip

    def _products(self, reading: Reading) -> Iterator[Fact]:
        for offer in find_offers(reading):
            whose = self._subject if offer.whose is None or self._is_subject(offer.whose) else offer.whose
            if whose is None or whose.kind not in _COMPANIES or whose.name == self._document.metadata.broker:
                continue
            name = reading.text[offer.start : offer.end]
            known = next((n.party for n in reading.names if (n.start, n.end) == (offer.start, offer.end)), None)
            party = known if known is not None and known.kind in _THINGS else Party(name, fold(name), "product")
            if party.surface and party.surface != whose.surface:
                place = reading.evidence(offer.start, offer.end)
                yield Fact(whose, "key_products", place, name, party, confidence=offer.confidence)

    def _risks(self, reading: Reading, *, follows: bool) -> Iterator[Fact]:
        begin = introduced_risks(reading.text)
        if begin is None and (follows or is_risk_heading(reading.heading)) and not is_risk_heading(reading.text):
            begin = 0
        if begin is None or self._subject is None:
            return
        for start, end in split_risks(reading.text[begin:]):
            place = reading.evidence(begin + start, begin + end)
            yield Fact(
                self._subject, "risk_assessment", place, reading.text[begin + start : begin + end], confidence=_READ
            )


def last_crumb(line: str) -> tuple[int, int] | None:
    """[start, end) of the industry that a line of divisions ends in (公司研究 | 医药生物 | 生物制品)."""
    marks = [*_CRUMBS.finditer(line)]
    if not marks or len(line) > _SHORT_LINE or _DIVISION.search(line, 0, marks[-1].start()) is None:
        return None
    start, name = marks[-1].end(), line[marks[-1].end() :].rstrip()
    return (start, start + len(name)) if _INDUSTRY_NAME.fullmatch(name) and not _DIVISION.search(name) else None


@lru_cache(maxsize=32)
def finder_of(labels: tuple[str, ...]) -> QuoteFinder:
    """The finder of the prices behind these labels, made once."""
    return QuoteFinder(labels)
