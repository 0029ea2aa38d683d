"""One worker, replaced when it fails; every limit costs its own item and says which limit it was."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from finlore.adapters.run_local import LocalExecutor
from finlore.records.document import Issue
from tests.adapters import executor_jobs as jobs
from tests.adapters.parse_pdf.pdf_writer import Page, pdf


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/status")
    return not (status.exists() and "State:\tZ" in status.read_text())


def ends_soon(process: int) -> bool:
    end = time.monotonic() + 10
    while is_running(process) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_running(process)


def test_one_worker_serves_many_items_and_is_not_this_process() -> None:
    workers = set(LocalExecutor().map(jobs.process, range(5)))
    assert len(workers) == 1
    assert os.getpid() not in workers


def test_a_worker_is_replaced_after_its_share_of_items() -> None:
    workers = list(LocalExecutor(items_per_worker=2).map(jobs.process, range(4)))
    assert workers[0] == workers[1] != workers[2] == workers[3]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (jobs.fail_on_odd, "failed: ValueError: 1 is odd"),
        (jobs.crash_on_odd, "crashed: the worker ended by SIGSEGV"),
        (jobs.sleep_on_odd, "time limit: not finished within 1 s"),
        (jobs.spin_on_odd, "time limit: more than 1 s of CPU"),
    ],
)
def test_an_item_that_goes_wrong_says_how_and_the_others_have_results(
    function: Callable[[int], int], reason: str
) -> None:
    executor = LocalExecutor(seconds_per_item=1 if function is jobs.sleep_on_odd else 20, cpu_seconds_per_item=1)
    first, issue, last = executor.map(function, [0, 1, 2])
    assert (first, last) == (0, 2)
    assert isinstance(issue, Issue)
    assert issue.severity == "rejected"
    assert issue.message.startswith(reason)


def test_memory_is_limited_in_the_worker() -> None:
    small, issue = LocalExecutor(memory_bytes=300 << 20).map(jobs.allocate_megabytes, [10, 1000])
    assert small == 10 << 20
    assert isinstance(issue, Issue)
    assert issue.message == "memory limit: more than 300 MB"


@dataclass(frozen=True)
class Named:
    name: str


def test_an_issue_names_its_item() -> None:
    issues = [*LocalExecutor().map(jobs.fail_on_odd, [Named("a.pdf"), "b.pdf"])]  # type: ignore[list-item]
    assert [issue.source for issue in issues if isinstance(issue, Issue)] == ["a.pdf", "b.pdf"]


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_than_two_items_a_worker_are_asked_for_ahead(workers: int) -> None:
    asked: list[int] = []

    def items() -> Iterator[int]:
        for number in range(20):
            asked.append(number)
            yield number

    with closing(LocalExecutor(workers=workers)) as executor:
        for n_had, result in enumerate(executor.map(jobs.double, items())):
            assert result == 2 * n_had
            assert len(asked) <= n_had + workers + 2


def test_closing_the_iterator_ends_the_worker() -> None:
    results = LocalExecutor().map(jobs.process, range(3))
    worker = next(results)
    assert isinstance(worker, int)
    results.close()
    assert ends_soon(worker)


def test_what_a_worker_prints_is_told_on_stderr_and_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(LocalExecutor().map(jobs.print_everywhere, ["quillwort", "moor"])) == [9, 4]
    out, err = capfd.readouterr()
    assert not out
    assert err.count("quillwort") == 2


def test_a_result_that_cannot_travel_is_an_issue() -> None:
    (issue,) = LocalExecutor().map(jobs.return_what_cannot_travel, ["lock"])
    assert isinstance(issue, Issue)
    assert "cannot pickle" in issue.message


def run_script(script: Path, *arguments: object, **variables: str) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": os.getcwd()} | variables
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, script, *map(str, arguments)], env=environment, stdout=pipe, stderr=pipe, text=True
    )


UNGUARDED = """
import sys
from finlore import Workspace
print("main runs")
with Workspace(sys.argv[1]) as workspace:
    for outcome in workspace.ingest([sys.argv[2]]).documents:
        print(outcome.status, outcome.pages)
"""


def test_a_script_needs_no_guard_around_its_main_part(tmp_path: Path) -> None:
    page = Page()
    page.write_lines(50, 200, ["Larkfield Storage raised its outlook after", "orders from abroad doubled."])
    (tmp_path / "report.pdf").write_bytes(pdf(page, Page()))
    (tmp_path / "script.py").write_text(UNGUARDED)
    quick = {"FINLORE_RECOGNISERS": "none", "FINLORE_EMBEDDER": "none", "FINLORE_OCR": "none"}
    script = run_script(tmp_path / "script.py", tmp_path / "store", tmp_path / "report.pdf", **quick)
    out, err = script.communicate(timeout=30)
    assert out.split("\n") == ["main runs", "added 2", ""]
    assert not err


PARENT = """
import sys
from finlore.adapters.run_local import LocalExecutor
from tests.adapters.executor_jobs import wait_beside
assert "numpy" not in sys.modules
list(LocalExecutor().map(wait_beside, [sys.argv[1]]))
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_its_parent(tmp_path: Path, end: signal.Signals) -> None:
    program, told = tmp_path / "parent.py", tmp_path / "worker"
    program.write_text(PARENT)
    parent = run_script(program, told)
    while not (told.exists() and told.read_text()):
        time.sleep(0.02)
    parent.send_signal(end)
    parent.communicate(timeout=10)
    assert ends_soon(int(told.read_text()))
