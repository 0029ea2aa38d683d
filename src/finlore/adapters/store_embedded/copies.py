"""Copies of one text, and the numbers of transactions."""

import sqlite3

from finlore.adapters.store_embedded.carriers import Copy, Interval, carriers
from finlore.adapters.store_embedded.packing import from_bytes
from finlore.records.instant import Instant


def next_sequence(db: sqlite3.Connection) -> int:
    """The number of the transaction that is being made."""
    (sequence,) = db.execute("UPDATE workspace SET sequence = sequence + 1 RETURNING sequence").fetchone()
    return int(sequence)


def settle_copies(db: sqlite3.Connection, says: str, sequence: int) -> None:
    """Decide again which copies of a text carry it when; what changes is noted, so that a replay can take it back."""
    rows = db.execute(
        "SELECT v.id, v.known, d.name, v.number, v.until, v.shown, v.hidden, v.added FROM version v"
        " JOIN document d ON d.id = v.document WHERE v.says = ?",
        (says,),
    ).fetchall()
    copies = {Copy(Instant(known), from_bytes(name), number, Instant(until)): (version, Interval(shown, hidden), added)
              for version, known, name, number, until, shown, hidden, added in rows}  # fmt: skip
    for copy, now in carriers(copies).items():
        version, before, added = copies[copy]
        if now == before:
            continue
        was_row, is_row = before.start < before.end, now.start < now.end
        again = is_row and (not was_row or now.start != before.start)  # else its row stands, with another end
        db.execute(
            f"UPDATE version SET shown = ?, hidden = ?, {'changed' if again else 'closed'} = ? WHERE id = ?",
            (now.start, now.end, sequence, version),
        )
        if added < sequence:
            db.execute(
                "INSERT INTO retired (version, sequence, shown, hidden) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (version, sequence, before.start, before.end),
            )
