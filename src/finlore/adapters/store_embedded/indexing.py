"""From a snapshot of the database and the derived files to what a view is made of, and to the next derived files."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from finlore.adapters.store_embedded.derived import Held, Loaded, new_folder, save_vectors, writing
from finlore.adapters.store_embedded.reader import Visible, index_rows, past_name_table, sequence_of
from finlore.index.cues import RelationCues
from finlore.index.merge import few, joined, merged
from finlore.index.names import NameTable
from finlore.index.segment import Segment
from finlore.index.vectors import RowVectors, SegmentVectors
from finlore.index.view import IndexView
from finlore.ports import Bytes8, Ints
from finlore.records.instant import ALWAYS, Instant

CHUNK_ROWS = 4_000
GROWTH = 4
"""A segment stands apart from the ones after it while it is this many times as large as they are together."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What views of one sequence number are cut from; see `index.view.IndexView`."""

    sequence: int
    segments: tuple[Segment, ...]
    until: Mapping[int, Instant]
    replaced: frozenset[int]
    names: NameTable
    vectors: Mapping[str, Sequence[SegmentVectors]]

    def view(self, as_of: Instant) -> IndexView:
        return IndexView(
            self.segments,
            self.names,
            as_of=as_of,
            sequence=self.sequence,
            until=self.until,
            replaced=self.replaced,
            vectors=self.vectors,
        )


@dataclass(frozen=True, slots=True)
class _Changes:
    """What happened after a sequence number: versions whose rows must be made (again), keys whose rows no longer count,
    new ends of rows that stand."""

    versions: tuple[Visible, ...]
    gone: frozenset[int]
    ends: Mapping[int, Instant]


def parts(db: sqlite3.Connection, loaded: Loaded, cues: RelationCues, names: NameTable) -> Parts:
    """What views of the snapshot are cut from: the derived files and whatever changed since."""
    sequence, since = sequence_of(db), loaded.manifest.sequence
    changes = _changes(db, since)
    fresh = _in_memory(db, changes.versions, cues, through=sequence)
    segments = (*loaded.segments, fresh)
    return Parts(
        sequence=sequence,
        segments=segments,
        until=changes.ends,
        replaced=changes.gone,
        names=names,
        vectors=_vectors(db, loaded, segments),
    )


def replayed(db: sqlite3.Connection, now: Parts, cues: RelationCues, sequence: int) -> Parts:
    """The same as of an earlier sequence number: later versions masked, later retirements and findings taken back."""
    later = _keys(db, "SELECT id FROM version WHERE added > ?", sequence)
    before = _visible(
        db,
        "SELECT v.id, r.shown, r.hidden FROM retired r JOIN version v ON v.id = r.version WHERE v.added <= ?1"
        " AND r.sequence = (SELECT min(sequence) FROM retired WHERE version = v.id AND sequence > ?1)",
        sequence,
    )
    reread = _visible(
        db,
        "SELECT id, shown, hidden FROM version WHERE added <= ?1 AND id IN (SELECT m.version FROM learnt_mention m"
        " JOIN surface s ON s.id = m.surface WHERE m.added > ?1 AND s.learnt BETWEEN 1 AND ?1)",
        sequence,
    )
    changed = {row.version: row for row in (*reread, *before)}  # of a version that is in both, as it was before
    again = _in_memory(db, [row for row in changed.values() if row.shown < row.hidden], cues, through=sequence)
    written, gone = set(again.keys.tolist()), later | _keys_of(db, changed)
    fresh = merged([now.segments[-1].ending(dict.fromkeys(gone, ALWAYS)), again])
    segments = (*now.segments[:-1], fresh)
    return Parts(
        sequence=sequence,
        segments=segments,
        until={key: end for key, end in now.until.items() if key not in written},
        replaced=now.replaced | gone,
        names=past_name_table(db, sequence),
        vectors={model: _vectors_through(db, model, now, segments, sequence) for model in now.vectors},
    )


