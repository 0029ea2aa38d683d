"""One writer at a time. The operating system holds the lock, so a dead process cannot keep it.

A folder that was made for the lock, and into which nothing was written, is removed with it.
"""

import fcntl
import os
import threading
from contextlib import suppress
from io import RawIOBase
from pathlib import Path

from finlore.errors import StoreBusy, StoreReadOnly


class WriterLock:
    """Context manager over a lock file; entering again on the same thread is free, from elsewhere it is `StoreBusy`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = threading.RLock()  # the lock of the file is shared by all threads of a process
        self._depth = 0
        self._file: RawIOBase | None = None
        self._made: list[Path] = []  # folders that were not there before, innermost first

    def __enter__(self) -> "WriterLock":
        if not self._thread.acquire(blocking=False):
            raise self._busy(str(os.getpid()))
        try:
            if self._depth == 0:
                self._file = self._locked()
        except BaseException:
            self._thread.release()
            raise
        self._depth += 1
        return self

    def __exit__(self, *exception: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self._file is not None:
            self._remove_unused()
            self._file.close()
            self._file = None
        self._thread.release()

    def _locked(self) -> RawIOBase:
        folder = self._path.parent
        try:
            self._made = [path for path in (folder, *folder.parents) if not path.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            file = self._path.open("ab+", buffering=0)
        except OSError as error:
            raise StoreReadOnly(f"cannot write in {folder}: {error.strerror}") from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read(20).strip().decode("ascii", "replace")
            file.close()
            raise self._busy(holder) from error
        if not self._is_here(file):  # whoever held it before removed it, and somebody else may hold another
            file.close()
            return self._locked()
        with suppress(OSError):  # who writes is a courtesy that a full disk may refuse
            file.truncate(0)
            file.write(b"%d\n" % os.getpid())
        return file

    def _is_here(self, file: RawIOBase) -> bool:
        try:
            return os.path.samestat(os.fstat(file.fileno()), self._path.stat())
        except FileNotFoundError:
            return False

    def _remove_unused(self) -> None:
        """While the lock is held, so that nobody writes there yet."""
        with suppress(OSError):
            if self._made and list(self._path.parent.iterdir()) == [self._path]:
                self._path.unlink()
                for folder in self._made:
                    folder.rmdir()

    def _busy(self, holder: str) -> StoreBusy:
        by = f"process {holder}" if holder.isdigit() else "another process"
        return StoreBusy(f"{by} is writing to {self._path.parent}", hint="wait until it has finished, then try again")
