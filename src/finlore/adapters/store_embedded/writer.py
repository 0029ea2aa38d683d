"""Changes of content: each function is called inside one transaction and leaves everything it touches consistent."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from finlore.adapters.store_embedded import facts
from finlore.adapters.store_embedded.copies import next_sequence, settle_copies
from finlore.adapters.store_embedded.naming import state
from finlore.adapters.store_embedded.packing import (
    content_fingerprint,
    fingerprint,
    from_bytes,
    pack_layout,
    pack_mentions,
    pack_metadata,
    pack_sentences,
    pack_spans,
    pack_text,
    text_fingerprint,
    to_bytes,
)
from finlore.adapters.store_embedded.reader import document as read_document
from finlore.errors import UsageError
from finlore.ports import Bytes8
from finlore.records.document import Document, Metadata
from finlore.records.fact import Extracted
from finlore.records.index import passage_key
from finlore.records.instant import NEVER, Instant
from finlore.records.names import FoundNames
from finlore.records.store import PutResult

_LAST = Instant(NEVER - 1)


def stated_known(metadata: Metadata, known_by: str) -> Instant | None:
    """When the document itself says that one could know it: its publication, or its crawl when that is later."""
    if known_by == "ingestion":
        return None
    return max((at for at in (metadata.published_at, metadata.crawled_at) if at is not None), default=None)


def version_known(stated: Instant | None, ingested_at: Instant, previous: Instant | None) -> tuple[Instant, bool]:
    """From when a version is known, and whether its own date says so. `previous`: when the version before it was.

    A new version whose date is not later than that of the one before is known from when it was first seen.
    """
    if stated is not None and (previous is None or stated > previous):
        return stated, True
    return (ingested_at if previous is None else max(ingested_at, previous)), False


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A version of a document, and where it stands in time. `dated`: whether its own date says when it is known."""

    number: int
    known: Instant
    dated: bool
    ingested_at: Instant
    sequence: int


def put(
    db: sqlite3.Connection,
    document: Document,
    found: FoundNames,
    *,
    extracted: Extracted | None,
    ingested_at: Instant,
    known_by: str,
) -> PutResult:
    """Store a document, its names and what they support, and what was read out of it; of a document that is there
    already only what this extractor did not say before."""
    content = content_fingerprint(document)
    latest = db.execute(
        "SELECT v.id, v.number, v.content, v.known, v.says, v.n_passages FROM version v JOIN document d"
        " ON d.id = v.document WHERE d.name = ? ORDER BY v.number DESC LIMIT 1",
        (to_bytes(document.id),),
    ).fetchone()
    if latest is not None and latest[2] == content:
        if extracted is not None and not facts.stands(db, latest[0], extracted):
            facts.keep(db, latest[0], document, extracted, next_sequence(db))
        return PutResult(document.id, "unchanged", latest[1], latest[5], Instant(latest[3]))
    stated = stated_known(document.metadata, known_by)
    known, dated = version_known(stated, ingested_at, Instant(latest[3]) if latest else None)
    arrival = _Arrival(latest[1] + 1 if latest else 1, known, dated, ingested_at, next_sequence(db))
    version = _insert_version(db, document, found, arrival, content)
    _insert_passages(db, version, document, arrival.number)
    _count_surfaces(db, found)
    state(db, version, known, found.aliases, arrival.sequence)
    if extracted is not None:
        facts.keep(db, version, document, extracted, arrival.sequence)
    if latest:
        db.execute("UPDATE version SET until = ? WHERE id = ?", (known, latest[0]))
        if latest[4] != says_of(document):
            settle_copies(db, latest[4], arrival.sequence)
    settle_copies(db, says_of(document), arrival.sequence)
    return _outcome(db, version, document, arrival)


def put_extracted(db: sqlite3.Connection, document: str, version: int, extracted: Extracted) -> bool:
    """Let what an extractor said stand in place of what it said before; whether there is such a version."""
    row, whole = (
        facts.version_row(db, document, version, as_of=_LAST),
        read_document(db, document, version, as_of=_LAST),
    )
    if row is None or whole is None:
        return False
    facts.keep(db, row, whole, extracted, next_sequence(db))
    return True


def note_examined(db: sqlite3.Connection, sequence: int) -> None:
    """Remember that doubts were looked for in all up to this transaction."""
    db.execute("UPDATE workspace SET examined = ?", (sequence,))


