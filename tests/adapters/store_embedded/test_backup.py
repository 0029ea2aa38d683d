"""A workspace in one file: what it holds, what it takes to be restored, and what is refused."""

import json
import resource
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from finlore.adapters.store_embedded import EmbeddedStore, leftovers, schema
from finlore.errors import FinloreError, NotFound, StoreDamaged, StoreReadOnly, UsageError
from tests.contracts.documents import back_fill, day, embed, put, report, shipped, taught
from tests.contracts.readings import everything

LATE = day("2030-01-01")
WINE = shipped("蓝山酒业", "600001.SH")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore(tmp_path / "workspace")
    put(opened, report("甲", "蓝山酒业增长。", "2024-03-15"), WINE)
    put(opened, report("乙", "行业回升。\n\n蓝山酒业没有产能。", "2024-04-15"), WINE)
    embed(opened)
    put(opened, report("丙", "简称蓝山。", "2024-05-15"), taught("蓝山", "600001.SH"))
    back_fill(opened)
    opened.refresh()
    (runs := opened.folder / "runs").mkdir()
    (runs / "0123456789abcdef.json").write_text('{"question": "多少？"}')
    yield opened
    opened.close()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore(tmp_path / "other")
    yield opened
    opened.close()


@pytest.fixture
def file(store: EmbeddedStore, tmp_path: Path) -> Path:
    store.backup(tmp_path / "copy.finlore", beside=[store.folder / "runs"])
    return tmp_path / "copy.finlore"


def restored(store: EmbeddedStore, file: Path, *, replace: bool = False) -> None:
    store.restore(file, beside=[store.folder / "runs"], replace=replace)


def read(store: EmbeddedStore) -> dict[str, object]:
    return everything(store, LATE, terms=["产能", "回升"], surfaces=["蓝山", "蓝山酒业"])


