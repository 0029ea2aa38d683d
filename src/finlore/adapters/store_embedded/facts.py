"""What extractors read out of document versions: kept, replaced and given back. Called inside a transaction.

What an extractor said before it was asked again stays for replays; all of it goes with its version.
"""

import json
import sqlite3
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from finlore.adapters.store_embedded.packing import fingerprint, from_bytes, to_bytes
from finlore.adapters.store_embedded.parties import string_of
from finlore.adapters.store_embedded.schema import SHIPPED
from finlore.errors import UsageError
from finlore.records.document import Document
from finlore.records.fact import Event, Extracted, Fact, Party
from finlore.records.instant import ALWAYS, Instant
from finlore.records.plain import fields_of, record

Claim = Fact | Event
_JUDGED: Final = frozenset({"confidence", "note", "status", "reasoning", "known_at"})
_LONGEST: Final = 16 << 20  # bytes that a fact may be long; a file that somebody else made may say otherwise


def keep(db: sqlite3.Connection, version: int, document: Document, extracted: Extracted, sequence: int) -> None:
    """Let what an extractor read out of a version stand, in place of what it said of it before. What is said twice at
    one place is kept once. UsageError where a place is outside the text."""
    claims = _distinct(document.id, _number(db, version), extracted)
    for claim in claims.values():
        if not 0 <= claim.said.evidence.start <= claim.said.evidence.end <= len(document.text):
            raise UsageError(f"{extracted.extractor} points outside the text of {document.id}")
    name, notes = name_of(extracted.extractor), _notes(extracted)
    db.execute(
        "UPDATE extraction SET replaced = ? WHERE version = ? AND name = ? AND replaced IS NULL",
        (sequence, version, name),
    )
    row = db.execute(
        "INSERT INTO extraction (version, name, release, added, notes, digest) VALUES (?, ?, ?, ?, ?, ?)",
        (
            *(version, name, extracted.extractor, sequence, notes),
            _digest(extracted.extractor, notes, (claim.content for claim in claims.values())),
        ),
    ).lastrowid
    _insert(db, int(row or 0), document, claims)


def _insert(db: sqlite3.Connection, extraction: int, document: Document, claims: Mapping[int, "_Stated"]) -> None:
    """All at one go: a table may state thousands."""
    (last,) = db.execute("SELECT coalesce(max(id), 0) FROM claim").fetchone()
    pages = _Pages(document)
    db.executemany(
        "INSERT INTO claim (id, extraction, key, is_event, type, known, page, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                *(row, extraction, key, isinstance(claim.said, Event), *_columns(claim.said)),
                *(pages.at(claim.said.evidence.start), _pack(claim.content)),
            )
            for row, (key, claim) in enumerate(claims.items(), last + 1)
        ),
    )
    listed = ((string, row) for row, claim in enumerate(claims.values(), last + 1) for string in _strings(claim.said))
    db.executemany("INSERT INTO party (string, claim) VALUES (?, ?)", sorted(listed))


def stands(db: sqlite3.Connection, version: int, extracted: Extracted) -> bool:
    """Whether this very version of the extractor was asked about a document version already."""
    return _standing(db, version, extracted.extractor) is not None


def version_row(db: sqlite3.Connection, document: str, number: int, *, as_of: Instant) -> int | None:
    """The row of a version; None where there is none known at `as_of`."""
    row = db.execute(
        "SELECT v.id FROM version v JOIN document d ON d.id = v.document"
        " WHERE d.name = ? AND v.number = ? AND v.known <= ?",
        (to_bytes(document), number, as_of),
    ).fetchone()
    return int(row[0]) if row else None


def unextracted(db: sqlite3.Connection, extractor: str, *, limit: int) -> list[tuple[str, int]]:
    """(document, version) of the first that are ever read, and of which this version of the extractor said nothing."""
    rows = db.execute(
        "SELECT d.name, v.number FROM version v JOIN document d ON d.id = v.document WHERE v.shown < v.hidden"
        " AND NOT EXISTS (SELECT 1 FROM extraction WHERE version = v.id AND name = ? AND release = ?"
        " AND replaced IS NULL) ORDER BY v.id LIMIT ?",
        (name_of(extractor), extractor, limit),
    )
    return [(from_bytes(name), number) for name, number in rows]


def failed(db: sqlite3.Connection, extractor: str) -> list[tuple[str, int]]:
    """(document, version) of those of which this version of the extractor could not read some passages."""
    rows = db.execute(
        "SELECT d.name, v.number, e.notes FROM extraction e JOIN version v ON v.id = e.version"
        " JOIN document d ON d.id = v.document WHERE e.replaced IS NULL AND e.name = ? AND e.release = ?"
        " AND instr(e.notes, ?) ORDER BY v.id",
        (name_of(extractor), extractor, b'"failed"'),
    )
    return [(from_bytes(name), number) for name, number, notes in rows if json.loads(notes).get("failed")]


