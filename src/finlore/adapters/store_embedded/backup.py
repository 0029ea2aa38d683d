"""A whole workspace in one file, and back.

The file is a zip archive: the database, the small files that belong with it, and a manifest with the size and SHA-256
of each. Whoever made it is not trusted: nothing is unpacked under a name that the archive chooses, nothing beyond the
size that it states, and a database is taken only when its tables are those of its schema version.
"""

import json
import os
import re
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from finlore.adapters.store_embedded import health, leftovers, schema, soundness
from finlore.adapters.store_embedded.database import translated
from finlore.adapters.store_embedded.derived import writing
from finlore.adapters.store_embedded.reader import sequence_of
from finlore.errors import NotFound, StoreDamaged, StoreError, UsageError
from finlore.records.instant import Instant, now
from finlore.records.report import BackupReport

MANIFEST, DATABASE, BESIDE = "manifest.json", "store.sqlite", "beside/"
RUNS = "runs"  # the folder of files that name none: once there was no other
FORMAT = "finlore backup 1"
LONGEST_MANIFEST = 64 << 20
_FILE_NAME = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9_-]{0,99}/){0,2}[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.(?:jsonl?|toml)")
"""Below `beside/`: the name of the folder, and in it a file, or a folder with files."""
_CHUNK = 1 << 20
_SUSPECT_BYTES, _SUSPECT_RATIO = 64 << 20, 200
"""What unpacks to more than so many bytes, and to so many times what it takes in the archive, is no store of ours."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of the archive, by its bytes once unpacked."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the archive says of itself; the rest of a `BackupReport` is read from its members."""

    format: str
    created_at: int
    schema_version: int
    sequence: int
    digest: str
    documents: int
    members: Mapping[str, Member]


# writing


def write(db: sqlite3.Connection, out: Path, *, beside: Sequence[Path]) -> BackupReport:
    """Write what a snapshot holds, and the files in the folders `beside`, to `out`, aside first, renamed when it is
    complete."""
    _refuse_to_overwrite(out)
    with writing(out.parent), translated(out), _aside(out.with_name(f".{out.name}.writing")) as folder:
        _copy(db, folder / DATABASE)
        files = {DATABASE: folder / DATABASE}
        for belonging in beside:
            files |= _belonging(belonging)
        with zipfile.ZipFile(folder / "archive", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            members = {name: _pack(archive, name, path) for name, path in files.items()}
            manifest = Manifest(
                format=FORMAT,
                created_at=now(),
                schema_version=schema.version_of(db),
                sequence=sequence_of(db),
                digest=health.digest(db),
                documents=dict(health.counts(db))["documents"],
                members=members,
            )
            archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
        _sync(folder / "archive")
        os.replace(folder / "archive", out)
        _sync(out.parent)
    return _report(out, manifest)


def _refuse_to_overwrite(out: Path) -> None:
    if out.is_dir() or not out.parent.is_dir():
        raise UsageError(f"{out} is not the name of a file in a folder that exists", hint="name a file to write")
    if out.exists() and not _is_backup(out):
        raise UsageError(f"{out} exists and is no backup", hint="name another file")


def _is_backup(file: Path) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            return _manifest(archive, file).format == FORMAT
    except (OSError, zipfile.BadZipFile, StoreDamaged):
        return False


def _copy(db: sqlite3.Connection, path: Path) -> None:
    """The snapshot as a database of its own, without the log, checked so that damage is not carried on."""
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        db.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        for problem in soundness.damage(copy):
            raise StoreDamaged(f"there is nothing sound to copy: {problem.message}", hint=problem.fix)


def _belonging(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        return {}
    named = ((path.relative_to(folder.parent).as_posix(), path) for path in sorted(folder.rglob("*")))
    return {f"{BESIDE}{name}": path for name, path in named if _FILE_NAME.fullmatch(name) and path.is_file()}


def _pack(archive: zipfile.ZipFile, name: str, path: Path) -> Member:
    digest, size = sha256(), 0
    with path.open("rb") as source, archive.open(name, "w", force_zip64=True) as packed:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            packed.write(chunk)
    return Member(size, digest.hexdigest())


# restoring


def restore(file: Path, path: Path, *, beside: Sequence[Path], derived: Path, zone: str, known_by: str) -> BackupReport:
    """Make the database at `path` and the files in the folders `beside` those of the backup, after all of it was found
    sound; what was derived is removed. Wants the writer lock.

    The database changes in one transaction of its own, so that a kill leaves the old one or the new one and readers
    never see half; only a file that is no database is moved aside.
    """
    staging = path.with_name(leftovers.STAGING)
    with writing(path.parent), translated(path), _aside(staging) as staged:
        manifest = unpack(file, staged)
        with closing(_checked(staged / DATABASE, zone=zone, known_by=known_by)) as source:
            leftovers.discard(derived)  # first, so that no old index is taken for one of new content
            _take_over(source, path)
        for folder in beside:
            _swap(staged / BESIDE / folder.name, folder, staged / f"{folder.name}.replaced")
    return _report(file, manifest)


def unpack(file: Path, folder: Path) -> Manifest:
    """Unpack into `folder`, which is empty, what the manifest names, and verify it; StoreDamaged when anything about
    the archive is not as it should be."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _manifest(archive, file)
            _refuse_odd_members(archive, manifest, file)
            free = shutil.disk_usage(folder).free
            if (needed := 3 * sum(member.size for member in manifest.members.values())) > free:
                raise StoreError(f"{file} needs {needed:,} bytes, {free:,} are free", hint="free some space")
            (folder / BESIDE).mkdir()
            for name, member in manifest.members.items():
                to = folder / (name if name.count("/") != 1 else f"{BESIDE}{RUNS}/{name.removeprefix(BESIDE)}")
                to.parent.mkdir(parents=True, exist_ok=True)
                _unpack_member(archive, name, member, to, file)
            return manifest
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {file}") from error
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, RuntimeError) as error:
        raise _unfit(file, str(error)) from error


def _manifest(archive: zipfile.ZipFile, file: Path) -> Manifest:
    try:
        if archive.getinfo(MANIFEST).file_size > LONGEST_MANIFEST:
            raise _unfit(file, "its manifest is too long")
        with archive.open(MANIFEST) as packed:
            stated = json.loads(packed.read(LONGEST_MANIFEST))
        members = {name: Member(int(m["size"]), str(m["sha256"])) for name, m in stated["members"].items()}
        manifest = Manifest(**{**stated, "members": members})
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _unfit(file, "it has no manifest") from error
    if manifest.format != FORMAT:
        raise _unfit(file, f"its format is {manifest.format!r}")
    if not isinstance(manifest.schema_version, int) or manifest.schema_version > schema.SCHEMA_VERSION:
        raise StoreDamaged(f"{file} was written by a newer finlore", hint="upgrade finlore")
    return manifest


def _refuse_odd_members(archive: zipfile.ZipFile, manifest: Manifest, file: Path) -> None:
    """Only names that we give, each once, none of which unpacks to what no store could be."""
    listed = [info.filename for info in archive.infolist()]
    if sorted(listed) != sorted({MANIFEST, *manifest.members}) or DATABASE not in manifest.members:
        raise _unfit(file, "its files are not those of its manifest")
    packed = 0
    for info in archive.infolist():
        name, packed = info.filename, packed + info.compress_size
        if name not in (MANIFEST, DATABASE) and not _FILE_NAME.fullmatch(name.removeprefix(BESIDE)):
            raise _unfit(file, f"{name!r} has no business in it")
        if name != MANIFEST and info.file_size != manifest.members[name].size:
            raise _unfit(file, f"{name} is not as long as the manifest says")
        if info.file_size > _SUSPECT_BYTES and info.file_size > _SUSPECT_RATIO * info.compress_size:
            raise _unfit(file, f"{name} would unpack to {info.file_size:,} bytes")
    if packed > file.stat().st_size:
        raise _unfit(file, "its files overlap")


def _unpack_member(archive: zipfile.ZipFile, name: str, member: Member, to: Path, file: Path) -> None:
    digest, left = sha256(), member.size
    with archive.open(name) as packed, to.open("xb") as written:
        while left > 0 and (chunk := packed.read(min(_CHUNK, left))):
            digest.update(chunk)
            written.write(chunk)
            left -= len(chunk)
    if left or digest.hexdigest() != member.sha256:
        raise _unfit(file, f"{name} is not what was written")


def _checked(path: Path, *, zone: str, known_by: str) -> sqlite3.Connection:
    """The unpacked database, brought up to date; StoreDamaged when it is none of ours or not sound."""
    db = schema.connect(path, writable=True)
    try:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA trusted_schema = OFF")
        for problem in (*soundness.foreign_tables(db), *soundness.damage(db), *soundness.bombs(db)):
            raise StoreDamaged(f"the backup is not sound: {problem.message}", hint="take another backup")
        schema.migrate(db, backup=None, zone=zone, known_by=known_by)
    except (sqlite3.DatabaseError, zlib.error) as error:
        db.close()
        raise StoreDamaged(f"the backup holds no database: {error}", hint="take another backup") from error
    except BaseException:
        db.close()
        raise
    return db


def _take_over(source: sqlite3.Connection, path: Path) -> None:
    """Overwrite the database at `path` in one transaction. The sequence number grows beyond both, so that nothing that
    was remembered of the old content is taken for the new."""
    with closing(_live(path)) as live:
        (page,) = live.execute("PRAGMA page_size").fetchone()
        if source.execute("PRAGMA page_size").fetchone() != (page,):
            source.execute(f"PRAGMA page_size = {page:d}")
            source.execute("VACUUM")
        source.execute("UPDATE workspace SET sequence = max(sequence, ?) + 1", (_sequence(live),))
        source.backup(live)
        live.execute("PRAGMA journal_mode = WAL")
        live.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _live(path: Path) -> sqlite3.Connection:
    """The database that will be overwritten, pages that are damaged too; in place of a file that is none, a new one.

    A file that somebody may hold open is never moved: the last to close it would delete the log of the new one.
    """
    try:
        return schema.connect(path, writable=True)
    except StoreDamaged as damaged:
        if is_database(path):
            raise StoreDamaged(damaged.message, hint="restore into another workspace") from damaged
    for end in ("", "-wal", "-shm"):
        if (part := path.with_name(path.name + end)).exists():
            part.rename(path.with_name(f"{path.name}.damaged{end}"))
    return schema.connect(path, writable=True)


def _sequence(live: sqlite3.Connection) -> int:
    try:
        return sequence_of(live)
    except sqlite3.DatabaseError:  # it has no tables yet, or they are damaged
        return 0


def is_database(path: Path) -> bool:
    """Whether SQLite can read at least what the tables of a file are."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError:
        return False
    return True


def _swap(new: Path, old: Path, aside: Path) -> None:
    if old.is_dir():
        old.rename(aside)
    if new.is_dir():
        new.rename(old)


# what both share


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """A folder to work in; what a killed process left there is removed first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sync(path: Path) -> None:
    """See that what was written survives a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unfit(file: Path, why: str) -> StoreDamaged:
    return StoreDamaged(f"{file} is no backup that can be restored: {why}", hint="take another backup")


def _report(file: Path, manifest: Manifest) -> BackupReport:
    return BackupReport(
        file=str(file),
        n_bytes=file.stat().st_size,
        created_at=Instant(manifest.created_at),
        schema_version=manifest.schema_version,
        sequence=manifest.sequence,
        digest=manifest.digest,
        documents=manifest.documents,
        runs=sum(name.startswith(BESIDE) and name.endswith(".json") for name in manifest.members),
    )
