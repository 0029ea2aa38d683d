"""What people are asked and what they said. Called inside a transaction.

Decisions are never removed: one that is taken back says when. Of what is forgotten the question is emptied, and who
decided what about it stays.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, get_args

from finlore.adapters.store_embedded.facts import claim_key
from finlore.adapters.store_embedded.packing import to_bytes
from finlore.errors import NotFound, UsageError
from finlore.records.instant import Instant
from finlore.records.names import EntityKind
from finlore.records.plain import record
from finlore.records.review import Decision, ReviewItem, ReviewStatus

_KINDS: Final = frozenset(get_args(EntityKind))
_CODE = re.compile(r"[0-9A-Z]{1,8}\.[A-Z]{1,4}")
_ITEM = "id, kind, confidence, asked, content"
_DECISION = "review, status, made, undone, content"
_SAID = ("edits", "note", "by", "undone_by")


def add(db: sqlite3.Connection, items: Iterable[ReviewItem]) -> int:
    """Ask what was not asked before, or was emptied since; how many questions were new."""
    return sum(
        db.execute(
            f"INSERT INTO review ({_ITEM}) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE"
            " SET confidence = excluded.confidence, asked = excluded.asked, content = excluded.content"
            " WHERE content IS NULL",
            (item.id, item.kind, item.confidence, item.asked_at, _content(item)),
        ).rowcount
        for item in items
    )


def all_of(db: sqlite3.Connection, *, status: ReviewStatus | None = None) -> list[ReviewItem]:
    """The questions of a status, or all, in the order in which they were asked."""
    statuses: dict[str, ReviewStatus] = dict(
        db.execute("SELECT review, status FROM decision WHERE undone IS NULL ORDER BY id").fetchall()
    )
    found = (
        _item(row, statuses.get(row[0], "open"))
        for row in db.execute(f"SELECT {_ITEM} FROM review ORDER BY asked, id").fetchall()
    )
    return [item for item in found if status is None or item.status == status]


def decisions(db: sqlite3.Connection, item: str | None = None) -> list[Decision]:
    """What was decided of a question, or of all, in that order; what was taken back among it."""
    rows = db.execute(
        f"SELECT {_DECISION} FROM decision WHERE ?1 IS NULL OR review = ?1 ORDER BY id", (item,)
    ).fetchall()
    return [_decision(row) for row in rows]


def decide(db: sqlite3.Connection, decision: Decision) -> None:
    """NotFound where nothing of that id was asked, UsageError where it is decided already."""
    if not db.execute("SELECT 1 FROM review WHERE id = ?", (decision.item,)).fetchone():
        raise NotFound(f"there is no review {decision.item!r}", hint="finlore review list")
    standing = _standing(db, decision.item)
    if standing is not None:
        raise UsageError(
            f"{decision.item} is already {standing[1].status}", hint=f"finlore review undo {decision.item}"
        )
    if decision.status == "open":
        raise UsageError("a decision accepts, rejects or edits", hint="undo takes one back")
    db.execute(
        f"INSERT INTO decision ({_DECISION}) VALUES (?, ?, ?, ?, ?)",
        (decision.item, decision.status, decision.made_at, None, _said(decision)),
    )


def undo(db: sqlite3.Connection, item: str, *, at: Instant, by: str = "") -> Decision | None:
    """Take back what was decided of a question; what that was, None where it is open."""
    standing = _standing(db, item)
    if standing is None:
        return None
    row, decision = standing
    undone = replace(decision, undone_at=at, undone_by=by)
    db.execute("UPDATE decision SET undone = ?, content = ? WHERE id = ?", (at, _said(undone), row))
    return undone


def empty(db: sqlite3.Connection, document: str) -> None:
    """Empty every question, and what was said to it, that is about something which is not there any more: a fact, an
    entity that nothing names, a part of the forgotten document (an id that goes on after its own)."""
    for row in db.execute(f"SELECT {_ITEM} FROM review WHERE content IS NOT NULL").fetchall():
        about = _item(row, "open").about
        if any(_is_part(thing, document) or _is_gone(db, thing) for thing in about):
            db.execute("UPDATE review SET content = NULL WHERE id = ?", (row[0],))
            for key, *decision in db.execute(
                f"SELECT id, {_DECISION} FROM decision WHERE review = ?", (row[0],)
            ).fetchall():
                said = _said(replace(_decision(decision), edits=(), note=""))
                db.execute("UPDATE decision SET content = ? WHERE id = ?", (said, key))


def _is_part(thing: str, document: str) -> bool:
    return thing == document or thing.startswith(f"{document}:")


def _is_gone(db: sqlite3.Connection, thing: str) -> bool:
    kind, colon, surface = thing.partition(":")
    if (key := claim_key(thing)) >= 0:
        return not db.execute("SELECT 1 FROM claim WHERE key = ?", (key,)).fetchone()
    if not (kind in _KINDS and colon) and not _CODE.fullmatch(thing):
        return False
    return not db.execute(
        "SELECT EXISTS (SELECT 1 FROM alias WHERE entity = ?1) OR EXISTS (SELECT 1 FROM surface WHERE string = ?2)"
        " OR EXISTS (SELECT 1 FROM party WHERE string IN (?1, ?2))"
        " OR EXISTS (SELECT 1 FROM version WHERE subject = ?1)",
        (to_bytes(thing), to_bytes(surface or thing)),
    ).fetchone()[0]


def _standing(db: sqlite3.Connection, item: str) -> tuple[int, Decision] | None:
    row = db.execute(
        f"SELECT id, {_DECISION} FROM decision WHERE review = ? AND undone IS NULL ORDER BY id DESC LIMIT 1", (item,)
    ).fetchone()
    return None if row is None else (row[0], _decision(row[1:]))


def _content(item: ReviewItem) -> bytes:
    return _json([item.about, item.question, item.proposal, item.payload])


def _item(row: Sequence[object], status: ReviewStatus) -> ReviewItem:
    id_, kind, confidence, asked, content = row
    about, question, proposal, payload = json.loads(content) if isinstance(content, bytes) else ((), "", "", ())
    stated = {"id": id_, "kind": kind, "about": about, "question": question, "proposal": proposal, "payload": payload}
    return record(ReviewItem, {**stated, "confidence": confidence, "asked_at": asked, "status": status})


def _said(decision: Decision) -> bytes:
    return _json([decision.edits, decision.note, decision.by, decision.undone_by])


def _decision(row: Sequence[object]) -> Decision:
    item, status, made, undone, content = row
    said = json.loads(content) if isinstance(content, bytes) else ()
    stated = {"item": item, "status": status, "made_at": made, "undone_at": undone}
    return record(Decision, {**stated, **dict(zip(_SAID, said, strict=False))})


def _json(value: object) -> bytes:
    return to_bytes(json.dumps(value, separators=(",", ":"), ensure_ascii=False))
