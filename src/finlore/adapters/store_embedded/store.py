"""The embedded store: one folder with one database, one lock and derived files."""

import os
import shutil
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Concatenate, Literal, ParamSpec, TypeVar

from finlore.adapters.store_embedded import (
    backfill,
    backup,
    derived,
    facts,
    facts_at,
    forgetting,
    health,
    indexing,
    inputs,
    leftovers,
    named,
    naming,
    reader,
    repair,
    reviews,
    schema,
    soundness,
    writer,
)
from finlore.adapters.store_embedded.copies import next_sequence
from finlore.adapters.store_embedded.database import Database
from finlore.adapters.store_embedded.lock import WriterLock
from finlore.adapters.store_embedded.packing import text_fingerprint
from finlore.adapters.store_embedded.parties import Parties
from finlore.errors import NotFound, StoreBusy, StoreDamaged, StoreReadOnly, UsageError
from finlore.index.cues import RelationCues, shipped_cues
from finlore.index.names import NameTable
from finlore.index.rows import ROWS_VERSION
from finlore.index.segment import FORMAT
from finlore.index.stored_names import NO_NAMES, StoredNames
from finlore.index.view import IndexView
from finlore.language.words import WORDS_VERSION
from finlore.ports import View
from finlore.records.document import Document
from finlore.records.fact import Extracted, StoredEvent, StoredFact
from finlore.records.instant import MARKET_ZONE, NEVER, Instant
from finlore.records.names import FoundNames, SameName
from finlore.records.report import BackupReport, Finding
from finlore.records.store import (
    NameScan,
    PutResult,
    ScannedMentions,
    StoreStatus,
)
from finlore.resources import read_text

DATABASE = "store.sqlite"
CUES = "lexicon/relations.toml"
SCAN_PASSAGES = 2_048
KEPT_VIEWS = 8
Given = ParamSpec("Given")
Result = TypeVar("Result")


def _reads(
    of: Callable[Concatenate[sqlite3.Connection, Given], Result],
) -> Callable[Concatenate["EmbeddedStore", Given], Result]:
    """The method of a store that reads this from a snapshot of its database."""

    def read(store: "EmbeddedStore", /, *given: Given.args, **named: Given.kwargs) -> Result:
        with store._database.snapshot() as db:
            return of(db, *given, **named)

    return read


def _writes(
    of: Callable[Concatenate[sqlite3.Connection, Given], Result],
) -> Callable[Concatenate["EmbeddedStore", Given], Result]:
    """The method of a store that does this in a transaction of its own."""

    def write(store: "EmbeddedStore", /, *given: Given.args, **named: Given.kwargs) -> Result:
        with store._database.transaction() as db:
            return of(db, *given, **named)

    return write


