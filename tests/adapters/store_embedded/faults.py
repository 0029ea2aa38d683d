"""What a kill leaves of a folder, at every step of what is done in it.

A step is a statement of SQL, a file that is opened to be written, renamed or removed, a folder that is made. What the
files hold when it begins is what a process finds that comes after one which was killed there. Product code knows
nothing of this: the interpreter's audit events tell of files and of connections, each connection of its statements.

Run as a program, it does the work of `OPERATIONS` in a folder and kills itself at a step: ``FOLDER STEP``.
"""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby, pairwise
from pathlib import Path

from finlore.adapters.store_embedded import EmbeddedStore
from finlore.records.names import SameName
from tests.contracts.documents import back_fill, embed, put, report, shipped, taught

Files = dict[str, bytes]
_FILE_EVENTS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}


@dataclass(frozen=True, slots=True)
class Image:
    """The files of a folder, and how many operations had been completed by then."""

    files: Files
    n_done: int

    def counting(self) -> Files:
        """The files that anybody reads."""
        manifest = self.files.get("derived/manifest.json", b"").decode()
        return {
            name: content
            for name, content in self.files.items()
            if "derived/" not in name or name.endswith("/manifest.json") or name.split("derived/")[1] in manifest
        }

    def write(self, folder: Path) -> Path:
        for name, content in self.files.items():
            (path := folder / name).parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder


class Recorder:
    """Takes an image at every step at which the files differ from those of the step before."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.n_done = folder, 0
        self.images: list[Image] = []

    def __call__(self, step: str) -> None:
        if step.startswith("SELECT"):  # what is there now is there when the next statement begins
            return
        files = files_of(self.folder)
        if not self.images or files != self.images[-1].files:
            self.images.append(Image(files, self.n_done))

    def distinct(self) -> list[Image]:
        """Of images that differ only in derived files which no manifest names yet, or any more, the first and the last:
        nobody reads these."""
        groups = [list(group) for _, group in groupby(self.images, key=lambda image: (image.n_done, image.counting()))]
        return [image for group in groups for image in (group if len(group) < 3 else (group[0], group[-1]))]

    def torn(self) -> list[Image]:
        """What is left when the kill comes while the log or the database is being written."""
        return [
            Image({**before.files, name: torn}, before.n_done)
            for before, after in pairwise(self.images)
            for name in after.files
            if name.endswith(("store.sqlite", "-wal", ".writing"))
            if (torn := _torn(before.files.get(name, b""), after.files[name]))
        ]


def files_of(folder: Path) -> Files:
    """All but the lock, which dies with its holder, and the shared memory of SQLite, which is made anew.

    To read a database that the same process has open takes its locks away: nobody else is there who would mind.
    """
    return {
        str(path.relative_to(folder)): _content(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", ".lock"))
    }


def _content(path: Path) -> bytes:
    """Files that have names of their own are written once, so that their size tells whether they have changed."""
    return _once(path, path.stat().st_size) if path.suffix == ".npy" else path.read_bytes()


@lru_cache(maxsize=10_000)
def _once(path: Path, size: int) -> bytes:
    return path.read_bytes()


def _torn(before: bytes, after: bytes) -> bytes | None:
    """New up to the middle of what is written; None where nothing is."""
    differ = [at for at in range(0, len(after), 512) if after[at : at + 512] != before[at : at + 512]]
    if not differ or len(after) < len(before):
        return None
    middle = (differ[0] + differ[-1]) // 2 + 100
    return after[:middle] + before[middle:]


@contextmanager
def watched(watch: Callable[[str], None]) -> Iterator[None]:
    """Calls `watch` at the beginning of every step."""
    if not _watching:
        sys.addaudithook(_audit)  # which cannot be taken away again
    _watching.append(watch)
    try:
        yield
    finally:
        _watching.append(None)


_watching: list[Callable[[str], None] | None] = []
"""Who watched, and who does (the last): nobody while that one looks at the files, which is itself a step."""


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _watching[-1:] in ([], [None]):
        return
    if event == "sqlite3.connect/handle" and isinstance(arguments[0], sqlite3.Connection):
        sys.setprofile(partial(_trace, arguments[0]))
    elif event in _FILE_EVENTS or (event == "open" and _writes(arguments[2])):
        _step(event)


def _writes(flags: object) -> bool:
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


def _trace(connection: sqlite3.Connection, *_: object) -> None:
    """A connection is told of before it can be used; what happens next in the program comes before its first use."""
    sys.setprofile(None)
    connection.set_trace_callback(_step)


def _step(step: str) -> None:
    if watch := _watching[-1]:
        _watching.append(None)
        try:
            watch(step)
        finally:
            _watching.pop()


# the work


WINE = shipped("蓝山酒业", "600001.SH")
FORGOTTEN = "北冥鲲鹏"


def _put_copy(store: EmbeddedStore) -> None:
    put(store, report("丁", "行业回升。\n\n蓝山酒业没有产能。", "2024-05-15"), WINE)


def _put_two_together(store: EmbeddedStore) -> None:
    with store.together():
        put(store, report("戊", "蓝山酒业扩产。", "2024-06-17"), WINE)
        put(store, report("己", "蓝山扩产。", "2024-06-18"), WINE)


OPERATIONS: tuple[Callable[[EmbeddedStore], object], ...] = (
    lambda store: put(store, report("甲", "蓝山酒业增长。\n\n蓝山有产能。", "2024-03-15"), WINE),
    lambda store: put(store, report("乙", "行业回升。\n\n蓝山酒业没有产能。", "2024-04-15"), WINE),
    embed,
    lambda store: store.refresh(),
    lambda store: put(store, report("丙", "简称蓝山。", "2024-05-15"), taught("蓝山", "600001.SH")),
    back_fill,
    _put_copy,
    lambda store: store.relate([SameName("蓝山酒业", "蓝山", 50)]),
    back_fill,
    lambda store: put(store, report("甲", "蓝山酒业增长。\n\n蓝山产能回升。", "2024-06-15"), WINE),
    lambda store: put(
        store, report("密", f"{FORGOTTEN}供货。", "2024-06-16"), taught(FORGOTTEN, f"company:{FORGOTTEN}")
    ),
    _put_two_together,
    back_fill,
    embed,
    lambda store: store.refresh(),
    lambda store: store.forget("密"),
    lambda store: store.forget("乙"),
    back_fill,
    lambda store: store.refresh(),
)
"""Each may be repeated; together they add, revise, copy, teach, link, embed, merge the index and forget."""


def opened(folder: Path) -> EmbeddedStore:
    return EmbeddedStore(folder, overlay_rows=2)


def main() -> None:
    folder, last = Path(sys.argv[1]), int(sys.argv[2])
    n_steps = 0

    def kill(step: str) -> None:
        nonlocal n_steps
        n_steps += 1
        if n_steps == last:
            os.kill(os.getpid(), signal.SIGKILL)

    store = opened(folder)
    with watched(kill):
        for n_done, operation in enumerate(OPERATIONS, start=1):
            operation(store)
            print(n_done, flush=True)
        store.close()


if __name__ == "__main__":
    main()
