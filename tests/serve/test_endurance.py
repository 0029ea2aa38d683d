"""`backup`, `restore` and `doctor` as a person or a script sees them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.serve.driver import Finlore
from tests.small_world import RAISED, SUPPLY, WORLD, jsonl, workspace


def digest(finlore: Finlore, folder: Path) -> str:
    return str(finlore("status", "--json", "--workspace", folder).json["digest"])


def test_what_is_backed_up_is_restored_with_its_runs(finlore: Finlore, own: Path, tmp_path: Path) -> None:
    run = finlore("ask", "霜桥证券对漠川材料的目标价是多少？", "--json", "--workspace", own).json["run"]
    made = finlore("backup", tmp_path / "copy", "--json", "--workspace", own)
    assert made.code == 0
    assert (made.json["documents"], made.json["runs"], made.json["digest"]) == (len(WORLD), 1, digest(finlore, own))
    assert made.json.keys() >= {"file", "bytes", "created_at", "schema_version", "sequence"}
    restored = finlore("restore", tmp_path / "copy", "--json", "--workspace", tmp_path / "other")
    assert (restored.code, restored.json["workspace"]) == (0, str(tmp_path / "other"))
    assert digest(finlore, tmp_path / "other") == made.json["digest"]
    assert finlore("runs", "replay", run, "--json", "--workspace", tmp_path / "other").json["equal"] is True


def test_what_is_there_is_lost_only_where_that_is_said(finlore: Finlore, own: Path, tmp_path: Path) -> None:
    finlore("backup", tmp_path / "copy", "--workspace", own)
    with workspace(tmp_path / "other") as other:
        other.ingest([jsonl(tmp_path / "one.jsonl", SUPPLY)])
    before = digest(finlore, tmp_path / "other")
    refused = finlore("restore", tmp_path / "copy", "--workspace", tmp_path / "other")
    assert (refused.code, "--replace" in refused.err) == (2, True)
    assert digest(finlore, tmp_path / "other") == before
    assert finlore("restore", tmp_path / "copy", "--replace", "--workspace", tmp_path / "other").code == 0
    assert digest(finlore, tmp_path / "other") == digest(finlore, own)


def test_while_another_writes_a_backup_is_made_and_nothing_restored(
    finlore: Finlore, own: Path, tmp_path: Path
) -> None:
    with workspace(own) as other, other._store.writing():
        assert finlore("backup", tmp_path / "copy", "--workspace", own).code == 0
        assert finlore("restore", tmp_path / "copy", "--replace", "--workspace", own).code == 6


@pytest.mark.parametrize("content", [b"", b"minutes of a meeting", b"PK\x05\x06" + bytes(18)])
def test_a_file_that_is_no_backup_is_refused_in_one_line(finlore: Finlore, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd").write_bytes(content)
    ran = finlore("restore", tmp_path / "odd", "--json", "--workspace", tmp_path / "new")
    assert (ran.code, ran.json["error"]["code"], ran.err.count("\n")) == (6, "F603", 1)
    assert finlore("restore", tmp_path / "absent", "--workspace", tmp_path / "new").code == 1
    assert finlore("backup", tmp_path / "copy", "--workspace", tmp_path / "new").code == 1


def test_doctor_exits_with_damage_and_repair_mends_it(finlore: Finlore, own: Path) -> None:
    assert finlore("doctor", "--workspace", own).code == 0
    with closing(sqlite3.connect(own / "store.sqlite", isolation_level=None)) as db:
        db.execute("UPDATE surface SET support = support + 1")
    told = finlore("doctor", "--json", "--workspace", own)
    wrong = [row for row in told.json["checks"] if not row["fine"] and row["subject"] == "store"]
    assert (told.code, bool(wrong), {row["fix"] for row in wrong}) == (6, True, {"finlore doctor --repair"})
    assert finlore("doctor", "--repair", "--workspace", own).code == 0


def test_doctor_says_what_helps_against_a_damaged_page(finlore: Finlore, own: Path, tmp_path: Path) -> None:
    finlore("backup", tmp_path / "copy", "--workspace", own)
    path = own / "store.sqlite"
    data = bytearray(path.read_bytes())
    data[4096 * 4 : 4096 * 30] = b"\x55" * 4096 * 26
    path.write_bytes(data)
    for verb in (["doctor"], ["doctor", "--repair"], ["ingest", jsonl(tmp_path / "more.jsonl", RAISED)]):
        ran = finlore(*verb, "--workspace", own)
        assert (ran.code, "restore" in ran.out + ran.err) == (6, True)
        assert "Traceback" not in ran.out + ran.err
    assert finlore("restore", tmp_path / "copy", "--replace", "--workspace", own).code == 0
    assert json.loads(finlore("doctor", "--json", "--workspace", own).out)["checks"]


def test_a_forget_that_was_cut_short_is_ended_by_the_next(finlore: Finlore, own: Path) -> None:
    """Quotes leave the runs first: once the document is gone, nothing would lead back to them."""
    run = finlore("ask", "漠川材料的目标价是多少？", "--json", "--workspace", own).json["run"]
    with workspace(own) as made:
        made._store.forget("raised")  # as a process leaves it that died between the two
    finlore("forget", "raised", "--workspace", own)
    assert "26.80" not in (own / "runs" / f"{run}.json").read_text()
