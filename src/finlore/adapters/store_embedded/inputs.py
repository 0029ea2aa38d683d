"""The journal of inputs: what became of each source when it was last read. No part of the content, and of no date."""

import sqlite3
from collections.abc import Iterator

from finlore.adapters.store_embedded.packing import from_bytes, to_bytes
from finlore.adapters.store_embedded.reader import OF_DOCUMENT, stored_document
from finlore.records.store import InputOutcome, InputRecord, StoredDocument

_COLUMNS = "source, raw_hash, rules, outcome, reason"
_PART = b"#"  # a document of a collection names its line after it


def note(db: sqlite3.Connection, record: InputRecord) -> None:
    """Remember a source in place of what was remembered of it before."""
    db.execute(
        f"INSERT OR REPLACE INTO input ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",
        (to_bytes(record.source), record.raw_hash, record.rules, record.outcome, _storable(record.reason)),
    )


def read(db: sqlite3.Connection, source: str) -> InputRecord | None:
    row = db.execute(f"SELECT {_COLUMNS} FROM input WHERE source = ?", (to_bytes(source),)).fetchone()
    return _record(row) if row else None


def of_outcome(db: sqlite3.Connection, outcome: InputOutcome) -> list[InputRecord]:
    """The sources of which this became, sorted by name."""
    return [
        _record(row)
        for row in db.execute(f"SELECT {_COLUMNS} FROM input WHERE outcome = ? ORDER BY source", (outcome,))
    ]


def documents_of(db: sqlite3.Connection, source: str) -> list[StoredDocument]:
    """Of each document that came out of a source the last version that did, in the order of arrival."""
    whole = to_bytes(source)
    rows = db.execute(
        f"SELECT max(v.number), {OF_DOCUMENT} FROM version v"
        " JOIN document d ON d.id = v.document WHERE v.source = ?1 OR (v.source >= ?2 AND v.source < ?3)"
        " GROUP BY v.document ORDER BY v.document",
        (whole, whole + _PART, whole + bytes([_PART[0] + 1])),
    )
    return [stored_document(row) for _, *row in rows]


def forget_sources(db: sqlite3.Connection, document: bytes) -> None:
    """Of the sources that a document ever came from nothing is remembered, so that they can be read again."""
    for (source,) in db.execute(
        "SELECT v.source FROM version v JOIN document d ON d.id = v.document WHERE d.name = ?", (document,)
    ).fetchall():
        db.executemany("DELETE FROM input WHERE source = ?", ((whole,) for whole in _wholes(source)))


def _wholes(source: bytes) -> Iterator[bytes]:
    """The names that the file may have which a document came from; names of files may have the mark themselves."""
    parts = source.split(_PART)
    yield from (_PART.join(parts[:n]) for n in range(1, len(parts) + 1))


def _record(row: tuple[bytes, str, str, InputOutcome, str]) -> InputRecord:
    return InputRecord(from_bytes(row[0]), *row[1:])


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
