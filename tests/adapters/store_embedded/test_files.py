"""The folder of an embedded store: what becomes of it when it is damaged, outdated, or not to be written."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from finlore.adapters.store_embedded import EmbeddedStore, schema
from finlore.errors import StoreDamaged
from finlore.records.index import passage_key
from tests.contracts.documents import back_fill, day, embed, put, report, shipped, taught
from tests.contracts.readings import everything

LATE = day("2030-01-01")
WINE = shipped("蓝山酒业", "600001.SH")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def store(folder: Path) -> Iterator[EmbeddedStore]:
    """Three documents, of which the derived files hold two."""
    opened = EmbeddedStore(folder)
    put(opened, report("甲", "蓝山酒业增长。", "2024-03-15"), WINE)
    put(opened, report("乙", "行业回升。\n\n蓝山酒业没有产能。", "2024-04-15"), WINE)
    embed(opened)
    opened.refresh()
    put(opened, report("丙", "简称蓝山。", "2024-05-15"), taught("蓝山", "600001.SH"))
    back_fill(opened)
    yield opened
    opened.close()


def read(store: EmbeddedStore) -> dict[str, object]:
    return everything(store, LATE, terms=["产能", "回升"], surfaces=["蓝山", "蓝山酒业"])


def manifest(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "derived" / "manifest.json").read_text()))


# derived files


def remove(derived: Path) -> None:
    shutil.rmtree(derived)


def truncate(derived: Path) -> None:
    largest = max(derived.rglob("*.npy"), key=lambda file: file.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-1])


def garble(derived: Path) -> None:
    (derived / "manifest.json").write_text("{")


def outdate(derived: Path) -> None:
    stated = json.loads((derived / "manifest.json").read_text())
    (derived / "manifest.json").write_text(json.dumps({**stated, "rules": "of yesterday"}))


@pytest.mark.parametrize("damage", [remove, truncate, garble, outdate])
@pytest.mark.parametrize("locked", [False, True])
def test_derived_files_that_are_no_use_are_made_again_or_done_without(
    store: EmbeddedStore, folder: Path, damage: Callable[[Path], None], locked: bool
) -> None:
    expected = read(store)
    damage(folder / "derived")
    other = EmbeddedStore(folder)
    if locked:
        with store.writing():
            assert read(other) == expected
        store.refresh()
    assert read(other) == expected
    assert manifest(folder)["sequence"] == other.status().sequence
    assert other.integrity() == []
    other.close()


def test_a_refresh_that_has_nothing_to_do_leaves_the_files_alone(store: EmbeddedStore, folder: Path) -> None:
    store.refresh()
    before = manifest(folder)
    store.refresh()
    assert manifest(folder) == before


def test_new_rows_stay_apart_until_they_are_no_longer_few(folder: Path) -> None:
    store = EmbeddedStore(folder, overlay_rows=2)
    layouts = []
    for number in range(30):
        put(store, report(f"甲{number}", f"第{number}篇。", "2024-03-15"))
        store.refresh()
        layouts.append(manifest(folder)["segments"])
        assert store.view(LATE).n_passages == number + 1
    assert [len(segments) for segments in layouts[:4]] == [1, 1, 1, 1]
    assert 1 < max(len(segments) for segments in layouts) < 6
    assert len({segments[0] for segments in layouts}) < 12  # the oldest rows seldom move
    assert len(list((folder / "derived").iterdir())) == len(layouts[-1]) + 2
    store.close()


def test_a_row_written_anew_leaves_its_segment_when_that_is_merged(folder: Path) -> None:
    store = EmbeddedStore(folder, overlay_rows=0)
    for number in range(9):
        put(store, report(f"甲{number}", f"第{number}篇。" + "蓝山没有产能。" * (number == 0), "2024-03-15"))
    store.refresh()
    first = manifest(folder)["segments"]
    put(store, report("乙", "简称蓝山。", "2024-03-15"), taught("蓝山", "600001.SH"))
    back_fill(store)
    store.refresh()
    assert manifest(folder)["segments"][:-1] == first
    expected = read(store)
    for number in range(3):
        put(store, report(f"丙{number}", f"再一{number}篇。", "2031-03-15"))
    store.refresh()
    assert len(manifest(folder)["segments"]) == 1
    assert read(store) == expected
    store.close()


def test_a_copy_that_was_never_read_is_indexed_when_its_turn_comes(store: EmbeddedStore) -> None:
    put(store, report("丁", "行业回升。\n\n蓝山酒业没有产能。", "2024-05-15"), WINE)
    store.refresh()
    assert store.view(LATE).n_passages == 4
    store.forget("乙")
    assert store.view(LATE).n_passages == 4
    assert store.view(day("2024-05-14")).n_passages == 1


def test_a_view_stays_whole_while_the_files_under_it_are_replaced(store: EmbeddedStore, folder: Path) -> None:
    reader = EmbeddedStore(folder)
    view = reader.view(LATE)
    n_before = view.words("产能")[0].size
    for _ in range(3):
        store.forget("丙")
        put(store, report("丙", "没有产能。", "2024-05-15"))
        store.refresh()
    assert view.words("产能")[0].size == n_before
    assert reader.view(LATE).words("产能")[0].size == n_before + 1
    reader.close()


def test_nothing_in_the_folder_spells_a_forgotten_document(store: EmbeddedStore, folder: Path) -> None:
    words = ("zanzibarine", "QUILLFEATHER", "北冥鲲鹏")
    document = report("secret/zanzibarine", "QUILLFEATHER 北冥鲲鹏供货。", "2024-05-15", title="北冥鲲鹏")
    put(store, document, taught("北冥鲲鹏", "company:北冥鲲鹏"), guesses=["QUILLFEATHER"])
    back_fill(store)
    store.refresh()
    assert spelt(folder, words) == set(words) | {"quillfeather"}
    store.forget("secret/zanzibarine")
    assert spelt(folder, words) == set()
    assert store.integrity() == []


def spelt(folder: Path, words: tuple[str, ...]) -> set[str]:
    content = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    return {word for word in (*words, *(w.lower() for w in words)) if word.encode() in content}


def test_a_forget_that_was_killed_before_the_derived_files_changed_is_completed(
    store: EmbeddedStore, folder: Path
) -> None:
    store.refresh()
    derived = folder / "derived"
    shutil.copytree(derived, folder / "older")
    store.forget("乙")
    with sqlite3.connect(folder / "store.sqlite") as db:  # as a process that died after its commit leaves it
        keys = [passage_key("乙", 1, ordinal) for ordinal in range(2)]
        db.executemany("INSERT INTO forgotten VALUES (?, ?)", [(key, store.status().sequence) for key in keys])
    db.close()
    remove(derived)
    shutil.move(folder / "older", derived)
    other = EmbeddedStore(folder)
    assert other.view(LATE).n_passages == 2
    other.refresh()
    assert other.view(LATE).n_passages == 2
    assert not any("回升".encode() in file.read_bytes() for file in derived.rglob("*.npy"))
    other.close()


# the database


def test_a_writer_killed_in_the_middle_loses_only_what_it_had_not_committed(folder: Path) -> None:
    script = """
