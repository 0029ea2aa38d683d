"""From a snapshot of the database and the derived files to what a view is made of, and to the next derived files."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from finlore.adapters.store_embedded.derived import EMPTY_SEGMENT, Loaded, Manifest
from finlore.adapters.store_embedded.reader import Visible, index_rows, name_table, sequence_of
from finlore.index.cues import RelationCues
from finlore.index.names import NameTable
from finlore.index.segment import Segment
from finlore.index.view import IndexView, PassageVectors
from finlore.ports import Ints
from finlore.records.instant import Instant

CHUNK_ROWS = 4_000


@dataclass(frozen=True, slots=True)
class Parts:
    """What views of one sequence number are cut from; see `index.view.IndexView`."""

    sequence: int
    base: Segment
    overlay: Segment
    until: Mapping[int, Instant]
    replaced: frozenset[int]
    names: NameTable
    vectors: Mapping[str, PassageVectors]

    def view(self, as_of: Instant) -> IndexView:
        return IndexView(
            (self.base, self.overlay),
            self.names,
            as_of=as_of,
            sequence=self.sequence,
            until=self.until,
            replaced=self.replaced,
            vectors=self.vectors,
        )


def parts(db: sqlite3.Connection, loaded: Loaded, cues: RelationCues, names: NameTable) -> Parts:
    """What views of the snapshot are cut from: the derived files and whatever changed since."""
    at, sequence = loaded.manifest, sequence_of(db)
    overlay, gone = _overlay(db, loaded, cues, sequence)
    return Parts(
        sequence=sequence,
        base=loaded.base,
        overlay=overlay,
        until=_ends(db, at.base_sequence),
        replaced=frozenset(overlay.keys.tolist()) | gone,
        names=names,
        vectors=_vectors(db, loaded),
    )


def replayed(db: sqlite3.Connection, now: Parts, cues: RelationCues, sequence: int) -> Parts:
    """The same as of an earlier sequence number: later versions masked, later retirements and findings taken back."""
    later = _keys(db, "SELECT id FROM version WHERE added > ?", sequence)
    before = [
        Visible(version, shown, hidden)
        for version, shown, hidden in db.execute(
            "SELECT v.id, r.shown, r.hidden FROM retired r JOIN version v ON v.id = r.version WHERE v.added <= ?1"
            " AND r.sequence = (SELECT min(sequence) FROM retired WHERE version = v.id AND sequence > ?1)",
            (sequence,),
        )
    ]
    reread = [
        Visible(version, shown, hidden)
        for version, shown, hidden in db.execute(
            "SELECT id, shown, hidden FROM version WHERE added <= ?1 AND id IN (SELECT m.version FROM learnt_mention m"
            " JOIN surface s ON s.id = m.surface WHERE m.added > ?1 AND s.learnt BETWEEN 1 AND ?1)",
            (sequence,),
        )
    ]
    changed = {row.version: row for row in (*reread, *before)}  # of a version that is in both, as it was before
    again = _segment(db, (row for row in changed.values() if row.shown < row.hidden), cues, through=sequence)
    written, gone = set(again.keys.tolist()), later | _keys_of(db, changed)
    return Parts(
        sequence=sequence,
        base=now.base,
        overlay=Segment.merged((now.overlay, again), drop=gone),
        until={key: end for key, end in now.until.items() if key not in written},
        replaced=now.replaced | gone,
        names=name_table(db, through=sequence),
        vectors={model: _vectors_through(db, model, held, sequence) for model, held in now.vectors.items()},
    )


def refreshed(db: sqlite3.Connection, loaded: Loaded, cues: RelationCues, *, overlay_rows: int) -> Loaded:
    """The next derived files. The overlay joins the base when it is large, or when rows must leave for good."""
    at, sequence = loaded.manifest, sequence_of(db)
    overlay, gone = _overlay(db, loaded, cues, sequence)
    base, base_sequence = loaded.base, at.base_sequence
    forgotten = db.execute("SELECT 1 FROM forgotten LIMIT 1").fetchone() is not None
    if forgotten or len(overlay) > max(overlay_rows, len(base) // 50):
        never = _keys(db, "SELECT id FROM version WHERE shown >= hidden")
        drop = gone | never | set(overlay.keys.tolist())
        base = Segment.merged((base, overlay), drop=drop, until=_ends(db, base_sequence))
        overlay, base_sequence = EMPTY_SEGMENT, sequence
    vectors = _ordered(_vectors(db, loaded), base) if _vectors_changed(db, at, base is loaded.base) else loaded.vectors
    manifest = replace(at, sequence=sequence, base_sequence=base_sequence)
    return Loaded(manifest, base, overlay, vectors)


def _overlay(db: sqlite3.Connection, loaded: Loaded, cues: RelationCues, sequence: int) -> tuple[Segment, set[int]]:
    """The segment of everything that is not in the base as it should be, and the keys of rows that must not count."""
    since = loaded.manifest.sequence
    changed = [
        Visible(*row)
        for row in db.execute("SELECT id, shown, hidden FROM version WHERE changed > ? ORDER BY id", (since,))
    ]
    gone = {key for (key,) in db.execute("SELECT key FROM forgotten WHERE sequence > ?", (since,))}
    gone |= _keys_of(db, [row.version for row in changed])
    fresh = _segment(db, (row for row in changed if row.shown < row.hidden), cues, through=sequence)
    ends = _ends(db, since)
    if not len(loaded.overlay):
        return fresh, gone
    if not gone and not ends:
        return loaded.overlay, gone
    return Segment.merged((loaded.overlay, fresh), drop=gone, until=ends), gone


def _segment(db: sqlite3.Connection, versions: Iterable[Visible], cues: RelationCues, *, through: int) -> Segment:
    """One segment of all rows of these versions, made in chunks so that memory stays bounded."""
    rows = index_rows(db, versions, cues, through=through)
    chunks = [Segment.from_rows(chunk) for chunk in iter(lambda: list(islice(rows, CHUNK_ROWS)), [])]
    if len(chunks) < 2:
        return chunks[0] if chunks else EMPTY_SEGMENT
    return Segment.merged(chunks)


def _ends(db: sqlite3.Connection, since: int) -> dict[int, Instant]:
    """Key -> end of the rows of versions that were retired, or given back, after a sequence number."""
    rows = db.execute(
        "SELECT p.key, v.hidden FROM version v JOIN passage p ON p.version = v.id WHERE v.closed > ?", (since,)
    )
    return {key: Instant(hidden) for key, hidden in rows}


def _keys(db: sqlite3.Connection, versions: str, *values: int) -> set[int]:
    return {key for (key,) in db.execute(f"SELECT key FROM passage WHERE version IN ({versions})", values)}


def _keys_of(db: sqlite3.Connection, versions: Iterable[int]) -> set[int]:
    return {key for version in versions for key in _keys(db, "?", version)}


def _vectors_changed(db: sqlite3.Connection, at: Manifest, base_stands: bool) -> bool:
    newer = db.execute("SELECT 1 FROM vector WHERE added > ? LIMIT 1", (at.sequence,)).fetchone()
    return newer is not None or not base_stands


def _vectors(db: sqlite3.Connection, loaded: Loaded) -> dict[str, PassageVectors]:
    """By model, those in the derived files that were not forgotten, and those that were stored since."""
    since = (loaded.manifest.sequence,)
    gone = np.array([key for (key,) in db.execute("SELECT key FROM forgotten WHERE sequence > ?", since)], np.int64)
    held = {model: _without(vectors, gone) for model, vectors in loaded.vectors.items()}
    for (model,) in db.execute("SELECT DISTINCT model FROM vector WHERE added > ?", since).fetchall():
        newer = _stored(db.execute("SELECT key, data FROM vector WHERE added > ? AND model = ?", (*since, model)))
        older = held.get(model)
        held[model] = newer if older is None else _joined(_without(older, newer.keys), newer)
    return {model: vectors for model, vectors in held.items() if len(vectors.keys)}


def _stored(rows: Iterator[tuple[int, bytes]]) -> PassageVectors:
    keys, data = zip(*rows, strict=True)
    return PassageVectors(np.array(keys, np.int64), np.frombuffer(b"".join(data), np.int8).reshape(len(keys), -1))


def _joined(older: PassageVectors, newer: PassageVectors) -> PassageVectors:
    return PassageVectors(np.concatenate([older.keys, newer.keys]), np.concatenate([older.values, newer.values]))


def _without(vectors: PassageVectors, keys: Ints) -> PassageVectors:
    kept = ~np.isin(vectors.keys, keys)
    return vectors if kept.all() else PassageVectors(vectors.keys[kept], vectors.values[kept])


def _ordered(vectors: Mapping[str, PassageVectors], base: Segment) -> dict[str, PassageVectors]:
    """In the order of the base segment, so that a view need not copy them; then those of rows that are not in it."""
    ordered = {}
    for model, held in vectors.items():
        rows = base.rows_of(held.keys)
        order = np.lexsort((held.keys, np.where(rows < 0, len(base), rows)))
        ordered[model] = PassageVectors(held.keys[order], held.values[order])
    return ordered


def _vectors_through(db: sqlite3.Connection, model: str, held: PassageVectors, sequence: int) -> PassageVectors:
    later = [key for (key,) in db.execute("SELECT key FROM vector WHERE added > ? AND model = ?", (sequence, model))]
    return _without(held, np.array(later, np.int64))
