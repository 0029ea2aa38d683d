"""A document, what was read out of it, and all that only it supported leave the database. Called inside a
transaction."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from finlore.adapters.store_embedded import reviews
from finlore.adapters.store_embedded.copies import next_sequence, settle_copies
from finlore.adapters.store_embedded.inputs import forget_sources
from finlore.adapters.store_embedded.naming import settle_aliases
from finlore.adapters.store_embedded.packing import from_bytes, mentioned_surfaces, to_bytes
from finlore.adapters.store_embedded.repair import settle_support
from finlore.adapters.store_embedded.soundness import MEANS_SOMETHING, UNREADABLE


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How many versions went, and every surface of which a meaning or a link may have gone with them; None where that
    cannot be told."""

    n_versions: int
    surfaces: frozenset[str] | None


def forget(db: sqlite3.Connection, document: str) -> Forgotten:
    """Remove all versions of a document and whatever only they supported."""
    versions = db.execute(
        "SELECT v.id, v.text, v.says, v.mentions FROM version v JOIN document d ON d.id = v.document WHERE d.name = ?",
        (to_bytes(document),),
    ).fetchall()
    if not versions:
        return Forgotten(0, frozenset())
    sequence = next_sequence(db)
    aliases: set[int] = set()
    surfaces, damaged = _unsupported(db, [mentions for *_, mentions in versions])
    for version, *_ in versions:
        aliases |= _ids(db, "SELECT alias FROM statement WHERE version = ?", version)
        surfaces |= _ids(db, "SELECT surface FROM learnt_mention WHERE version = ?", version)
        db.execute(
            "INSERT INTO forgotten (key, sequence) SELECT key, ? FROM passage WHERE version = ?"
            " ON CONFLICT DO UPDATE SET sequence = excluded.sequence",
            (sequence, version),
        )
    forget_sources(db, to_bytes(document))
    db.execute("DELETE FROM document WHERE name = ?", (to_bytes(document),))
    for says in {says for _, _, says, _ in versions}:
        settle_copies(db, says, sequence)
    for text in {text for _, text, _, _ in versions}:
        db.execute("DELETE FROM text WHERE id = ? AND NOT EXISTS (SELECT 1 FROM version WHERE text = text.id)", (text,))
    surfaces |= _drop_unstated(db, aliases)
    unsaid = _drop_unused(db, surfaces, sequence)
    if damaged:
        settle_support(db, sequence)
    reviews.empty(db, document)
    return Forgotten(len(versions), None if damaged else unsaid)


def _unsupported(db: sqlite3.Connection, packed: Sequence[bytes]) -> tuple[set[int], bool]:
    """Take back the support of mentions; the surfaces that had it, and whether some cannot be read."""
    surfaces: set[int] = set()
    try:
        mentioned = [to_bytes(surface) for mentions in packed for surface in mentioned_surfaces(mentions)]
    except UNREADABLE:
        return surfaces, True
    for string in mentioned:
        surfaces |= _ids(db, "UPDATE surface SET support = support - 1 WHERE string = ? RETURNING id", string)
    return surfaces, False


def _drop_unstated(db: sqlite3.Connection, aliases: set[int]) -> set[int]:
    """Drop those of the aliases that no document states any more; the surfaces of all of them."""
    surfaces = set()
    for alias in aliases:
        surfaces |= _ids(db, "SELECT surface FROM alias WHERE id = ?", alias)
        db.execute(
            "DELETE FROM alias WHERE id = ? AND NOT EXISTS (SELECT 1 FROM statement WHERE alias = alias.id)", (alias,)
        )
    settle_aliases(db, [alias for alias in sorted(aliases) if _ids(db, "SELECT id FROM alias WHERE id = ?", alias)])
    return surfaces


def _drop_unused(db: sqlite3.Connection, surfaces: set[int], sequence: int) -> frozenset[str]:
    """Drop links of surfaces that nothing mentions or names, what was found for surfaces that mean nothing any more,
    and at last the surfaces themselves; the surfaces, and those that they were linked with."""
    for surface in sorted(surfaces):
        used = db.execute(
            "SELECT support > 0 OR EXISTS (SELECT 1 FROM alias WHERE surface = surface.id) FROM surface WHERE id = ?",
            (surface,),
        ).fetchone()
        if not used[0]:
            surfaces = surfaces | _ids(db, "SELECT surface FROM link WHERE via = ?", surface)
            surfaces = surfaces | _ids(db, "SELECT via FROM link WHERE surface = ?", surface)
            db.execute("DELETE FROM link WHERE surface = ? OR via = ?", (surface, surface))
    rows = (db.execute("SELECT string FROM surface WHERE id = ?", (surface,)).fetchone() for surface in surfaces)
    strings = frozenset(from_bytes(row[0]) for row in rows)
    for surface in sorted(surfaces):
        if _ids(db, f"SELECT id FROM surface WHERE id = ? AND NOT {MEANS_SOMETHING}", surface):
            db.execute(
                "UPDATE version SET changed = ? WHERE id IN (SELECT version FROM learnt_mention WHERE surface = ?)",
                (sequence, surface),
            )
            db.execute("DELETE FROM learnt_mention WHERE surface = ?", (surface,))
            db.execute("UPDATE surface SET learnt = 0 WHERE id = ?", (surface,))
        db.execute(
            "DELETE FROM surface WHERE id = ?1 AND support = 0 AND learnt = 0"
            " AND NOT EXISTS (SELECT 1 FROM alias WHERE surface = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM link WHERE ?1 IN (surface, via))",
            (surface,),
        )
    return strings


def _ids(db: sqlite3.Connection, query: str, value: int | bytes) -> set[int]:
    return {row[0] for row in db.execute(query, (value,))}
