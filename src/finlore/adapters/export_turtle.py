"""RDF of facts and events as known at a date: Turtle or JSON-LD, FIBO terms beside our own.

Each fact is an `rdf:Statement` with its intervals, its quotation and the document it is derived from (PROV); of those
that still stand the triple itself is stated as well. Terms say which FIBO term they are close to.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from finlore.formats.exported import INSTANTS, entities_of, parts_of, storable, told
from finlore.ports import View
from finlore.records.document import StoredPassage
from finlore.records.fact import Source, StoredEvent, StoredFact
from finlore.records.instant import Instant, isoformat
from finlore.records.names import Entity
from finlore.records.schema import Labels, Schema

_PREFIXES: Final = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "prov": "http://www.w3.org/ns/prov#",
    "dcterms": "http://purl.org/dc/terms/",
    "term": "urn:finlore:term:",
    "entity": "urn:finlore:entity:",
    "fact": "urn:finlore:fact:",
    "event": "urn:finlore:event:",
    "document": "urn:finlore:document:",
}
_TERMS: Final = {"valid_from": "validFrom", "valid_to": "validTo", "known_at": "knownAt", "until": "supersededAt"}
_RESERVED = re.compile(r"[^\w.~:-]")
_Object = NamedNode | Literal


def export(
    view: View,
    passages: Sequence[StoredPassage],
    out: Path,
    *,
    facts: Sequence[StoredFact],
    events: Sequence[StoredEvent],
    schema: Schema,
    form: RdfFormat = RdfFormat.TURTLE,
) -> list[Path]:
    """One file at `out`; passages are not in it but as quotations."""
    with out.open("wb") as file:
        serialize(_triples(view, facts, events, schema), file, form, prefixes=_PREFIXES)
    return [out]


export_jsonld = partial(export, form=RdfFormat.JSON_LD)


def _triples(
    view: View, facts: Sequence[StoredFact], events: Sequence[StoredEvent], schema: Schema
) -> Iterator[Triple]:
    yield from _schema(schema)
    for entity in entities_of(view, facts, events):
        yield from _entity(entity)
    sources = {fact.source.document: fact.source for fact in facts}
    sources |= {event.source.document: event.source for event in events}
    for source in sources.values():
        yield from _document(source)
    for fact in facts:
        yield from _fact(fact)
    for event in events:
        yield from _event(event)


def _schema(schema: Schema) -> Iterator[Triple]:
    for attribute in schema.attributes:
        yield from _term("rdf:Property", attribute.id, attribute.labels, attribute.fibo)
    for link in schema.links:
        yield from _term("rdf:Property", link.id, link.labels, link.fibo)
    for driver in schema.drivers:
        yield from _term("skos:Concept", driver.id, driver.labels, driver.fibo)
        for event in driver.events:
            yield from _term("skos:Concept", event.id, event.labels, event.fibo)
            yield Triple(_iri("term", event.id), _known("skos:broader"), _iri("term", driver.id))


def _term(what: str, id_: str, labels: Labels, fibo: str) -> Iterator[Triple]:
    term = _iri("term", id_)
    yield Triple(term, _known("rdf:type"), _known(what))
    yield Triple(term, _known("rdfs:label"), Literal(labels.zh, language="zh"))
    yield Triple(term, _known("rdfs:label"), Literal(labels.en, language="en"))
    if fibo:
        yield Triple(term, _known("skos:closeMatch"), NamedNode(fibo))


def _entity(entity: Entity) -> Iterator[Triple]:
    node = _iri("entity", entity.id)
    yield Triple(node, _known("rdf:type"), _iri("term", f"kind:{entity.kind or 'name'}"))
    yield Triple(node, _known("rdfs:label"), _text(entity.name))
    yield from (Triple(node, _known("skos:altLabel"), _text(alias)) for alias in entity.aliases)


def _document(source: Source) -> Iterator[Triple]:
    node = _iri("document", source.document)
    yield Triple(node, _known("rdf:type"), _known("prov:Entity"))
    yield Triple(node, _known("dcterms:identifier"), _text(source.document))
    yield Triple(node, _known("dcterms:title"), _text(source.title))
    yield from _about(node, ("dcterms:issued", _moment(source.published_at)), ("dcterms:publisher", source.broker))


def _fact(stored: StoredFact) -> Iterator[Triple]:
    subject, relation = _iri("entity", stored.subject), _iri("term", stored.fact.relation)
    value = _text(stored.fact.text) if stored.fact.value is None else Literal(stored.fact.value)
    other: _Object = value if stored.object is None else _iri("entity", stored.object)
    if stored.until is None:
        yield Triple(subject, relation, other)
    stated = (("subject", subject), ("predicate", relation), ("object", other))
    yield from _about(
        _iri("fact", stored.id.partition(":")[2]),
        ("rdf:type", _known("rdf:Statement")),
        *((f"rdf:{part}", node) for part, node in stated),
        *_told(stored, but="relation"),
    )


def _event(stored: StoredEvent) -> Iterator[Triple]:
    kinds = (("driver", stored.event.driver), ("subtype", stored.event.subtype))
    yield from _about(
        _iri("event", stored.id.partition(":")[2]),
        ("rdf:type", _known("term:Event")),
        *((f"term:{part}", _iri("term", term)) for part, term in kinds if term),
        *((f"term:{part.role}", _iri("entity", part.entity)) for part in parts_of(stored)),
        *_told(stored, but="driver subtype"),
    )


def _told(stored: StoredFact | StoredEvent, *, but: str) -> Iterator[tuple[str, _Object | str | None]]:
    """What is told in words, numbers and dates, `but` that of some columns, and what it is derived from."""
    apart = {"id", "subject", "object", "document", *but.split()}
    for name, cell in told(stored).items():
        if name not in apart and cell is not None:
            value = Literal(cell, datatype=_known("xsd:dateTime")) if name in INSTANTS else cell
            yield f"term:{_TERMS.get(name, name)}", Literal(value) if isinstance(value, float) else value
    yield "prov:wasDerivedFrom", _iri("document", stored.source.document)


def _about(node: NamedNode, *said: tuple[str, _Object | str | None]) -> Iterator[Triple]:
    """What is said of a node; nothing where there is nothing."""
    for name, value in said:
        if value is not None and value != "":
            yield Triple(node, _known(name), _text(value) if isinstance(value, str) else value)


def _known(name: str) -> NamedNode:
    prefix, _, local = name.partition(":")
    return NamedNode(_PREFIXES[prefix] + local)


def _iri(prefix: str, id_: str) -> NamedNode:
    """Anything as the end of an IRI: what may not stand in one, percent-encoded."""
    return NamedNode(_PREFIXES[prefix] + _RESERVED.sub(lambda found: quote(storable(found[0]), safe=""), id_))


def _text(text: str) -> Literal:
    return Literal(storable(text))


def _moment(instant: Instant | None) -> Literal | None:
    written = isoformat(instant)
    return Literal(written, datatype=_known("xsd:dateTime")) if written else None