def extracted(db: sqlite3.Connection, document: str, version: int, *, as_of: Instant) -> tuple[Extracted, ...]:
    """What stands of each extractor, sorted by its name; facts and events in the order in which they were given."""
    if (found := version_row(db, document, version, as_of=as_of)) is None:
        return ()
    return tuple(
        _extracted(db, row, release, notes)
        for row, release, notes in db.execute(
            "SELECT id, release, notes FROM extraction WHERE version = ? AND replaced IS NULL ORDER BY name", (found,)
        ).fetchall()
    )


def name_of(extractor: str) -> str:
    """The name of an extractor without its version."""
    return extractor.partition("/")[0]


def claim_id(key: int, *, is_event: bool) -> str:
    """The public id of a fact or an event."""
    return f"{'event' if is_event else 'fact'}:{key:016x}"


def claim_key(claim: str) -> int:
    """The key of a public id; -1 where it is none."""
    kind, _, digits = claim.partition(":")
    try:
        return int(digits, 16) if kind in ("fact", "event") and len(digits) == 16 else -1
    except ValueError:
        return -1


@lru_cache(maxsize=1 << 12)  # whoever looks for doubts reads the new facts, and then those beside them
def read_fact(content: bytes) -> Fact:
    return record(Fact, json.loads(_unpack(content)))


def read_event(content: bytes) -> Event:
    return record(Event, json.loads(_unpack(content)))


def _read(content: bytes, is_event: int) -> Claim:
    return read_event(content) if is_event else read_fact(content)


# what is looked at by `status` and `doctor`


def are_kept(db: sqlite3.Connection) -> bool:
    """Whether there is room for facts: a file that is copied as it is may be older."""
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = 'extraction'").fetchone() is not None


def digests(db: sqlite3.Connection) -> list[tuple[str, int, str, str]]:
    """(document, version, extractor, hash of what it said) of all that stands, sorted."""
    if not are_kept(db):
        return []
    return sorted(
        (from_bytes(document), number, name, digest.hex())
        for document, number, name, digest in db.execute(
            "SELECT d.name, v.number, e.name, e.digest FROM extraction e JOIN version v ON v.id = e.version"
            " JOIN document d ON d.id = v.document WHERE e.replaced IS NULL"
        )
    )


def damaged(db: sqlite3.Connection, unreadable: tuple[type[Exception], ...]) -> Iterator[tuple[str, int, str]]:
    """(document, version, extractor) of what is not what was kept."""
    for row, document, number, release, notes, digest in db.execute(
        "SELECT e.id, d.name, v.number, e.release, e.notes, e.digest FROM extraction e JOIN version v"
        " ON v.id = e.version JOIN document d ON d.id = v.document"
    ).fetchall():
        try:
            whole = _is_whole(db, row, from_bytes(document), number, release) and digest == _digest(
                release, notes, (_unpack(content) for (content,) in _contents(db, row))
            )
        except unreadable:
            whole = False
        if not whole:
            yield from_bytes(document), number, release


def unlisted_parties(db: sqlite3.Connection, unreadable: tuple[type[Exception], ...]) -> list[tuple[int, Claim]]:
    """Facts and events that are not found, or wrongly, by their parties."""
    wrong = []
    for row, is_event, content in db.execute("SELECT id, is_event, content FROM claim").fetchall():
        try:
            claim = _read(content, is_event)
        except unreadable:
            continue
        listed = {string for (string,) in db.execute("SELECT string FROM party WHERE claim = ?", (row,))}
        if listed != _strings(claim):
            wrong.append((row, claim))
    return wrong


def list_parties_again(db: sqlite3.Connection, unreadable: tuple[type[Exception], ...]) -> None:
    for row, claim in unlisted_parties(db, unreadable):
        db.execute("DELETE FROM party WHERE claim = ?", (row,))
        _list_parties(db, row, claim)


# within


class _Pages:
    """Which page an offset is on."""

    def __init__(self, document: Document) -> None:
        self._blocks = sorted(document.blocks, key=lambda block: block.start)
        self._starts = [block.start for block in self._blocks]

    def at(self, offset: int) -> int | None:
        place = bisect_right(self._starts, offset) - 1
        return self._blocks[place].page if place >= 0 else None


@dataclass(frozen=True, slots=True)
class _Stated:
    """A claim with its content as it is kept, before packing."""

    said: Claim
    content: bytes


