"""Whatever is wrong in a workspace is found, named with its remedy, and repaired where it can be."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from finlore.adapters.store_embedded import EmbeddedStore
from finlore.adapters.store_embedded.packing import pack_mentions, pack_sentences, pack_text, unpack_mentions
from finlore.errors import StoreDamaged
from finlore.records.document import Sentence
from finlore.records.instant import NEVER
from finlore.records.names import SameName
from finlore.records.store import InputRecord
from tests.contracts.documents import back_fill, day, embed, put, report, shipped, taught
from tests.contracts.readings import everything

LATE = day("2030-01-01")
WINE = shipped("蓝山酒业", "600001.SH")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """Documents with versions, a copy, taught names, links and vectors."""
    opened = EmbeddedStore(tmp_path / "workspace")
    put(opened, report("甲", "蓝山酒业增长。", "2024-03-15"), WINE)
    put(opened, report("乙", "行业回升。\n\n蓝山酒业没有产能。", "2024-04-15"), WINE)
    put(opened, report("丁", "行业回升。\n\n蓝山酒业没有产能。", "2024-05-01"), WINE)
    put(opened, report("丙", "简称蓝山。", "2024-05-15"), taught("蓝山", "600001.SH"))
    put(opened, report("甲", "蓝山酒业增长，蓝山领先。", "2024-06-15"), WINE, guesses=["领先"])
    opened.relate([SameName("蓝山酒业", "蓝山", 50)])
    back_fill(opened)
    embed(opened)
    opened.note_input(InputRecord("/reports/甲.md", "0" * 64, "1", "read"))
    opened.refresh()
    yield opened
    opened.close()


def read(store: EmbeddedStore) -> dict[str, object]:
    return everything(store, LATE, terms=["产能", "回升"], surfaces=["蓝山", "蓝山酒业"])


def change(store: EmbeddedStore, *statements: str, values: tuple[object, ...] = ()) -> None:
    """As a fault of a program or of a disk would: without the checks of keys."""
    with closing(sqlite3.connect(store.folder / "store.sqlite", isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement, values)


def told(store: EmbeddedStore) -> str:
    return "\n".join(f"{found.subject}: {found.message} -> {found.fix}" for found in store.integrity())


def test_a_sound_store_is_told_nothing_about_and_repair_changes_nothing(store: EmbeddedStore) -> None:
    before, digest = read(store), store.status().digest
    assert store.integrity() == []
    store.repair()
    assert (read(store), store.status().digest, store.integrity()) == (before, digest, [])


ROW = "SELECT id FROM version WHERE number = 1 AND document = (SELECT id FROM document WHERE name = CAST('乙' AS BLOB))"
REPAIRED = {
    "miscounted support": ("UPDATE surface SET support = 9", "is miscounted"),
    "a name that nothing uses": ("INSERT INTO surface (string, support, learnt) VALUES (x'61', 0, 0)", "nowhere used"),
    "a meaning known too early": ("UPDATE alias SET known = 5 WHERE strength = 80", "from the wrong instant"),
    "a name that counts as not taught": ("UPDATE surface SET learnt = 0", "is noted wrongly"),
    "a copy shown at the wrong dates": (f"UPDATE version SET hidden = 5 WHERE id = ({ROW})", "at the wrong dates"),
    "a version that never ends": (f"UPDATE version SET until = {NEVER} WHERE number = 1", "do not follow one another"),
    "a sequence number that fell behind": ("UPDATE workspace SET sequence = 1", "is behind the documents"),
    "a passage of no version": (
        "INSERT INTO passage SELECT 999, ordinal, 7, first, last, role, heading, sentences FROM passage LIMIT 1",
        "rows of passage",
    ),
    "a vector of no passage": ("INSERT INTO vector VALUES (99, 'hash-8', 1, x'0102030405060708')", "rows of vector"),
    "a mention of no name": ("INSERT INTO learnt_mention VALUES (1, 999, 1, x'5b5d', 0)", "rows of learnt_mention"),
    "a statement of nothing": ("INSERT INTO statement VALUES (999, 1, 1)", "rows of statement"),
    "a text of no document": ("INSERT INTO text (hash, content) VALUES (x'00', x'00')", "1 texts belong to no"),
    "a name of no document": ("INSERT INTO document (name) VALUES (x'00')", "1 document names belong to no"),
    "a meaning that nobody states": (
        "INSERT INTO alias (surface, entity, kind, name, strength, listed, needs, known)"
        f" SELECT id, x'61', 'company', x'61', 1, {NEVER}, 1, {NEVER} FROM surface LIMIT 1",
        "1 meanings belong to no",
    ),
    "versions that would not be searched": ("DELETE FROM trace", "would not be searched"),
    "a source of which nothing is kept": ("UPDATE input SET source = x'2f6c6f7374'", "of 1 sources no document"),
}


@pytest.mark.parametrize("kind", REPAIRED)
def test_what_can_be_counted_anew_is_found_and_repaired(store: EmbeddedStore, kind: str) -> None:
    before, digest = read(store), store.status().digest
    statement, named = REPAIRED[kind]
    change(store, statement)
    assert named in told(store)
    assert "finlore doctor --repair" in told(store)
    store.repair()
    back_fill(store)
    store.refresh()
    assert (read(store), store.status().digest, told(store)) == (before, digest, "")


def test_of_vectors_with_different_lengths_the_fewer_are_made_again(store: EmbeddedStore) -> None:
    before = read(store)
    change(store, "UPDATE vector SET data = x'01' WHERE key = (SELECT min(key) FROM vector)")
    assert "2 different lengths" in told(store)
    store.repair()
    embed(store)
    store.refresh()
    assert (read(store), told(store)) == (before, "")


PACKED = "(SELECT mentions FROM version WHERE id = 1)"
LOST: dict[str, tuple[str, tuple[object, ...], str]] = {
    "a damaged text": ("UPDATE text SET content = x'00' WHERE id = 1", (), "text of 甲 is damaged"),
    "another text": ("UPDATE text SET content = ? WHERE id = 1", (pack_text("别的。"),), "text of 甲 is damaged"),
    "mentions that cannot be read": ("UPDATE version SET mentions = x'0102' WHERE id = 1", (), "甲 cannot be read"),
    "metadata that cannot be read": ("UPDATE version SET metadata = x'7b' WHERE id = 1", (), "甲 cannot be read"),
    "a layout that cannot be read": ("UPDATE version SET layout = markup WHERE id = 1", (), "甲 cannot be read"),
    "other metadata": (
        "UPDATE version SET metadata = CAST(replace(metadata, '\"title\":\"', '\"title\":\"x') AS BLOB) WHERE id = 1",
        (), "version 1 of 甲 is not what was stored",
    ),
    "a passage outside its text": ("UPDATE passage SET last = 999 WHERE version = 1", (), "outside its text"),
    "a sentence outside its passage": (
        "UPDATE passage SET sentences = ? WHERE version = 1",
        (pack_sentences([Sentence(0, 99)], 0),), "outside its text",
    ),
    "a passage less": (f"DELETE FROM passage WHERE version = ({ROW}) AND ordinal = 1", (), "other passages"),
    "a key of another passage": ("UPDATE passage SET key = 5 WHERE version = 1", (), "other passages"),
    "another subject": ("UPDATE version SET subject = x'61' WHERE id = 1", (), "its digest differs"),
    "mentions counted wrongly": ("UPDATE version SET n_mentions = 7 WHERE id = 1", (), "other mentions"),
    "a version less": ("DELETE FROM version WHERE number = 1 AND id = 1", (), "versions of 甲 are missing"),
}  # fmt: skip


@pytest.mark.parametrize("kind", LOST)
def test_what_only_its_owner_can_give_again_is_named_with_the_document(store: EmbeddedStore, kind: str) -> None:
    statement, values, named = LOST[kind]
    change(store, statement, values=values)
    assert named in told(store)
    assert "finlore forget '甲'" in told(store) or "finlore forget '乙'" in told(store)
    with suppress(StoreDamaged):  # what cannot be read cannot be indexed
        store.repair()
    assert named in told(store)


def test_a_mention_outside_its_sentence_is_named(store: EmbeddedStore) -> None:
    with closing(sqlite3.connect(store.folder / "store.sqlite")) as db:
        (packed,) = db.execute("SELECT mentions FROM version WHERE id = 1").fetchone()
    first, *others = unpack_mentions(packed)
    for wrong in (
        replace(first, end=99),
        replace(first, sentence=9),
        replace(first, passage=9),
        replace(first, start=-1),
    ):
        change(store, "UPDATE version SET mentions = ? WHERE id = 1", values=(pack_mentions([wrong, *others]),))
        assert "version 1 of 甲 has a mention outside its sentence" in told(store)


@pytest.mark.parametrize("column", ["mentions", "metadata", "layout"])
def test_a_document_that_is_damaged_is_forgotten_and_given_again(store: EmbeddedStore, column: str) -> None:
    before, digest = read(store), store.status().digest
    change(store, f"UPDATE version SET {column} = x'00' WHERE id = 4")
    shutil.rmtree(store.folder / "derived")
    other = EmbeddedStore(store.folder)
    if column != "layout":  # which no index is made of
        with pytest.raises(StoreDamaged) as refused:
            other.refresh()
        assert "finlore doctor" in refused.value.hint
    assert other.forget("丙") == 1
    put(other, report("丙", "简称蓝山。", "2024-05-15"), taught("蓝山", "600001.SH"))
    other.relate([SameName("蓝山酒业", "蓝山", 50)])
    back_fill(other)
    embed(other)
    other.refresh()
    assert (told(other), other.status().digest, read(other)) == ("", digest, before)
    other.close()


@pytest.mark.parametrize("at", [0, 1, 5, 12, 20])
def test_a_damaged_page_is_told_with_the_remedy_and_never_raises(store: EmbeddedStore, at: int) -> None:
    store.close()
    path = store.folder / "store.sqlite"
    data = bytearray(path.read_bytes())
    data[at * 4096 + 100 * (at == 0) : (at + 1) * 4096] = b"\x55" * (4096 - 100 * (at == 0))
    path.write_bytes(data)
    other = EmbeddedStore(store.folder)
    try:
        findings = [(found.message, found.fix) for found in other.integrity()]
    except StoreDamaged as damaged:
        findings = [(damaged.message, damaged.hint)]
    assert any("damaged" in message or "store.sqlite" in message for message, _ in findings)
    assert all("restore" in fix for _, fix in findings)
    with pytest.raises(StoreDamaged) as refused:
        other.repair()
    assert "restore" in refused.value.hint
    other.close()


def test_a_table_of_somebody_else_is_named(store: EmbeddedStore) -> None:
    change(store, "CREATE TABLE notes (text TEXT)")
    assert "notes is not as schema version" in told(store)


# derived files


def test_every_bit_of_the_derived_files_counts(store: EmbeddedStore) -> None:
    before = read(store)
    for file in sorted((store.folder / "derived").rglob("*.*")):
        if file.name == "manifest.json" or not file.stat().st_size:
            continue
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
        assert "derived files: " in told(store), file
        data[-1] ^= 1
        file.write_bytes(data)
    assert told(store) == ""
    assert read(store) == before


@pytest.mark.parametrize("damage", ["bits", "length", "absence", "manifest"])
def test_damaged_derived_files_are_found_and_built_again(store: EmbeddedStore, damage: str) -> None:
    before = read(store)
    largest = max((store.folder / "derived").rglob("*.npy"), key=lambda file: file.stat().st_size)
    if damage == "bits":
        largest.write_bytes(bytes(byte ^ 0x5A for byte in largest.read_bytes()))
    elif damage == "length":
        largest.write_bytes(largest.read_bytes()[:-8])
    elif damage == "absence":
        largest.unlink()
    else:
        (store.folder / "derived" / "manifest.json").write_text(json.dumps({"rules": "none"}))
    other = EmbeddedStore(store.folder)
    assert "derived files: " in told(other)
    other.repair()
    assert (told(other), read(other)) == ("", before)
    other.close()


def test_what_killed_writers_leave_is_found_and_removed(store: EmbeddedStore) -> None:
    stale = store.folder / "derived" / "segment-of-somebody"
    shutil.copytree(next(path for path in (store.folder / "derived").iterdir() if path.is_dir()), stale)
    (store.folder / "derived" / ".manifest.json").write_text("{")
    (store.folder / ".restore.writing").mkdir()
    assert told(store).count("files: ") == 3
    store.repair()
    assert (told(store), stale.exists()) == ("", False)


def test_a_log_without_its_database_is_told_before_it_is_lost(store: EmbeddedStore) -> None:
    store.close()
    (store.folder / "store.sqlite").rename(store.folder / "elsewhere")
    (store.folder / "store.sqlite-wal").write_bytes(b"\x00" * 100)
    assert "belongs to a database that is not there" in told(EmbeddedStore(store.folder))
