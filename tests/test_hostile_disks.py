"""What a user sees when the files move under the reader, may not be read, or the disk is full."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from finlore.records.instant import now
from tests.small_world import workspace

ROOT = Path(__file__).parents[1]
OLD = "旧版材料的产能利用率为七成。"
NEW = "新版材料的产能利用率为九成，比旧版多了一句话。"


def note(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return path


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    folder.mkdir()
    for number in range(4):
        note(folder, f"{number}.md", f"第{number}家材料公司的订单饱满。")
    return folder


def test_a_file_that_changes_during_an_ingest_is_stored_as_it_was_or_as_it_became(
    tmp_path: Path, reports: Path
) -> None:
    moving = note(reports, "9.md", OLD)

    def change(done: int, total: int | None, what: str) -> None:
        if what.endswith("0.md"):
            note(reports, "9.md", NEW)

    with workspace(tmp_path / "workspace") as opened:
        opened.ingest([reports], progress=change)
        (stored,) = (one for one in opened._store.documents(as_of=now()) if one.source == str(moving))
        first = opened._store.document(stored.id, 1, as_of=now())
        assert first is not None
        assert first.text in {f"# 9.md\n\n{OLD}\n", f"# 9.md\n\n{NEW}\n"}
        opened.ingest([reports])
        hits = opened.search("产能利用率", method="text").hits
        assert [NEW in hit.passage.text for hit in hits] == [True]


def test_a_file_that_vanishes_during_an_ingest_is_told_and_the_others_are_read(tmp_path: Path, reports: Path) -> None:
    fleeting = note(reports, "9.md", OLD)

    def remove(done: int, total: int | None, what: str) -> None:
        fleeting.unlink(missing_ok=True)

    with workspace(tmp_path / "workspace") as opened:
        outcomes = {Path(one.source).name: one for one in opened.ingest([reports], progress=remove).documents}
    assert [outcomes[f"{number}.md"].status for number in range(4)] == ["added"] * 4
    last = outcomes["9.md"]
    assert last.status == "added" or (last.status == "rejected" and "no such file" in last.reason)


TAKE_IN = """
import os, resource, sys
from pathlib import Path
from finlore.errors import FinloreError
from tests.small_world import WORLD, jsonl, workspace
folder, reports, most_bytes, user = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
if user:  # another user may not import what lies in the home of this one, so that all is imported before
    with workspace(folder.with_name("other")) as opened:
        opened.ingest([jsonl(folder.with_name("other.jsonl"), *WORLD)])
with workspace(folder) as opened:
    if most_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    if user:
        os.seteuid(user)  # permissions do not bind the superuser
    try:
        for outcome in opened.ingest([reports]).documents:
            print(Path(outcome.source).name, outcome.status, outcome.reason)
    except FinloreError as error:
        print("stopped", error.exit_code, error)
"""


def take_in(folder: Path, reports: Path, *, most_bytes: int = 0, user: int = 0) -> list[str]:
    """The outcomes of an ingest in a process of its own, line by line."""
    done = subprocess.run(
        [sys.executable, "-c", TAKE_IN, str(folder), str(reports), str(most_bytes), str(user)],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_full_disk_ends_the_ingest_with_a_clear_error_and_what_was_stored_stays(
    tmp_path: Path, reports: Path
) -> None:
    folder = tmp_path / "workspace"
    with workspace(folder) as opened:
        opened.ingest([reports])
    large = tmp_path / "large"
    large.mkdir()
    for number in range(4):
        note(large, f"{number}.md", "\n\n".join(f"第{number}号公司第{line}句话。" for line in range(1500)))
    size = (folder / "store.sqlite").stat().st_size if (folder / "store.sqlite").exists() else 1 << 20
    *_, last = take_in(folder, large, most_bytes=size + (64 << 10))
    assert last.startswith("stopped 6 ")
    assert "disk" in last
    with workspace(folder) as opened:
        assert opened.search("第2家材料公司", method="text").hits
        assert opened.ingest([large]).count("rejected") == 0
        assert not opened._store.integrity()


def test_a_file_that_may_not_be_read_is_rejected_and_the_others_are_added(reports: Path) -> None:
    with TemporaryDirectory() as parent:  # outside the folder of this test, which only its owner may enter
        Path(parent).chmod(0o777)
        folder = Path(parent) / "reports"
        folder.mkdir()
        note(folder, "closed.md", OLD).chmod(0)
        note(folder, "open.md", NEW)
        lines = take_in(Path(parent) / "workspace", folder, user=65534 if os.geteuid() == 0 else 0)
    assert lines[0].startswith("closed.md rejected")
    assert "may not be read" in lines[0]
    assert lines[1].startswith("open.md added")