def _distinct(document: str, number: int, extracted: Extracted) -> dict[int, _Stated]:
    """By a hash of what is said and where, the same in every store, whatever the order of ingest."""
    claims: dict[int, _Stated] = {}
    place = _place(document, number, extracted.extractor)
    said: tuple[Claim, ...] = (*extracted.facts, *extracted.events)
    for claim in said:
        stated = fields_of(claim)
        claims.setdefault(_key(place, claim, stated), _Stated(claim, _json(stated)))
    return claims


def _place(document: str, number: int, extractor: str) -> bytes:
    """Where claims stand: a version, as read by an extractor."""
    return _json([document, number, name_of(extractor)])[:-1]


def _key(place: bytes, claim: Claim, stated: Mapping[str, object]) -> int:
    """A hash of what is said, without how sure that is or what was noted of it: these may be judged again."""
    said = _json({name: own for name, own in stated.items() if name not in _JUDGED}).hex()
    digest = blake2b(b'%b,"%b","%b"]' % (place, type(claim).__name__.encode(), said.encode()), digest_size=16)
    return int.from_bytes(digest.digest()[:8], "big") >> 1


def _columns(claim: Claim) -> tuple[str, int]:
    kind = claim.relation if isinstance(claim, Fact) else claim.driver
    return kind, ALWAYS if claim.known_at is None else claim.known_at


def _parties(claim: Claim) -> Iterator[Party]:
    yield claim.subject
    if claim.object is not None:
        yield claim.object
    if isinstance(claim, Event):
        yield from claim.involved


def _strings(claim: Claim) -> set[bytes]:
    return {to_bytes(string_of(party)) for party in _parties(claim)}


def _list_parties(db: sqlite3.Connection, row: int, claim: Claim) -> None:
    strings = sorted(_strings(claim))
    db.executemany("INSERT INTO party (string, claim) VALUES (?, ?)", ((string, row) for string in strings))


def _number(db: sqlite3.Connection, version: int) -> int:
    return int(db.execute("SELECT number FROM version WHERE id = ?", (version,)).fetchone()[0])


def _standing(db: sqlite3.Connection, version: int, extractor: str) -> int | None:
    row = db.execute(
        "SELECT id FROM extraction WHERE version = ? AND name = ? AND release = ? AND replaced IS NULL",
        (version, name_of(extractor), extractor),
    ).fetchone()
    return int(row[0]) if row else None


def _extracted(db: sqlite3.Connection, row: int, release: str, notes: bytes) -> Extracted:
    claims = [
        _read(content, is_event)
        for is_event, content in db.execute(
            "SELECT is_event, content FROM claim WHERE extraction = ? ORDER BY id", (row,)
        )
    ]
    return replace(
        record(Extracted, json.loads(notes)),
        extractor=release,
        facts=tuple(claim for claim in claims if isinstance(claim, Fact)),
        events=tuple(claim for claim in claims if isinstance(claim, Event)),
    )


def _notes(extracted: Extracted) -> bytes:
    """All that is said of the version as a whole."""
    return _json(fields_of(replace(extracted, extractor="", facts=(), events=())))


def _contents(db: sqlite3.Connection, row: int) -> Iterable[tuple[bytes]]:
    return db.execute("SELECT content FROM claim WHERE extraction = ?", (row,))


def _is_whole(db: sqlite3.Connection, row: int, document: str, number: int, release: str) -> bool:
    """Whether what is kept beside facts and events is what they say."""
    place = _place(document, number, release)
    for key, is_event, kind, known, content in db.execute(
        "SELECT key, is_event, type, known, content FROM claim WHERE extraction = ?", (row,)
    ):
        claim = _read(content, is_event)
        if (kind, known) != _columns(claim) or key != _key(place, claim, fields_of(claim)):
            return False
    return True


def _digest(release: str, notes: bytes, contents: Iterable[bytes]) -> bytes:
    return fingerprint(release, notes.decode(), sorted(content.hex() for content in contents))


_USUAL: Final = (SHIPPED / "claims.dictionary").read_bytes()
"""What nearly every packed fact or event has in it. What was packed with it is read with it."""


def _pack(content: bytes) -> bytes:
    """A window of 4 KB holds `_USUAL` and what is packed, and is made in a fraction of the time of a whole one."""
    packing = zlib.compressobj(9, zlib.DEFLATED, -12, 5, zdict=_USUAL)
    return packing.compress(content) + packing.flush()


def _unpack(content: bytes) -> bytes:
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_USUAL)
    return unpacking.decompress(content, _LONGEST) if content else b""


_encoded = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode


def _json(value: object) -> bytes:
    return to_bytes(_encoded(value))
