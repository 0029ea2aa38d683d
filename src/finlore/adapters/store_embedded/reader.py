"""Reads of content at a date, and what the derived index is made from. Every function wants one consistent snapshot."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from finlore.adapters.store_embedded.backfill import learnt_mentions
from finlore.adapters.store_embedded.packing import (
    from_bytes,
    to_bytes,
    unpack_layout,
    unpack_mentions,
    unpack_metadata,
    unpack_sentences,
    unpack_spans,
    unpack_text,
)
from finlore.adapters.store_embedded.support import Statement, known_from
from finlore.index.cues import RelationCues
from finlore.index.names import NameTable
from finlore.index.rows import index_row
from finlore.index.stored_names import NO_NAMES, StoredNames
from finlore.language.reading import read, readable_spans
from finlore.records.document import Document, Passage, StoredPassage
from finlore.records.index import IndexRow, KnownName, passage_id
from finlore.records.instant import NEVER, Instant
from finlore.records.names import Mention, SameName
from finlore.records.store import StoredDocument


@dataclass(frozen=True, slots=True)
class Visible:
    """A version whose passages may be read iff ``shown <= D < hidden``."""

    version: int
    shown: Instant
    hidden: Instant


def sequence_of(db: sqlite3.Connection) -> int:
    """The number of the last transaction."""
    row = db.execute("SELECT sequence FROM workspace").fetchone()
    return int(row[0]) if row else 0


def passages(db: sqlite3.Connection, keys: Sequence[int], *, as_of: Instant) -> list[StoredPassage]:
    """The passages of these keys that may be read at `as_of`, in the order of the keys."""
    rows = db.execute(
        "SELECT p.key, d.name, v.number, p.ordinal, p.first, p.last, p.heading, p.role, p.sentences, v.metadata,"
        " v.source, v.shown, v.text, v.markup FROM json_each(?) asked JOIN passage p ON p.key = asked.value"
        " JOIN version v ON v.id = p.version JOIN document d ON d.id = v.document"
        " WHERE v.shown <= ? AND v.hidden > ? ORDER BY asked.key",
        (json.dumps([int(key) for key in keys]), as_of, as_of),
    ).fetchall()
    texts: dict[int, str] = {}
    found = []
    for key, name, version, ordinal, first, last, heading, role, cut, metadata, source, shown, text, marks in rows:
        if text not in texts:
            texts[text] = unpack_text(db.execute("SELECT content FROM text WHERE id = ?", (text,)).fetchone()[0])
        document = from_bytes(name)
        found.append(
            StoredPassage(
                id=passage_id(document, version, ordinal),
                key=key,
                document=document,
                version=version,
                ordinal=ordinal,
                start=first,
                end=last,
                text=texts[text][first:last],
                sentences=unpack_sentences(cut, first),
                heading=from_bytes(heading),
                role=role,
                metadata=unpack_metadata(metadata),
                source=from_bytes(source),
                known_at=Instant(shown),
                markup=tuple(span for span in unpack_spans(marks) if span.start < last and span.end > first),
            )
        )
    return found


def documents(db: sqlite3.Connection, *, as_of: Instant) -> list[StoredDocument]:
    """The versions alive at `as_of`, by known time and id; what will end them was not known then (`until` is NEVER)."""
    rows = db.execute(
        f"SELECT v.says, v.shown <= ?1 AND v.hidden > ?1, {OF_DOCUMENT} FROM version v JOIN document d"
        " ON d.id = v.document WHERE v.known <= ?1 AND v.until > ?1",
        (as_of,),
    ).fetchall()
    found = [(says, carries, stored_document(row)) for says, carries, *row in rows]
    carrier = {says: document.id for says, carries, document in found if carries}
    shown = (
        replace(
            document,
            until=NEVER,
            n_passages=document.n_passages if carries else 0,
            duplicate_of=None if carries else carrier[says],
        )
        for says, carries, document in found
    )
    return sorted(shown, key=lambda document: (document.known_at, document.id))


OF_DOCUMENT = "d.name, v.number, v.known, v.until, v.source, v.n_passages, v.n_pages, v.metadata"


def stored_document(row: Sequence[Any]) -> StoredDocument:
    """A version, whatever the date; `row`: the columns `OF_DOCUMENT`."""
    name, number, known, until, source, n_passages, n_pages, packed = row
    stated = unpack_metadata(packed)
    return StoredDocument(
        id=from_bytes(name),
        version=number,
        title=stated.title,
        kind=stated.kind,
        source=from_bytes(source),
        published_at=stated.published_at,
        known_at=Instant(known),
        until=Instant(until),
        n_passages=n_passages,
        security=stated.security,
        broker=stated.broker,
        rating=stated.rating,
        n_pages=n_pages,
    )


def document(db: sqlite3.Connection, name: str, version: int, *, as_of: Instant) -> Document | None:
    """A whole version, character map included, exactly as it was put; None when there is none known at `as_of`."""
    row = db.execute(
        "SELECT v.id, v.source, v.format, t.content, v.metadata, v.layout, v.markup, v.n_pages, v.raw_hash"
        " FROM version v JOIN document d ON d.id = v.document JOIN text t ON t.id = v.text"
        " WHERE d.name = ? AND v.number = ? AND v.known <= ?",
        (to_bytes(name), version, as_of),
    ).fetchone()
    if row is None:
        return None
    row_id, source, form, text, metadata, packed, markup, n_pages, raw_hash = row
    layout = unpack_layout(packed)
    return Document(
        id=name,
        source=from_bytes(source),
        format=form,
        text=unpack_text(text),
        metadata=unpack_metadata(metadata),
        blocks=layout.blocks,
        passages=tuple(passage for _, passage in _passages_of(db, row_id)),
        lines=layout.lines,
        markup=unpack_spans(markup),
        n_pages=n_pages,
        raw_hash=raw_hash,
        issues=layout.issues,
        pages=layout.pages,
    )


_WITHOUT_VECTOR = (
    " FROM version v JOIN passage p ON p.version = v.id"
    " WHERE v.shown < v.hidden AND NOT EXISTS (SELECT 1 FROM vector WHERE key = p.key AND model = ?)"
)


def n_without_vectors(db: sqlite3.Connection, model: str) -> int:
    """How many passages have no vector of this model yet, of those that are ever visible."""
    return int(db.execute("SELECT count(*)" + _WITHOUT_VECTOR, (model,)).fetchone()[0])


def without_vectors(db: sqlite3.Connection, model: str, *, limit: int) -> list[tuple[int, str]]:
    """(key, text as a person reads it) of the first of them."""
    rows = db.execute(
        "SELECT p.key, p.first, p.last, p.version" + _WITHOUT_VECTOR + " ORDER BY v.id, p.ordinal LIMIT ?",
        (model, limit),
    ).fetchall()
    found = []
    for version, group in groupby(rows, key=lambda row: int(row[3])):
        text, markup = db.execute(
            "SELECT t.content, v.markup FROM version v JOIN text t ON t.id = v.text WHERE v.id = ?", (version,)
        ).fetchone()
        whole, readable = unpack_text(text), readable_spans(unpack_spans(markup))
        found += [(key, read(whole, readable, first, last).text) for key, first, last, _ in group]
    return found


def index_rows(
    db: sqlite3.Connection, versions: Iterable[Visible], cues: RelationCues, *, through: int
) -> Iterator[IndexRow]:
    """The rows of these versions, with all mentions found up to the sequence number `through`."""
    for visible in versions:
        text, metadata, subject, packed, markup = db.execute(
            "SELECT t.content, v.metadata, v.subject, v.mentions, v.markup FROM version v JOIN text t ON t.id = v.text"
            " WHERE v.id = ?",
            (visible.version,),
        ).fetchone()
        whole, stated, readable = unpack_text(text), unpack_metadata(metadata), readable_spans(unpack_spans(markup))
        mentions: dict[int, list[Mention]] = defaultdict(list)
        for mention in (*unpack_mentions(packed), *learnt_mentions(db, visible.version, through=through)):
            mentions[mention.passage].append(mention)
        for ordinal, (key, passage) in enumerate(_passages_of(db, visible.version)):
            yield index_row(
                key,
                visible.shown,
                visible.hidden,
                document_text=whole,
                passage=passage,
                mentions=mentions[ordinal],
                metadata=stated,
                subject=None if subject is None else from_bytes(subject),
                cues=cues,
                readable=readable,
            )


def _passages_of(db: sqlite3.Connection, version: int) -> Iterator[tuple[int, Passage]]:
    for key, first, last, sentences, heading, role in db.execute(
        "SELECT key, first, last, sentences, heading, role FROM passage WHERE version = ? ORDER BY ordinal", (version,)
    ):
        yield key, Passage(first, last, unpack_sentences(sentences, first), from_bytes(heading), role)


def name_table(db: sqlite3.Connection, stored: StoredNames = NO_NAMES) -> NameTable:
    """All names and links; those that changed since they were stored are read, or all where some of them are gone."""
    (gone,) = db.execute("SELECT unnamed FROM workspace").fetchone()
    merges = _merges(db, NEVER)
    if stored is NO_NAMES or gone > stored.sequence:
        return NameTable(list(all_names(db)), list(all_links(db)), merges)
    again = restated_since(db, stored.sequence)
    names = [name for surface in again for name in names_of(db, surface)]
    links = list(all_links(db, after=stored.sequence))
    return NameTable(names, links, merges, stored=stored, restated=again)


def restated_since(db: sqlite3.Connection, sequence: int) -> list[str]:
    """The surfaces of which a meaning came, or became known at another instant."""
    return [
        from_bytes(string)
        for (string,) in db.execute(
            "SELECT string FROM surface WHERE id IN (SELECT surface FROM alias WHERE changed > ?)", (sequence,)
        )
    ]


def names_of(db: sqlite3.Connection, surface: str) -> Iterator[KnownName]:
    """What a surface means by every alias with enough support."""
    return (name for _, name in _names(db, "WHERE s.string = ? AND a.known < ?", to_bytes(surface), NEVER))


def links_of(db: sqlite3.Connection, surface: str) -> Iterator[SameName]:
    """The links from a surface and to it."""
    for end in ("surface", "via"):
        yield from _links(db, f"WHERE l.{end} = (SELECT id FROM surface WHERE string = ?)", to_bytes(surface))


def past_name_table(db: sqlite3.Connection, through: int) -> NameTable:
    """What the store had learnt of names by a sequence number."""
    known = (
        replace(name, known=at)
        for alias, name in list(_names(db, ""))
        if (at := alias_known(db, alias, through=through)) < NEVER
    )
    return NameTable(list(known), list(all_links(db, through=through)), _merges(db, through))


def all_names(db: sqlite3.Connection) -> Iterator[KnownName]:
    """Every alias with enough support."""
    return (name for _, name in _names(db, "WHERE a.known < ?", NEVER))


def _names(db: sqlite3.Connection, which: str, *values: object) -> Iterator[tuple[int, KnownName]]:
    """Rows of aliases, and what they say."""
    return (
        (alias, KnownName(from_bytes(surface), from_bytes(entity), kind, from_bytes(name), strength, Instant(known)))
        for alias, surface, entity, kind, name, strength, known in db.execute(
            "SELECT a.id, s.string, a.entity, a.kind, a.name, a.strength, a.known FROM surface s"
            f" JOIN alias a ON a.surface = s.id {which}",
            values,
        )
    )


def all_links(db: sqlite3.Connection, *, after: int = -1, through: int = NEVER) -> Iterator[SameName]:
    """The links that were added in between."""
    return _links(db, "WHERE l.added > ? AND l.added <= ?", after, through)


def _links(db: sqlite3.Connection, which: str, *values: object) -> Iterator[SameName]:
    return (
        SameName(from_bytes(surface), from_bytes(via), strength, bool(unlisted_only))
        for surface, via, strength, unlisted_only in db.execute(
            "SELECT a.string, b.string, l.strength, l.unlisted_only FROM link l JOIN surface a ON a.id = l.surface"
            f" JOIN surface b ON b.id = l.via {which}",
            values,
        )
    )


def alias_known(db: sqlite3.Connection, alias: int, *, through: int = NEVER) -> Instant:
    """From when an alias is known by the support that it had at the sequence number `through`; NEVER without enough.

    The earliest statements decide, so few are read.
    """
    needs, listed = db.execute("SELECT needs, listed FROM alias WHERE id = ?", (alias,)).fetchone()
    statements = db.execute(
        "SELECT s.known, v.document, v.says FROM statement s JOIN version v ON v.id = s.version"
        " WHERE s.alias = ? AND v.added <= ? ORDER BY s.known",
        (alias, through),
    )
    return known_from(
        (Statement(Instant(known), document, says) for known, document, says in statements),
        needs=needs,
        listed=None if listed == NEVER else listed,
    )


def _merges(db: sqlite3.Connection, through: int) -> Mapping[str, str]:
    return {
        from_bytes(entity): from_bytes(target)
        for entity, target in db.execute(
            "SELECT entity, target FROM merge WHERE made <= ? AND (undone IS NULL OR undone > ?)", (through, through)
        )
    }


def unexamined(db: sqlite3.Connection) -> list[str]:
    """The documents of which a version came, or was read by an extractor, since doubts were looked for."""
    rows = db.execute(
        "SELECT d.name FROM workspace w, document d JOIN version v ON v.document = d.id WHERE v.added > w.examined"
        " UNION SELECT d.name FROM workspace w, document d JOIN version v ON v.document = d.id"
        " JOIN extraction e ON e.version = v.id WHERE e.added > w.examined"
    )
    return sorted(from_bytes(name) for (name,) in rows)
