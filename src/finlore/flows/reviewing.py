"""People in the loop: doubts about what was taken in become questions, answers are laid over what is read."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from getpass import getuser
from typing import Final, get_args

from finlore.errors import NotFound, UsageError
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.flows.normalising import normalise, unknown_companies
from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.quality import doubts
from finlore.knowledge.review import decide, fits, forget, standing, standing_decisions, undo
from finlore.knowledge.review import effects as effects_of
from finlore.knowledge.timeline import is_single, settled, single_relations
from finlore.ports import Store
from finlore.records.document import Document
from finlore.records.fact import Extracted, StoredEvent, StoredFact
from finlore.records.instant import NEVER, Instant, now
from finlore.records.review import Decision, Reviewed, ReviewItem, ReviewKind, ReviewStatus
from finlore.records.schema import Schema
from finlore.wiring import Adapters

_LATEST: Final = Instant(NEVER - 1)
_AT_ONCE: Final = 500  # documents whose names are compared
_FACTS_AT_ONCE: Final = 2_000  # read by documents, of which one of an import states some thousand
_PREFIX: Final = "review:"


class Reviewing:
    """The questions of the store of `adapters`. `schema` says which facts can contradict one another."""

    def __init__(self, adapters: Adapters, *, schema: Callable[[], Schema], zone: str) -> None:
        self._adapters, self._schema, self._zone = adapters, schema, zone

    @property
    def _store(self) -> Store:
        return self._adapters.store

    def gazetteer(self) -> Gazetteer:
        """The shipped names, and those of which people said by now to whom they belong."""
        decisions = self._store.decisions()
        names = standing(self._store.reviews(), decisions).names if decisions else ()
        return Gazetteer.load().with_decided(dict(names))

    # Asking

    def ask_of(self, document: Document, version: int, extracted: Extracted) -> None:
        """Ask about tables of a document that fail their checks, and passages that speak to a machine. Call while
        writing."""
        items = [
            *doubts.failed_checks(document, version, extracted.facts, asked_at=now()),
            *doubts.instructions(document, version, extracted.instruction_like, asked_at=now()),
        ]
        if items:
            self._store.add_reviews(items)

    def ask(self) -> None:
        """Normalise the names of, and ask about, all that came since this was last done, however that ended. Wants an
        index that is up to date, and leaves it so."""
        with self._store.writing():
            self._ask()

    def _ask(self) -> None:
        changed = self._store.unexamined()
        if not changed:
            return
        known = KnowledgeAt(self._store, _LATEST)
        sequence = known.view.sequence
        for start in range(0, len(changed), _AT_ONCE):
            documents = changed[start : start + _AT_ONCE]
            unknown: dict[str, Instant] = {}
            for facts, events in _told(known, documents):
                self._store.add_reviews(self._doubts(known, facts, events))
                for surface, since in unknown_companies([*facts, *events]):
                    unknown[surface] = min(since, unknown.get(surface, since))
            normalise(self._store, known, documents, said=unknown, gazetteer=Gazetteer.load())
        self._store.note_examined(sequence)
        self._store.refresh()

    def _doubts(
        self, known: KnowledgeAt, facts: Collection[StoredFact], events: Collection[StoredEvent]
    ) -> list[ReviewItem]:
        """What is unsure in facts and events, what the market completed, and what else contradicts it."""
        at, single = now(), single_relations(self._schema())
        contestable = [fact for fact in facts if is_single(fact, single)]
        rivals = known.facts({f.subject for f in contestable}, {f.fact.relation for f in contestable})
        new = {fact.id for fact in facts}
        contested = [
            item
            for item in doubts.contradictions(settled(rivals, single=single, zone=self._zone), asked_at=at)
            if not new.isdisjoint(item.about)
        ]
        unsure = doubts.low_confidence([*facts, *events], asked_at=at)
        return [*unsure, *doubts.completions(facts, asked_at=at), *contested]

    # Deciding

    def reviews(self, *, kind: ReviewKind | None, status: ReviewStatus | None) -> list[Reviewed]:
        """Questions of a kind and status, in the order in which they were asked, each with what was decided of it."""
        decisions: dict[str, list[Decision]] = {}
        for decision in self._store.decisions():
            decisions.setdefault(decision.item, []).append(decision)
        return [
            Reviewed(item, made := tuple(decisions.get(item.id, ())), is_void=_is_void(item, made))
            for item in self._store.reviews(status=status)
            if kind in (None, item.kind) and (item.question or item.id in decisions)
        ]

    def decide(
        self, ids: Collection[str], status: ReviewStatus, *, edits: Mapping[str, str], note: str, by: str
    ) -> list[Reviewed]:
        """Decide of questions, whose ids may be cut short: all of them, or, where one cannot be, those before it."""
        whole = self._whole(ids)  # before a workspace that is not there would be made
        with self._store.writing():
            for id_ in whole:
                decide(self._store, Decision(id_, status, now(), tuple(sorted(edits.items())), note, by=by or _user()))
            self._store.refresh()
        return self._of(ids)

    def undo(self, ids: Collection[str], *, by: str) -> list[Reviewed]:
        """Take back what was decided of questions. UsageError where nothing was of one of them."""
        whole = self._whole(ids)
        with self._store.writing():
            for id_ in whole:
                if undo(self._store, id_, at=now(), by=by or _user()) is None:
                    raise UsageError(f"nothing is decided of {id_}", hint="finlore review list --status accepted")
            self._store.refresh()
        return self._of(ids)

    def merge(self, entity: str, into: str, *, by: str = "") -> None:
        """Ask whether two entities are one, and say so."""
        item = doubts.merge(entity, into, confidence=1.0, asked_at=now())
        with self._store.writing():
            self._store.add_reviews([item])
            decide(self._store, Decision(item.id, "accepted", now(), by=by or _user()))
            self._store.refresh()

    def split(self, entities: Collection[str], *, by: str = "") -> bool:
        """Take back what was decided of entities, and by whomever they were merged; whether there was anything."""
        with self._store.writing():
            made = [
                item.id
                for item, decision in standing_decisions(self._store)
                if not dict(effects_of(item, decision).merges).keys().isdisjoint(entities)
            ]
            for id_ in made:
                undo(self._store, id_, at=now(), by=by or _user())
            done = any([self._store.split(entity) for entity in entities]) or bool(made)
            self._store.refresh()
        return done

    def forget(self, documents: Collection[str]) -> bool:
        """Remove documents, with what was decided of what they said; whether there were any. Call while writing."""
        return forget(self._store, documents) > 0

    def allow(self, schema: Schema) -> None:
        """UsageError where people rejected this very schema."""
        if schema.version in standing(self._store.reviews(), self._store.decisions()).refused:
            raise UsageError(f"people rejected the schema {schema.name}", hint="finlore review list --status rejected")

    def _whole(self, ids: Collection[str]) -> list[str]:
        """The ids that begin like these. NotFound where none does, UsageError where several do."""
        known = [item.id for item in self._store.reviews()]
        return [_whole(id_, known) for id_ in ids]

    def _of(self, ids: Collection[str]) -> list[Reviewed]:
        wanted = self._whole(ids)
        by_id = {found.item.id: found for found in self.reviews(kind=None, status=None)}
        return [by_id[id_] for id_ in wanted]


def _told(known: KnowledgeAt, documents: Sequence[str]) -> Iterator[tuple[list[StoredFact], list[StoredEvent]]]:
    """What is read out of documents: of so many at a time that it is some thousand facts."""
    start, n = 0, 20
    while some := documents[start : start + n]:
        facts, events = known.facts(documents=some), known.events(documents=some)
        yield facts, events
        start += n
        n = max(1, min(8 * n, n * _FACTS_AT_ONCE // max(1, len(facts))))


def _whole(id_: str, known: Collection[str]) -> str:
    found = [whole for whole in known if whole == id_ or whole.startswith((id_, f"{_PREFIX}{id_}"))]
    if id_ in found:
        return id_
    if not id_ or not found:
        raise NotFound(f"there is no review {id_!r}", hint="finlore review list")
    if len(found) > 1:
        raise UsageError(f"{id_!r} is the beginning of {len(found)} reviews", hint=", ".join(sorted(found)[:3]))
    return found[0]


def _is_void(item: ReviewItem, made: Collection[Decision]) -> bool:
    return any(decision.undone_at is None and not fits(item, decision) for decision in made)


def _user() -> str:
    """Who acts, as far as the system knows."""
    try:
        return getuser()
    except (OSError, KeyError):  # a user without a name
        return ""


def review_kind(name: str | None) -> ReviewKind | None:
    """The kind of that name. UsageError where there is none."""
    kinds: Mapping[str, ReviewKind] = {kind: kind for kind in get_args(ReviewKind)}
    if name is None:
        return None
    if name not in kinds:
        raise UsageError(f"there are no reviews of kind {name!r}", hint=", ".join(kinds))
    return kinds[name]
