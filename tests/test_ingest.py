"""Intake end to end: what was read is not read again, what was interrupted goes on, what went wrong is told again."""

import os
import resource
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from finlore.errors import UsageError
from finlore.flows import Workspace
from finlore.records.report import DocumentOutcome, IngestReport
from tests.small_world import SUPPLY, TARGET, jsonl, workspace
from tests.wiring.paper import publish, times_read


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the format of sheets is installed."""
    monkeypatch.syspath_prepend(publish(tmp_path / "site"))
    return tmp_path / "site"


@pytest.fixture
def made(tmp_path: Path, site: Path) -> Iterator[Workspace]:
    with workspace(tmp_path / "store") as opened:
        yield opened


def sheets(folder: Path, **texts: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.paper").write_text(text)
    return [folder / f"{name}.paper" for name in texts]


def told(report: IngestReport) -> list[tuple[str, str]]:
    return [(Path(outcome.source).name, outcome.status) for outcome in report.documents]


def shown(outcome: DocumentOutcome) -> tuple[object, ...]:
    return outcome.id, outcome.pages, outcome.passages, outcome.published_at, outcome.known_at


# once


def test_a_source_that_did_not_change_is_not_read_again_and_is_told_as_before(made: Workspace, tmp_path: Path) -> None:
    (a,) = sheets(tmp_path / "in", a="=第一页有文字。\n=第二页也有。")
    first, again = made.ingest([a]), made.ingest([a])
    assert (told(first), told(again)) == ([("a.paper", "added")], [("a.paper", "unchanged")])
    assert [shown(outcome) for outcome in again.documents] == [shown(outcome) for outcome in first.documents]
    assert times_read(a) == 1


def test_a_changed_source_is_read_again(made: Workspace, tmp_path: Path) -> None:
    (a,) = sheets(tmp_path / "in", a="=一。")
    made.ingest([a])
    a.write_text("=二。")
    assert told(made.ingest([a])) == [("a.paper", "new_version")]
    assert told(made.ingest([a])) == [("a.paper", "unchanged")]
    assert times_read(a) == 2


def test_a_forgotten_document_can_be_taken_in_again(made: Workspace, tmp_path: Path) -> None:
    (a,) = sheets(tmp_path / "in", a="=一。")
    made.ingest([a])
    assert made.forget(str(a))
    assert told(made.ingest([a])) == [("a.paper", "added")]


def test_members_of_an_archive_are_remembered_one_by_one(made: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    for name in ("a.txt", "b.txt"):
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(name, f"{name}里有文字。")
        report = made.ingest([path])
    assert told(report) == [("a.txt", "unchanged"), ("b.txt", "added")]


def test_a_list_is_remembered_when_all_of_it_went_through(made: Workspace, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "list.jsonl", SUPPLY, TARGET)
    for statuses in (["added", "added"], ["unchanged", "unchanged"]):
        assert [outcome.status for outcome in made.ingest([path]).documents] == statuses
    with path.open("a") as file:
        file.write("{broken\n")
    for _ in range(2):
        report = made.ingest([path])
        assert [outcome.status for outcome in report.documents] == ["unchanged", "unchanged", "rejected"]
        assert report.documents[-1].source == f"{path}, line 3"


def test_a_name_that_is_no_text_is_remembered_as_well(made: Workspace, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"bad\xff#1.txt")
    path.write_text("收入增长。")
    assert [outcome.status for outcome in made.ingest([path]).documents] == ["added"]
    assert [outcome.status for outcome in made.ingest([path]).documents] == ["unchanged"]
    assert made.forget(str(path))
    assert [outcome.status for outcome in made.ingest([path]).documents] == ["added"]


# what went wrong


def test_what_was_rejected_is_rejected_again_unread_until_a_retry(made: Workspace, tmp_path: Path) -> None:
    a, good = sheets(tmp_path / "in", a="*", good="=好。")
    for n_read in (1, 1):
        (outcome, _) = made.ingest([tmp_path / "in"]).documents
        assert (outcome.status, outcome.reason) == ("rejected", "the sheets are torn")
        assert times_read(a) == n_read
    assert "--retry" in outcome.notes[0]
    assert told(made.ingest([tmp_path / "in"], retry=True)) == [("a.paper", "rejected"), ("good.paper", "unchanged")]
    assert told(made.ingest(retry=True)) == [("a.paper", "rejected")]
    assert (times_read(a), times_read(good)) == (3, 1)


def test_a_retry_without_paths_finds_archives_and_passes_over_what_is_gone(made: Workspace, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("deep/blank.txt", "   ")
        archive.writestr("good.txt", "好。")
    (gone,) = sheets(tmp_path / "in", gone="*")
    made.ingest([tmp_path / "all.zip", gone])
    gone.unlink()
    assert told(made.ingest(retry=True)) == [("blank.txt", "rejected"), ("good.txt", "unchanged")]


def test_nothing_to_ingest_is_an_error_of_use(made: Workspace) -> None:
    with pytest.raises(UsageError):
        made.ingest()
    assert made.ingest(retry=True).documents == ()


# OCR that comes later


def test_pages_that_wait_are_read_when_there_is_a_page_reader_and_only_once(tmp_path: Path, site: Path) -> None:
    a, b = sheets(tmp_path / "in", a="=有字。\n~手写。", b="=只有字。")
    with workspace(tmp_path / "store") as blind:
        first = blind.ingest([tmp_path / "in"])
        again = blind.ingest([tmp_path / "in"])
    assert told(again) == [("a.paper", "unchanged"), ("b.paper", "unchanged")]
    assert [page.page for page in again.documents[0].page_verdicts] == [2]
    assert again.documents[0].notes == first.documents[0].notes
    assert times_read(a) == 1
    with workspace(tmp_path / "store", ocr="ink") as seeing:
        report = seeing.ingest([tmp_path / "in"])
        assert told(report) == [("a.paper", "new_version"), ("b.paper", "unchanged")]
        assert [(page.page, page.is_ocr) for page in report.documents[0].page_verdicts] == [(2, True)]
        assert seeing.search("手写").hits
        assert told(seeing.ingest([tmp_path / "in"])) == [("a.paper", "unchanged"), ("b.paper", "unchanged")]
    assert (times_read(a), times_read(b)) == (3, 1)  # with OCR the parser is asked twice


def test_a_page_that_ocr_cannot_read_is_not_tried_again_by_itself(tmp_path: Path, site: Path) -> None:
    (a,) = sheets(tmp_path / "in", a="=有字。\n?")
    with workspace(tmp_path / "store", ocr="ink") as made:
        assert told(made.ingest([a])) == [("a.paper", "added")]
        (outcome,) = made.ingest([a]).documents
        assert "smudged" in outcome.page_verdicts[0].reason
        assert times_read(a) == 1
        made.ingest([a], retry=True)
        assert times_read(a) == 2


# interruption

INGEST = """
import sys
from tests.small_world import workspace
with workspace(sys.argv[1]) as made:
    made.ingest([sys.argv[2]])
