"""What a store holds, and what of its work is unfinished."""

import sqlite3
from collections.abc import Iterator

from finlore.adapters.store_embedded import facts, inputs
from finlore.adapters.store_embedded.backfill import n_unread
from finlore.adapters.store_embedded.packing import fingerprint, from_bytes

_CLAIMS = (
    "SELECT count(*) FROM claim c JOIN extraction e ON e.id = c.extraction JOIN version v ON v.id = e.version"
    " WHERE c.is_event = {} AND e.replaced IS NULL AND v.shown < v.hidden"
)
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
_TYPES = _CLAIMS.replace("count(*)", "count(DISTINCT c.type)")
_FACT_COUNTS = {
    "facts": _CLAIMS.format(0),
    "events": _CLAIMS.format(1),
    "relations": _TYPES.format("0 AND c.type NOT LIKE 'metric:%'"),
    "metrics": _TYPES.format("0 AND c.type LIKE 'metric:%'"),
    "drivers": _TYPES.format(1),
    "parties": "SELECT count(DISTINCT coalesce((SELECT a.entity FROM surface s JOIN alias a ON a.surface = s.id"
    " WHERE s.string = named.string ORDER BY a.strength DESC, a.entity LIMIT 1), named.string)) FROM"
    " (SELECT DISTINCT p.string FROM party p JOIN claim c ON c.id = p.claim JOIN extraction e ON e.id = c.extraction"
    " JOIN version v ON v.id = e.version WHERE e.replaced IS NULL AND v.shown < v.hidden) named",
    "failed_passages": "SELECT coalesce(sum(json_array_length(CAST(notes AS TEXT), '$.failed')), 0) FROM extraction"
    " WHERE replaced IS NULL AND instr(notes, CAST('\"failed\"' AS BLOB))",
    "open_reviews": "SELECT count(*) FROM review WHERE NOT EXISTS"
    " (SELECT 1 FROM decision WHERE review = review.id AND undone IS NULL)",
}


def counts(db: sqlite3.Connection) -> tuple[tuple[str, int], ...]:
    """How many of everything; passages and versions at all dates, duplicates apart."""
    asked = _COUNTS | _FACT_COUNTS if facts.are_kept(db) else _COUNTS
    return tuple((name, int(db.execute(query).fetchone()[0])) for name, query in asked.items())


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
    return fingerprint(versions, found, links, merges, *facts.digests(db)).hex()


def mismatches(db: sqlite3.Connection, *, zone: str, known_by: str) -> Iterator[str]:
    """Settings by which dates became instants when the workspace was made, and which are others now."""
    for kept_zone, kept_known_by in db.execute("SELECT zone, known_by FROM workspace"):
        if kept_zone != zone:
            yield f"the workspace was made with zone {kept_zone}, now it is {zone}"
        if kept_known_by != known_by:
            yield f"the workspace was made with known_by {kept_known_by}, now it is {known_by}"


def waiting(db: sqlite3.Connection) -> Iterator[str]:
    """Work that was interrupted and will be taken up again."""
    unread = n_unread(db)
    if unread:
        yield f"{unread} document versions have not been searched for all names learnt from others"
    for record in inputs.of_outcome(db, "partial"):
        yield f"only a part of {record.source} is in the store: {record.reason}; import it again"
    (gone,) = db.execute("SELECT count(*) FROM forgotten").fetchone()
    if gone:
        yield f"{gone} forgotten passages are not yet out of the derived files"
