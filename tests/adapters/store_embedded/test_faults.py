"""Killed at any step, the store loses nothing that was committed, holds nothing by halves, and the work goes on."""

import signal
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.adapters.store_embedded.faults import FORGOTTEN, OPERATIONS, Image, Recorder, opened, watched
from tests.contracts.documents import day
from tests.contracts.readings import everything

LATE = day("2030-01-01")
ROOT = Path(__file__).parents[3]


@cache
def unbroken() -> tuple[Recorder, list[str], dict[str, object]]:
    """Images of all steps, the digest after each operation, and all that is told at the end."""
    with TemporaryDirectory() as folder:
        recorder, digests = Recorder(Path(folder) / "workspace"), []
        store = opened(recorder.folder)
        digests.append(store.status().digest)
        with watched(recorder):
            for operation in OPERATIONS:
                operation(store)
                recorder.n_done += 1
                recorder("the operation is complete")
                digests.append(store.status().digest)
            told = everything(store, LATE, terms=["产能", "回升"], surfaces=["蓝山", "蓝山酒业"])
            store.close()
            recorder("all is closed")
        return recorder, digests, told


def survives(image: Image, folder: Path) -> None:
    """What must be true of the files that a kill left in `folder`."""
    _, digests, told = unbroken()
    store = opened(folder)
    wrong = [found for found in store.integrity() if found.subject not in ("unfinished work", "files")]
    assert wrong == []
    assert store.status().digest in digests[image.n_done : image.n_done + 2]
    for operation in OPERATIONS[image.n_done :]:
        operation(store)
    assert store.status().digest == digests[-1]
    assert everything(store, LATE, terms=["产能", "回升"], surfaces=["蓝山", "蓝山酒业"]) == told
    assert store.integrity() == []
    store.close()
    assert not [file for file in folder.rglob("*") if file.is_file() and FORGOTTEN.encode() in file.read_bytes()]


def test_the_work_has_many_steps() -> None:
    assert len(unbroken()[0].images) > 50


@pytest.mark.parametrize("n_done", range(len(OPERATIONS) + 1))
def test_killed_at_any_step_of_an_operation_the_store_is_sound_and_goes_on(n_done: int, tmp_path: Path) -> None:
    for number, image in enumerate(image for image in unbroken()[0].distinct() if image.n_done == n_done):
        survives(image, image.write(tmp_path / str(number)))


def test_killed_while_a_file_is_being_written_the_store_is_sound_and_goes_on(tmp_path: Path) -> None:
    for number, image in enumerate(unbroken()[0].torn()):
        survives(image, image.write(tmp_path / str(number)))


@pytest.mark.parametrize("step", [150, 400, 700])
def test_a_process_that_is_really_killed_leaves_the_same(step: int, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    command = [sys.executable, "-m", "tests.adapters.store_embedded.faults", str(folder), str(step)]
    killed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    survives(Image({}, len(killed.stdout.splitlines())), folder)


def test_killed_while_it_restores_the_workspace_is_what_it_was_or_what_it_becomes(tmp_path: Path) -> None:
    store, other = opened(tmp_path / "workspace"), opened(tmp_path / "other")
    for operation in OPERATIONS[:4]:
        operation(store)
    OPERATIONS[-8](other)
    other.refresh()
    recorder = Recorder(other.folder)
    digests = {store.status().digest, other.status().digest}
    store.backup(tmp_path / "copy", beside=[tmp_path / "runs"])
    other.close()
    with watched(recorder):
        other.restore(tmp_path / "copy", beside=[other.folder / "runs"], replace=True)
        other.close()
        recorder("all is closed")
    images = [*recorder.distinct(), *recorder.torn()]
    seen = set()
    for number, image in enumerate(images):
        killed = opened(image.write(tmp_path / str(number)))
        assert [found for found in killed.integrity() if found.subject not in ("unfinished work", "files")] == []
        seen.add(killed.status().digest)
        assert killed.view(LATE).n_passages == sum(document.n_passages for document in killed.documents(as_of=LATE))
        killed.restore(tmp_path / "copy", beside=[killed.folder / "runs"], replace=True)
        assert killed.status().digest == store.status().digest
        assert killed.integrity() == []
        killed.close()
    assert seen == digests
    store.close()


@pytest.mark.parametrize("change", ["forget", "restore"])
def test_a_reader_that_is_overtaken_between_index_and_database_sees_what_is_there(tmp_path: Path, change: str) -> None:
    store, reader = opened(tmp_path / "workspace"), opened(tmp_path / "workspace")
    OPERATIONS[0](store)
    store.refresh()
    store.backup(tmp_path / "copy", beside=[tmp_path / "runs"])
    for operation in OPERATIONS[1:4]:
        operation(store)
    began = False

    def overtake(step: str) -> None:
        nonlocal began
        if step == "BEGIN" and not began:
            began = True
            if change == "forget":
                store.forget("乙")
            else:
                store.restore(tmp_path / "copy", beside=[tmp_path / "runs"], replace=True)

    with watched(lambda step: None):
        before = reader.view(LATE)
    OPERATIONS[9](store)
    with watched(overtake):
        view = reader.view(LATE)
    assert (began, before.n_passages > view.n_passages) == (True, True)
    assert view.n_passages == sum(document.n_passages for document in store.documents(as_of=LATE))
    assert {passage.key for passage in store.passages(view.keys.tolist(), as_of=LATE)} == set(
        view.keys[view.alive].tolist()
    )
    reader.close()
    store.close()
