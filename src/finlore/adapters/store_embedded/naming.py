"""Aliases and what supports them, links and merges. Called inside a transaction."""

import sqlite3
from collections.abc import Iterable, Sequence

from finlore.adapters.store_embedded.copies import next_sequence
from finlore.adapters.store_embedded.packing import from_bytes, to_bytes
from finlore.adapters.store_embedded.reader import alias_known
from finlore.errors import UsageError
from finlore.records.instant import NEVER, Instant
from finlore.records.names import Alias, SameName


def state(db: sqlite3.Connection, version: int, known: Instant, aliases: Iterable[Alias], sequence: int) -> None:
    """Let a version state aliases. One that is known by then already stays as it is: only earlier support counts."""
    stated = dict(_alias(db, alias, sequence) for alias in aliases)
    db.executemany(
        "INSERT INTO statement (alias, known, version) VALUES (?, ?, ?)", ((row, known, version) for row in stated)
    )
    settle_aliases(db, [row for row, before in stated.items() if before > known])


def _alias(db: sqlite3.Connection, alias: Alias, sequence: int) -> tuple[int, Instant]:
    """The row of an alias, and since when it was known before."""
    taught = alias.known_at is None
    surface = _surface(db, alias.surface, learnt=sequence if taught else 0)
    listed = NEVER if alias.known_at is None else alias.known_at
    meaning = (to_bytes(alias.entity), alias.kind, to_bytes(alias.name), alias.strength)
    values = (surface, *meaning, listed, alias.needs)
    row = db.execute(
        "SELECT id, known FROM alias WHERE surface = ? AND entity = ? AND kind = ? AND name = ? AND strength = ?"
        " AND listed = ? AND needs = ?",
        values,
    ).fetchone()
    if row is None:
        row = db.execute(
            "INSERT INTO alias (surface, entity, kind, name, strength, listed, needs, known)"
            f" VALUES (?, ?, ?, ?, ?, ?, ?, {NEVER}) RETURNING id, known",
            values,
        ).fetchone()
    return int(row[0]), Instant(row[1])


def _surface(db: sqlite3.Connection, string: str, *, learnt: int) -> int:
    """The row of a surface, which means something since `learnt` unless it did before."""
    row = db.execute("SELECT id, learnt FROM surface WHERE string = ?", (to_bytes(string),)).fetchone()
    if row is None or (learnt and not row[1]):
        row = db.execute(
            "INSERT INTO surface (string, support, learnt) VALUES (?1, 0, ?2) ON CONFLICT (string) DO UPDATE"
            " SET learnt = excluded.learnt RETURNING id",
            (to_bytes(string), learnt),
        ).fetchone()
    return int(row[0])


def settle_aliases(db: sqlite3.Connection, aliases: Iterable[int]) -> None:
    """Count the support of these aliases again."""
    for alias in aliases:
        db.execute("UPDATE alias SET known = ?1 WHERE id = ?2 AND known <> ?1", (alias_known(db, alias), alias))


def relate(db: sqlite3.Connection, links: Sequence[SameName]) -> int:
    """Store links between surfaces; how many were new."""
    new = [link for link in dict.fromkeys(links) if not _is_linked(db, link)]
    sequence = next_sequence(db) if new else 0
    db.executemany(
        "INSERT INTO link (surface, via, strength, unlisted_only, added) VALUES (?, ?, ?, ?, ?)",
        (
            (
                *(_surface(db, link.surface, learnt=sequence), _surface(db, link.via, learnt=0)),
                *(link.strength, link.unlisted_only, sequence),
            )
            for link in new
        ),
    )
    return len(new)


def _is_linked(db: sqlite3.Connection, link: SameName) -> bool:
    row = db.execute(
        "SELECT 1 FROM link l JOIN surface a ON a.id = l.surface JOIN surface b ON b.id = l.via"
        " WHERE a.string = ? AND b.string = ? AND l.strength = ? AND l.unlisted_only = ?",
        (to_bytes(link.surface), to_bytes(link.via), link.strength, link.unlisted_only),
    ).fetchone()
    return row is not None


def merge(db: sqlite3.Connection, entity: str, into: str) -> None:
    """From now on `entity` is `into`, at every date; UsageError when that would go round in a circle."""
    targets = {
        from_bytes(a): from_bytes(b) for a, b in db.execute("SELECT entity, target FROM merge WHERE undone IS NULL")
    }
    end = into
    while end != entity and end in targets:
        end = targets[end]
    if end == entity:
        raise UsageError(f"{into} already stands for {entity}", hint="split it first")
    sequence = next_sequence(db)
    db.execute("UPDATE merge SET undone = ? WHERE entity = ? AND undone IS NULL", (sequence, to_bytes(entity)))
    db.execute(
        "INSERT INTO merge (entity, target, made) VALUES (?, ?, ?)", (to_bytes(entity), to_bytes(into), sequence)
    )


def split(db: sqlite3.Connection, entity: str) -> bool:
    """Take back the merge of `entity`; False when there is none."""
    if not db.execute("SELECT 1 FROM merge WHERE entity = ? AND undone IS NULL", (to_bytes(entity),)).fetchone():
        return False
    db.execute("UPDATE merge SET undone = ? WHERE entity = ? AND undone IS NULL", (next_sequence(db), to_bytes(entity)))
    return True
