"""Signals as calls of a panel."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.backtest.calls import (
    Window,
    calls_of,
    candidate_of,
    contradicted,
    probabilities,
    weekly_calls,
)
from finlore.backtest.schedule import heard, schedule
from finlore.backtest.simulate import simulate
from finlore.records.backtest import PAPER, STRICT, Entry, Label, Rules, Signal, Strategy
from finlore.records.instant import Instant
from tests.backtest.markets import instant, market, sessions

PANEL = market(sessions("2025-01-06", 10), [10.0] * 10, [20.0] * 10)
WINDOW = Window(date(2025, 1, 6), date(2025, 1, 17))


def signal(security: str, at: str, label: Label = "Rise", *, day: str = "", confidence: float | None = None) -> Signal:
    return Signal(security, Instant(instant(at)), date.fromisoformat(day or at[:10]), label, confidence)


def test_a_signal_becomes_a_column_a_sign_and_its_two_dates() -> None:
    calls = calls_of([signal("1", "2025-01-07 20:00"), signal("9", "2025-01-08 09:00", "Fall")], PANEL)
    assert (calls.assets.tolist(), calls.signs.tolist()) == ([1, -1], [1, -1])
    assert calls.days.astype(str).tolist() == ["2025-01-07", "2025-01-08"]
    assert np.isnan(calls.confidence).all()


def test_by_the_clock_a_signal_belongs_to_when_it_was_known_in_the_paper_to_its_date() -> None:
    late = signal("0", "2025-01-20 09:00", day="2025-01-10")
    early = signal("0", "2025-01-05 23:00")
    inside = signal("0", "2025-01-17 23:59")
    strategy = Strategy("s", (early, late, inside))
    by_clock = candidate_of(strategy, PANEL, WINDOW, STRICT, description="")
    by_date = candidate_of(strategy, PANEL, WINDOW, PAPER, description="")
    assert by_clock.calls.at.tolist() == [inside.at]
    assert by_date.calls.at.tolist() == [late.at, inside.at]
    assert by_clock.issues[0].message == "outside 2025-01-06 to 2025-01-17, left out: 2 of 3 signals"


def test_securities_without_prices_are_named_once_and_kept_for_the_count() -> None:
    foreign = [signal("00700.HK", f"2025-01-0{day} 10:00") for day in (6, 7)]
    found = candidate_of(Strategy("s", (*foreign, signal("0", "2025-01-08 10:00"))), PANEL, WINDOW, STRICT,
                      description="")  # fmt: skip
    assert len(found.calls.assets) == 3
    assert [issue.message for issue in found.issues] == ["without prices (00700.HK), not traded: 2 of 3 signals"]


def test_what_is_said_again_of_a_security_in_a_session_counts_once() -> None:
    copies = [signal("0", "2025-01-07 10:00", confidence=0.9), *[signal("0", "2025-01-07 11:00")] * 50]
    others = [signal("0", "2025-01-07 16:00"), signal("1", "2025-01-07 10:00"), signal("0", "2025-01-07 10:00", "Fall")]
    found = candidate_of(Strategy("s", (*copies, *others)), PANEL, WINDOW, STRICT, description="")
    assert (found.calls.assets.tolist(), found.calls.signs.tolist()) == ([0, 0, 1, 0], [1, 1, 1, -1])
    assert found.calls.confidence[0] == 0.9
    assert "each counted once: 50 of 54 signals" in found.issues[0].message


def test_a_rise_and_a_fall_of_one_security_in_one_session_are_told() -> None:
    both = (signal("0", "2025-01-07 10:00"), signal("0", "2025-01-07 11:00", "Fall"), signal("1", "2025-01-07 10:00"))
    found = candidate_of(Strategy("s", both), PANEL, WINDOW, STRICT, description="")
    assert contradicted(found.calls, schedule(PANEL, found.calls, STRICT).entries).tolist() == [True, True, False]
    assert "none of them counted for ACC: 2 of 3 signals" in found.issues[0].message


def test_what_cannot_be_bought_contradicts_nothing_of_another_security() -> None:
    calls = calls_of([signal("0", "2025-01-07 10:00"), signal("1", "2025-01-07 10:00", "Fall")], PANEL)
    assert contradicted(calls, np.array([4, -1])).tolist() == [False, False]


@pytest.mark.parametrize(("entry", "are_one"), [("open", False), ("close", True), ("next_close", True)])
def test_only_what_is_heard_before_a_purchase_contradicts_it(entry: Entry, are_one: bool) -> None:
    rules = replace(STRICT, entry=entry)
    said = (signal("0", "2025-01-07 08:00"), signal("0", "2025-01-07 14:00", "Fall"))
    found = candidate_of(Strategy("s", said), PANEL, WINDOW, rules, description="")
    assert contradicted(found.calls, schedule(PANEL, found.calls, rules).entries).tolist() == [are_one] * 2
    assert ("conflict" in simulate(PANEL, found.calls, rules).states) is are_one
    assert any("contradicted" in issue.message for issue in found.issues) is are_one


@pytest.mark.parametrize("rules", [STRICT, PAPER])
@pytest.mark.parametrize("entry", ["open", "close", "next_close"])
@given(hours=st.lists(st.tuples(st.integers(-40, 400), st.sampled_from(get_args(Label))), max_size=12))
def test_what_contradicts_for_accuracy_is_what_hinders_a_purchase(
    rules: Rules, entry: Entry, hours: list[tuple[int, Label]]
) -> None:
    rules, began = replace(rules, entry=entry), datetime(2025, 1, 6)
    said = [signal("0", f"{began + timedelta(hours=after):%Y-%m-%d %H:%M}", label) for after, label in hours]
    calls = calls_of(said, PANEL)
    done = simulate(PANEL, calls, rules)
    against = contradicted(calls, done.entered) & (calls.signs > 0)
    assert {"conflict"} >= {state for state, is_ in zip(done.states, against.tolist(), strict=True) if is_} - {
        "no_exit"
    }
    assert all(is_ for state, is_ in zip(done.states, against.tolist(), strict=True) if state == "conflict")


def test_what_lets_a_position_stand_longer_is_not_said_again() -> None:
    said = (signal("0", "2025-01-10 14:00"), signal("0", "2025-01-11 14:00"), signal("0", "2025-01-12 14:00"))
    found = candidate_of(Strategy("s", said), PANEL, WINDOW, replace(STRICT, entry="open"), description="")
    assert found.calls.at.tolist() == [said[0].at, said[1].at]  # both bought on Monday, the second sold a week later


def test_a_window_may_begin_with_the_calendar() -> None:
    said = Strategy("s", (signal("0", "2025-01-07 10:00"),))
    found = candidate_of(said, PANEL, Window(date.min, date.max), STRICT, description="")
    assert len(found.calls.at) == 1


def test_by_date_a_saturday_is_one_trade_with_its_friday_and_by_the_clock_with_its_monday() -> None:
    said = tuple(signal("0", f"2025-01-{day} 10:00") for day in (10, 11, 13))  # Friday, Saturday, Monday
    kept = [
        candidate_of(Strategy("s", said), PANEL, WINDOW, rules, description="").calls.at.tolist()
        for rules in (PAPER, STRICT)
    ]
    friday, saturday, monday = (one.at for one in said)
    assert kept == [[friday, monday], [friday, saturday]]


def test_what_is_said_on_two_days_before_the_first_session_is_not_one_trade() -> None:
    said = tuple(signal("0", f"2025-01-{day} 10:00") for day in ("04", "05"))
    found = candidate_of(Strategy("s", said), PANEL, Window(date(2025, 1, 1), date(2025, 1, 17)), PAPER, description="")
    assert len(found.calls.at) == 2


def test_only_what_is_traded_by_its_printed_date_can_be_so_before_it_is_known() -> None:
    crawled = Strategy("s", (signal("0", "2025-01-16 10:00", day="2025-01-07"), signal("1", "2025-01-07 23:59")))
    foreseen = [candidate_of(crawled, PANEL, WINDOW, rules, description="").foreseen for rules in (PAPER, STRICT)]
    assert foreseen == [1, 0]


def test_a_call_is_heard_at_the_first_close_at_or_after_it_or_on_its_date() -> None:
    said = [signal("0", at) for at in ("2025-01-10 14:59", "2025-01-10 15:01", "2025-01-11 12:00", "2025-01-17 15:01")]
    calls = calls_of(said, PANEL)
    assert heard(PANEL, calls, by_clock=True).tolist() == [4, 5, 5, 10]
    assert heard(PANEL, calls, by_clock=False).tolist() == [4, 4, 5, 9]


def test_a_confidence_in_a_fall_is_one_against_the_rise() -> None:
    said = [signal("0", "2025-01-07 10:00", "Rise", confidence=0.7)]
    said += [signal("0", "2025-01-08 10:00", "Fall", confidence=0.7), signal("0", "2025-01-09 10:00")]
    assert np.round(probabilities(calls_of(said, PANEL)), 9).tolist()[:2] == [0.7, 0.3]
    assert np.isnan(probabilities(calls_of(said, PANEL))[2])


def test_what_is_chosen_at_the_end_of_a_week_is_said_at_that_close() -> None:
    calls = weekly_calls(PANEL, np.array([4, 9]), np.array([[True, False], [True, True]]))
    assert calls.assets.tolist() == [0, 0, 1]
    assert calls.at.tolist() == PANEL.known_at[[4, 9, 9]].tolist()
    assert heard(PANEL, calls, by_clock=True).tolist() == heard(PANEL, calls, by_clock=False).tolist() == [4, 9, 9]
