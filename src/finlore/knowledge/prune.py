"""Drops what the schema does not allow out of what was extracted, and counts it by reason."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from math import isfinite
from typing import Final

from finlore.intake.tables.labels import lexicon
from finlore.records.fact import Event, Extracted, Fact, Party
from finlore.records.names import EntityKind
from finlore.records.schema import AttributeType, LinkType, Schema

METRIC: Final = "metric:"
_UNRESOLVED: Final = ("", "name")  # nobody knows which kind: nothing speaks against it
_COMPANIES: Final[tuple[EntityKind, ...]] = ("security", "company", "broker", "rating_agency", "organisation")
_MEASURED: Final[tuple[EntityKind, ...]] = (
    *_COMPANIES,
    "industry",
    "concept",
    "index",
    "product",
    "material",
    "region",
)


def prune(extracted: Extracted, schema: Schema) -> Extracted:
    """The facts whose relation, subject and object the schema knows, and the events of its types that touch a company;
    `pruned` counts the others by reason, beside what it counted before."""
    listed: tuple[AttributeType | LinkType, ...] = (*schema.attributes, *schema.links)
    relations = {relation.id: relation for relation in listed}
    types = frozenset((driver.id, event.id) for driver in schema.drivers for event in driver.events)
    facts = [(fact, fact_fault(fact, relations)) for fact in extracted.facts]
    links = [fact for fact, reason in facts if not reason and fact.object is not None]
    events = [(event, event_fault(event, types) or _told_fault(event, links, schema)) for event in extracted.events]
    counts = Counter(dict(extracted.pruned))
    counts.update(reason for _, reason in chain(facts, events) if reason)
    return replace(
        extracted,
        facts=tuple(fact for fact, reason in facts if not reason),
        events=tuple(event for event, reason in events if not reason),
        pruned=tuple(sorted(counts.items())),
    )


def fact_fault(fact: Fact, relations: Mapping[str, AttributeType | LinkType]) -> str:
    """Why a fact cannot stand; empty when it can. The words name the relation only where the schema has it."""
    if fact.value is not None and not isfinite(fact.value):
        return "fact: value is no number"
    if fact.relation.startswith(METRIC):
        return _metric_fault(fact)
    relation = relations.get(fact.relation)
    if relation is None:
        return "fact: unknown relation"
    return _link_fault(fact, relation) if isinstance(relation, LinkType) else _attribute_fault(fact, relation)


def event_fault(event: Event, types: frozenset[tuple[str, str]]) -> str:
    """Why an event cannot stand; empty when it can."""
    if (event.driver, event.subtype) not in types:
        return "event: unknown type"
    if event.direction not in ("good", "bad", "neutral"):
        return "event: unknown direction"
    if event.metric and not _is_metric(event.metric):
        return "event: unknown metric"
    parties = (event.subject, *((event.object,) if event.object else ()), *event.involved)
    if not any(_fits(party, _COMPANIES) for party in parties):
        return "event: no company in it"
    return ""


def _told_fault(event: Event, links: Iterable[Fact], schema: Schema) -> str:
    """Why an event that is neither good nor bad is none: a link of the same term says the same of its parties there."""
    if event.direction != "neutral":
        return ""
    terms = {kind.id: kind.fibo for driver in schema.drivers for kind in driver.events if driver.id == event.driver}
    same = {link.id for link in schema.links if link.fibo and link.fibo == terms.get(event.subtype)}
    parties = {event.subject.surface, *((event.object.surface,) if event.object else ())}
    is_told = any(
        link.object is not None
        and parties <= {link.subject.surface, link.object.surface}
        and link.evidence.start < event.evidence.end
        and event.evidence.start < link.evidence.end
        for link in links
        if link.relation in same
    )
    return "event: told by a link" if is_told else ""


def _metric_fault(fact: Fact) -> str:
    if not _is_metric(fact.relation):
        return "fact: unknown metric"
    if not _fits(fact.subject, _MEASURED):
        return "fact: domain of a metric"
    return "fact: range of a metric" if fact.object is not None else ""


def _attribute_fault(fact: Fact, attribute: AttributeType) -> str:
    if not _fits(fact.subject, attribute.domain):
        return f"fact: domain of {attribute.id}"
    if attribute.value == "entity":
        fits = fact.object is not None and _fits(fact.object, attribute.range)
    else:
        fits = fact.object is None
    return "" if fits else f"fact: range of {attribute.id}"


def _link_fault(fact: Fact, link: LinkType) -> str:
    if fact.object is None:
        return f"fact: range of {link.id}"
    if _same(fact.subject, fact.object):
        return "fact: link of a party to itself"
    if not _fits(fact.subject, link.domain):
        return f"fact: domain of {link.id}"
    return "" if _fits(fact.object, link.range) else f"fact: range of {link.id}"


def _fits(party: Party, kinds: Iterable[str]) -> bool:
    return party.kind in _UNRESOLVED or party.kind in kinds


def _same(one: Party, other: Party) -> bool:
    if one.entity and other.entity:
        return one.entity == other.entity
    return one.surface == other.surface


def _is_metric(name: str) -> bool:
    """Whether the metric lexicon has it; what is derived from it (growth) stands behind a dot."""
    return f"{METRIC}{name.removeprefix(METRIC).partition('.')[0]}" in _metrics()


@lru_cache(maxsize=1)
def _metrics() -> frozenset[str]:
    words = lexicon()
    return frozenset(metric for metric, _ in chain(words.metrics.values(), (known for _, known in words.prefixes)))
