"""What a report states about its security: code, exchange, industry, rating, prices, shareholders, products, risks, and
who published it; out of metadata, first lines, tables and sentences."""

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from finlore.knowledge.agreement import surest
from finlore.knowledge.lexicon.holdings import find_holders, holders_in_table
from finlore.knowledge.lexicon.labelled import Source, find_labelled
from finlore.knowledge.lexicon.metrics import ends, evidence_at
from finlore.knowledge.lexicon.products import find_offers
from finlore.knowledge.lexicon.quotes import find_targets
from finlore.knowledge.lexicon.ratings import Rating, find_previous, find_ratings
from finlore.knowledge.lexicon.risks import introduced_risks, is_risk_heading, split_risks
from finlore.knowledge.sentences import Reading
from finlore.language.normal import HAN, fold, normalise
from finlore.records.document import Document
from finlore.records.fact import Evidence, Fact, Party
from finlore.records.mapped import MappedText
from finlore.records.schema import Schema

_EXCHANGES: Final = {"SH": "上海证券交易所", "SZ": "深圳证券交易所", "BJ": "北京证券交易所", "HK": "香港交易所"}
_VENUE: Final = re.compile(r"NASDAQ|Nasdaq|纳斯达克|NYSE American|NYSE|纽交所|AMEX")
_BREADCRUMB: Final = re.compile(r"研究|报告|点评|行业|[/|｜·]|research|equity", re.IGNORECASE)
_CRUMBS: Final = re.compile(r"\s*[/|｜·丨]\s*")
_DIVISION: Final = re.compile(r"研究|报告|点评|证券|公司|股份|覆盖|跟踪|调研|深度|年|月|日")
_INDUSTRY_NAME: Final = re.compile(
    rf"(?:[{HAN}]{{4,12}}|[{HAN}]{{2,3}}(?:业|物|子|机|车|器|料|工|产|品|信|媒|力|险|行|械|药|饮|游|运|造|材|属|炭|油|筑|饰|牧|渔|务))[ⅡIⅢ]{{0,3}}"
)
_FIRST_LINES, _SHORT_LINE, _LONGEST_PERSON = 24, 40, 4
_COMPANIES: Final = frozenset({"security", "company", "organisation"})
_THINGS: Final = frozenset({"product", "material", "concept", "work"})
_STATED, _PRINTED, _READ, _GUESSED = 1.0, 0.95, 0.85, 0.6


def find_attributes(source: Source, schema: Schema) -> list[Fact]:
    """The attributes that a document states, each once."""
    facts = (
        *_of_metadata(source), *find_labelled(source, schema), *_of_holder_tables(source),
        *_of_sentences(source, schema),
    )  # fmt: skip
    return _once(facts, frozenset(attribute.id for attribute in schema.attributes if attribute.single))


def _once(facts: Iterable[Fact], single: frozenset[str]) -> list[Fact]:
    """Each statement once, where it is surest: of what can have one value only that, of a range both ends."""

    def matter(fact: Fact) -> Hashable:
        said = () if fact.relation in single else (fact.object.surface if fact.object else fold(fact.text), fact.unit)
        end = (fact.unit, fact.bound) if fact.relation == "target_price" else ()
        return fact.subject, fact.relation, fact.period, *said, *end

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


_compiled = lru_cache(maxsize=1 << 12)(re.compile)  # the codes and brokers of a list come again and again


def _printed(document: Document, pattern: str) -> Evidence:
    """Where a document prints what is known of it; an empty place at its beginning where it does not."""
    match = _compiled(pattern).search(document.text)
    return evidence_at(document, *match.span()) if match else Evidence(0, 0)


def _of_holder_tables(source: Source) -> Iterator[Fact]:
    document, subject = source.document, source.subject
    if subject is None or subject.kind not in _COMPANIES:
        return
    for cell, share in (found for table in source.tables for found in holders_in_table(document, table)):
        name = document.text[cell.start : cell.end]
        kind = "organisation" if len(name) > _LONGEST_PERSON else "name"  # a shorter one may be a person's
        yield Fact(
            subject, "major_shareholders", Evidence(cell.start, cell.end), name, Party(name, fold(name), kind),
            value=share, unit="%" if share is not None else "", confidence=_PRINTED,
        )  # fmt: skip


def _of_sentences(source: Source, schema: Schema) -> Iterator[Fact]:
    lines = (find_previous(normalise(reading.text).text) for reading in source.readings[:_FIRST_LINES])
    before = next(filter(None, lines), "")
    targets = tuple(cue.text for one in schema.attributes if one.id == "target_price" for cue in one.cues)
    subject = source.subject
    risky = -1  # the passage in which a sentence says that risks follow
    for number, reading in enumerate(source.readings):
        normal = normalise(reading.text)
        yield from _ratings(source, reading, normal, before)
        yield from _products(source, reading)
        if subject is None:
            continue
        yield from _risks(subject, reading, follows=reading.passage == risky)
        risky = reading.passage if is_risk_heading(reading.text) else risky
        if reading.role != "table" and any(map(str.isdecimal, reading.text)):
            yield from _target_prices(source, reading, normal, targets)
        if number < _FIRST_LINES:
            yield from _industry(subject, reading)
        if subject.kind in _COMPANIES:
            yield from _holders(subject, reading)


