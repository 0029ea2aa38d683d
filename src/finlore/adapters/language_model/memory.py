"""Replies and manners of endpoints in an SQLite file of their own, shared by processes. It holds no key and no prompt.

A memory is never a reason to fail: what cannot be read is not known, what cannot be written is not kept, and a damaged
file is begun anew.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from finlore.adapters.language_model.ladder import Manner, compact
from finlore.errors import StoreError
from finlore.records.llm import Prompt

Result = TypeVar("Result")

FILE: Final = "replies.sqlite"
_TABLES: Final = """
    CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, model TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS sources (document TEXT, key TEXT, PRIMARY KEY (document, key)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS manners (endpoint TEXT PRIMARY KEY, manner TEXT NOT NULL) WITHOUT ROWID;
"""
_FORGET: Final = """
    DELETE FROM replies
    WHERE key IN (SELECT key FROM sources WHERE document = ?) OR key NOT IN (SELECT key FROM sources)
"""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The text of a reply, from which its data are read again, and the model that gave it."""

    text: str
    model: str


class Memory:
    """Without a folder nothing is remembered."""

    def __init__(self, folder: Path | None) -> None:
        self._path = folder / FILE if folder else None

    def reply(self, key: str) -> Remembered | None:
        row = self._known("SELECT text, model FROM replies WHERE key = ?", key)
        return Remembered(*map(str, row)) if row else None

    def keep_reply(self, key: str, reply: Remembered, *, sources: Sequence[str] = ()) -> None:
        self._keep(
            ("INSERT OR REPLACE INTO replies (key, text, model) VALUES (?, ?, ?)", [(key, reply.text, reply.model)]),
            ("INSERT OR IGNORE INTO sources (document, key) VALUES (?, ?)", [(source, key) for source in sources]),
        )

    def manner(self, base_url: str, model: str) -> Manner | None:
        row = self._known("SELECT manner FROM manners WHERE endpoint = ?", _hashed(compact([base_url, model])))
        return _manner(str(row[0])) if row else None

    def keep_manner(self, base_url: str, model: str, manner: Manner) -> None:
        values = _hashed(compact([base_url, model])), compact(asdict(manner))
        self._keep(("INSERT OR REPLACE INTO manners (endpoint, manner) VALUES (?, ?)", [values]))

    def forget(self, document: str) -> int:
        """Remove the replies that quote a document, and those of which it is not known; how many. StoreError when they
        cannot be removed."""

        def remove(connection: sqlite3.Connection) -> int:
            connection.execute("PRAGMA secure_delete = ON")
            n_removed = connection.execute(_FORGET, (document,)).rowcount
            connection.execute("DELETE FROM sources WHERE key NOT IN (SELECT key FROM replies)")
            return n_removed

        if self._path is None or not self._path.is_file():
            return 0
        try:
            return _through(self._path, remove)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the replies in {self._path} cannot be removed: {error}", hint="try again") from error

    def _known(self, query: str, key: str) -> tuple[object, ...] | None:
        if self._path is not None and self._path.is_file():
            with suppress(sqlite3.Error, OSError):
                row: tuple[object, ...] | None = _through(self._path, lambda c: c.execute(query, (key,)).fetchone())
                return row
        return None

    def _keep(self, *statements: tuple[str, Sequence[tuple[str, ...]]]) -> None:
        if self._path is not None:
            with suppress(sqlite3.Error, OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                _through(self._path, lambda c: [c.executemany(*statement) for statement in statements])


def _through(path: Path, work: Callable[[sqlite3.Connection], Result], *, is_new: bool = False) -> Result:
    """What comes of a transaction; a damaged file is begun anew before."""
    try:
        # No write-ahead log: who turns it on while another opens the file is told at once that it is locked
        with closing(sqlite3.connect(path, timeout=10)) as connection, connection:
            connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last replies
            connection.executescript(_TABLES)
            return work(connection)
    except sqlite3.OperationalError:
        raise  # locked, full, not writable: no reason to lose what it holds
    except sqlite3.DatabaseError:
        if is_new:
            raise
        for suffix in ("", "-journal"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        return _through(path, work, is_new=True)


def key_of(prompt: Prompt, model: str) -> str:
    """Identifies what is asked of whom: a reply to the same key may stand for another."""
    asked = {
        "model": model,
        "messages": [[message.speaker, message.text] for message in prompt.messages],
        "schema": prompt.schema,
        "prompt": [prompt.name, prompt.version],
        "parameters": {"most_tokens": prompt.most_tokens, "temperature": 0},
    }
    return _hashed(compact(asked))


def _hashed(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _manner(text: str) -> Manner | None:
    """None when somebody else wrote it."""
    try:
        return TypeAdapter(Manner).validate_json(text)
    except ValidationError:
        return None
