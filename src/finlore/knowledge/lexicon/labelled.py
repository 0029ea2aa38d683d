"""Attributes for which there are no rules of their own: a label of the schema, and behind it a value of the right type.

This is how the attributes of people's own schemas are read.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from finlore.intake.tables.units import is_money, parts_of
from finlore.knowledge.agreement import surest
from finlore.knowledge.lexicon.amounts import Amount, find_amounts
from finlore.knowledge.lexicon.attributes import Source
from finlore.knowledge.lexicon.cues import CueMatch, CueMatcher
from finlore.knowledge.lexicon.metrics import evidence_at, published_on
from finlore.knowledge.lexicon.stated_periods import find_stated_periods
from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import fold, normalise
from finlore.records.fact import Fact, Party
from finlore.records.instant import end_of_day
from finlore.records.schema import AttributeType, Quantity, Schema

WITH_RULES: Final = frozenset(
    {
        "stock_ticker", "primary_exchange", "primary_industry", "investment_rating", "current_stock_price",
        "market_capitalisation", "target_price", "major_shareholders", "risk_assessment", "key_products",
        "research_institution",
    }
)  # fmt: skip
_FARTHEST: Final = 16
_LONGEST_TEXT: Final = 80
_COMPANIES: Final = ("security", "company")
_SAYS: Final = re.compile(r"\s?(?:\([^()]{1,12}\))?\s?(?:[:：]|为|是|(?:is|was|of)\b)\s?", re.IGNORECASE)
_ENDS: Final = re.compile(r"[。;；!?！？|\t\n]|\.\s")
_CLAUSE: Final = re.compile(r"[,，。;；|\t\n]")
_CHANGE: Final = re.compile(
    r"(?:增|减|升|降|涨|跌|较|同比|环比|rise|rose|fell|fall|increase|decrease|change)(?![^\d]*(?:至|到|为|to)\s?$)"
)
_BRACKETS: Final = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_LABELLED, _NEAR = 0.85, 0.6

Match = CueMatch[AttributeType]


def find_labelled(source: Source, schema: Schema) -> list[Fact]:
    """What a document says of its subject in attributes without rules of their own: each statement once, and of
    attributes that have one value only the surest."""
    subject = source.subject
    if subject is None or not (matcher := _matcher(schema)):
        return []
    facts = [*_in_tables(source, subject, schema)]
    for reading in source.readings:
        if reading.role != "table":
            facts += _in_sentence(reading, source, subject, matcher)
    single = {attribute.id for attribute in schema.attributes if attribute.single}

    def matter(fact: Fact) -> tuple[str, ...]:
        return fact.relation, fact.period, "" if fact.relation in single else fold(fact.text)

    facts.sort(key=lambda fact: fact.evidence.start)
    return sorted(surest(facts, matter=matter), key=lambda fact: fact.evidence.start)


@lru_cache(maxsize=4)
def _matcher(schema: Schema) -> CueMatcher[AttributeType] | None:
    unknown = [attribute for attribute in schema.attributes if attribute.id not in WITH_RULES]
    cues = [(cue, attribute) for attribute in unknown for cue in attribute.cues]
    return CueMatcher(cues) if cues else None


def _in_sentence(
    reading: Reading, source: Source, subject: Party, matcher: CueMatcher[AttributeType]
) -> Iterator[Fact]:
    matches = matcher.find(reading.text)
    for number, match in enumerate(matches):
        if _is_of_another(reading, match, source):
            continue
        after = next((other.start for other in matches[number + 1 :] if other.start >= match.end), len(reading.text))
        if match.owner.value == "number":
            yield from _number(reading, match, subject, until=after)
        elif match.owner.value == "entity":
            yield from _entity(reading, match, subject, until=after)
        elif match.owner.value == "date":
            yield from _date(reading, match, subject, source, until=after)
        else:
            yield from _text(reading, match, subject, until=after)


def _is_of_another(reading: Reading, match: Match, source: Source) -> bool:
    """Whether the last company before the label is another than the subject."""
    before = [name.party for name in reading.names if name.end <= match.start and name.party.kind in _COMPANIES]
    subject = source.subject
    return bool(before) and subject is not None and before[-1].surface not in {subject.surface, *source.own_surfaces}


def _number(reading: Reading, match: Match, subject: Party, *, until: int) -> Iterator[Fact]:
    """The first number behind the label whose unit is one of its quantity."""
    normal = normalise(reading.text[match.end : until])
    for amount in find_amounts(normal.text):
        gap = normal.text[: amount.start]
        if len(gap) > _FARTHEST or _CLAUSE.search(gap) or _CHANGE.search(gap):
            return
        if fits(amount, match.owner.quantity):
            start, end = (match.end + place for place in normal.span(amount.start, amount.end))
            yield Fact(
                subject, match.owner.id, reading.evidence(start, end), reading.text[start:end], value=amount.value,
                unit=amount.unit, confidence=_LABELLED if _SAYS.fullmatch(gap) or not gap.strip() else _NEAR,
            )  # fmt: skip
            return


def fits(amount: Amount, quantity: Quantity) -> bool:
    """Whether a number is printed as one of a quantity is."""
    counted = parts_of(amount.unit)[1]
    match quantity:
        case "money":
            return is_money(amount.unit)
        case "price":
            return is_money(amount.unit.partition("/")[0])
        case "percent":
            return amount.unit == "%"
        case "multiple":
            return amount.unit in ("", "x", "倍")
        case "shares":
            return counted == "股"
        case _:
            return amount.unit != "%" and not is_money(amount.unit)


def _entity(reading: Reading, match: Match, subject: Party, *, until: int) -> Iterator[Fact]:
    """The names behind the label of the kinds that it takes, those in one enumeration."""
    at = match.end
    for name in reading.names:
        gap = reading.text[at : name.start]
        if name.start < match.end or name.end > until or name.party.kind not in (*match.owner.range, "name"):
            continue
        is_listed = at > match.end and re.fullmatch(r"\s?(?:[、,，和及与]|以及|and)\s?", gap)
        if not (is_listed or (at == match.end and len(gap) <= _FARTHEST and not _CLAUSE.search(gap))):
            return
        yield _named(reading, name, match, subject, is_labelled=bool(_SAYS.match(reading.text, match.end)))
        at = name.end


def _named(reading: Reading, name: Named, match: Match, subject: Party, *, is_labelled: bool) -> Fact:
    return Fact(
        subject, match.owner.id, reading.evidence(name.start, name.end), name.party.name, name.party,
        confidence=_LABELLED if is_labelled else _NEAR,
    )  # fmt: skip


def _date(reading: Reading, match: Match, subject: Party, source: Source, *, until: int) -> Iterator[Fact]:
    """The first day behind the label."""
    normal = normalise(reading.text[match.end : until])
    for period in find_stated_periods(normal.text, published=published_on(source.document)):
        if (
            period.first == period.last
            and period.start <= _FARTHEST
            and not _CLAUSE.search(normal.text[: period.start])
        ):
            start, end = (match.end + place for place in normal.span(period.start, period.end))
            yield Fact(
                subject, match.owner.id, reading.evidence(start, end), reading.text[start:end],
                valid_from=end_of_day(period.first), confidence=_LABELLED,
            )  # fmt: skip
            return


def _text(reading: Reading, match: Match, subject: Party, *, until: int) -> Iterator[Fact]:
    """What is said behind the label, to the end of the sentence."""
    says = _SAYS.match(reading.text, match.end)
    if says is None:
        return
    ends = _ENDS.search(reading.text, says.end(), until)
    end = ends.start() if ends else until
    text = reading.text[says.end() : end].rstrip(" ,，、.")
    if 0 < len(text) <= _LONGEST_TEXT:
        place = reading.evidence(says.end(), says.end() + len(text))
        yield Fact(subject, match.owner.id, place, text, confidence=_LABELLED)


def _in_tables(source: Source, subject: Party, schema: Schema) -> Iterator[Fact]:
    """Numbers of the subject in tables, whose label is one of the cues."""
    labels = _labels(schema)
    for value in source.values if labels else ():
        attribute = labels.get(fold(_BRACKETS.sub("", value.label)))
        if attribute is None or value.company or value.security not in (None, subject.entity):
            continue
        amount = Amount(value.start, value.end, value.value, value.unit, "")
        if attribute.value == "number" and fits(amount, attribute.quantity):
            place = evidence_at(source.document, value.start, value.end)
            yield Fact(
                subject, attribute.id, place, source.document.text[value.start : value.end], value=value.value,
                unit=value.unit, period=value.period, basis=value.basis, confidence=_LABELLED,
            )  # fmt: skip


@lru_cache(maxsize=4)
def _labels(schema: Schema) -> dict[str, AttributeType]:
    unknown: Iterable[AttributeType] = (a for a in schema.attributes if a.id not in WITH_RULES)
    return {fold(word): a for a in unknown for word in (a.labels.zh, a.labels.en, *(cue.text for cue in a.cues))}