"""


def ingesting(tmp_path: Path, site: Path, **options: object) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([os.getcwd(), str(site), *sys.path])
    command = [sys.executable, "-c", INGEST, tmp_path / "store", tmp_path / "in"]
    return subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


def test_after_a_kill_nothing_that_was_committed_is_read_again(tmp_path: Path, site: Path) -> None:
    files = sheets(tmp_path / "in", **{f"a{n}": f"=第{n}篇。\n&" for n in range(6)})
    process = ingesting(tmp_path, site)
    with workspace(tmp_path / "store") as made:
        while len(made._store.inputs("waiting")) < 3:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kept = {Path(record.source) for record in made._store.inputs("waiting")}
        n_before = {file: times_read(file) for file in files}
        report = made.ingest([tmp_path / "in"])
        assert len(kept) >= 3
        assert all(n_before[file] == times_read(file) == 1 for file in kept)
        assert sum(status == "added" for _, status in told(report)) >= len(files) - len(kept) - 1
        assert dict(made.status().counts)["documents"] == len(files)
        assert made.doctor()[0].fine


def test_of_a_list_that_is_interrupted_whole_groups_of_rows_stay_and_a_second_run_goes_on(
    made: Workspace, tmp_path: Path
) -> None:
    def stop(done: int, total: int | None, what: str) -> None:
        if done == 60:
            raise KeyboardInterrupt

    path = jsonl(tmp_path / "list.jsonl", *({"id": f"r{n}", "text": f"第{n}篇。"} for n in range(130)))
    with pytest.raises(KeyboardInterrupt):
        made.ingest([path], progress=stop)
    n_kept = dict(made.status().counts)["documents"]
    assert n_kept == 100  # two groups
    statuses = [outcome.status for outcome in made.ingest([path]).documents]
    assert statuses == ["unchanged"] * n_kept + ["added"] * (130 - n_kept)
    assert made.doctor()[0].fine


def test_on_a_full_disk_what_was_committed_stays_and_the_rest_follows_later(tmp_path: Path, site: Path) -> None:
    (tmp_path / "in").mkdir()
    for n in range(40):
        (tmp_path / "in" / f"a{n:02}.txt").write_text(f"第{n}篇。")
    full = (1 << 20, 1 << 20)  # a limit on the size of files is what a process can have of a full disk
    process = ingesting(tmp_path, site, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, full))
    _, err = process.communicate(timeout=60)
    assert b"finlore.errors.Store" in err.splitlines()[-1]
    with workspace(tmp_path / "store") as made:
        n_before = dict(made.status().counts)["documents"]
        assert 0 < n_before < 40
        statuses = [status for _, status in told(made.ingest([tmp_path / "in"]))]
        assert statuses == ["unchanged"] * n_before + ["added"] * (40 - n_before)
        assert not [finding for finding in made.doctor() if finding.subject == "store" and not finding.fine]


def test_progress_estimates_by_bytes_how_many_documents_there_will_be(made: Workspace, tmp_path: Path) -> None:
    rows = [{"id": f"r{n}", "text": f"第{n}篇。", "padding": "0" * 50_000} for n in range(60)]
    path, seen = jsonl(tmp_path / "many.jsonl", *rows), list[tuple[int, int | None]]()
    made.ingest([path], progress=lambda done, total, what: seen.append((done, total)))
    assert path.stat().st_size > 2 << 20  # more than one piece
    assert [done for done, _ in seen[:60]] == list(range(1, 61))
    assert all(total is not None and 55 < total < 65 for _, total in seen[:60])
