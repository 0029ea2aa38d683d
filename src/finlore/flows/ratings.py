"""Ratings that were ingested as signals: each from when it was known."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from finlore.backtest.calls import LABELS
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.knowledge.lexicon.ratings import rating_of
from finlore.records.backtest import Signal
from finlore.records.fact import StoredFact
from finlore.records.instant import MARKET_ZONE, Instant, as_datetime

RELATION: Final = "investment_rating"


def rated(known_at: Callable[[Instant], KnowledgeAt], until: Instant, *, zone: str = MARKET_ZONE) -> tuple[Signal, ...]:
    """Every rating of a security that says a direction and was known by `until`, by instant; `source` is the broker. A
    version of a document calls a security once, in however many places it says so."""
    signals = _signals(_ever_stated(known_at, until), zone)
    found = {(signal.at, signal.security, signal.source, signal.label): signal for signal in signals}
    return tuple(found[key] for key in sorted(found))


def _ever_stated(known_at: Callable[[Instant], KnowledgeAt], until: Instant) -> Iterator[StoredFact]:
    """What stands at the date, and what documents stated before another version took their place."""
    known = known_at(until)
    yield from known.facts(None, [RELATION])
    changed = [document for document in known.documents() if document.version > 1]
    while changed:
        latest = changed.pop()
        before = known_at(Instant(latest.known_at - 1))
        yield from before.facts(None, [RELATION], documents=[latest.id])
        changed += [earlier for earlier in before.documents() if earlier.id == latest.id and earlier.version > 1]


def _signals(facts: Iterable[StoredFact], zone: str) -> Iterator[Signal]:
    for fact in facts:
        rating = rating_of(fact.fact)
        label = LABELS.get(rating.grade) if rating else None
        if label is not None and ":" not in fact.subject:
            printed = fact.known_at if fact.source.published_at is None else fact.source.published_at
            day = as_datetime(printed, zone).date()
            yield Signal(fact.subject, fact.known_at, day, label, source=fact.source.broker or "")