class EmbeddedStore:
    """`ports.Store` in `folder`, which need not exist: it is made by the first write, and until then reads as empty.

    `zone` is that of bare dates; `known_by` says whether documents are trusted to say when they were published. Both
    are kept with the first write, and `status` tells when they differ from that. New rows of the index stay apart until
    there are more than `overlay_rows`, and more than 2 % of the others.
    """

    def __init__(
        self,
        folder: Path,
        *,
        zone: str = MARKET_ZONE,
        known_by: Literal["publication", "ingestion"] = "publication",
        overlay_rows: int = 2_000,
    ) -> None:
        self.folder, self._overlay_rows = Path(folder), overlay_rows
        self._zone, self._known_by = zone, known_by
        self._path, self._derived = self.folder / DATABASE, self.folder / "derived"
        self._lock = WriterLock(self.folder / "writer.lock")
        self._database = Database(self._path, self._lock, zone=zone, known_by=known_by)
        self._caching = threading.Lock()
        self._loaded: derived.Loaded | None = None
        self._parts: indexing.Parts | None = None
        self._named: tuple[int, NameTable] | None = None
        self._views: OrderedDict[tuple[int, int, Instant], IndexView] = OrderedDict()

    # writing

    def writing(self) -> WriterLock:
        return self._lock

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._database.transaction():
            yield

    def put(
        self, document: Document, found: FoundNames, *, ingested_at: Instant, extracted: Extracted | None = None
    ) -> PutResult:
        with self._database.transaction() as db:
            return writer.put(
                db, document, found, extracted=extracted, ingested_at=ingested_at, known_by=self._known_by
            )

    put_extracted = _writes(writer.put_extracted)
    put_vectors = _writes(writer.put_vectors)
    add_reviews, decide, undo = _writes(reviews.add), _writes(reviews.decide), _writes(reviews.undo)
    unrelated = _reads(naming.unrelated)
    merge, split = _writes(naming.merge), _writes(naming.split)
    note_input = _writes(inputs.note)
    note_examined = _writes(writer.note_examined)

    def relate(self, links: Sequence[SameName], *, seen: Sequence[str] = ()) -> int:
        if not (links or seen):
            return 0
        with self._database.transaction() as db:
            return naming.relate(db, links, seen=seen)

    def name_scans(self, searched_as: backfill.SearchedAs = lambda sentence: (sentence,)) -> Iterator[NameScan]:
        with self._database.snapshot() as db:
            work = backfill.unread(db)
        search = backfill.Search(work.through, searched_as)
        for portion in work.portions(SCAN_PASSAGES):
            with self._database.snapshot() as db:
                scan = search.scan(db, portion)
            if scan is not None:
                yield scan
        if work.after < work.through:
            with self._database.transaction() as db:
                backfill.settle(db, work)

    def add_mentions(self, scanned: ScannedMentions) -> int:
        with self._database.transaction() as db:
            sequence = reader.sequence_of(db) + 1
            if new := backfill.add_mentions(db, scanned, sequence):
                next_sequence(db)
            return new

    def forget(self, document: str) -> int:
        """Remove a document from the database, from all derived files and from copies that were made of an older
        database; how many versions it had. One that was killed is completed by the next, whatever it forgets."""
        with self._lock:
            loaded = self._load()
            with self._database.transaction() as db:
                all_known = loaded is not None and not named.has_gone(db, loaded.names)
                gone = forgetting.forget(db, document)
            if gone.n_versions:
                self._refresh(unsaid=gone.surfaces if all_known else None)
                self._erase_copies()
        return gone.n_versions

    def refresh(self) -> None:
        """Bring the derived index up to the last transaction."""
        self._refresh(unsaid=None)

    def _refresh(self, *, unsaid: Collection[str] | None) -> None:
        """`unsaid`: see `named.renewed`."""
        with self._lock:
            loaded = saved = self._load() or derived.nothing(self._rules)
            with self._database.snapshot(writable=True) as db:
                forgotten = db.execute("SELECT 1 FROM forgotten LIMIT 1").fetchone() is not None
                behind = reader.sequence_of(db) != loaded.manifest.sequence
                if behind:
                    refreshed = indexing.refreshed(
                        db, loaded, self._cues, self._derived, overlay_rows=self._overlay_rows
                    )
                    refreshed = named.renewed(db, refreshed, self._derived, few=self._overlay_rows, unsaid=unsaid)
            if behind:
                saved = derived.save(self._derived, refreshed, previous=loaded)
                with self._caching:
                    self._loaded, self._parts = saved, None
                    self._views.clear()
            derived.tidy(self._derived, saved.manifest)
            if forgotten:
                self._erase_copies()
                with self._database.transaction() as db:
                    db.execute("DELETE FROM forgotten WHERE sequence <= ?", (saved.manifest.sequence,))

    def repair(self) -> None:
        """Count anew what is counted, and build anew what is derived. StoreDamaged when only a backup can mend it."""
        if not self._path.exists():
            return
        with self._lock:
            with self._database.snapshot(writable=True) as db:
                for found in (*soundness.damage(db), *soundness.foreign_tables(db)):
                    raise StoreDamaged(found.message, hint=found.fix)
            with self._database.transaction() as db:
                repair.correct(db)
            leftovers.discard(self._derived)
            shutil.rmtree(self.folder / leftovers.STAGING, ignore_errors=True)
            self.refresh()
            self._empty_log()

    def backup(self, out: Path, *, beside: Sequence[Path]) -> BackupReport:
        with self._database.snapshot() as db:
            if not self._path.exists():
                raise NotFound(f"there is nothing in {self.folder}", hint="name a workspace with --workspace")
            return backup.write(db, out, beside=beside)

    def restore(self, file: Path, *, beside: Sequence[Path], replace: bool) -> BackupReport:
        with self._lock:
            if not replace and self._is_used(beside):
                raise UsageError(
                    f"{self.folder} is not empty", hint="finlore restore FILE --replace, to lose what it holds"
                )
            restored = backup.restore(
                file, self._path, beside=beside, derived=self._derived, zone=self._zone, known_by=self._known_by
            )
            self.refresh()
        return restored

    # reading

    def view(self, as_of: Instant, *, sequence: int | None = None) -> View:
        parts = self._current_parts()
        replay = sequence if sequence is not None and sequence < parts.sequence else parts.sequence
        at = (parts.sequence, replay, as_of)
        with self._caching:
            if at in self._views:
                self._views.move_to_end(at)
                return self._views[at]
        if replay < parts.sequence:
            with self._database.snapshot() as db:
                parts = indexing.replayed(db, parts, self._cues, replay)
        view = parts.view(as_of)
        with self._caching:
            self._views[at] = view
            while len(self._views) > KEPT_VIEWS:
                self._views.popitem(last=False)
        return view

    passages, documents, document = _reads(reader.passages), _reads(reader.documents), _reads(reader.document)
    documents_of = _reads(inputs.documents_of)
    extracted = _reads(facts.extracted)
    unextracted, failed = _reads(facts.unextracted), _reads(facts.failed)
    unexamined = _reads(reader.unexamined)
    n_without_vectors, without_vectors = _reads(reader.n_without_vectors), _reads(reader.without_vectors)
    decisions, reviews = _reads(reviews.decisions), _reads(reviews.all_of)
    input, inputs = _reads(inputs.read), _reads(inputs.of_outcome)

    def facts(
        self,
        *,
        as_of: Instant,
        entities: Collection[str] | None = None,
        relations: Collection[str] | None = None,
        ids: Collection[str] | None = None,
        documents: Collection[str] | None = None,
        sequence: int | None = None,
    ) -> list[StoredFact]:
        asked = facts_at.Asked(as_of, NEVER if sequence is None else sequence, entities, relations, ids, documents)
        return self._claimed(asked, facts_at.facts)

    def events(
        self,
        *,
        as_of: Instant,
        entities: Collection[str] | None = None,
        drivers: Collection[str] | None = None,
        ids: Collection[str] | None = None,
        documents: Collection[str] | None = None,
        sequence: int | None = None,
    ) -> list[StoredEvent]:
        asked = facts_at.Asked(as_of, NEVER if sequence is None else sequence, entities, drivers, ids, documents)
        return self._claimed(asked, facts_at.events)

    def surfaces(self, *, as_of: Instant) -> Mapping[str, str]:
        loaded = self._load()
        with self._database.snapshot() as db:
            return self._names(db, loaded.names if loaded else NO_NAMES).resolve(as_of)

    def status(self) -> StoreStatus:
        loaded = self._load()
        with self._database.snapshot() as db:
            return StoreStatus(
                schema_version=schema.version_of(db),
                sequence=reader.sequence_of(db),
                digest=health.digest(db),
                counts=health.counts(db),
                sizes=self._sizes(),
                indexed_sequence=loaded.manifest.sequence if loaded else 0,
                problems=(*health.mismatches(db, zone=self._zone, known_by=self._known_by), *health.waiting(db)),
            )

    def integrity(self) -> list[Finding]:
        """Everything that is wrong with the workspace; reads all of it."""
        with self._database.snapshot() as db:
            found = list(soundness.problems(db))
            if not any(finding.fix == soundness.RESTORE for finding in found):
                settings = health.mismatches(db, zone=self._zone, known_by=self._known_by)
                found += [soundness.problem(message, "use the settings of then") for message in settings]
                found += [
                    Finding("unfinished work", False, message, soundness.REPAIR) for message in health.waiting(db)
                ]
        return [*found, *leftovers.found(self._path, self._derived, self._rules)]

    def close(self) -> None:
        self._database.close()

    # within

    @cached_property
    def _cues(self) -> RelationCues:
        return shipped_cues()

    @cached_property
    def _rules(self) -> str:
        """Identifies all that decides what a text contributes to the index, besides itself."""
        return f"{FORMAT}.{ROWS_VERSION}.{WORDS_VERSION}.{text_fingerprint(read_text(CUES)).hex()}"

    def _current_parts(self) -> indexing.Parts:
        while True:
            loaded = self._load() or self._rebuilt()
            with self._database.snapshot() as db:
                sequence = reader.sequence_of(db)
                if not self._goes_with_snapshot(loaded):
                    continue
                with self._caching:
                    parts, same = self._parts, self._loaded is loaded
                if parts is not None and same and parts.sequence == sequence:
                    return parts
                parts = indexing.parts(db, loaded, self._cues, self._names(db, loaded.names))
            with self._caching:
                self._loaded, self._parts = loaded, parts
            return parts

    def _claimed(
        self, asked: facts_at.Asked, read: Callable[[sqlite3.Connection, Parties, facts_at.Asked], Result]
    ) -> Result:
        loaded = self._load()
        with self._database.snapshot() as db:
            if asked.sequence < reader.sequence_of(db):
                names = reader.past_name_table(db, asked.sequence)
            else:
                names = self._names(db, loaded.names if loaded else NO_NAMES)
            return read(db, Parties(names, asked.as_of), asked)

    def _goes_with_snapshot(self, loaded: derived.Loaded) -> bool:
        """Whether the derived files are still those that were loaded before the snapshot. Else a writer may have gone
        on: what it forgot is then noted in newer files alone, and after a restore the rows are others altogether."""
        try:
            return not loaded.manifest.sequence or derived.current(self._derived, self._rules) == loaded.manifest
        except StoreDamaged:
            return False

    def _names(self, db: sqlite3.Connection, stored: StoredNames) -> NameTable:
        """All names of the snapshot; they are asked for more often than views, which need the whole index."""
        sequence = reader.sequence_of(db)
        with self._caching:
            if self._named is not None and self._named[0] == sequence and self._named[1].stored is stored:
                return self._named[1]
        names = reader.name_table(db, stored)
        with self._caching:
            self._named = (sequence, names)
        return names

    def _load(self) -> derived.Loaded | None:
        """The derived files; None when they must be built again. Read before the snapshot that completes them."""
        for _ in range(3):  # a writer may replace them between the manifest and the files that it names
            try:
                current = derived.current(self._derived, self._rules)
                with self._caching:
                    held = self._loaded
                return held if held is not None and held.manifest == current else derived.load(self._derived, current)
            except StoreDamaged:
                continue
        return None

    def _rebuilt(self) -> derived.Loaded:
        """Derived files made anew, or nothing where they cannot be written: views are then built in memory."""
        with self._caching:
            held = self._loaded
        if held is not None and not held.manifest.sequence:
            return held
        if self._path.exists():
            try:
                self.refresh()
                return self._load() or derived.nothing(self._rules)
            except (StoreBusy, StoreReadOnly):
                pass
        return derived.nothing(self._rules)

    def _is_used(self, beside: Sequence[Path]) -> bool:
        """Whether there is anything to lose; a file that is no database may hold what somebody still wants."""
        if any(folder.is_dir() and any(folder.iterdir()) for folder in beside):
            return True
        if not (self._path.exists() and self._path.stat().st_size):
            return False
        try:
            with self._database.snapshot() as db:
                return reader.sequence_of(db) > 0
        except StoreDamaged:
            return True

    def _erase_copies(self) -> None:
        """Copies of the whole database and its log may still hold what was forgotten."""
        for copy in leftovers.copies(self._path):
            copy.unlink()
        self._empty_log()

    def _empty_log(self) -> None:
        self._database.connection(writable=True).execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _sizes(self) -> tuple[tuple[str, int], ...]:
        database = [self._path, *self.folder.glob(f"{DATABASE}-*")]
        index = [Path(root, name) for root, _, names in os.walk(self._derived) for name in names]
        return (("database", _n_bytes(database)), ("derived", _n_bytes(index)))


def _n_bytes(files: Iterable[Path]) -> int:
    """Of those that are there: a writer may remove some meanwhile."""
    total = 0
    for file in files:
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total
