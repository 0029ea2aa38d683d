"""What decisions of people do: to names in the store, to facts when they are read, to the aliases of later ingests.

Facts stay as they were put: a decision is laid over them at reading, so that taking it back brings the old back, and
what is read without decisions is still what documents say. Merges are the store's own, at every date: what a person
says of a name is true of the past as well. The machine may therefore merge only what it would have merged at every date
at which the name could be read (`flows.reviewing`).

What is asked can be forgotten, and come back with other facts. A decision that does not fit it any more stays in the
audit and does nothing: only `decide` refuses, reading never does.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final, TypeVar, get_args

from finlore.errors import NotFound, UsageError
from finlore.intake.tables.units import read_unit
from finlore.knowledge.quality.doubts import CLAIMS
from finlore.knowledge.quality.normalise import COMPANIES
from finlore.knowledge.schema_types import DIRECTIONS
from finlore.ports import Store
from finlore.records.fact import Direction, StoredEvent, StoredFact
from finlore.records.instant import Instant
from finlore.records.names import EntityKind
from finlore.records.review import Decision, ReviewItem

Told = TypeVar("Told", StoredFact, StoredEvent)

_OF_CLAIMS: Final = frozenset({"low_confidence", "completion"})
_EDITABLE: Final = frozenset({"text", "value", "unit", "period", "direction"})
_KINDS: Final = frozenset(get_args(EntityKind))


@dataclass(frozen=True, slots=True)
class Effects:
    """What stands because of decisions. `merges` are (entity, into); `dropped` ids of facts and events that are read no
    more; `edited` (id, pairs that replace what is read); `distrusted` tables and passages, ``document:version:place``;
    `names` (folded surface, kind) to be found in later ingests; `refused` schemas that are not to be used."""

    merges: tuple[tuple[str, str], ...] = ()
    dropped: frozenset[str] = frozenset()
    edited: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    distrusted: frozenset[str] = frozenset()
    names: tuple[tuple[str, str], ...] = ()
    refused: frozenset[str] = frozenset()


def effects(item: ReviewItem, decision: Decision) -> Effects:
    """What one decision does; nothing where it was taken back or is open, or does not fit the item (any more)."""
    is_standing = decision.undone_at is None and decision.status != "open" and fits(item, decision)
    return _applied(item, decision) if is_standing else Effects()


def fits(item: ReviewItem, decision: Decision) -> bool:
    """Whether a decision can be applied to what the item is about now: not where that was forgotten, or where an edit
    speaks of what is not there any more."""
    try:
        _applied(item, decision)
    except UsageError:
        return False
    return True


def _applied(item: ReviewItem, decision: Decision) -> Effects:
    """UsageError where there is nothing left to decide, or an edit is of what the item has not or cannot be read."""
    if not item.payload:
        raise UsageError(f"what {item.id} was about was forgotten", hint="finlore review list")
    stated, is_rejected = _edited(item, decision), decision.status == "rejected"
    match item.kind:
        case "merge":
            return Effects() if is_rejected else _merge(stated)
        case "contradiction":
            return _contradiction(stated, is_kept=not is_rejected)
        case "low_confidence" | "completion":
            claims, changed = stated["claims"].split(), tuple(sorted(decision.edits))
            edited = ((claim, changed) for claim in (claims if decision.status == "edited" else ()))
            return Effects(dropped=frozenset(claims if is_rejected else ()), edited=tuple(edited))
        case "schema":
            return Effects(refused=frozenset({stated["version"]} if is_rejected else ()))
        case "failed_check" | "instruction":
            return Effects(distrusted=frozenset(item.about if is_rejected else ()))


def standing(items: Iterable[ReviewItem], decisions: Sequence[Decision]) -> Effects:
    """What all decisions together do. `decisions` in the order in which they were made: of several about one item the
    last that was not taken back counts, and of edits and merges of one thing the last one, but no merge that would go
    round in a circle with those before it."""
    by_id = {item.id: item for item in items}
    last = {d.item: d for d in decisions if d.undone_at is None and d.item in by_id}
    ordered = sorted(last.values(), key=lambda d: d.made_at)  # stable: within one instant as they were made
    each = [effects(by_id[decision.item], decision) for decision in ordered]
    merges: dict[str, str] = {}
    for entity, into in (pair for found in each for pair in found.merges):
        if not _leads_back(merges, entity, into):
            merges[entity] = into
    edited = {claim: pairs for found in each for claim, pairs in found.edited}
    names = {surface: kind for found in each for surface, kind in found.names}
    return Effects(
        merges=tuple(merges.items()),
        dropped=frozenset().union(*(found.dropped for found in each)),
        edited=tuple(edited.items()),
        distrusted=frozenset().union(*(found.distrusted for found in each)),
        names=tuple(names.items()),
        refused=frozenset().union(*(found.refused for found in each)),
    )


def standing_decisions(store: Store) -> list[tuple[ReviewItem, Decision]]:
    """The questions that are decided, each with what was decided of it last, where that does anything."""
    last = {decision.item: decision for decision in store.decisions() if decision.undone_at is None}
    decided = [(item, last[item.id]) for item in store.reviews() if item.id in last] if last else []
    return [(item, decision) for item, decision in decided if fits(item, decision)]


def decide(store: Store, decision: Decision) -> Effects:
    """Note a decision and do what it does; one made before of the same item is taken back first, and stays in the
    audit. Call while writing. NotFound where the item is unknown, UsageError where the decision does not fit it, or is
    an edit that changes nothing."""
    item = _item(store, decision.item)
    found = _applied(item, decision)  # says what is wrong with it before anything is changed
    if decision.status == "edited" and _edited(item, decision) == dict(item.payload):
        raise _changes_nothing(item)
    if found.merges:
        _check_circle(store, item, found)
    with _merges_followed(store):
        store.undo(item.id, at=decision.made_at, by=decision.by)
        store.decide(decision)
    return found


def undo(store: Store, item: str, *, at: Instant, by: str = "") -> Decision | None:
    """Take back the decision of an item with what it did; what it was. Of a merge that another item made as well, that
    other one holds again. Call while writing."""
    _item(store, item)
    with _merges_followed(store):
        return store.undo(item, at=at, by=by)


def forget(store: Store, documents: Iterable[str]) -> int:
    """Remove documents, and with what they were asked about what was decided of it; how many versions there were. Call
    while writing."""
    with _merges_followed(store):
        n_versions = sum(map(store.forget, documents))
    store.refresh()
    return n_versions


def ask(store: Store, items: Iterable[ReviewItem]) -> None:
    """Ask questions; what was decided of one that had been forgotten holds again. Call while writing."""
    with _merges_followed(store):
        store.add_reviews(items)


@contextmanager
def _merges_followed(store: Store) -> Iterator[None]:
    """Decisions change inside; at the end names are merged as those that stand say."""
    before = _merges(store)
    yield
    after = _merges(store)
    for entity in (entity for entity in before if before[entity] != after.get(entity)):
        store.split(entity)
    for entity in (entity for entity in after if before.get(entity) != after[entity]):
        store.merge(entity, after[entity])


def _merges(store: Store) -> dict[str, str]:
    decisions = store.decisions()
    return dict(standing(store.reviews(), decisions).merges) if decisions else {}


def reviewed(told: Iterable[Told], found: Effects) -> list[Told]:
    """Facts, or events, as people left them: without dropped ones and those of places that are not trusted, edited ones
    marked and with a note of what was read. Of events the direction can be edited."""
    edits, distrusted = dict(found.edited), _Places(found.distrusted)
    return [
        _with_edits(stored, dict(edits.get(stored.id, ())))
        for stored in told
        if stored.id not in found.dropped and stored not in distrusted
    ]


class _Places:
    """Tables and passages of document versions, as places from which facts and events come."""

    def __init__(self, places: Iterable[str]) -> None:
        self._passages: set[str] = set()
        self._ranges: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
        for place in places:
            document, version, at = place.rsplit(":", 2)
            start, dash, end = at.partition("-")
            if dash:
                self._ranges[document, int(version)].append((int(start), int(end)))
            else:
                self._passages.add(place)

    def __contains__(self, stored: StoredFact | StoredEvent) -> bool:
        source = stored.source
        evidence = stored.said.evidence
        ranges = self._ranges.get((source.document, source.version), ())
        return source.passage in self._passages or any(a <= evidence.start < b for a, b in ranges)


def _item(store: Store, id_: str) -> ReviewItem:
    item = next((item for item in store.reviews() if item.id == id_), None)
    if item is None:
        raise NotFound(f"there is no review {id_!r}", hint="finlore review list")
    return item


def _edited(item: ReviewItem, decision: Decision) -> dict[str, str]:
    stated, edits = dict(item.payload), dict(decision.edits)
    allowed = _EDITABLE & stated.keys() if item.kind in _OF_CLAIMS else {"into", "keep"} & stated.keys()
    if unknown := sorted(edits.keys() - allowed):
        raise UsageError(
            f"{', '.join(unknown)} cannot be edited in {item.id}",
            hint=f"it has {', '.join(sorted(allowed)) or 'nothing'}",
        )
    if decision.status == "edited" and not edits:
        raise _changes_nothing(item)
    _check_values(edits)
    return stated | edits


def _changes_nothing(item: ReviewItem) -> UsageError:
    return UsageError(f"an edit of {item.id} changes nothing", hint="accept it, or name what to change")


def _check_values(edits: Mapping[str, str]) -> None:
    if "value" in edits:
        _number(edits["value"])
    if edits.get("unit") and not read_unit(edits["unit"]):
        raise UsageError(f"{edits['unit']!r} is no unit", hint="such as 元, 亿元, %, x")
    if "direction" in edits:
        _direction(edits["direction"])
    if edits.get("into") == "":
        raise UsageError("a merge needs somebody to merge into", hint="into=600519.SH")


def _number(text: str) -> float:
    with suppress(ValueError):
        if isfinite(value := float(text)):
            return value
    raise UsageError(f"{text!r} is no number")


def _direction(text: str) -> Direction:
    for direction in DIRECTIONS:
        if text == direction:
            return direction
    raise UsageError(f"{text!r} is no direction", hint=", ".join(DIRECTIONS))


def _merge(stated: Mapping[str, str]) -> Effects:
    """A merge of a name, of a company under whichever kind it is read, and the name itself, to be found later; a code
    means itself and is found anyway."""
    entity, into = stated["entity"], stated["into"]
    kind, colon, surface = entity.partition(":")
    if not (colon and kind in _KINDS):
        return Effects(merges=((entity, into),))
    kinds = COMPANIES if kind in COMPANIES else {kind}
    merges = ((f"{kind}:{surface}", into) for kind in sorted(kinds))
    return Effects(merges=tuple(pair for pair in merges if pair[0] != into), names=((surface, kind),))


def _contradiction(stated: Mapping[str, str], *, is_kept: bool) -> Effects:
    """Accepted: all stand; edited: only what says the same as the one to keep; rejected: none is believed."""
    each = [frozenset(claims.split()) for key, claims in stated.items() if key.startswith(CLAIMS)]
    all_claims = frozenset[str]().union(*each)
    if not is_kept:
        return Effects(dropped=all_claims)
    kept = next((claims for claims in each if stated["keep"] in claims), None)
    if stated["keep"] and kept is None:
        raise UsageError(f"{stated['keep']!r} is none of them", hint=" or ".join(sorted(map(min, each))))
    return Effects(dropped=all_claims - kept if kept else frozenset())


def _check_circle(store: Store, item: ReviewItem, found: Effects) -> None:
    """UsageError before anything is written, where a merge would go round in a circle with those that stand."""
    others: Collection[ReviewItem] = [other for other in store.reviews() if other.id != item.id]
    merges = dict(standing(others, store.decisions()).merges)
    for entity, into in found.merges:
        if _leads_back(merges, entity, into):
            raise UsageError(f"{into} already stands for {entity}", hint="undo that decision first")


def _leads_back(merges: Mapping[str, str], entity: str, into: str) -> bool:
    """Whether merges, none of which go round in a circle, lead from one entity to another."""
    while into != entity and into in merges:
        into = merges[into]
    return into == entity


def _with_edits(stored: Told, edits: Mapping[str, str]) -> Told:
    if isinstance(stored, StoredEvent):
        direction = edits.get("direction")
        return replace(stored, event=replace(stored.event, direction=_direction(direction))) if direction else stored
    if not edits:
        return stored
    fact = stored.fact
    value = _number(edits["value"]) if "value" in edits else fact.value
    unit = read_unit(edits["unit"]) if edits.get("unit") else fact.unit
    was = ", ".join(f"{key} {before}" for key, before in (
        ("text", fact.text), ("value", fact.value), ("unit", fact.unit), ("period", fact.period)
    ) if key in edits)  # fmt: skip
    changed = replace(
        fact, text=edits.get("text", fact.text), value=value, unit=unit, period=edits.get("period", fact.period),
        status="corrected", note="; ".join(filter(None, (fact.note, f"edited by a person, was {was}"))),
    )  # fmt: skip
    return replace(stored, fact=changed)
