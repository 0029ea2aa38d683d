"""One writer at a time."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from finlore.adapters.store_embedded.lock import WriterLock
from finlore.errors import StoreBusy, StoreReadOnly

HOLD = """
import sys
from pathlib import Path
from finlore.adapters.store_embedded.lock import WriterLock
with WriterLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_told_at_once_who_writes_and_may_write_when_that_one_is_killed(tmp_path: Path) -> None:
    lock = tmp_path / "writer.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy, match=f"process {holder.pid} "):
            WriterLock(lock).__enter__()
        holder.kill()
        holder.wait()
    with WriterLock(lock):
        pass


def test_the_holder_may_enter_again_and_holds_until_the_last_exit(tmp_path: Path) -> None:
    held, other = WriterLock(tmp_path / "writer.lock"), WriterLock(tmp_path / "writer.lock")
    with held:
        with held:
            pass
        with pytest.raises(StoreBusy, match=f"process {os.getpid()} "):
            other.__enter__()
    with other:
        pass


def test_another_thread_of_the_holder_is_another_writer(tmp_path: Path) -> None:
    lock, refused = WriterLock(tmp_path / "writer.lock"), []

    def enter() -> None:
        try:
            with lock:
                pass
        except StoreBusy as error:
            refused.append(error)

    with lock:
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
    assert len(refused) == 1


def test_where_no_folder_can_be_made_the_workspace_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreReadOnly):
        WriterLock(tmp_path / "file" / "writer.lock").__enter__()


def test_a_folder_that_was_made_for_the_lock_goes_with_it_unless_something_was_written(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path / "far" / "store" / "writer.lock")
    with lock:
        assert (tmp_path / "far" / "store").is_dir()
    assert list(tmp_path.iterdir()) == []
    with lock:
        (tmp_path / "far" / "store" / "written").touch()
    assert (tmp_path / "far" / "store" / "written").exists()


def test_a_lock_that_was_removed_while_it_was_waited_for_is_not_taken(tmp_path: Path) -> None:
    """As where one writer opens the file, and the other, who made its folder, ends before it is locked."""
    path = tmp_path / "writer.lock"
    with path.open("ab+", buffering=0) as removed:
        path.unlink()
        assert not WriterLock(path)._is_here(removed)
    with WriterLock(path), pytest.raises(StoreBusy):
        WriterLock(path).__enter__()
