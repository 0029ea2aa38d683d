"""What every store remembers of the sources that were read."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from finlore import registry
from finlore.ports import Store
from finlore.records.store import InputRecord
from tests.contracts.documents import day, put, report

Open = Callable[[], Store]
READ = InputRecord("/reports/甲.md", "hash", "rules", "read")
REJECTED = InputRecord("/reports/b.pdf", "hash", "rules", "rejected", "a password is needed")
WAITING = InputRecord("/reports/c.pdf", "hash", "rules ocr", "waiting", "without text: page 2")


@pytest.fixture(params=registry.names("stores"))
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    opened: list[Store] = []

    def open_again() -> Store:
        opened.append(registry.load("stores", request.param)(tmp_path / "workspace"))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Open) -> Store:
    return open_store()


def test_an_absent_workspace_remembers_nothing(store: Store) -> None:
    assert (store.input(READ.source), store.inputs("read"), store.documents_of(READ.source)) == (None, [], [])


def test_what_became_of_a_source_is_remembered_until_it_is_read_again(store: Store, open_store: Open) -> None:
    for record in (READ, REJECTED, WAITING):
        store.note_input(record)
    other = open_store()
    assert [other.input(record.source) for record in (READ, REJECTED, WAITING)] == [READ, REJECTED, WAITING]
    assert (other.inputs("rejected"), other.inputs("waiting")) == ([REJECTED], [WAITING])
    mended = replace(REJECTED, raw_hash="other", outcome="read", reason="")
    store.note_input(mended)
    assert (other.input(REJECTED.source), other.inputs("rejected")) == (mended, [])


def test_names_that_are_no_text_are_kept_as_they_are(store: Store) -> None:
    odd = replace(REJECTED, source="/reports/\udcff#1.md", reason="\ud800 stands in it")
    store.note_input(odd)
    (kept,) = store.inputs("rejected")
    assert kept.source == odd.source
    assert "stands in it" in kept.reason


def test_what_is_remembered_is_no_content(store: Store) -> None:
    put(store, report("甲", "一。", "2024-03-15"))
    before = store.status()
    store.note_input(READ)
    assert (store.status().digest, store.status().sequence) == (before.digest, before.sequence)
    assert list(store.integrity()) == []


def test_the_documents_of_a_source_are_those_of_the_file_and_of_its_lines(store: Store) -> None:
    for id_, source in (("a", "/r/a.md"), ("b", "/r/a.md#2"), ("c", "/r/a.md.bak"), ("d", "/r/a.m"), ("e", "/r/a.md$")):
        put(store, replace(report(id_, f"第{id_}篇。", "2024-03-15"), source=source, n_pages=3))
    assert [(found.id, found.n_pages, found.n_passages) for found in store.documents_of("/r/a.md")] == [
        ("a", 3, 1),
        ("b", 3, 1),
    ]


def test_of_a_document_the_last_version_is_told_that_came_from_the_source(store: Store) -> None:
    versions = [
        ("/r/old.jsonl#1", "一。", "2024-03-15"),
        ("/r/old.jsonl#2", "二。", "2024-04-15"),
        ("/r/new.jsonl#1", "三。", "2024-05-15"),
    ]
    for source, text, published in versions:
        put(store, replace(report("甲", text, published), source=source))
    (old,), (new,) = store.documents_of("/r/old.jsonl"), store.documents_of("/r/new.jsonl")
    assert (old.version, old.known_at, new.version) == (2, day("2024-04-15"), 3)


def test_a_copy_is_told_with_the_passages_that_were_read(store: Store) -> None:
    for id_ in ("甲", "乙"):
        put(store, report(id_, "同一篇。", "2024-03-15"))
    assert [(found.id, found.n_passages) for found in store.documents_of("/reports/乙.md")] == [("乙", 1)]


def test_of_the_sources_of_a_forgotten_document_nothing_is_remembered(store: Store) -> None:
    put(store, report("甲", "一。", "2024-03-15"))
    put(store, replace(report("甲", "二。", "2024-04-15"), source="/r/list#2.jsonl#7"))
    kept = replace(READ, source="/r/other.md")
    for record in (READ, kept, replace(READ, source="/r/list#2.jsonl")):
        store.note_input(record)
    store.forget("甲")
    assert store.inputs("read") == [kept]
