"""Names that reach older texts: which texts must still be searched for which surfaces, and what was found in them.

A version remembers the sequence number up to which it has been searched, a surface the one since which it means
something.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator

from finlore.adapters.store_embedded.packing import (
    Place,
    from_bytes,
    pack_places,
    to_bytes,
    unpack_mentions,
    unpack_metadata,
    unpack_places,
    unpack_sentences,
    unpack_spans,
    unpack_text,
)
from finlore.language.reading import context_lines, read, readable_spans
from finlore.records.names import Mention
from finlore.records.store import NameScan, ScannedMentions, ScanText

Marker = tuple[int, int, int]
"""A version, up to where it has been read, and how many passages it has."""


def unread(db: sqlite3.Connection) -> tuple[list[Marker], int]:
    """Versions that were not yet searched for every learnt surface, and the sequence number of the newest of these."""
    (newest,) = db.execute("SELECT coalesce(max(learnt), 0) FROM surface WHERE learnt > 0").fetchone()
    markers = db.execute(
        "SELECT id, read_through, n_passages FROM version WHERE read_through < ? AND n_passages > 0"
        " ORDER BY read_through, id",
        (newest,),
    )
    return markers.fetchall(), newest


def batches(markers: list[Marker], *, n_passages: int) -> Iterator[tuple[int, list[int]]]:
    """(read through, versions): versions that lack the same surfaces, whole, about `n_passages` at a time."""
    batch: list[int] = []
    size, through = 0, -1
    for version, read_through, n in markers:
        if batch and (read_through != through or size + n > n_passages):
            yield through, batch
            batch, size = [], 0
        through, size = read_through, size + n
        batch.append(version)
    if batch:
        yield through, batch


def name_scan(db: sqlite3.Connection, versions: list[int], *, read_through: int, through: int) -> NameScan | None:
    """What must be done for these versions; None when they have been forgotten meanwhile."""
    surfaces = db.execute(
        "SELECT string FROM surface WHERE learnt > ? AND learnt <= ? ORDER BY string", (read_through, through)
    )
    texts = tuple(text for version in versions for text in _scan_texts(db, version))
    return NameScan(tuple(from_bytes(string) for (string,) in surfaces), texts, through) if texts else None


def _scan_texts(db: sqlite3.Connection, version: int) -> Iterator[ScanText]:
    row = db.execute(
        "SELECT t.content, v.metadata, v.markup FROM version v JOIN text t ON t.id = v.text WHERE v.id = ?", (version,)
    ).fetchone()
    if row is None:
        return
    text, metadata, spans = unpack_text(row[0]), unpack_metadata(row[1]), readable_spans(unpack_spans(row[2]))
    for ordinal, first, heading, packed in db.execute(
        "SELECT ordinal, first, heading, sentences FROM passage WHERE version = ? ORDER BY ordinal", (version,)
    ):
        context = ((0, line) for line in context_lines(metadata, from_bytes(heading)))
        sentences = (read(text, spans, s.start, s.end) for s in unpack_sentences(packed, first))
        yield ScanText(version, ordinal, (*context, *enumerate(sentences, start=1)))


def add_mentions(db: sqlite3.Connection, scanned: ScannedMentions, sequence: int) -> int:
    """Store what a scan found and mark its texts as read; how many mentions were new.

    A version that was forgotten or a surface that lost its meaning since the scan was made is passed over.
    """
    found: dict[int, dict[str, set[Place]]] = defaultdict(lambda: defaultdict(set))
    for version, mention in scanned.mentions:
        found[version][mention.surface].add((mention.passage, mention.sentence, mention.start, mention.end))
    new = sum(_add_to_version(db, version, surfaces, sequence) for version, surfaces in sorted(found.items()))
    db.executemany(
        "UPDATE version SET read_through = max(read_through, ?) WHERE id = ?",
        ((scanned.scan.through, version) for version in {text.version_row for text in scanned.scan.texts}),
    )
    return new


def _add_to_version(db: sqlite3.Connection, version: int, surfaces: dict[str, set[Place]], sequence: int) -> int:
    row = db.execute("SELECT mentions FROM version WHERE id = ?", (version,)).fetchone()
    if row is None:
        return 0
    own: dict[str, set[Place]] = defaultdict(set)
    for mention in unpack_mentions(row[0]):
        own[mention.surface].add((mention.passage, mention.sentence, mention.start, mention.end))
    new = 0
    for surface, places in sorted(surfaces.items()):
        new += _add_places(db, version, surface, places - own[surface], sequence)
    if new:
        db.execute("UPDATE version SET changed = ? WHERE id = ?", (sequence, version))
    return new


def _add_places(db: sqlite3.Connection, version: int, surface: str, places: set[Place], sequence: int) -> int:
    row = db.execute("SELECT id FROM surface WHERE string = ? AND learnt > 0", (to_bytes(surface),)).fetchone()
    if row is None or not places:
        return 0
    held = db.execute(
        "SELECT places FROM learnt_mention WHERE version = ? AND surface = ?", (version, row[0])
    ).fetchone()
    before = set(unpack_places(held[0])) if held else set()
    if places <= before:
        return 0
    db.execute(
        "INSERT INTO learnt_mention (version, surface, added, places, n_mentions) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (version, surface) DO UPDATE"
        " SET added = excluded.added, places = excluded.places, n_mentions = excluded.n_mentions",
        (version, row[0], sequence, pack_places(places | before), len(places | before)),
    )
    return len(places - before)


def learnt_mentions(db: sqlite3.Connection, version: int, *, through: int) -> Iterator[Mention]:
    """Mentions that were found in a version later than it was stored, up to a sequence number."""
    for string, places in db.execute(
        "SELECT s.string, m.places FROM learnt_mention m JOIN surface s ON s.id = m.surface"
        " WHERE m.version = ? AND m.added <= ? ORDER BY s.string",
        (version, through),
    ):
        surface = from_bytes(string)
        for passage, sentence, start, end in unpack_places(places):
            yield Mention(passage, sentence, start, end, surface)
