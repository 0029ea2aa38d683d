"""Workers side by side, replaced when they fail; every limit costs its own item and says which limit it was."""

import gc
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


def test_workers_run_side_by_side_and_no_more_of_them_than_asked_for() -> None:
    with closing(LocalExecutor(workers=2)) as executor:
        began = time.monotonic()
        assert list(executor.map(jobs.sleep_for, [0.0, 0.0])) == [0.0, 0.0]  # both have started
        began = time.monotonic()
        assert list(executor.map(jobs.sleep_for, [1.0, 1.0])) == [1.0, 1.0]
        assert time.monotonic() - began < 1.9
        assert len(set(executor.map(jobs.process, range(12)))) <= 2


@pytest.mark.parametrize("busy", [[0.0, 2.0], [1.5, 1.5, 1.5]], ids=["as it starts", "between two items"])
def test_no_item_is_lost_when_a_worker_leaves_while_its_parent_is_busy_elsewhere(busy: list[float]) -> None:
    def items() -> Iterator[int]:
        for number, seconds in enumerate(busy):
            yield number
            time.sleep(seconds)

    with closing(LocalExecutor(idle_seconds=0.2)) as executor:
        assert list(executor.map(jobs.double, items())) == [2 * number for number in range(len(busy))]


def test_a_worker_is_started_only_when_the_others_are_busy() -> None:
    with closing(LocalExecutor(workers=4)) as executor:
        workers = {worker for _ in range(3) for worker in executor.map(jobs.process, [0])}
    assert len(workers) == 1


def test_workers_live_from_one_map_to_the_next_until_the_executor_is_closed() -> None:
    executor = LocalExecutor()
    (first,), (second,) = executor.map(jobs.process, [0]), executor.map(jobs.process, [0])
    assert isinstance(first, int)
    assert first == second
    assert is_running(first)
    executor.close()
    assert not is_running(first)
    (third,) = executor.map(jobs.process, [0])
    assert third != first
    executor.close()


def test_workers_end_with_the_executor_that_nobody_closed() -> None:
    executor = LocalExecutor()
    (worker,) = executor.map(jobs.process, [0])
    assert isinstance(worker, int)
    del executor
    gc.collect()
    assert ends_soon(worker)


def test_a_worker_that_has_nothing_to_do_ends_by_itself_and_is_not_missed() -> None:
    with closing(LocalExecutor(idle_seconds=0.2)) as executor:
        (first,) = executor.map(jobs.process, [0])
        assert isinstance(first, int)
        assert ends_soon(first)
        (second,) = executor.map(jobs.process, [0])
        assert isinstance(second, int)
        assert second != first


def test_a_map_may_begin_while_another_is_under_way() -> None:
    with closing(LocalExecutor(workers=2)) as executor:
        outer = executor.map(jobs.double, range(10))
        assert next(outer) == 0
        assert list(executor.map(jobs.double, [50, 60, 70])) == [100, 120, 140]
        assert list(outer) == [2 * n for n in range(1, 10)]


def test_items_that_belong_here_are_run_here_in_their_turn() -> None:
    with closing(LocalExecutor()) as executor:
        processes = list(executor.map(jobs.process, range(6), here=lambda number: number % 2 == 0))
    assert processes[0::2] == [os.getpid()] * 3
    assert os.getpid() not in processes[1::2]


def test_where_all_items_belong_here_no_process_is_started_and_none_is_asked_for_ahead() -> None:
    asked: list[int] = []
    results = LocalExecutor().map(jobs.process, (asked.append(n) or n for n in range(5)), here=lambda _: True)
    assert next(results) == os.getpid()
    assert asked == [0]
    results.close()


def test_large_items_and_results_travel_whole() -> None:
    with closing(LocalExecutor(workers=2)) as executor:
        assert [len(result) for result in executor.map(jobs.return_megabytes, [3, 5, 4])] == [3 << 20, 5 << 20, 4 << 20]
        assert list(executor.map(len, [bytes(3 << 20)] * 3)) == [3 << 20] * 3


def test_of_many_items_that_fail_every_one_is_told_and_the_others_keep_their_places() -> None:
    with closing(LocalExecutor(workers=3)) as executor:
        results = list(executor.map(jobs.crash_on_odd, range(12)))
    assert results[::2] == [0, 2, 4, 6, 8, 10]
    assert all(isinstance(result, Issue) for result in results[1::2])


def test_closing_while_a_map_is_under_way_fails_the_rest_of_it() -> None:
    executor = LocalExecutor()
    results = executor.map(jobs.double, range(3))
    assert next(results) == 0
    executor.close()
    assert next(result.message for result in results if isinstance(result, Issue)).startswith("stopped")
    executor.close()


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
list(LocalExecutor(workers=2).map(wait_beside, sys.argv[1:]))
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_its_parent(tmp_path: Path, end: signal.Signals) -> None:
    program, told = tmp_path / "parent.py", [tmp_path / "first", tmp_path / "second"]
    program.write_text(PARENT)
    parent = run_script(program, *told)
    while not all(path.exists() and path.read_text() for path in told):
        time.sleep(0.02)
    parent.send_signal(end)
    parent.communicate(timeout=10)
    assert all(ends_soon(int(path.read_text())) for path in told)
