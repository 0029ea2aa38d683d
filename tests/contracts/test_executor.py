"""What every executor promises, checked on each that is installed."""

import pytest

from finlore import registry
from finlore.ports import Executor
from finlore.records.document import Issue
from tests.adapters import executor_jobs as jobs


@pytest.fixture(params=[*registry.load_available("executors")])
def executor(request: pytest.FixtureRequest) -> Executor:
    made: Executor = registry.load("executors", request.param)()
    return made


def test_results_come_in_the_order_of_the_items(executor: Executor) -> None:
    assert list(executor.map(jobs.double, [3, 1, 2])) == [6, 2, 4]


def test_no_items_give_no_results(executor: Executor) -> None:
    assert list(executor.map(jobs.double, [])) == []


def test_an_item_that_raises_yields_an_issue_in_its_place(executor: Executor) -> None:
    before, issue, after = executor.map(jobs.fail_on_odd, [0, 1, 2])
    assert (before, after) == (0, 2)
    assert isinstance(issue, Issue)
    assert "1 is odd" in issue.message


def test_an_item_that_kills_its_worker_yields_an_issue_in_its_place(executor: Executor) -> None:
    before, issue, after = executor.map(jobs.crash_on_odd, [0, 1, 2])
    assert (before, after) == (0, 2)
    assert isinstance(issue, Issue)


def test_an_executor_can_be_used_again(executor: Executor) -> None:
    assert list(executor.map(jobs.double, [1])) == list(executor.map(jobs.double, [1])) == [2]
