"""Facts in the database: what damage `doctor` sees, what it mends, and that nothing of a fact is lost on the way."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.store_embedded import EmbeddedStore
from finlore.adapters.store_embedded.facts import read_event, read_fact
from finlore.records.fact import Event, Extracted, Fact
from finlore.records.plain import plain, record
from tests.contracts.documents import INGESTED, day, found, report, shipped
from tests.contracts.facts import event, fact, party, said

LATE = day("2030-01-01")
WINERY = party("蓝山酒业", entity="600001.SH", kind="security")
REPORT = report("甲", "蓝山酒业收购北溪电池。", "2024-03-15")
CLAIMS = (
    fact(REPORT, WINERY, "key_products", "酒", value=1.5),
    event(REPORT, WINERY, "supply", "收购", object=party("北溪电池"), involved=(party("北溪电池"),)),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = EmbeddedStore(tmp_path / "workspace")
    store.put(REPORT, found(REPORT, shipped("蓝山酒业", "600001.SH")), ingested_at=INGESTED, extracted=said(*CLAIMS))
    store.put_extracted("甲", 1, said(*CLAIMS, extractor="fake/2"))  # what was replaced is looked at as well
    store.close()
    return store.folder


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "store.sqlite")) as db, db:
        db.execute(statement)


def complaints(folder: Path) -> list[str]:
    store = EmbeddedStore(folder)
    messages = [finding.message for finding in store.integrity() if not finding.fine]
    store.close()
    return messages


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE claim SET content = x'00' WHERE is_event = 0",
        "UPDATE claim SET content = (SELECT content FROM claim WHERE is_event = 1) WHERE is_event = 0",
        "UPDATE claim SET type = 'other'",
        "UPDATE claim SET known = 7",
        "UPDATE claim SET key = key + 1",
        "DELETE FROM claim WHERE is_event = 1",
        "UPDATE extraction SET notes = x'7b7d'",
    ],
)
def test_what_is_not_as_it_was_kept_is_named_with_its_document(folder: Path, damage: str) -> None:
    assert complaints(folder) == []
    change(folder, damage)
    assert [message for message in complaints(folder) if "not what was kept" in message] == [
        f"what fake/{n} read out of version 1 of 甲 is not what was kept" for n in (1, 2)
    ]


@pytest.mark.parametrize("damage", ["DELETE FROM party", "UPDATE OR REPLACE party SET string = x'61'"])
def test_lists_of_parties_are_made_again(folder: Path, damage: str) -> None:
    change(folder, damage)
    assert complaints(folder) == ["4 facts and events are not listed under those whom they speak of"]
    store = EmbeddedStore(folder)
    assert store.facts(as_of=LATE, entities=["600001.SH"]) == []
    store.repair()
    assert (len(store.facts(as_of=LATE, entities=["600001.SH"])), store.integrity()) == (1, [])
    store.close()


def test_a_backup_brings_facts_and_reviews_along(folder: Path, tmp_path: Path) -> None:
    store, other = EmbeddedStore(folder), EmbeddedStore(tmp_path / "other")
    store.backup(tmp_path / "copy", beside=[folder / "runs"])
    other.restore(tmp_path / "copy", beside=[other.folder / "runs"], replace=False)
    assert (other.facts(as_of=LATE), other.events(as_of=LATE)) == (store.facts(as_of=LATE), store.events(as_of=LATE))
    assert (other.status().digest, other.integrity()) == (store.status().digest, [])
    store.close()
    other.close()


def test_what_was_written_before_a_record_grew_still_reads() -> None:
    """Fields that are not there have their default value."""
    stated = plain(CLAIMS[1])
    assert isinstance(stated, dict)
    assert "roles" not in stated
    assert record(Event, stated) == CLAIMS[1]
    with pytest.raises(TypeError):
        record(Fact, {"no such field": 1})
    with pytest.raises(TypeError):
        record(Fact, ["a"])


@given(claim=st.one_of(st.from_type(Fact), st.from_type(Event)))
def test_every_record_comes_back_as_it_was(claim: Fact | Event) -> None:
    assert record(type(claim), plain(claim)) == claim


@given(st.from_type(Extracted))
def test_notes_of_an_extractor_come_back_as_they_were(extracted: Extracted) -> None:
    assert record(Extracted, plain(extracted)) == extracted


@given(content=st.binary(max_size=200))
def test_bytes_that_nobody_packed_are_refused_in_a_way_that_doctor_understands(content: bytes) -> None:
    from finlore.adapters.store_embedded.soundness import UNREADABLE

    for read in (read_fact, read_event):
        with pytest.raises(UNREADABLE):
            read(content)
