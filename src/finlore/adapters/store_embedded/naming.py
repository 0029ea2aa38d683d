"""Aliases and what supports them, links and merges. Called inside a transaction."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from finlore.adapters.store_embedded.copies import next_sequence
from finlore.adapters.store_embedded.packing import from_bytes, to_bytes
from finlore.adapters.store_embedded.reader import alias_known
from finlore.errors import UsageError
from finlore.language.legal import brands, is_legal
from finlore.records.instant import NEVER, Instant
from finlore.records.names import Alias, SameName

_SETTLE: Final = "UPDATE alias SET known = ?1 WHERE id = ?2 AND known <> ?1"
_ALIAS: Final = (
    "SELECT a.id FROM surface s CROSS JOIN alias a ON a.surface = s.id WHERE s.string = :string AND a.entity = :entity"
    " AND a.kind = :kind AND a.name = :name AND a.strength = :strength AND a.listed = :listed AND a.needs = :needs"
)
_STATE: Final = (
    "INSERT INTO surface (string, support, learnt) VALUES (:string, 0, :learnt) ON CONFLICT (string) DO UPDATE"
    " SET learnt = excluded.learnt WHERE learnt = 0 AND excluded.learnt > 0",
    "INSERT INTO alias (surface, entity, kind, name, strength, listed, needs, known)"
    f" SELECT id, :entity, :kind, :name, :strength, :listed, :needs, {NEVER} FROM surface WHERE string = :string"
    " ON CONFLICT DO NOTHING",
    f"INSERT OR IGNORE INTO statement (alias, known, version) VALUES (({_ALIAS}), :stated, :version)",
    f"UPDATE alias SET known = :known WHERE id = ({_ALIAS}) AND known > :known AND NOT :counted",
)
"""What is done for each alias. Where it does not matter how many state it (`counted`), the earliest does."""


def state(db: sqlite3.Connection, version: int, known: Instant, aliases: Iterable[Alias], sequence: int) -> None:
    """Let a version state aliases. One that is known by then already stays as it is: only earlier support counts."""
    stated = [_values(alias, version, known, sequence) for alias in aliases]
    for statement in _STATE:
        db.executemany(statement, stated)
    counted = (
        db.execute(f"{_ALIAS} AND a.known > :stated", values).fetchone() for values in stated if values["counted"]
    )
    settle_aliases(db, [alias for (alias,) in filter(None, counted)])


def _values(alias: Alias, version: int, known: Instant, sequence: int) -> dict[str, int | str | bytes]:
    return {
        "string": to_bytes(alias.surface),
        "entity": to_bytes(alias.entity),
        "kind": alias.kind,
        "name": to_bytes(alias.name),
        "strength": alias.strength,
        "listed": NEVER if alias.known_at is None else alias.known_at,
        "needs": alias.needs,
        "learnt": sequence if alias.is_taught else 0,
        "version": version,
        "stated": known,
        "known": known if alias.known_at is None else max(known, alias.known_at),
        "counted": alias.known_at is None and alias.needs > 1,
    }


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
        db.execute(_SETTLE, (alias_known(db, alias), alias))


_MEANS = f"EXISTS (SELECT 1 FROM alias WHERE surface = s.id AND known < {NEVER})"
_IS_LEGAL = "substr(s.string, -3) IN (x'e58fb8', x'e4b89a')"  # as the indexes of brands have it
_LONGEST_SHORT: Final = 8 * 4  # bytes
_FEW: Final = 5_000


def unrelated(db: sqlite3.Connection) -> tuple[list[str], list[str]]:
    """Surfaces that came to mean something since they were related, and all others that may share a brand with one."""
    new = _strings(db, f"SELECT s.string FROM unrelated u CROSS JOIN surface s ON s.id = u.surface WHERE {_MEANS}")
    if len(new) > _FEW:
        return new, _strings(db, f"SELECT s.string FROM surface s WHERE {_MEANS}")
    legal = [surface for surface in new if is_legal(surface)]
    shorts: dict[str, set[str]] = defaultdict(set)
    for surface in new:
        if len(surface) > 2 and not is_legal(surface):
            shorts[surface[:2]].add(surface[2])
    near = {short for brand in {brand for name in legal for brand in brands(name)} for short in _shorts(db, brand)}
    near.update(name for brand, third in shorts.items() for name in _legal_names(db, brand, sorted(third)))
    return new, sorted(near - set(new))


def _shorts(db: sqlite3.Connection, brand: str) -> list[str]:
    """Surfaces that begin with a brand and are no longer than short names."""
    low = to_bytes(brand)
    return _strings(
        db,
        f"SELECT s.string FROM surface s WHERE s.string > ? AND s.string < ? AND length(s.string) <= ? AND {_MEANS}",
        *(low, low + b"\xff", _LONGEST_SHORT),
    )


def _legal_names(db: sqlite3.Connection, brand: str, third: Sequence[str]) -> list[str]:
    """Names that end as legal ones do and have a brand near their head, and one of the characters `third`."""
    low = to_bytes(brand)
    also = " OR ".join(["instr(s.string, ?) > 0"] * len(third)) if len(third) < 100 else "1"
    holds = [to_bytes(character) for character in third] if len(third) < 100 else []
    end = f" AND {_IS_LEGAL} AND ({also}) AND {_MEANS}"
    first = _strings(
        db, f"SELECT s.string FROM surface s WHERE s.string > ? AND s.string < ?{end}", low, low + b"\xff", *holds
    )
    return first + [
        name
        for at in range(1, len(brands("12345678")))
        for name in _strings(
            db,
            f"SELECT s.string FROM surface s WHERE substr(CAST(s.string AS TEXT), {at} + 1, 2) = ?{end}",
            brand,
            *holds,
        )
    ]


def _strings(db: sqlite3.Connection, query: str, *values: object) -> list[str]:
    return [from_bytes(string) for (string,) in db.execute(query, values)]


def relate(db: sqlite3.Connection, links: Sequence[SameName], *, seen: Sequence[str]) -> int:
    """Store links between surfaces, of which `seen` need not be looked at again; how many links were new."""
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
    db.executemany(
        "DELETE FROM unrelated WHERE surface = (SELECT id FROM surface WHERE string = ?)",
        ((to_bytes(surface),) for surface in seen),
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