import sys
from pathlib import Path
from finlore.adapters.store_embedded import EmbeddedStore
from tests.contracts.documents import put, report
store = EmbeddedStore(Path(sys.argv[1]))
with store.writing():
    for number in range(10_000):
        put(store, report(f"d{number}", f"第{number}篇。", "2024-03-15"))
        print(number, flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", script, str(folder)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
    ) as writer:
        assert writer.stdout is not None
        committed = [int(line) for _, line in zip(range(30), writer.stdout, strict=False)]  # reads no line more
        writer.send_signal(signal.SIGKILL)
        committed += [int(line) for line in writer.stdout if line.endswith("\n")]
    store = EmbeddedStore(folder)
    held = {document.id for document in store.documents(as_of=LATE)}
    assert {f"d{number}" for number in committed} <= held
    assert len(held) <= len(committed) + 1
    assert store.view(LATE).n_passages == len(held)
    assert store.integrity() == []
    store.close()


@pytest.mark.parametrize("content", [b"PK\x03\x04 not a database at all" * 50, b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_file_that_is_no_database_is_refused_with_a_hint(folder: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / "store.sqlite").write_bytes(content)
    store = EmbeddedStore(folder)
    for use in (store.status, lambda: put(store, report("甲", "一。"))):
        with pytest.raises(StoreDamaged) as refused:
            use()
        assert refused.value.hint
    assert (folder / "store.sqlite").read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_alone(folder: Path) -> None:
    folder.mkdir()
    with sqlite3.connect(folder / "store.sqlite") as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
    db.close()
    before = (folder / "store.sqlite").read_bytes()
    with pytest.raises(StoreDamaged, match="another program"):
        put(EmbeddedStore(folder), report("甲", "一。"))
    assert (folder / "store.sqlite").read_bytes() == before


def test_a_file_of_a_newer_version_is_refused(store: EmbeddedStore, folder: Path) -> None:
    store.close()
    with sqlite3.connect(folder / "store.sqlite") as db:
        db.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(StoreDamaged, match="upgrade"):
        EmbeddedStore(folder).status()


def test_an_empty_file_is_an_empty_store(folder: Path) -> None:
    folder.mkdir()
    (folder / "store.sqlite").touch()
    store = EmbeddedStore(folder)
    assert store.documents(as_of=LATE) == []
    put(store, report("甲", "一。", "2024-03-15"))
    assert len(store.documents(as_of=LATE)) == 1
    store.close()


def test_an_older_file_is_copied_and_brought_up_to_date_step_by_step(store: EmbeddedStore, tmp_path: Path) -> None:
    store.close()
    path, backup = store.folder / "store.sqlite", tmp_path / "before"
    connection = schema.connect(path, writable=True)
    steps = (*schema.MIGRATIONS, "ALTER TABLE document ADD COLUMN note TEXT;", "UPDATE document SET note = 'kept';")
    schema.migrate(connection, backup=backup, zone="UTC", known_by="publication", migrations=steps)
    assert schema.version_of(connection) == len(steps)
    assert {note for (note,) in connection.execute("SELECT note FROM document")} == {"kept"}
    connection.close()
    with sqlite3.connect(backup) as copy:
        assert schema.version_of(copy) == schema.SCHEMA_VERSION
        assert copy.execute("SELECT count(*) FROM document").fetchone() == (3,)
    copy.close()


def test_a_migration_that_fails_changes_nothing(store: EmbeddedStore, folder: Path) -> None:
    store.close()
    connection = schema.connect(folder / "store.sqlite", writable=True)
    steps = (*schema.MIGRATIONS, "DROP TABLE vector;\nSELECT no_such_column FROM document;")
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(connection, backup=None, zone="UTC", known_by="publication", migrations=steps)
    assert schema.version_of(connection) == schema.SCHEMA_VERSION
    connection.execute("SELECT count(*) FROM vector")
    connection.close()


def test_damage_inside_the_database_is_found_and_named(store: EmbeddedStore, folder: Path) -> None:
    with sqlite3.connect(folder / "store.sqlite") as db:
        db.execute("UPDATE text SET content = x'00' WHERE id = 1")
        db.execute("UPDATE version SET hidden = 5 WHERE id = 2")
        db.execute("UPDATE surface SET support = 7 WHERE string = ?", ("蓝山酒业".encode(),))
        db.execute("UPDATE alias SET known = known + 1 WHERE strength = 80")
    db.close()
    problems = "\n".join(found.message for found in store.integrity())
    for named in ("text of 甲", "version 1 of 乙 is visible", "support of the name '蓝山酒业'", "meaning of '蓝山'"):
        assert named in problems


def test_other_settings_than_those_of_the_first_write_are_told(store: EmbeddedStore, folder: Path) -> None:
    other = EmbeddedStore(folder, zone="UTC", known_by="ingestion")
    assert len(other.status().problems) == 2
    assert store.status().problems == ()
    other.close()


# where nothing can be written


READ_FROZEN = """
import mmap, os, sys
from pathlib import Path
from finlore.adapters.store_embedded import EmbeddedStore
from finlore.errors import StoreReadOnly
from tests.contracts.documents import put, report
EmbeddedStore(Path("absent"))._rules, EmbeddedStore(Path("absent"))._cues
if os.geteuid() == 0:
    os.seteuid(65534)  # permissions do not bind the superuser; who acts counts, not who started it
folder = Path(sys.argv[1])
store = EmbeddedStore(folder)
print(store.view(10**17).n_passages, len(store.documents(as_of=10**17)), len(store.integrity()))
try:
    put(store, report("丁", "四。"))
except StoreReadOnly:
    print("refused", sorted(path.name for path in folder.iterdir()))
"""


@pytest.mark.parametrize("with_index", [True, False])
def test_a_read_only_workspace_is_read_and_not_written(store: EmbeddedStore, folder: Path, with_index: bool) -> None:
    store.close()
    if not with_index:
        remove(folder / "derived")
    with TemporaryDirectory() as parent:  # outside the folder of this test, which only its owner may enter
        Path(parent).chmod(0o755)
        frozen = Path(shutil.copytree(folder, Path(parent) / "workspace"))
        for path in (*frozen.rglob("*"), frozen):
            path.chmod(0o555 if path.is_dir() else 0o444)
        before = sorted(path.name for path in frozen.iterdir())
        answer = subprocess.run(
            [sys.executable, "-c", READ_FROZEN, str(frozen)],
            capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3],
        )  # fmt: skip
        for path in (frozen, *frozen.rglob("*")):
            path.chmod(0o755)
    assert answer.stdout.splitlines() == ["4 3 0", f"refused {before}"], answer.stderr


def test_sizes_are_told_while_a_writer_removes_files(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    derived, gone = tmp_path / "store" / "derived", tmp_path / "gone"
    derived.mkdir(parents=True)
    (derived / "left-over").symlink_to(gone)  # named by its folder, and no longer there
    assert dict(store.status().sizes)["derived"] == 0
    store.close()
