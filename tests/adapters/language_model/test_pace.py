from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.adapters.language_model.pace import LONGEST_WAIT, Bucket, Pace, retry_after, wait_before
from tests.adapters.language_model.asking import Clock

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


def test_a_minutes_worth_passes_at_once_and_the_rest_evenly() -> None:
    clock = Clock()
    pace = Pace(requests=2, tokens=None, clock=clock, sleep=clock.sleep)
    for _ in range(5):
        pace.wait(1_000)
    assert clock.slept == [30.0, 30.0, 30.0]


def test_the_scarcer_of_requests_and_tokens_decides() -> None:
    clock = Clock()
    pace = Pace(requests=60, tokens=600, clock=clock, sleep=clock.sleep)
    pace.wait(600)
    pace.wait(100)
    assert clock.slept == [10.0]


def test_a_request_larger_than_a_minutes_worth_is_let_through_in_the_end() -> None:
    assert Bucket(100, clock=Clock()).take(250) == 90.0


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 60)), max_size=30))
def test_no_more_passes_than_was_allowed_so_far(steps: list[tuple[float, float]]) -> None:
    clock = Clock()
    bucket = Bucket(60, clock=clock)
    passed = 0.0
    for units, pause in steps:
        clock.sleep(pause + bucket.take(units))
        passed += units
        assert passed <= 60 + clock.now + 1e-6


def test_a_pause_holds_everybody() -> None:
    clock = Clock()
    pace = Pace(requests=None, tokens=None, clock=clock, sleep=clock.sleep)
    pace.pause(7)
    pace.wait(1)
    pace.wait(1)
    assert clock.slept == [7.0]


def test_waits_double_up_to_a_bound_and_are_shortened_by_chance() -> None:
    longest = [wait_before(attempt, retry_after=None, draw=lambda: 1.0) for attempt in range(1, 10)]
    shortest = [wait_before(attempt, retry_after=None, draw=lambda: 0.0) for attempt in range(1, 10)]
    assert longest[:4] == [1, 2, 4, 8]
    assert max(longest) == LONGEST_WAIT
    assert shortest == [seconds / 2 for seconds in longest]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        (" 0.5 ", 0.5),
        ("Mon, 05 Jan 2026 12:00:30 GMT", 30.0),
        ("Mon, 05 Jan 2026 11:00:00 GMT", 0.0),
        ("Mon, 05 Jan 2026 12:00:30 -0000", 30.0),
        ("soon", None),
        ("-1", None),
        ("²", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, now=NOW) == seconds
