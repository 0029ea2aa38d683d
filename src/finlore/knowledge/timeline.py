"""Facts in time: which supersedes which, which contradict one another, what changed between two days.

All facts given to one call are known at one date, as a store tells them; the order in which they come does not matter.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations, groupby, pairwise
from typing import Final

from finlore.knowledge.agreement import agree, reading
from finlore.knowledge.prune import METRIC
from finlore.language.normal import fold
from finlore.records.fact import Change, StoredFact
from finlore.records.instant import MARKET_ZONE, Instant, as_datetime
from finlore.records.schema import Schema

GUIDANCE: Final = "guidance of the company"
"""How the note of a forecast says that whoever printed it only tells what the company itself expects."""
_PARTIAL: Final = frozenset({"segment", "share"})


@dataclass(frozen=True, slots=True)
class SingleRelations:
    """The `relations` of which a later statement supersedes an earlier one. Of `opinions` among them only one of the
    same source does, and what two sources think does not contradict; so it is with forecasts of a metric."""

    relations: frozenset[str]
    opinions: frozenset[str]


def single_relations(schema: Schema) -> SingleRelations:
    """Those that the schema says are single."""
    single = [attribute.id for attribute in schema.attributes if attribute.single]
    single += [link.id for link in schema.links if link.single]
    opinions = [attribute.id for attribute in schema.attributes if attribute.opinion]
    return SingleRelations(frozenset(single), frozenset(opinions))


def settled(facts: Sequence[StoredFact], *, single: SingleRelations, zone: str = MARKET_ZONE) -> list[StoredFact]:
    """The same facts, each with the instant at which a later one superseded it, and with those that contradict it."""
    until = _superseded(facts, single)
    against = _contradictions(facts, until, single, zone)
    return [replace(fact, until=until.get(fact.id), contradicts=tuple(sorted(against[fact.id]))) for fact in facts]


def standing(facts: Iterable[StoredFact], at: Instant) -> list[StoredFact]:
    """Of settled facts those that hold at an instant, neither superseded nor over: the graph of a day is made of
    them."""
    return [fact for fact in facts if fact.until is None and not _is_over(fact, at)]


def steps(facts: Sequence[StoredFact], *, single: SingleRelations, after: Instant, to: Instant) -> list[Change]:
    """What each fact that became known after one instant and by another changed, and what came to its end, in order."""
    changes = []
    for series in _by_series(facts, single).values():
        for place, fact in enumerate(series):
            if after < fact.known_at <= to:
                is_end = any(_is_ended_by(other, fact) for other in series[:place])
                step = _step(fact, series[:place], is_single=is_single(fact, single))
                changes.append(Change("ended", fact.known_at, fact) if is_end else step)
            end = fact.fact.valid_to
            if end is not None and not _is_metric(fact) and max(after, fact.known_at) < end <= to:
                changes.append(Change("ended", end, fact))
    return sorted(changes, key=lambda change: (change.at, *_place(change.fact)))


def difference(
    before: Iterable[StoredFact], after: Iterable[StoredFact], *, single: SingleRelations, at: Instant
) -> list[Change]:
    """What is new, superseded and gone among the standing facts of a later day, `at`; what says the same is no
    change."""
    old, new = _by_series(before, single), _by_series(after, single)
    changes: list[Change] = []
    for series in {**old, **new}:
        held, holds = old.get(series, []), new.get(series, [])
        fresh = _distinct(fact for fact in holds if not any(agree(fact, other) for other in held))
        gone = _distinct(fact for fact in held if not any(agree(fact, other) for other in holds))
        pairs = list(zip(fresh, gone, strict=False))
        changes += (Change("superseded", fact.known_at, fact, other) for fact, other in pairs)
        changes += (Change("added", fact.known_at, fact) for fact in fresh[len(pairs) :])
        changes += (Change("ended", min(fact.fact.valid_to or at, at), fact) for fact in gone[len(pairs) :])
    return sorted(changes, key=lambda change: (change.at, *_place(change.fact)))


# series: what is stated of one matter, by whomever it must be


def _series(fact: StoredFact, single: SingleRelations) -> Hashable:
    """Facts of the same series supersede one another where it is single; else the series is one thing that is said."""
    if is_single(fact, single):
        is_of_source = _is_metric(fact) or fact.fact.relation in single.opinions
        return (*_matter(fact), _source(fact) if is_of_source else "")
    return (*_matter(fact), fact.object or reading(fact.fact.text))


def _matter(fact: StoredFact) -> tuple[str, ...]:
    """What a fact is about, whoever says it. Actual and expected figures of a period are two matters."""
    stated = fact.fact
    about = ((fact.object or ""), stated.period, stated.basis) if _is_metric(fact) else ()
    return fact.subject, stated.relation, fold(stated.part), *about


def is_single(fact: StoredFact, single: SingleRelations) -> bool:
    """A figure without a period is not known to be of the same time as another, nor one of a part that nobody names."""
    if _is_metric(fact):
        is_part = not _PARTIAL.isdisjoint(fact.fact.relation.split("."))
        return bool(fact.fact.period) and (bool(fact.fact.part or fact.object) or not is_part)
    return fact.fact.relation in single.relations


def _is_metric(fact: StoredFact) -> bool:
    return fact.fact.relation.startswith(METRIC)


def _source(fact: StoredFact) -> str:
    """Who says it: the company itself, else who published it; where nobody says, every document speaks for itself."""
    if fact.fact.note.startswith(GUIDANCE):
        return GUIDANCE
    return fact.source.broker or f"document {fact.source.document}"


def _rank(fact: StoredFact) -> tuple[Instant, Instant, bool]:
    """Later ones supersede earlier ones; of one instant what was stated goes before what was completed."""
    return fact.known_at, fact.source.published_at or fact.known_at, fact.fact.status != "completed"


def _place(fact: StoredFact) -> tuple[str, int, str, str]:
    return fact.source.document, fact.fact.evidence.start, fact.fact.bound, fact.id


def _by_series(facts: Iterable[StoredFact], single: SingleRelations) -> dict[Hashable, list[StoredFact]]:
    """By rank, then place, within each."""
    series: dict[Hashable, list[StoredFact]] = defaultdict(list)
    for fact in sorted(facts, key=lambda fact: (*_rank(fact), *_place(fact))):
        series[_series(fact, single)].append(fact)
    return series


# what becomes of facts


def _superseded(facts: Iterable[StoredFact], single: SingleRelations) -> dict[str, Instant]:
    """Id -> when a fact was superseded, of those that were: by the next statement where there can be one alone, else by
    one that says that it has ended."""
    until: dict[str, Instant] = {}
    for series in _by_series(facts, single).values():
        if not is_single(series[0], single):
            ends = [(place, fact) for place, fact in enumerate(series) if fact.fact.valid_to is not None]
            for place, fact in enumerate(series if ends else ()):
                end = next((other for at, other in ends if at > place and _is_ended_by(fact, other)), None)
                until |= {fact.id: end.known_at} if end else {}
            continue
        for group, later in pairwise([list(group) for _, group in groupby(series, key=_rank)]):
            until |= {fact.id: later[0].known_at for fact in group}
    return until


def _is_ended_by(fact: StoredFact, later: StoredFact) -> bool:
    """Whether a later statement of the same says that what held without an end is over."""
    end, since = later.fact.valid_to, fact.fact.valid_from
    is_over = end is not None and end <= later.known_at and not _is_metric(later)
    return is_over and fact.fact.valid_to is None and (since is None or end is None or since <= end)


def _contradictions(
    facts: Iterable[StoredFact], until: dict[str, Instant], single: SingleRelations, zone: str
) -> dict[str, set[str]]:
    """Id -> ids of the facts that say otherwise: of the same day, or, of the figures of a period, from other sources as
    long as none of the two is superseded."""
    alike: dict[Hashable, list[StoredFact]] = defaultdict(list)
    for fact in facts:
        if is_single(fact, single):
            is_opinion = fact.fact.relation in single.opinions or (_is_metric(fact) and fact.fact.basis == "forecast")
            matter = (_matter(fact), fact.fact.bound, _source(fact) if is_opinion else "")
            alike[matter, _day(fact, zone)].append(fact)
            if _is_metric(fact) and fact.id not in until:
                alike[matter, "whatever the day"].append(fact)
    against: dict[str, set[str]] = defaultdict(set)
    for group in alike.values():
        for one, other in combinations(group, 2):
            if not agree(one, other):
                against[one.id].add(other.id)
                against[other.id].add(one.id)
    return against


def _day(fact: StoredFact, zone: str) -> date:
    """The day that a fact is of: of figures with a period that of the statement, else the one for which it holds."""
    holds = None if _is_metric(fact) else fact.fact.valid_from
    return as_datetime(holds or fact.known_at, zone).date()


def _step(fact: StoredFact, earlier: Sequence[StoredFact], *, is_single: bool) -> Change:
    """The change that a fact made, given those of its series that were there. Others of its rank it only confirms."""
    before = [other for other in earlier if _rank(other) < _rank(fact)]
    beside = earlier[len(before) :]
    last = [other for other in before if not is_single or _rank(other) == _rank(before[-1])]
    same = next((other for other in reversed([*last, *beside]) if agree(other, fact)), None)
    if same is not None:
        return Change("confirmed", fact.known_at, fact, same)
    if not is_single or not last:
        return Change("added", fact.known_at, fact)
    end = next((other for other in reversed(last) if other.fact.bound == fact.fact.bound), last[-1])
    return Change("superseded", fact.known_at, fact, end)


def _distinct(facts: Iterable[StoredFact]) -> list[StoredFact]:
    """The first of those that say the same."""
    kept: list[StoredFact] = []
    for fact in facts:
        if not any(agree(fact, other) for other in kept):
            kept.append(fact)
    return kept


def _is_over(fact: StoredFact, at: Instant) -> bool:
    end = fact.fact.valid_to
    return end is not None and end <= at and not _is_metric(fact)