def refreshed(db: sqlite3.Connection, loaded: Loaded, cues: RelationCues, folder: Path, *, overlay_rows: int) -> Loaded:
    """The next derived files, written in `folder` but for what `derived.save` writes.

    New rows become a segment of their own, joined with the segments before it that are not much larger or together have
    no more than `overlay_rows`: a row is moved a few times, however large the store. A segment that holds what was
    forgotten is written anew. StoreReadOnly when that cannot be written.
    """
    sequence, since = sequence_of(db), loaded.manifest.sequence
    changes, newer = _changes(db, since), _newer_vectors(db, since)
    standing = _closed(loaded.held, changes)
    with writing(folder):
        chunks = _chunks(db, changes.versions, cues, through=sequence)
        fresh = few((_written(folder, chunk) for chunk in chunks), lambda several: _merged(folder, several))
        first = _first_to_join(standing, sum(len(one.segment) for one in fresh), overlay_rows)
        stained = _stained(db, standing[:first], changes.gone)
        held = [
            _with_vectors(folder, _thinned(folder, one) if one in stained else one, [one], newer)
            for one in standing[:first]
        ]
        if fresh:
            together = [*standing[first:], *fresh]
            last = together[0] if len(together) == 1 else _merged(folder, together)
            held.append(_with_vectors(folder, last, standing[first:], newer))
    stand = tuple(one for one in held if len(one.segment))
    return replace(loaded, manifest=replace(loaded.manifest, sequence=sequence), held=stand)


def _closed(held: Iterable[Held], changes: _Changes) -> list[Held]:
    """The segments with the ends of their rows as they are now; rows that no longer count end before all time."""
    ends = {**changes.ends, **dict.fromkeys(changes.gone, ALWAYS)}
    return [replace(one, segment=one.segment.ending(ends)) for one in held] if ends else list(held)


def _first_to_join(standing: Sequence[Held], n_fresh: int, overlay_rows: int) -> int:
    """The first of the segments that new rows join: those before it are much larger than all that comes after."""
    first, size = len(standing), n_fresh
    while n_fresh and first:
        before = len(standing[first - 1].segment)
        if before > GROWTH * size and before + size > overlay_rows:
            break
        first, size = first - 1, size + before
    return first


def _stained(db: sqlite3.Connection, standing: Sequence[Held], gone: frozenset[int]) -> list[Held]:
    """The segments that hold rows of what was forgotten, or what others said only because of it."""
    if db.execute("SELECT 1 FROM forgotten LIMIT 1").fetchone() is None:
        return []
    keys = np.fromiter(gone, np.int64, len(gone))
    return [one for one in standing if (one.segment.rows_of(keys) >= 0).any()]


def _with_vectors(folder: Path, held: Held, sources: Sequence[Held], newer: "_Stored") -> Held:
    """The segment with the vectors that the sources have of its rows, but for those that are newer."""
    vectors = dict(held.vectors)
    for model in sorted({*newer, *(model for one in sources for model in one.vectors)}):
        added = RowVectors.of(held.segment, *newer[model]) if model in newer else None
        if model in vectors and not added:
            continue  # it stands as it is
        older = [
            one.vectors[model][1].moved(one.segment, held.segment, but=added) for one in sources if model in one.vectors
        ]
        parts = [part for part in [*older, *([added.all()] if added else [])] if len(part.rows)]
        if parts:
            vectors[model] = save_vectors(folder, parts)
    return replace(held, vectors=vectors)


def _written(folder: Path, segment: Segment) -> Held:
    own = new_folder(folder, "segment")
    segment.save(own)
    return Held(own.name, Segment.load(own))


def _merged(folder: Path, parts: Sequence[Held]) -> Held:
    own = new_folder(folder, "segment")
    return Held(own.name, merged([part.segment for part in parts], folder=own))


def _thinned(folder: Path, held: Held) -> Held:
    own = new_folder(folder, "segment")
    segment, (lists,) = joined([held.segment], folder=own)
    return Held(own.name, segment, before=(held.segment.names, np.flatnonzero(lists >= 0)))


def _changes(db: sqlite3.Connection, since: int) -> _Changes:
    changed = _visible(
        db,
        "SELECT id, shown, hidden FROM version INDEXED BY version_changed WHERE changed > ? AND shown < hidden"
        " ORDER BY id",
        since,
    )
    gone = _keys(db, "SELECT id FROM version WHERE changed > ?1 AND added <= ?1", since)
    gone |= {key for (key,) in db.execute("SELECT key FROM forgotten WHERE sequence > ?", (since,))}
    ends = db.execute(
        "SELECT p.key, v.hidden FROM version v JOIN passage p ON p.version = v.id"
        " WHERE v.closed > ?1 AND v.added <= ?1",
        (since,),
    )
    return _Changes(tuple(changed), frozenset(gone), {key: Instant(hidden) for key, hidden in ends})


