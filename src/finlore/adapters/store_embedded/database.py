"""Connections to the database: one for each thread, opened when first used, with errors told as errors of the store."""

import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from finlore.adapters.store_embedded import schema
from finlore.adapters.store_embedded.lock import WriterLock
from finlore.errors import StoreBusy, StoreDamaged, StoreError, StoreReadOnly


class Database:
    """The file at `path`. An absent one reads as an empty store of that `zone` and `known_by`, and is made by the first
    transaction."""

    def __init__(self, path: Path, lock: WriterLock, *, zone: str, known_by: str) -> None:
        self._path, self._lock = path, lock
        self._zone, self._known_by = zone, known_by
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []

    def close(self) -> None:
        """Close the connections of all threads; the next use opens new ones."""
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        self._local = threading.local()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction; what this thread begins meanwhile, and what it reads, is part of it."""
        with self._lock, translated(self._path):
            if (begun := self._begun) is not None:
                yield begun
                return
            db = self._local.begun = self.connection(writable=True)
            try:
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
            finally:
                self._local.begun = None
                if db.in_transaction:
                    db.execute("ROLLBACK")

    @property
    def _begun(self) -> sqlite3.Connection | None:
        """The connection of this thread while it is in a transaction."""
        begun: sqlite3.Connection | None = getattr(self._local, "begun", None)
        return begun

    @contextmanager
    def snapshot(self, *, writable: bool = False) -> Iterator[sqlite3.Connection]:
        with translated(self._path):
            if (begun := self._begun) is not None:
                yield begun
                return
            db = self.connection(writable=writable)
            db.execute("BEGIN")
            try:
                yield db
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def connection(self, *, writable: bool) -> sqlite3.Connection:
        """This thread's connection; of a workspace without content, one to nothing, which is not kept."""
        held: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if held is not None:
            return held
        if not writable and not (self._path.exists() and self._path.stat().st_size):
            return self._nothing()
        may_write = _may_write(self._path.parent) and (not self._path.exists() or _may_write(self._path))
        connection = schema.connect(self._path, writable=may_write)
        if schema.version_of(connection) < schema.SCHEMA_VERSION:
            if not writable and schema.version_of(connection) == 0:
                connection.close()
                return self._nothing()
            self._bring_up_to_date(connection, may_write=may_write)
        self._connections.append(connection)
        self._local.connection = connection
        return connection

    def _nothing(self) -> sqlite3.Connection:
        return schema.empty(zone=self._zone, known_by=self._known_by)

    def _bring_up_to_date(self, connection: sqlite3.Connection, *, may_write: bool) -> None:
        at = schema.version_of(connection)
        if not may_write:
            connection.close()
            raise StoreReadOnly(
                f"{self._path} was written by an older version", hint="open it once where it can be written"
            )
        with self._lock:
            backup = self._path.with_name(f"{self._path.name}.v{at}.backup") if at else None
            schema.migrate(connection, backup=backup, zone=self._zone, known_by=self._known_by)


def _may_write(path: Path) -> bool:
    """Asked for the user that the process acts as, who need not be the one that started it."""
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """What the database says, as errors of the store."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.OperationalError as error:
        message = f"{path}: {error}"
        if "readonly" in str(error) or "unable to open" in str(error):
            raise StoreReadOnly(message, hint="copy the workspace to where it can be written") from error
        if "disk" in str(error):
            raise StoreReadOnly(message, hint="make room on the disk and go on: what was committed is kept") from error
        raise (StoreBusy(message) if "locked" in str(error) else StoreError(message)) from error
    except sqlite3.DatabaseError as error:
        raise StoreDamaged(f"{path}: {error}", hint="finlore restore FILE --replace, with a backup") from error
    except (zlib.error, json.JSONDecodeError, UnicodeDecodeError) as error:
        message = f"{path}: something that is stored cannot be read: {error}"
        raise StoreDamaged(message, hint="finlore doctor names the document") from error
