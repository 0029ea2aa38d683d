"""What several extractors read out of one document, each statement once: the second confirms the first."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import TypeVar

from finlore.knowledge.agreement import agree
from finlore.language.normal import fold
from finlore.records.fact import StoredEvent, StoredFact

Told = TypeVar("Told", StoredFact, StoredEvent)


def facts_once(facts: Sequence[StoredFact]) -> list[StoredFact]:
    """The facts in their order; of those that two extractors read out of one document, and that say the same, the surer
    one, which then names both."""
    return _once(facts, about=_matter, same=agree, worth=_worth_of_fact)


def events_once(events: Sequence[StoredEvent]) -> list[StoredEvent]:
    """The events in their order; of those that two extractors read out of one sentence the one that says more."""
    return _once(events, about=_happening, same=_meet, worth=_worth_of_event)


def _once(
    told: Sequence[Told],
    *,
    about: Callable[[Told], Hashable],
    same: Callable[[Told, Told], bool],
    worth: Callable[[Told], tuple[float, ...]],
) -> list[Told]:
    if len({one.extractor.partition("/")[0] for one in told}) < 2:
        return list(told)
    alike: dict[Hashable, list[int]] = defaultdict(list)
    for place, one in enumerate(told):
        alike[one.source.document, one.source.version, about(one)].append(place)
    kept: dict[int, Told] = {}
    for places in alike.values():
        kept |= _apart([(place, told[place]) for place in places], same=same, worth=worth)
    return [kept[place] for place in sorted(kept)]


def _apart(
    told: Sequence[tuple[int, Told]], *, same: Callable[[Told, Told], bool], worth: Callable[[Told], tuple[float, ...]]
) -> dict[int, Told]:
    """By place what is left when the worthier ones stand for those of other extractors that say the same."""
    kept: dict[int, Told] = {}
    for place, one in sorted(
        told, key=lambda item: (*(-part for part in worth(item[1])), item[1].extractor, item[1].id)
    ):
        first = next(
            (at for at, other in kept.items() if one.extractor not in other.extractor.split(", ") and same(other, one)),
            None,
        )
        if first is None:
            kept[place] = one
        else:
            kept[first] = replace(kept[first], extractor=f"{kept[first].extractor}, {one.extractor}")
    return kept


def _matter(told: StoredFact) -> Hashable:
    fact = told.fact
    return told.subject, fact.relation, fact.period, fact.basis, fold(fact.part), told.known_at


def _worth_of_fact(told: StoredFact) -> tuple[float, ...]:
    return told.fact.value is not None, told.fact.confidence


def _happening(told: StoredEvent) -> Hashable:
    event = told.event
    return told.subject, event.driver, event.subtype, event.direction, told.known_at


def _meet(one: StoredEvent, other: StoredEvent) -> bool:
    """Whether two events of a kind stand at one place, with nobody else in them."""
    here, there = one.event.evidence, other.event.evidence
    return (
        here.start < there.end
        and there.start < here.end
        and (one.object == other.object or not (one.object and other.object))
    )


def _worth_of_event(told: StoredEvent) -> tuple[float, ...]:
    event = told.event
    said = (
        event.object,
        event.cause,
        event.metric,
        event.time_frame,
        event.reasoning.strip() not in ("", told.source.quote),
    )
    return sum(map(bool, said)), event.confidence