def _chunks(
    db: sqlite3.Connection, versions: Iterable[Visible], cues: RelationCues, *, through: int
) -> Iterator[Segment]:
    """Segments of the rows of these versions, a bounded number of rows in each."""
    rows = index_rows(db, versions, cues, through=through)
    while chunk := list(islice(rows, CHUNK_ROWS)):
        yield Segment.from_rows(chunk)


def _in_memory(db: sqlite3.Connection, versions: Iterable[Visible], cues: RelationCues, *, through: int) -> Segment:
    """One segment of all rows of these versions."""
    chunks = few(_chunks(db, versions, cues, through=through), merged)
    return chunks[0] if len(chunks) == 1 else merged(chunks)


def _visible(db: sqlite3.Connection, query: str, sequence: int) -> list[Visible]:
    return [Visible(*row) for row in db.execute(query, (sequence,))]


def _keys(db: sqlite3.Connection, versions: str, *values: int) -> set[int]:
    return {key for (key,) in db.execute(f"SELECT key FROM passage WHERE version IN ({versions})", values)}


def _keys_of(db: sqlite3.Connection, versions: Iterable[int]) -> set[int]:
    return {key for version in versions for key in _keys(db, "?", version)}


_Stored = Mapping[str, tuple[Ints, Bytes8]]
"""Keys and vectors by model."""


def _newer_vectors(db: sqlite3.Connection, since: int) -> _Stored:
    """Those stored after a sequence number, and those of rows that are written again."""
    found: dict[str, list[tuple[int, bytes]]] = {}
    for model, key, data in db.execute(
        "SELECT model, key, data FROM vector WHERE added > ?1 UNION ALL"
        " SELECT x.model, x.key, x.data FROM version v INDEXED BY version_changed"  # never all vectors
        " CROSS JOIN passage p ON p.version = v.id CROSS JOIN vector x ON x.key = p.key"
        " WHERE v.changed > ?1 AND v.added <= ?1 AND x.added <= ?1",
        (since,),
    ):
        found.setdefault(model, []).append((key, data))
    return {model: _arrays(rows) for model, rows in found.items()}


def _arrays(rows: Sequence[tuple[int, bytes]]) -> tuple[Ints, Bytes8]:
    keys, data = zip(*rows, strict=True)
    return np.array(keys, np.int64), np.frombuffer(b"".join(data), np.int8).reshape(len(keys), -1)


def _vectors(db: sqlite3.Connection, loaded: Loaded, segments: Sequence[Segment]) -> dict[str, list[SegmentVectors]]:
    """By model and segment those in the derived files, but for newer ones; the last segment has newer ones alone."""
    newer = _newer_vectors(db, loaded.manifest.sequence)
    found: dict[str, list[SegmentVectors]] = {}
    for model in sorted({*newer, *(model for one in loaded.held for model in one.vectors)}):
        found[model] = []
        for place, segment in enumerate(segments):
            older = [one.vectors[model][1] for one in loaded.held[place : place + 1] if model in one.vectors]
            added = [RowVectors.of(segment, *newer[model])] if model in newer else []
            found[model].append(
                [*(own.without(new.rows) for own in older for new in added), *added] if added else older
            )
    return found


def _vectors_through(
    db: sqlite3.Connection, model: str, now: Parts, segments: Sequence[Segment], sequence: int
) -> list[SegmentVectors]:
    """Those that were stored by a sequence number; of the last segment they are read anew."""
    later = [key for (key,) in db.execute("SELECT key FROM vector WHERE added > ? AND model = ?", (sequence, model))]
    keys = np.array(later, np.int64)
    found: list[SegmentVectors] = [
        [own.without(segment.rows_of(keys)) for own in held]
        for segment, held in zip(segments[:-1], now.vectors[model][:-1], strict=True)
    ]
    query = "SELECT key, data FROM vector WHERE key = ? AND model = ? AND added <= ?"
    stored = [row for key in segments[-1].keys.tolist() for row in db.execute(query, (key, model, sequence))]
    return [*found, [RowVectors.of(segments[-1], *_arrays(stored))] if stored else []]