def content(folder: Path) -> dict[str, bytes]:
    """All that a workspace holds; the log and its index come and go with connections."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if path.suffix not in (".lock",)}


# there and back


def test_what_is_restored_is_what_was_backed_up(store: EmbeddedStore, other: EmbeddedStore, file: Path) -> None:
    restored(other, file)
    assert read(other) == read(store)
    assert other.status().digest == store.status().digest
    assert other.status().indexed_sequence == other.status().sequence
    assert other.integrity() == []
    assert (other.folder / "runs" / "0123456789abcdef.json").read_text() == '{"question": "多少？"}'
    assert not (other.folder / leftovers.STAGING).exists()


def test_the_report_says_what_the_file_holds(store: EmbeddedStore, tmp_path: Path) -> None:
    made = store.backup(tmp_path / "copy.finlore", beside=[store.folder / "runs"])
    status = store.status()
    assert (made.documents, made.runs, made.digest, made.sequence) == (3, 1, status.digest, status.sequence)
    assert (made.schema_version, made.n_bytes) == (schema.SCHEMA_VERSION, (tmp_path / "copy.finlore").stat().st_size)


def test_a_backup_is_of_one_instant_while_somebody_writes(
    store: EmbeddedStore, other: EmbeddedStore, tmp_path: Path
) -> None:
    expected = store.status().digest
    writer = EmbeddedStore(store.folder)
    with writer._database.transaction() as db:
        db.execute("DELETE FROM document")
        made = store.backup(tmp_path / "copy.finlore", beside=[store.folder / "runs"])
    writer.close()
    restored(other, tmp_path / "copy.finlore")
    assert made.digest == other.status().digest == expected


def test_a_workspace_with_content_is_replaced_only_when_that_is_said(store: EmbeddedStore, file: Path) -> None:
    expected = read(store)
    put(store, report("丁", "后来的一篇。", "2024-06-15"))
    store.refresh()
    (store.folder / "runs" / "fedcba9876543210.json").write_text("{}")
    before = content(store.folder)
    with pytest.raises(UsageError, match="not empty"):
        restored(store, file)
    assert content(store.folder) == before
    restored(store, file, replace=True)
    assert read(store) == expected
    assert [path.name for path in (store.folder / "runs").iterdir()] == ["0123456789abcdef.json"]


def test_readers_that_are_at_work_go_on_with_the_restored_content(store: EmbeddedStore, file: Path) -> None:
    expected = read(store)
    for name in "丁戊己":
        put(store, report(name, f"后来的一篇{name}。", "2024-06-15"))
    store.refresh()
    reader = EmbeddedStore(store.folder)
    assert reader.view(LATE).n_passages == 7
    restored(store, file, replace=True)
    assert read(reader) == expected
    reader.close()


def test_writing_goes_on_after_a_restore(store: EmbeddedStore, other: EmbeddedStore, file: Path) -> None:
    restored(other, file)
    for one in (store, other):
        put(one, report("丁", "蓝山酒业的下一篇。", "2024-06-15"), WINE)
        one.forget("乙")
    assert other.status().digest == store.status().digest
    assert read(other) == read(store)


def test_a_damaged_database_is_replaced(store: EmbeddedStore, file: Path) -> None:
    expected = read(store)
    store.close()
    path = store.folder / "store.sqlite"
    pages = bytearray(path.read_bytes())
    pages[4096 * 3 : 4096 * 6] = b"\x55" * 4096 * 3
    path.write_bytes(pages)
    reopened = EmbeddedStore(store.folder)
    restored(reopened, file, replace=True)
    assert (read(reopened), reopened.integrity()) == (expected, [])
    reopened.close()


def test_a_file_that_is_no_database_is_kept_aside_until_something_is_forgotten(
    store: EmbeddedStore, file: Path
) -> None:
    expected = read(store)
    store.close()
    (store.folder / "store.sqlite").write_bytes(b"what is left after an accident" * 300)
    reopened = EmbeddedStore(store.folder)
    restored(reopened, file, replace=True)
    assert read(reopened) == expected
    (found,) = reopened.integrity()
    assert (found.fine, "store.sqlite.damaged" in found.message) == (True, True)
    reopened.forget("甲")
    assert reopened.integrity() == []
    reopened.close()


def test_a_backup_takes_the_place_of_an_older_one_and_of_nothing_else(store: EmbeddedStore, file: Path) -> None:
    put(store, report("丁", "后来的一篇。", "2024-06-15"))
    back_fill(store)
    assert store.backup(file, beside=[store.folder / "runs"]).documents == 4
    database = store.folder / "store.sqlite"
    for precious in (database, file.parent, file.parent / "no such folder" / "copy"):
        with pytest.raises(UsageError):
            store.backup(precious, beside=[store.folder / "runs"])
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(".")] == []
    assert store.integrity() == []


def test_of_nothing_there_is_no_backup(other: EmbeddedStore, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        other.backup(tmp_path / "copy.finlore", beside=[other.folder / "runs"])
    assert not (tmp_path / "copy.finlore").exists()


def test_a_damaged_store_is_not_backed_up_in_silence(store: EmbeddedStore, tmp_path: Path) -> None:
    store.close()
    path = store.folder / "store.sqlite"
    pages = bytearray(path.read_bytes())
    pages[-4096 * 4 :] = b"\x55" * 4096 * 4
    path.write_bytes(pages)
    reopened = EmbeddedStore(store.folder)
    with pytest.raises(StoreDamaged) as refused:
        reopened.backup(tmp_path / "copy.finlore", beside=[store.folder / "runs"])
    assert "restore" in refused.value.hint
    reopened.close()


# what is refused


def rewritten(file: Path, change: Callable[[dict[str, bytes], dict[str, object]], None]) -> None:
    """The archive with other members; whoever changes them states their true hashes."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    change(members, manifest)
    stated = {name: {"size": len(data), "sha256": sha256(data).hexdigest()} for name, data in members.items()}
    manifest = {"members": stated, **{key: value for key, value in manifest.items() if key != "members"}}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
        archive.writestr("manifest.json", json.dumps(manifest))


def in_database(file: Path, *statements: str) -> None:
    def change(members: dict[str, bytes], _: dict[str, object]) -> None:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            db.deserialize(members["store.sqlite"])
            for statement in statements:
                db.execute(statement)
            members["store.sqlite"] = db.serialize()

    rewritten(file, change)


def with_member(name: str, data: bytes) -> Callable[[Path], None]:
    return lambda file: rewritten(file, lambda members, _: members.__setitem__(name, data))


def stating(key: str, value: object) -> Callable[[Path], None]:
    return lambda file: rewritten(file, lambda _, manifest: manifest.__setitem__(key, value))


def unlisted(file: Path) -> None:
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("beside/more.json", "{}")


