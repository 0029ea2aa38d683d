"""The SQLite file: its tables (`data/store`), how it is opened, and how older files are brought up to date.

Strings that come from documents are stored as UTF-8 bytes with surrogates passed through: SQLite's TEXT holds no lone
surrogates, and file names may have them.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from importlib.resources import files
from pathlib import Path

from finlore.errors import StoreDamaged

APPLICATION_ID = 0x46494E4C  # "FINL"

SHIPPED = files("finlore") / "data" / "store"
"""Files that say how stores are written. They are no resources that a user can replace, and never change."""
MIGRATIONS: tuple[str, ...] = tuple(
    script.read_text("utf-8")
    for script in sorted(SHIPPED.iterdir(), key=lambda file: file.name)
    if script.name.endswith(".sql")
)
"""Statements that take a file from schema version n to n + 1, in order."""
SCHEMA_VERSION = len(MIGRATIONS)


def connect(path: Path, *, writable: bool) -> sqlite3.Connection:
    """A connection to a finlore store, whatever its schema version. `StoreDamaged` when the file is something else."""
    if not writable:
        return _connect_read_only(path)
    connection = _open(path, "rwc")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # what is committed survives a power cut as well
    connection.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten, not only unlinked
    connection.execute("PRAGMA cache_size = -32000")
    return connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """Where nothing can be written, a file that no writer holds open is read as if it never changed."""
    try:
        return _open(path, "ro")
    except sqlite3.OperationalError:
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise
    return _open(path, "ro&immutable=1")


def _open(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={mode}", uri=True, isolation_level=None, check_same_thread=False, timeout=30
    )
    try:
        _check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def empty(*, zone: str, known_by: str) -> sqlite3.Connection:
    """A store with nothing in it, in memory: what a reader of an absent workspace sees."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    migrate(connection, backup=None, zone=zone, known_by=known_by)
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of the file, 0 for one that has no tables yet."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(
    connection: sqlite3.Connection,
    *,
    backup: Path | None,
    zone: str,
    known_by: str,
    migrations: Sequence[str] = MIGRATIONS,
) -> None:
    """Bring the file up to the last of `migrations` in one transaction, after copying it to `backup`. A file without
    tables becomes an empty store of that zone and known_by."""
    at = version_of(connection)
    if at > 0 and backup is not None:
        _copy(connection, backup)
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in migrations[version_of(connection) :]:  # another process may have been faster
            for statement in _statements(step):
                connection.execute(statement)
        if at == 0:
            connection.execute(
                "INSERT INTO workspace (sequence, zone, known_by) SELECT 0, ?, ?"
                " WHERE NOT EXISTS (SELECT 1 FROM workspace)",
                (zone, known_by),
            )
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _copy(connection: sqlite3.Connection, to: Path) -> None:
    """Written aside, so that one which was cut short is never taken for a copy."""
    aside = to.with_name(f"{to.name}.writing")
    aside.unlink(missing_ok=True)
    with closing(sqlite3.connect(aside)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
    aside.replace(to)


def _statements(script: str) -> list[str]:
    statements, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


def _check(connection: sqlite3.Connection, path: Path) -> None:
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        raise StoreDamaged(
            f"{path} cannot be read as a store: {error}", hint="finlore restore FILE --replace, with a backup"
        ) from error
    if application != APPLICATION_ID and n_tables:
        raise StoreDamaged(f"{path} is a database of another program", hint="choose another workspace folder")
    if version_of(connection) > SCHEMA_VERSION:
        raise StoreDamaged(
            f"{path} has schema version {version_of(connection)}, this finlore knows up to {SCHEMA_VERSION}",
            hint="upgrade finlore",
        )
