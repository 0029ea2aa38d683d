"""Finding what is there at a date: passages that bear on a question, the page of a name, what lies between two names,
the tables of a document."""

import time
from dataclasses import dataclass, replace

from finlore.errors import NotFound
from finlore.flows.facts import Facts, entity_named
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.index.cues import shipped_cues
from finlore.intake.tables.read import read_tables, table_values
from finlore.ports import Bytes8, View
from finlore.records.answer import Hit, Method, Retrieved
from finlore.records.document import Document, StoredPassage
from finlore.records.fact import Party, StoredEvent, StoredFact
from finlore.records.names import Entity
from finlore.records.report import NamePath, Neighbour
from finlore.records.table import Table, TableValue
from finlore.retrieve import neighbours as around
from finlore.retrieve.dense import quantised
from finlore.retrieve.search import Found, retrieve
from finlore.wiring import Adapters

_LONGEST_QUESTION = 2000
_ON_A_PAGE = 200  # facts, and events, of an entity


@dataclass(frozen=True, slots=True)
class EntityPage:
    """An entity, what it occurs with, passages about it, and the latest facts and events in which it takes part."""

    entity: Entity
    neighbours: tuple[Neighbour, ...]
    passages: tuple[StoredPassage, ...]
    facts: tuple[StoredFact, ...] = ()
    events: tuple[StoredEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentTables:
    """The tables of a document version, and the numbers that can be read from them."""

    document: Document
    tables: tuple[Table, ...]
    values: tuple[TableValue, ...]


def readable(question: str) -> str:
    """The question without lone surrogates and line ends, cut where no person would still be asking."""
    text = question.encode("utf-8", "replace").decode()
    return " ".join(text.split())[:_LONGEST_QUESTION]


def find(adapters: Adapters, view: View, question: str, *, method: Method, top: int) -> Found:
    """The passages of a view that bear on a question."""
    model, vector = _query_vector(adapters, view, question, method)
    return retrieve(view, question, cues=shipped_cues(), method=method, model=model, query_vector=vector, top=top)


def searched(adapters: Adapters, known: KnowledgeAt, query: str, *, method: Method, top: int) -> Retrieved:
    """What `find` finds, each passage whole and with whom it names, best first."""
    began = time.perf_counter()
    found = find(adapters, known.view, readable(query), method=method, top=top)
    stored = known.passages(ranked.key for ranked in found.ranked)
    hits = tuple(
        Hit(passage, ranked.score, ranked.parts, known.entities_in(passage.key))
        for ranked in found.ranked
        if (passage := stored.get(ranked.key))
    )
    spent = ("total", 1000 * (time.perf_counter() - began))
    return Retrieved(query, known.as_of, method, hits, found.entities, found.unknown_names, found.paths, (spent,))


def entity_page(known: KnowledgeAt, facts: Facts, name: str) -> EntityPage:
    """What is known under a name or entity id; NotFound when nothing is."""
    id_ = entity_named(known, name)
    if id_ not in known.view.entity_ids:
        return _unmentioned(known, facts, id_, name=name)
    number = known.view.entity_ids.index(id_)
    passages = known.passages(around.passages_of(known.view, number, top=20))
    neighbours = around.neighbours(known.view, number)
    entity = known.view.entity(number)
    stated, happened = facts.of_entity(known, entity.id)
    return EntityPage(entity, tuple(neighbours), tuple(passages.values()), *_latest(stated, happened))


def shared_passages(known: KnowledgeAt, a: str, b: str) -> list[StoredPassage]:
    """All passages in which both names occur, best first."""
    keys = around.edge(known.view, known.number_of(a), known.number_of(b))
    return list(known.passages(keys).values())


def name_paths(known: KnowledgeAt, a: str, b: str, *, hops: int) -> tuple[list[NamePath], list[StoredPassage]]:
    """Chains of names from one to the other, and the passages that link them."""
    found = around.paths(known.view, known.number_of(a), known.number_of(b), hops=hops)
    called = {entity: known.name_of(entity) or entity for path in found for entity in path.entities}
    named = [replace(path, names=tuple(called[entity] for entity in path.entities)) for path in found]
    passages = known.passages(key for path in found for step in path.passages for key in step)
    return named, list(passages.values())


def document_tables(known: KnowledgeAt, document: str) -> DocumentTables:
    """The tables of a document, by its id or path, with what is doubtful about them; NotFound when it is not known."""
    whole = known.document_at(document)
    if whole is None:
        raise NotFound(f"no document {document!r} is known at this date", hint="`finlore search` shows ids")
    tables = read_tables(whole, find_security=known.security_of)
    return DocumentTables(whole, tables, table_values(whole, tables, find_security=known.security_of))


def _query_vector(adapters: Adapters, view: View, question: str, method: Method) -> tuple[str, Bytes8 | None]:
    """The question's vector, made only where the store has vectors to compare it with."""
    if method not in ("dense", "auto"):
        return "", None
    embedder = adapters.embedder if method == "dense" else adapters.embedder_if_installed()
    if embedder is None or view.vectors(embedder.name) is None:
        return "", None
    return embedder.name, quantised(embedder.embed_query(question))


def _unmentioned(known: KnowledgeAt, facts: Facts, id_: str, *, name: str) -> EntityPage:
    """The page of an entity that facts speak of and no passage names: called as the latest of them calls it."""
    stated, happened = facts.of_entity(known, id_)
    latest: list[StoredFact | StoredEvent] = [*reversed(happened), *reversed(stated)]
    called = next((party.name for stored in latest if (party := _party_in(stored, id_))), name)
    kind = id_.partition(":")[0] if ":" in id_ else "security"
    return EntityPage(Entity(id_, called, kind), (), (), *_latest(stated, happened))


def _party_in(stored: StoredFact | StoredEvent, entity: str) -> Party | None:
    if stored.subject == entity:
        return stored.said.subject
    return stored.said.object if stored.object == entity else None


def _latest(
    facts: list[StoredFact], events: list[StoredEvent]
) -> tuple[tuple[StoredFact, ...], tuple[StoredEvent, ...]]:
    return tuple(facts[-_ON_A_PAGE:]), tuple(events[-_ON_A_PAGE:])
