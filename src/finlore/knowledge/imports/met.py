"""What was met before among any number of rows, in bounded memory."""

import sqlite3
from collections.abc import Iterable


class Met:
    """Remembers whole numbers of 64 bits, each with a line or another value: hashes, by which two things are hardly
    ever alike. They are kept in a file of their own that nobody sees, once there are many."""

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None)  # a private file that goes with the connection
        self._db.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000;"
            "CREATE TABLE met (number INTEGER PRIMARY KEY, line INTEGER NOT NULL); BEGIN"
        )

    def before(self, number: int, line: int) -> int | None:
        """The line at which a number was met before; None the first time."""
        if self._db.execute("INSERT OR IGNORE INTO met VALUES (?, ?)", (number, line)).rowcount:
            return None
        return int(self._db.execute("SELECT line FROM met WHERE number = ?", (number,)).fetchone()[0])

    def is_lower(self, number: int, value: int) -> bool:
        """Whether a number was never met with a value as low as this one; now it was."""
        return bool(
            self._db.execute(
                "INSERT INTO met VALUES (?1, ?2) ON CONFLICT DO UPDATE SET line = ?2 WHERE line > ?2", (number, value)
            ).rowcount
        )

    def n_new(self, numbers: Iterable[int]) -> int:
        """How many of these were never met before; now they were."""
        before = self._db.total_changes
        self._db.executemany("INSERT OR IGNORE INTO met VALUES (?, 0)", ((number,) for number in numbers))
        return self._db.total_changes - before

    def close(self) -> None:
        self._db.close()
