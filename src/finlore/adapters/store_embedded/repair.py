"""Makes right again what can be counted anew from the rest. Called inside a transaction."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator

from finlore.adapters.store_embedded import facts
from finlore.adapters.store_embedded.copies import next_sequence, settle_copies
from finlore.adapters.store_embedded.naming import settle_aliases
from finlore.adapters.store_embedded.soundness import (
    LEFT_OVER,
    MEANS_SOMETHING,
    NOTHING_KEPT,
    UNREADABLE,
    UNTRACED,
    UNUSED,
    supports,
)
from finlore.records.instant import NEVER

_NEVER_DROPPED = "version"
"""A version whose text is lost is not removed in silence: it is named, and forgetting it is for its owner to decide."""


def correct(db: sqlite3.Connection) -> None:
    """Remove rows that belong to nothing, then decide anew what is counted from others: ends of versions, who carries
    a text, support of names, and from when each meaning is known."""
    sequence = _newest(db)
    _drop_orphans(db)
    for query in LEFT_OVER.values():
        db.execute(f"DELETE FROM {query}")
    _settle_ends(db)
    for (says,) in db.execute("SELECT DISTINCT says FROM version").fetchall():
        settle_copies(db, says, sequence)
    settle_support(db, sequence)
    _drop_odd_vectors(db)
    facts.list_parties_again(db, UNREADABLE)
    db.execute(f"UPDATE version SET read_through = 0 WHERE {UNTRACED}")
    db.execute(f"DELETE FROM input WHERE {NOTHING_KEPT}")


def _newest(db: sqlite3.Connection) -> int:
    """The number of this transaction, beyond every number that a row states."""
    stated = "SELECT coalesce(max(max(added, changed, closed)), 0) FROM version"
    db.execute(f"UPDATE workspace SET sequence = max(sequence, ({stated}))")
    return next_sequence(db)


def _drop_orphans(db: sqlite3.Connection) -> None:
    """Rows that refer to rows that are not there, until none is left: others may have referred to those that go."""
    references = list(_references(db))
    while any([db.execute(f"DELETE FROM {orphans}").rowcount > 0 for orphans in references]):
        pass


def _references(db: sqlite3.Connection) -> Iterator[str]:
    """Table and condition of every foreign key. Names are those of our own schema: the file's was compared with it."""
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if table == _NEVER_DROPPED or table.startswith("sqlite_"):
            continue
        for _, _, parent, column, to, *_ in db.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            met = f"SELECT 1 FROM {parent} AS parent WHERE parent.{to or 'id'} = {table}.{column}"
            yield f"{table} WHERE {column} IS NOT NULL AND NOT EXISTS ({met})"


def _settle_ends(db: sqlite3.Connection) -> None:
    """A version ends when the next of its document begins."""
    held: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for document, row, known in db.execute("SELECT document, id, known FROM version ORDER BY document, number"):
        held[document].append((row, known))
    for versions in held.values():
        ends = [known for _, known in versions[1:]] + [int(NEVER)]
        db.executemany(
            "UPDATE version SET until = ?1 WHERE id = ?2 AND until <> ?1",
            [(end, row) for (row, _), end in zip(versions, ends, strict=True)],
        )


def settle_support(db: sqlite3.Connection, sequence: int) -> None:
    """Surfaces are listed iff they are used, and learnt iff documents give them a meaning."""
    db.execute("UPDATE surface SET support = 0")
    db.executemany(
        "INSERT INTO surface (string, support, learnt) VALUES (?, ?, 0)"
        " ON CONFLICT (string) DO UPDATE SET support = excluded.support",
        supports(db).items(),
    )
    db.execute(f"UPDATE surface SET learnt = ? WHERE learnt = 0 AND {MEANS_SOMETHING}", (sequence,))
    db.execute(
        "DELETE FROM learnt_mention WHERE surface IN"
        f" (SELECT id FROM surface WHERE learnt > 0 AND NOT {MEANS_SOMETHING})"
    )
    db.execute(f"UPDATE surface SET learnt = 0 WHERE learnt > 0 AND NOT {MEANS_SOMETHING}")
    db.execute(f"DELETE FROM surface WHERE {UNUSED}")
    settle_aliases(db, [row for (row,) in db.execute("SELECT id FROM alias").fetchall()])


def _drop_odd_vectors(db: sqlite3.Connection) -> None:
    """Of each model those whose length is not that of most: they are made again by `embed`."""
    db.execute(
        "DELETE FROM vector WHERE length(data) <> (SELECT length(v.data) FROM vector v WHERE v.model = vector.model"
        " GROUP BY length(v.data) ORDER BY count(*) DESC LIMIT 1)"
    )
