"""Each happening once: the deals of a sentence, and the events of a passage."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from finlore.knowledge.lexicon.frames import frame_of
from finlore.knowledge.lexicon.whom import Deal
from finlore.records.fact import Event

_PARTIES: Final = frozenset({"doer", "other", "target"})


def deals_once(deals: Sequence[Deal]) -> list[Deal | None]:
    """Each deal of a sentence once, where it is told rather than named, with what the other mentions add; None for
    those others. A mention that brings a party of its own is another deal."""
    told: list[Deal | None] = list(deals)
    order = sorted(range(len(deals)), key=lambda at: (deals[at].is_noun, -len(deals[at].parts)))
    for place, at in enumerate(order):
        deal = told[at]
        same = [o for o in order[:place] if (other := told[o]) and deal and deal.frame and other.frame == deal.frame]
        if deal is None or not same or (not deal.is_noun and _parties_of(deal) - _parties_of(*(told[o] for o in same))):
            continue
        fuller = told[same[0]]
        known = {part.name for part in fuller.parts} if fuller else set()
        more = [part for part in deal.parts if part.name not in known and part.name not in _PARTIES]
        told[same[0]] = replace(fuller, parts=(*fuller.parts, *more)) if fuller else None
        told[at] = None
    return told


def _parties_of(*deals: Deal | None) -> set[tuple[int, int]]:
    """Where the parties of deals stand."""
    return {(p.start, p.end) for deal in deals if deal for p in deal.parts if p.name in _PARTIES}


def events_once(events: Iterable[Event]) -> list[Event]:
    """The events of a passage without those that are told a second time: of one subject, type, direction and metric, in
    the same time or without one, with the same other party. The one that tells most stays, where the first stood."""
    kept: dict[tuple[object, ...], Event] = {}
    for event in events:
        key = _key(event)
        same = next((known for known in kept if known[:-1] == key[:-1] and _agree(known[-1], key[-1])), key)
        if same not in kept or _tells(event) > _tells(kept[same]):
            kept[same] = event
    return list(kept.values())


def _key(event: Event) -> tuple[object, ...]:
    framed = frame_of(event.relation) if event.roles else None
    what = framed[0] if framed else event.metric or event.relation
    return event.subject.surface, event.subtype, event.direction, what, event.object, event.valid_to


def _agree(one: object, other: object) -> bool:
    return one is None or other is None or one == other


def _tells(event: Event) -> tuple[int, float]:
    return len(event.roles) + bool(event.cause) + bool(event.metric) + bool(event.valid_to), event.confidence