def _ratings(source: Source, reading: Reading, normal: MappedText, before: str) -> Iterator[Fact]:
    for found in find_ratings(normal.text):
        rating = replace(found, previous=found.previous or before)
        start, end = normal.span(rating.start, rating.end)
        if (whom := _rated(source, reading, rating, start)) is not None:
            sure = (_PRINTED if rating.change else _READ) - 0.1 * (whom is not source.subject)
            place = reading.evidence(start, end)
            yield Fact(whom, "investment_rating", place, reading.text[start:end], confidence=sure, note=rating.note)


def _rated(source: Source, reading: Reading, rating: Rating, at: int) -> Party | None:
    """Whom a rating is of: the subject; of an industry, or in a document about nobody, the last one that the sentence
    names before it."""
    if source.subject is not None and not rating.of_industry:
        return source.subject
    kinds = {"industry"} if rating.of_industry else {"industry", "security", "company"}
    return next((n.party for n in reversed(reading.names) if n.end <= at and n.party.kind in kinds), None)


def _target_prices(source: Source, reading: Reading, normal: MappedText, labels: tuple[str, ...]) -> Iterator[Fact]:
    for price, before in find_targets(normal.text, labels):
        start, end = normal.span(price.start, price.end)
        if source.subject is not None and not source.is_of_another(reading, start):
            fact = Fact(
                source.subject, "target_price", reading.evidence(start, end), reading.text[start:end],
                value=price.value, unit=price.unit, valid_from=source.document.metadata.published_at,
                confidence=_PRINTED if price.unit else _READ, note=f"from {before}" if before else "",
            )  # fmt: skip
            yield from ends(fact, price.high)


def _industry(subject: Party, reading: Reading) -> Iterator[Fact]:
    """The industry that a line of divisions ends in, or that a short line of the first page names last."""
    if (crumb := last_crumb(reading.text)) is not None:
        name = reading.text[slice(*crumb)]
        party, place, sure = Party(name, fold(name), "industry"), reading.evidence(*crumb), _READ
    elif len(reading.text) <= _SHORT_LINE and _BREADCRUMB.search(reading.text):
        named = next((n for n in reversed(reading.names) if n.party.kind == "industry"), None)
        if named is None:
            return
        party, place, sure = named.party, reading.evidence(named.start, named.end), _GUESSED
    else:
        return
    yield Fact(subject, "primary_industry", place, party.name, party, confidence=sure)


def _holders(subject: Party, reading: Reading) -> Iterator[Fact]:
    for holding in find_holders(reading):
        party = holding.party
        if party.surface == subject.surface or (party.kind == "broker" and holding.share is None):
            continue
        kind = "organisation" if party.kind == "name" else party.kind
        yield Fact(
            subject, "major_shareholders", reading.evidence(holding.start, holding.end), party.name,
            replace(party, kind=kind), value=holding.share, unit="%" if holding.share is not None else "",
            confidence=_READ if holding.share is not None else _GUESSED,
        )  # fmt: skip


def _products(source: Source, reading: Reading) -> Iterator[Fact]:
    for offer in find_offers(reading):
        whose = source.subject if offer.whose is None or source.is_own(offer.whose) else offer.whose
        if whose is None or whose.kind not in _COMPANIES or whose.name == source.document.metadata.broker:
            continue
        name = reading.text[offer.start : offer.end]
        known = next((n.party for n in reading.names if (n.start, n.end) == (offer.start, offer.end)), None)
        party = known if known is not None and known.kind in _THINGS else Party(name, fold(name), "product")
        if party.surface and party.surface != whose.surface:
            place = reading.evidence(offer.start, offer.end)
            yield Fact(whose, "key_products", place, name, party, confidence=offer.confidence)


def _risks(subject: Party, reading: Reading, *, follows: bool) -> Iterator[Fact]:
    begin = introduced_risks(reading.text)
    if begin is None and (follows or is_risk_heading(reading.heading)) and not is_risk_heading(reading.text):
        begin = 0
    if begin is None:
        return
    for start, end in split_risks(reading.text[begin:]):
        place = reading.evidence(begin + start, begin + end)
        yield Fact(subject, "risk_assessment", place, reading.text[begin + start : begin + end], confidence=_READ)


def last_crumb(line: str) -> tuple[int, int] | None:
    """[start, end) of the industry that a line of divisions ends in (公司研究 | 医药生物 | 生物制品)."""
    marks = [*_CRUMBS.finditer(line)]
    if not marks or len(line) > _SHORT_LINE or _DIVISION.search(line, 0, marks[-1].start()) is None:
        return None
    start, name = marks[-1].end(), line[marks[-1].end() :].rstrip()
    return (start, start + len(name)) if _INDUSTRY_NAME.fullmatch(name) and not _DIVISION.search(name) else None
