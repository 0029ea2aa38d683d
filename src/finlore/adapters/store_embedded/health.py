"""What a store holds, and what is wrong with it."""

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator

from finlore.adapters.store_embedded.carriers import Copy, Interval, carriers
from finlore.adapters.store_embedded.packing import (
    fingerprint,
    from_bytes,
    mentioned_surfaces,
    text_fingerprint,
    to_bytes,
    unpack_text,
)
from finlore.adapters.store_embedded.reader import alias_known
from finlore.records.instant import NEVER, Instant

_COUNTS = {
    "documents": "SELECT count(*) FROM document",
    "versions": "SELECT count(*) FROM version",
    "duplicates": "SELECT count(*) FROM version WHERE until > known AND shown >= hidden",
    "passages": "SELECT coalesce(sum(n_passages), 0) FROM version WHERE shown < hidden",
    "mentions": "SELECT (SELECT coalesce(sum(n_mentions), 0) FROM version)"
    " + (SELECT coalesce(sum(n_mentions), 0) FROM learnt_mention)",
    "surfaces": "SELECT count(*) FROM surface",
    "names": "SELECT count(*) FROM alias",
    "entities": "SELECT count(DISTINCT entity) FROM alias",
    "links": "SELECT count(*) FROM link",
    "merges": "SELECT count(*) FROM merge WHERE undone IS NULL",
    "vectors": "SELECT count(*) FROM vector",
}


def counts(db: sqlite3.Connection) -> tuple[tuple[str, int], ...]:
    """How many of everything; passages and versions at all dates, duplicates apart."""
    return tuple((name, int(db.execute(query).fetchone()[0])) for name, query in _COUNTS.items())


def digest(db: sqlite3.Connection) -> str:
    """One hash of all content: the same for the same documents in whatever order they came and whenever they did."""
    versions = sorted(row[0].hex() for row in db.execute("SELECT digest FROM version"))
    found = sorted(
        (from_bytes(name), number, from_bytes(surface), places.decode())
        for name, number, surface, places in db.execute(
            "SELECT d.name, v.number, s.string, m.places FROM learnt_mention m JOIN surface s ON s.id = m.surface"
            " JOIN version v ON v.id = m.version JOIN document d ON d.id = v.document"
        )
    )
    links = sorted(
        (from_bytes(surface), from_bytes(via), strength, unlisted_only)
        for surface, via, strength, unlisted_only in db.execute(
            "SELECT a.string, b.string, l.strength, l.unlisted_only FROM link l JOIN surface a ON a.id = l.surface"
            " JOIN surface b ON b.id = l.via"
        )
    )
    merges = sorted(
        (from_bytes(entity), from_bytes(target))
        for entity, target in db.execute("SELECT entity, target FROM merge WHERE undone IS NULL")
    )
    return fingerprint(versions, found, links, merges).hex()


def problems(db: sqlite3.Connection) -> Iterator[str]:
    """Everything in the database that contradicts itself."""
    try:
        for (message,) in db.execute("PRAGMA integrity_check(20)"):
            if message != "ok":
                yield f"the database is damaged: {message}"
        for table, *_ in db.execute("PRAGMA foreign_key_check"):
            yield f"a row of {table} refers to something that is not there"
        yield from _broken_texts(db)
        yield from _wrong_carriers(db)
        yield from _wrong_support(db)
    except (sqlite3.DatabaseError, zlib.error, ValueError) as error:
        yield f"the database cannot be read to its end: {error}"


def mismatches(db: sqlite3.Connection, *, zone: str, known_by: str) -> Iterator[str]:
    """Settings by which dates became instants when the workspace was made, and which are others now."""
    for kept_zone, kept_known_by in db.execute("SELECT zone, known_by FROM workspace"):
        if kept_zone != zone:
            yield f"the workspace was made with zone {kept_zone}, now it is {zone}"
        if kept_known_by != known_by:
            yield f"the workspace was made with known_by {kept_known_by}, now it is {known_by}"


def waiting(db: sqlite3.Connection) -> Iterator[str]:
    """Work that was interrupted and will be taken up again."""
    (newest,) = db.execute("SELECT coalesce(max(learnt), 0) FROM surface WHERE learnt > 0").fetchone()
    (unread,) = db.execute(
        "SELECT count(*) FROM version WHERE read_through < ? AND n_passages > 0", (newest,)
    ).fetchone()
    if unread:
        yield f"{unread} document versions have not been searched for all names learnt from others"


def _broken_texts(db: sqlite3.Connection) -> Iterator[str]:
    for identity, key, content in db.execute("SELECT id, hash, content FROM text"):
        try:
            whole = text_fingerprint(unpack_text(content)) == key
        except (zlib.error, UnicodeDecodeError):
            whole = False
        if not whole:
            (name,) = db.execute(
                "SELECT d.name FROM version v JOIN document d ON d.id = v.document WHERE v.text = ?", (identity,)
            ).fetchone() or (b"a document that is gone",)
            yield f"the stored text of {from_bytes(name)} is damaged"


def _wrong_carriers(db: sqlite3.Connection) -> Iterator[str]:
    copies: dict[str, dict[Copy, Interval]] = {}
    for says, known, name, number, until, shown, hidden in db.execute(
        "SELECT v.says, v.known, d.name, v.number, v.until, v.shown, v.hidden FROM version v"
        " JOIN document d ON d.id = v.document"
    ):
        copy = Copy(Instant(known), from_bytes(name), number, Instant(until))
        copies.setdefault(says, {})[copy] = Interval(Instant(shown), Instant(hidden))
    for held in copies.values():
        right = carriers(held)
        for copy, interval in held.items():
            if interval != right[copy]:
                yield f"version {copy.version} of {copy.document} is visible at the wrong dates"


def _wrong_support(db: sqlite3.Connection) -> Iterator[str]:
    support: Counter[bytes] = Counter()
    for (mentions,) in db.execute("SELECT mentions FROM version"):
        support.update(to_bytes(surface) for surface in mentioned_surfaces(mentions))
    for string, counted in db.execute("SELECT string, support FROM surface"):
        if support.pop(string, 0) != counted:
            yield f"the support of the name {from_bytes(string)!r} is miscounted"
    for string in support:
        yield f"the name {from_bytes(string)!r} is mentioned and not listed"
    for alias, string, known in db.execute(
        "SELECT a.id, s.string, a.known FROM alias a JOIN surface s ON s.id = a.surface"
    ).fetchall():
        if (right := alias_known(db, alias)) != known or (right == NEVER and not _stated(db, alias)):
            yield f"a meaning of {from_bytes(string)!r} is known from the wrong instant"


def _stated(db: sqlite3.Connection, alias: int) -> bool:
    return db.execute("SELECT 1 FROM statement WHERE alias = ? LIMIT 1", (alias,)).fetchone() is not None