def _insert_version(
    db: sqlite3.Connection, document: Document, found: FoundNames, arrival: _Arrival, content: bytes
) -> int:
    """The row of a version, visible until copies are settled; its number."""
    columns: dict[str, object] = {
        "document": _document_row(db, document.id),
        "number": arrival.number,
        "text": _text_row(db, document.text),
        "says": says_of(document),
        "known": arrival.known,
        "until": NEVER,
        "dated": arrival.dated,
        "shown": arrival.known,
        "hidden": NEVER,
        "ingested": arrival.ingested_at,
        "added": arrival.sequence,
        "changed": arrival.sequence,
        "closed": 0,
        "read_through": 0,
        "content": content,
        "digest": contribution(
            document, found, number=arrival.number, known=arrival.known if arrival.dated else None, content=content
        ),
        "source": to_bytes(document.source),
        "format": document.format,
        "raw_hash": document.raw_hash,
        "metadata": pack_metadata(document.metadata),
        "layout": pack_layout(document),
        "markup": pack_spans(document.markup),
        "subject": None if found.subject is None else to_bytes(found.subject),
        "n_pages": document.n_pages,
        "n_passages": len(document.passages),
        "mentions": pack_mentions(found.mentions),
        "n_mentions": len(found.mentions),
    }
    inserted = db.execute(
        f"INSERT INTO version ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", tuple(columns.values())
    )
    return int(inserted.lastrowid or 0)


def _insert_passages(db: sqlite3.Connection, version: int, document: Document, number: int) -> None:
    db.executemany(
        "INSERT INTO passage (version, ordinal, key, first, last, role, heading, sentences)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                *(version, ordinal, passage_key(document.id, number, ordinal), passage.start, passage.end),
                *(passage.role, to_bytes(passage.heading), pack_sentences(passage.sentences, passage.start)),
            )
            for ordinal, passage in enumerate(document.passages)
        ),
    )


def _count_surfaces(db: sqlite3.Connection, found: FoundNames) -> None:
    db.executemany(
        "INSERT INTO surface (string, support, learnt) VALUES (?, 1, 0)"
        " ON CONFLICT (string) DO UPDATE SET support = support + 1",
        ((to_bytes(surface),) for surface in sorted({mention.surface for mention in found.mentions})),
    )


def _outcome(db: sqlite3.Connection, version: int, document: Document, arrival: _Arrival) -> PutResult:
    shown, hidden, says = db.execute("SELECT shown, hidden, says FROM version WHERE id = ?", (version,)).fetchone()
    number, known = arrival.number, arrival.known
    if shown == known and hidden > known:
        return PutResult(document.id, "added" if number == 1 else "new_version", number, len(document.passages), known)
    (carrier,) = db.execute(
        "SELECT d.name FROM version v JOIN document d ON d.id = v.document"
        " WHERE v.says = ? AND v.shown <= ? AND v.hidden > ?",
        (says, known, known),
    ).fetchone()
    return PutResult(document.id, "duplicate", number, 0, known, reason=from_bytes(carrier))


def says_of(document: Document) -> str:
    """The same for all copies of one text. Where there is none to read, every document is one of its own."""
    if not document.passages:
        return f"nothing:{text_fingerprint(document.id).hex()}"
    return document.text_hash or text_fingerprint(document.text).hex()


def _document_row(db: sqlite3.Connection, name: str) -> int:
    key = to_bytes(name)
    row = db.execute("SELECT id FROM document WHERE name = ?", (key,)).fetchone()
    if row is None:
        row = (db.execute("INSERT INTO document (name) VALUES (?)", (key,)).lastrowid,)
    return int(row[0])


def _text_row(db: sqlite3.Connection, text: str) -> int:
    key = text_fingerprint(text)
    row = db.execute("SELECT id FROM text WHERE hash = ?", (key,)).fetchone()
    if row is None:
        row = (db.execute("INSERT INTO text (hash, content) VALUES (?, ?)", (key, pack_text(text))).lastrowid,)
    return int(row[0])


def contribution(document: Document, found: FoundNames, *, number: int, known: Instant | None, content: bytes) -> bytes:
    """Hash of all that a version adds to a store, whatever else is there and whenever it was ingested. `known`: from
    when, where its own date says so."""
    return fingerprint(
        *(document.id, number, known, content.hex(), found.subject),
        [[p.start, p.end, p.role, p.heading, [[s.start, s.end] for s in p.sentences]] for p in document.passages],
        sorted([m.passage, m.sentence, m.start, m.end, m.surface, m.kind] for m in found.mentions),
        sorted([a.surface, a.entity, a.kind, a.name, a.strength, a.known_at or 0, a.needs] for a in found.aliases),
    )


def put_vectors(db: sqlite3.Connection, model: str, vectors: Mapping[int, Bytes8]) -> int:
    """Store int8 vectors of passages; those of passages that are gone are passed over. How many were stored.

    UsageError when their length is not that of the vectors which the model has given before.
    """
    held = db.execute("SELECT length(data) FROM vector WHERE model = ? LIMIT 1", (model,)).fetchone()
    lengths = {len(vector) for vector in vectors.values()} | set(held or ())
    if len(lengths) > 1:
        raise UsageError(f"vectors of {model} have different lengths: {sorted(lengths)}")
    sequence = next_sequence(db)
    return db.executemany(
        "INSERT INTO vector (key, model, added, data) SELECT key, ?, ?, ? FROM passage WHERE key = ?"
        " ON CONFLICT (key, model) DO UPDATE SET added = excluded.added, data = excluded.data",
        ((model, sequence, vector.tobytes(), key) for key, vector in vectors.items()),
    ).rowcount
