"""Replies and manners of endpoints in an SQLite file of their own, shared by processes. It holds no key and no prompt.

A memory is never a reason to fail: what cannot be read is not known, what cannot be written is not kept, and a damaged
file is begun anew.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, get_args

from finlore.adapters.language_model.ladder import Manner, Rung, compact
from finlore.errors import StoreError
from finlore.records.llm import Prompt

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
        row = self._row("SELECT text, model FROM replies WHERE key = ?", key)
        return Remembered(*map(str, row)) if row else None

    def keep_reply(self, key: str, reply: Remembered, *, sources: Sequence[str] = ()) -> None:
        self._write(
            ("INSERT OR REPLACE INTO replies (key, text, model) VALUES (?, ?, ?)", (key, reply.text, reply.model)),
            *(("INSERT OR IGNORE INTO sources (document, key) VALUES (?, ?)", (source, key)) for source in sources),
        )

    def forget(self, document: str) -> int:
        """Remove the replies that quote a document, and those of which it is not known; how many. StoreError when they
        cannot be removed."""
        if self._path is None or not self._path.is_file():
            return 0
        try:
            with self._open(self._path) as connection:
                connection.executescript(_TABLES)
                connection.execute("PRAGMA secure_delete = ON")
                n_removed = connection.execute(_FORGET, (document,)).rowcount
                connection.execute("DELETE FROM sources WHERE key NOT IN (SELECT key FROM replies)")
                return n_removed
        except sqlite3.Error as error:
            if self._begin_anew(error):
                return 0
            raise StoreError(f"the replies in {self._path} cannot be removed: {error}", hint="try again") from error

    def manner(self, base_url: str, model: str) -> Manner | None:
        row = self._row("SELECT manner FROM manners WHERE endpoint = ?", _hashed(compact([base_url, model])))
        return _manner(str(row[0])) if row else None

    def keep_manner(self, base_url: str, model: str, manner: Manner) -> None:
        endpoint = _hashed(compact([base_url, model]))
        text = compact(asdict(manner))
        self._write(("INSERT OR REPLACE INTO manners (endpoint, manner) VALUES (?, ?)", (endpoint, text)))

    def _row(self, query: str, key: str) -> tuple[object, ...] | None:
        if self._path is None or not self._path.is_file():
            return None
        try:
            with self._open(self._path) as connection:
                row: tuple[object, ...] | None = connection.execute(query, (key,)).fetchone()
                return row
        except sqlite3.Error as error:
            self._begin_anew(error)
            return None

    def _write(self, *statements: tuple[str, tuple[str, ...]]) -> None:
        if self._path is None:
            return
        for _ in range(2):  # the second time into a new file
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._open(self._path) as connection:
                    connection.executescript(_TABLES)
                    connection.execute("BEGIN IMMEDIATE")
                    for statement, values in statements:
                        connection.execute(statement, values)
                    connection.execute("COMMIT")
                return
            except OSError:
                return
            except sqlite3.Error as error:
                if not self._begin_anew(error):
                    return

    @contextmanager
    def _open(self, path: Path) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as connection:
            # No write-ahead log: who turns it on while another opens the file is told at once that it is locked
            connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last replies
            yield connection

    def _begin_anew(self, error: sqlite3.Error) -> bool:
        """Whether the file was damaged, and is gone."""
        if isinstance(error, sqlite3.OperationalError) or self._path is None:
            return False  # locked, full, not writable, without tables: no reason to lose what it holds
        with suppress(OSError):
            for suffix in ("", "-journal"):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)
            return True
        return False


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
        told = json.loads(text)
        rung, limit, has_temperature = told["rung"], told["limit"], told["has_temperature"]
    except (ValueError, TypeError, KeyError):
        return None
    if rung not in get_args(Rung) or limit not in ("max_tokens", "max_completion_tokens"):
        return None
    return Manner(rung, limit, bool(has_temperature))