def twice(file: Path) -> None:
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("store.sqlite", b"another")


def lying(change: Callable[[dict[str, dict[str, object]]], object]) -> Callable[[Path], None]:
    """A manifest that does not say the truth of its members."""

    def lie(file: Path) -> None:
        with zipfile.ZipFile(file) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        manifest = json.loads(members.pop("manifest.json"))
        manifest["members"] = change(manifest["members"]) or manifest["members"]
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
            archive.writestr("manifest.json", json.dumps(manifest))

    return lie


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    file.write_bytes(data)


def foreign(file: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
        data = db.serialize()
    with_member("store.sqlite", data)(file)


HOSTILE: dict[str, Callable[[Path], None]] = {
    "no archive": lambda file: file.write_bytes(b"minutes of a meeting" * 100) and None,
    "a part of one": lambda file: file.write_bytes(file.read_bytes()[:-100]) and None,
    "nothing at all": lambda file: file.write_bytes(b"") and None,
    "other bits": flipped,
    "a path that leads outside": with_member("../../escaped.json", b"{}"),
    "a path below the folder of runs": with_member("beside/../../escaped.json", b"{}"),
    "an absolute path": with_member("/tmp/escaped.json", b"{}"),
    "a file that is no run": with_member("beside/run.sh", b"#!/bin/sh"),
    "a file that the manifest does not name": unlisted,
    "a member twice": twice,
    "no database": lambda file: rewritten(file, lambda members, _: members.pop("store.sqlite") and None),
    "a wrong hash": lying(lambda members: members["store.sqlite"].update(sha256="0" * 64)),
    "a wrong size": lying(lambda members: members["store.sqlite"].update(size=4096)),
    "no hash": lying(lambda members: {**members, "store.sqlite": {"size": 4096}}),
    "a bomb": with_member("beside/bomb.json", bytes(80 << 20)),
    "more than there is room for": lying(lambda members: members["store.sqlite"].update(size=1 << 60)),
    "another format": stating("format", "finlore backup 99"),
    "a manifest of another shape": lying(list),
    "a newer schema": stating("schema_version", schema.SCHEMA_VERSION + 1),
    "a database of a newer schema": lambda file: in_database(
        file, f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}"
    ),
    "no database but text": with_member("store.sqlite", b"SELECT 1; " * 1000),
    "an empty database": with_member("store.sqlite", b""),
    "a database of another program": foreign,
    "a trigger of somebody else": lambda file: in_database(
        file, "CREATE TRIGGER trap AFTER UPDATE ON workspace BEGIN DELETE FROM document; END"
    ),
    "a view in place of a table": lambda file: in_database(
        file, "DROP TABLE merge", "CREATE VIEW merge AS SELECT 1 AS entity, 2 AS target, 3 AS made, 4 AS undone"
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_backup_that_is_not_as_we_write_it_is_refused_and_nothing_changes(
    store: EmbeddedStore, file: Path, kind: str
) -> None:
    put(store, report("丁", "后来的一篇。", "2024-06-15"))
    HOSTILE[kind](file)
    before = content(store.folder)
    with pytest.raises(FinloreError) as refused:
        restored(store, file, replace=True)
    assert refused.value.hint
    assert content(store.folder) == before
    assert not list(file.parent.rglob("escaped*"))


def test_a_file_that_is_not_there_cannot_be_restored(other: EmbeddedStore, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="absent"):
        restored(other, tmp_path / "absent.finlore")


# where there is no room


@contextmanager
def room(n_bytes: int) -> Iterator[None]:
    """No file may grow beyond so many bytes: what a full disk does to whoever writes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("n_bytes", [0, 5_000, 60_000])
def test_a_full_disk_leaves_the_older_backup_and_the_workspace_alone(
    store: EmbeddedStore, file: Path, n_bytes: int
) -> None:
    put(store, report("丁", "后来的一篇。", "2024-06-15"))
    back_fill(store)
    store.refresh()
    held, expected = file.read_bytes(), read(store)
    with room(n_bytes), pytest.raises(StoreReadOnly) as refused:
        store.backup(file, beside=[store.folder / "runs"])
    assert "room" in refused.value.hint
    with room(n_bytes), pytest.raises(StoreReadOnly):
        restored(store, file, replace=True)
    assert (file.read_bytes(), read(store), store.integrity()) == (held, expected, [])
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(".")] == []
