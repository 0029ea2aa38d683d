"""What is remembered of sources came to the file with a later schema."""

from pathlib import Path

from finlore.adapters.store_embedded import EmbeddedStore, schema
from finlore.records.store import InputRecord
from tests.contracts.documents import put, report


def test_a_file_of_before_learns_to_remember_and_knows_the_sources_of_its_documents(tmp_path: Path) -> None:
    before = schema.MIGRATIONS[:2]
    with EmbeddedStore(tmp_path).writing():
        connection = schema.connect(tmp_path / "store.sqlite", writable=True)
        schema.migrate(connection, backup=None, zone="UTC", known_by="publication", migrations=before)
        connection.close()
    store = EmbeddedStore(tmp_path)
    put(store, report("甲", "一。", "2024-03-15"))
    record = InputRecord("/reports/甲.md", "hash", "rules", "read")
    store.note_input(record)
    assert store.input(record.source) == record
    assert [found.id for found in store.documents_of(record.source)] == ["甲"]
    assert store.status().schema_version == schema.SCHEMA_VERSION
    assert (tmp_path / f"store.sqlite.v{len(before)}.backup").exists()
    store.close()
