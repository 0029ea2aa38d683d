"""A store that an older version wrote is brought up to date, whenever that is interrupted."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from finlore.adapters.store_embedded import EmbeddedStore, backup, schema
from finlore.errors import StoreDamaged
from tests.adapters.store_embedded.faults import Recorder, watched
from tests.contracts.documents import back_fill, day, embed, put, report, shipped, taught
from tests.contracts.readings import everything

LATE = day("2030-01-01")
WINE = shipped("蓝山酒业", "600001.SH")
OLDER = range(1, schema.SCHEMA_VERSION)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore(tmp_path / "workspace")
    put(opened, report("甲", "蓝山酒业增长。\n\n青岭有产能。", "2024-03-15"), WINE)
    put(opened, report("丙", "简称蓝山。", "2024-05-15"), taught("蓝山", "600001.SH"))
    put(opened, report("甲", "蓝山酒业增长，蓝山领先。\n\n青岭有产能。", "2024-06-15"), WINE)
    put(opened, report("丁", "简称蓝山。", "2024-05-16"), taught("蓝山", "600001.SH"))
    back_fill(opened)
    embed(opened)
    opened.refresh()
    yield opened
    opened.close()


def of_version(store: EmbeddedStore, version: int, folder: Path) -> Path:
    """A workspace as a program of that version would have left it: the rows of today in the tables of then."""
    folder.mkdir()
    with closing(sqlite3.connect(folder / "store.sqlite", isolation_level=None)) as old:
        steps = schema.MIGRATIONS[:version]
        schema.migrate(old, backup=None, zone="Asia/Shanghai", known_by="publication", migrations=steps)
        old.execute("ATTACH ? AS today", (str(store.folder / "store.sqlite"),))
        old.execute("DELETE FROM workspace")
        for (table,) in old.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE%'"):
            columns = ", ".join(column for _, column, *_ in old.execute(f"PRAGMA main.table_info({table})"))
            if not table.startswith("sqlite_"):
                old.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM today.{table}")
    return folder


def read(store: EmbeddedStore) -> dict[str, object]:
    return everything(store, LATE, terms=["产能", "领先"], surfaces=["蓝山", "蓝山酒业", "青岭"])


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return schema.version_of(db)


@pytest.mark.parametrize("version", OLDER)
def test_it_answers_as_before_and_a_copy_of_the_older_file_is_kept(
    store: EmbeddedStore, tmp_path: Path, version: int
) -> None:
    folder = of_version(store, version, tmp_path / "older")
    older = EmbeddedStore(folder)
    assert (older.status().digest, read(older)) == (store.status().digest, read(store))
    assert version_of(folder / "store.sqlite") == schema.SCHEMA_VERSION
    copy = folder / f"store.sqlite.v{version}.backup"
    assert version_of(copy) == version
    (found,) = older.integrity()
    assert (found.fine, str(copy) in found.message, "forget" in found.fix) == (True, True, True)
    older.close()


@pytest.mark.parametrize("version", OLDER)
def test_what_comes_later_is_as_if_the_store_had_always_been_new(
    store: EmbeddedStore, tmp_path: Path, version: int
) -> None:
    older = EmbeddedStore(of_version(store, version, tmp_path / "older"))
    for one in (store, older):
        put(one, report("戊", "简称青岭。", "2024-07-01"), taught("青岭", "company:青岭"))
        back_fill(one)
        one.forget("丙")
        back_fill(one)
        one.refresh()
    assert (older.status().digest, read(older)) == (store.status().digest, read(store))
    assert older.integrity() == []  # the copy, which spells what was forgotten, is gone
    older.close()


@pytest.mark.parametrize("version", OLDER)
def test_a_migration_that_is_killed_anywhere_is_made_by_the_next_to_come(
    store: EmbeddedStore, tmp_path: Path, version: int
) -> None:
    folder = of_version(store, version, tmp_path / "older")
    recorder = Recorder(folder)
    with watched(recorder):
        older = EmbeddedStore(folder)
        older.status()
        older.close()
        recorder("all is closed")
    images = [*recorder.distinct(), *recorder.torn()]
    assert len(images) > 5
    for number, image in enumerate(images):
        killed = EmbeddedStore(image.write(tmp_path / str(number)))
        assert killed.status().digest == store.status().digest
        assert [found for found in killed.integrity() if not found.fine] == []
        assert version_of(killed.folder / f"store.sqlite.v{version}.backup") == version
        killed.close()


@pytest.mark.parametrize("version", OLDER)
def test_an_older_backup_is_restored_and_brought_up_to_date(store: EmbeddedStore, tmp_path: Path, version: int) -> None:
    folder, file = of_version(store, version, tmp_path / "older"), tmp_path / "copy.finlore"
    with closing(sqlite3.connect(folder / "store.sqlite", isolation_level=None)) as old:
        assert backup.write(old, file, beside=[folder / "runs"]).schema_version == version
    other = EmbeddedStore(tmp_path / "other")
    other.restore(file, beside=[other.folder / "runs"], replace=False)
    assert (other.status().digest, read(other), other.integrity()) == (store.status().digest, read(store), [])
    other.close()


def test_a_newer_store_is_refused_and_left_alone(store: EmbeddedStore) -> None:
    store.close()
    path = store.folder / "store.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    before = path.read_bytes()
    for use in (store.status, store.repair, store.refresh, store.integrity):
        with pytest.raises(StoreDamaged, match="upgrade"):
            use()
    assert path.read_bytes() == before
