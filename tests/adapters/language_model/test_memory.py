import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from finlore.adapters.language_model.ladder import Manner
from finlore.adapters.language_model.memory import FILE, Memory, Remembered, key_of
from finlore.errors import StoreError
from finlore.records.llm import Message, Prompt
from tests.adapters.language_model.asking import SCHEMA, facts

NAMES = ("a", "b", "c")
WRITER = """
import sys
from pathlib import Path
from finlore.adapters.language_model.memory import Memory, Remembered
memory = Memory(Path(sys.argv[1]))
sys.stdin.read()
for number in range(25):
    memory.keep_reply(f"{sys.argv[2]}-{number}", Remembered(str(number), "m"))
    memory.keep_reply("shared", Remembered(sys.argv[2], "m"))
"""


@pytest.mark.parametrize(
    "other",
    [
        replace(facts(), version=2),
        replace(facts(), name="other"),
        replace(facts(), schema={**SCHEMA, "additionalProperties": True}),
        replace(facts(), schema=None),
        replace(facts(), most_tokens=99),
        replace(facts(), messages=facts().messages[:1]),
        replace(facts(), messages=(*facts().messages[:-1], replace(facts().messages[-1], speaker="assistant"))),
    ],
)
def test_whatever_could_change_the_reply_makes_another_key(other: Prompt) -> None:
    assert key_of(other, "m") != key_of(facts(), "m")


def test_the_model_is_part_of_the_key_the_order_of_the_schema_is_not() -> None:
    turned = replace(facts(), schema=dict(reversed(SCHEMA.items())))
    assert key_of(facts(), "m") != key_of(facts(), "n")
    assert key_of(facts(), "m") == key_of(turned, "m")


def test_any_text_has_a_key() -> None:
    assert key_of(replace(facts(), messages=(Message("user", "\ud800\x00"),)), "m")


def test_what_was_kept_is_found_by_whoever_looks_later(tmp_path: Path) -> None:
    Memory(tmp_path / "llm").keep_reply("key", Remembered("渡口\u2028", "m"))
    Memory(tmp_path / "llm").keep_manner("http://a/v1", "m", Manner("object", "max_completion_tokens", False))
    later = Memory(tmp_path / "llm")
    assert later.reply("key") == Remembered("渡口\u2028", "m")
    assert later.manner("http://a/v1", "m") == Manner("object", "max_completion_tokens", False)
    assert later.manner("http://b/v1", "m") is later.reply("other") is None


def test_looking_makes_no_file(tmp_path: Path) -> None:
    assert Memory(tmp_path / "llm").reply("key") is None
    assert not (tmp_path / "llm").exists()


def test_without_a_folder_nothing_is_kept() -> None:
    memory = Memory(None)
    memory.keep_reply("key", Remembered("text", "m"))
    assert memory.reply("key") is None


@pytest.mark.parametrize("content", [b"no database at all" * 200, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    memory = Memory(tmp_path)
    assert memory.reply("key") is None
    memory.keep_reply("key", Remembered("text", "m"))
    assert memory.reply("key") == Remembered("text", "m")


def test_a_page_that_is_damaged_costs_the_replies_and_nothing_else(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for number in range(20):
        memory.keep_reply(str(number), Remembered("x" * 2000, "m"))
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:4096] + b"\x5a" * (len(whole) - 4096))
    memory.reply("1")
    memory.keep_reply("1", Remembered("again", "m"))
    assert memory.reply("1") == Remembered("again", "m")


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "llm").write_text("a file")
    memory = Memory(tmp_path / "llm")
    memory.keep_reply("key", Remembered("text", "m"))
    assert memory.reply("key") is None


def test_a_manner_that_somebody_else_wrote_is_none(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    for told in ("nonsense", "[]", '{"rung": "sideways", "limit": "max_tokens", "has_temperature": true}'):
        memory.keep_manner("http://a/v1", "m", Manner())
        with closing(sqlite3.connect(tmp_path / FILE)) as connection, connection:
            connection.execute("UPDATE manners SET manner = ?", (told,))
        assert memory.manner("http://a/v1", "m") is None


def test_processes_that_begin_one_memory_together_lose_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, name], stdin=subprocess.PIPE) for name in NAMES
    ]
    for writer in writers:
        assert writer.stdin
        writer.stdin.close()  # the starting shot
    memory = Memory(tmp_path)
    while any(writer.poll() is None for writer in writers):
        memory.reply("a-24")  # readers do not fail
    assert [writer.returncode for writer in writers] == [0] * len(NAMES)
    assert all(memory.reply(f"{name}-{number}") for name in NAMES for number in range(25))
    assert memory.reply("shared") in {Remembered(name, "m") for name in NAMES}


def test_a_reply_is_forgotten_with_any_document_that_it_quotes(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep_reply("both", Remembered("鲸湾一", "m"), sources=("secret", "open"))
    memory.keep_reply("open", Remembered("二", "m"), sources=("open",))
    memory.keep_reply("unknown", Remembered("鲸湾三", "m"))
    assert memory.forget("secret") == 2
    assert [memory.reply(key) for key in ("both", "unknown", "open")] == [None, None, Remembered("二", "m")]
    assert not [path for path in tmp_path.iterdir() if "鲸湾".encode() in path.read_bytes()]
    assert memory.forget("secret") == 0


def test_replies_that_cannot_be_removed_are_an_error(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    memory.keep_reply("key", Remembered("text", "m"))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("DROP TABLE sources")
        connection.execute("CREATE VIEW sources AS SELECT 'document' AS document, 'key' AS key")
    with pytest.raises(StoreError, match="cannot be removed"):
        memory.forget("document")


def test_what_was_forgotten_where_nothing_was_kept_is_nothing(tmp_path: Path) -> None:
    assert Memory(tmp_path / "llm").forget("document") == 0
    assert not (tmp_path / "llm").exists()
