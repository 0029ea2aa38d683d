"""Attributes for which there are no rules of their own: a label of the schema, and behind it a value of the right type.

This is how the attributes of people's own schemas are read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from finlore.intake.tables.units import find_unit, is_money, parts_of
from finlore.knowledge.lexicon.amounts import find_amounts
from finlore.knowledge.lexicon.cues import CueMatch, CueMatcher
from finlore.knowledge.lexicon.metrics import evidence_at, published_on
from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.lexicon.stated_periods import find_stated_periods
from finlore.knowledge.sentences import Reading
from finlore.language.normal import fold, normalise
from finlore.records.document import Document
from finlore.records.fact import Fact, Party
from finlore.records.instant import Instant, end_of_day
from finlore.records.schema import AttributeType, Quantity, Schema
from finlore.records.table import Table, TableValue

WITH_RULES: Final = frozenset(
    {
        "stock_ticker", "primary_exchange", "investment_rating", "target_price", "major_shareholders",
        "risk_assessment", "key_products", "research_institution",
    }
)  # fmt: skip
_FARTHEST: Final = 16
_BESIDE: Final = 24
_LONGEST_TEXT: Final = 80
_PATTERNS: Final = Patterns("lexicon/figures.toml")
_ENDS: Final = re.compile(r"[。;；!?！？|\t\n]|\.\s")
_CLAUSE: Final = re.compile(r"[,，。;；|\t\n]")
_BORDER: Final = re.compile(r"\s?(?:$|[,.。;)|\n])")
_BRACKETS: Final = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_PRINTED, _LABELLED, _NEAR = 0.95, 0.85, 0.6
_DATED: Final = {
    "current_stock_price": "metric:share_price", "market_capitalisation": "metric:market_cap",
    "target_price": "metric:target_price",
}  # fmt: skip
"""Attributes that tables state of a day, by the measure that their labels name."""

Match = CueMatch[AttributeType]


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

    def is_own(self, party: Party) -> bool:
        """Whether a party is the subject, whatever it is called."""
        return self.subject is not None and party.surface in {self.subject.surface, *self.own_surfaces}

    def is_of_another(self, reading: Reading, at: int) -> bool:
        """Whether the last listed company before a place of a sentence is another than the subject."""
        before = [name.party for name in reading.names if name.end <= at and name.party.kind == "security"]
        return bool(before) and not (self.is_own(before[-1]) or before[-1].name in self.document.metadata.title)


def find_labelled(source: Source, schema: Schema) -> Iterator[Fact]:
    """What a document says of its subject in attributes without rules of their own, and in its tables."""
    subject = source.subject
    if subject is None:
        return
    yield from _in_tables(source, subject, schema)
    matcher = _matcher(schema)
    for reading in source.readings if matcher else ():
        if matcher and reading.role != "table":
            yield from _in_sentence(reading, source, subject, matcher)


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
        if source.is_of_another(reading, match.start) or _PATTERNS["other_value"].search(reading.text, 0, match.start):
            continue
        after = next((other.start for other in matches[number + 1 :] if other.start >= match.end), len(reading.text))
        if match.owner.value == "number":
            yield from _number(reading, match, source, subject, until=after)
        elif match.owner.value == "entity":
            yield from _entity(reading, match, subject, until=after)
        elif match.owner.value == "date":
            yield from _date(reading, match, subject, source, until=after)
        else:
            yield from _text(reading, match, subject, until=after)


def _number(reading: Reading, match: Match, source: Source, subject: Party, *, until: int) -> Iterator[Fact]:
    """The first number behind the label whose unit is one of its quantity, as of the day beside the label, else of the
    publication."""
    normal = normalise(reading.text[match.end : until])
    for amount in find_amounts(normal.text):
        gap = normal.text[: amount.start]
        if len(gap) > _FARTHEST or _CLAUSE.search(gap) or _PATTERNS["changed"].search(gap):
            return
        unit = amount.unit or (find_unit(gap) if "(" in gap else "")
        is_said = _PATTERNS["says"].fullmatch(gap) is not None or not gap.strip()
        is_whole = unit or match.owner.quantity != "price" or (is_said and _BORDER.match(normal.text, amount.end))
        if is_whole and fits(unit, match.owner.quantity):
            start, end = (match.end + place for place in normal.span(amount.start, amount.end))
            around = reading.text[max(0, match.start - _BESIDE) : match.end + _BESIDE]
            yield Fact(
                subject, match.owner.id, reading.evidence(start, end), reading.text[start:end], value=amount.value,
                unit=unit, confidence=_LABELLED if is_said else _NEAR,
                valid_from=_day_in(around, source) or source.document.metadata.published_at,
            )  # fmt: skip
            return


def _day_in(text: str, source: Source) -> Instant | None:
    periods = find_stated_periods(normalise(text).text, published=published_on(source.document))
    return next((end_of_day(period.last) for period in periods if period.first == period.last), None)


def fits(unit: str, quantity: Quantity) -> bool:
    """Whether numbers of a quantity are printed with the unit."""
    match quantity:
        case "money":
            return is_money(unit)
        case "price":
            return not unit or is_money(unit.partition("/")[0])
        case "percent":
            return unit == "%"
        case "multiple":
            return unit in ("", "x", "倍")
        case "shares":
            return parts_of(unit)[1] == "股"
        case _:
            return unit != "%" and not is_money(unit)


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
        sure = _LABELLED if _PATTERNS["says"].match(reading.text, match.end) else _NEAR
        place = reading.evidence(name.start, name.end)
        yield Fact(subject, match.owner.id, place, name.party.name, name.party, confidence=sure)
        at = name.end


def _date(reading: Reading, match: Match, subject: Party, source: Source, *, until: int) -> Iterator[Fact]:
    """The first day behind the label."""
    normal = normalise(reading.text[match.end : until])
    for period in find_stated_periods(normal.text, published=published_on(source.document)):
        is_near = period.start <= _FARTHEST and not _CLAUSE.search(normal.text[: period.start])
        if is_near and period.first == period.last:
            start, end = (match.end + place for place in normal.span(period.start, period.end))
            yield Fact(
                subject, match.owner.id, reading.evidence(start, end), reading.text[start:end],
                valid_from=end_of_day(period.first), confidence=_LABELLED,
            )  # fmt: skip
            return


def _text(reading: Reading, match: Match, subject: Party, *, until: int) -> Iterator[Fact]:
    """What is said behind the label, to the end of the sentence."""
    says = _PATTERNS["says"].match(reading.text, match.end)
    if says is None:
        return
    ends = _ENDS.search(reading.text, says.end(), until)
    end = ends.start() if ends else until
    text = reading.text[says.end() : end].rstrip(" ,，、.")
    if 0 < len(text) <= _LONGEST_TEXT:
        place = reading.evidence(says.end(), says.end() + len(text))
        yield Fact(subject, match.owner.id, place, text, confidence=_LABELLED)


def _in_tables(source: Source, subject: Party, schema: Schema) -> Iterator[Fact]:
    """Numbers of the subject in tables: prices and values of a day, and whatever the label is a cue of."""
    labels = _labels(schema)
    measured = {_DATED[a.id]: a for a in schema.attributes if a.id in _DATED}
    for value in source.values:
        attribute = measured.get(value.metric) or labels.get(fold(_BRACKETS.sub("", value.label)))
        if attribute is None or value.company or value.security not in (None, subject.entity):
            continue
        is_dated = attribute.id in _DATED
        if len(value.period) in (0, 10) if is_dated else fits(value.unit, attribute.quantity):
            day = _day_in(value.period, source) if value.period else source.document.metadata.published_at
            yield Fact(
                subject, attribute.id, evidence_at(source.document, value.start, value.end),
                source.document.text[value.start : value.end], value=value.value, unit=value.unit,
                period="" if is_dated else value.period, basis="" if is_dated else value.basis,
                valid_from=day if is_dated else None, confidence=_PRINTED if is_dated else _LABELLED,
            )  # fmt: skip


@lru_cache(maxsize=4)
def _labels(schema: Schema) -> dict[str, AttributeType]:
    unknown: Iterable[AttributeType] = (a for a in schema.attributes if a.id not in WITH_RULES)
    return {fold(word): a for a in unknown for word in (a.labels.zh, a.labels.en, *(cue.text for cue in a.cues))}
