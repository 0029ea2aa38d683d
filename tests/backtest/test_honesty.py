"""What is said beside the numbers."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from finlore.backtest import honesty
from finlore.backtest.calls import Candidate, Window
from finlore.backtest.composite import Prior
from finlore.records.backtest import PAPER, STRICT
from finlore.records.panel import IndexSeries, PricePanel
from tests.backtest.markets import FREE, comparison, market, said, sessions

PANEL = market(sessions("2025-01-06", 5), [10.0] * 5, [10.0] * 5)
WINDOW = Window(date(2025, 1, 6), date(2025, 1, 10))


def survivorship(panel: PricePanel) -> str:
    return dict(honesty.of_prices(panel))["survivorship"]


def test_a_source_of_survivors_is_named_so() -> None:
    assert survivorship(PANEL).startswith("no delisting is told of 2 securities over 5 sessions: all numbers are of")
    assert "too good" in survivorship(PANEL)


def test_who_left_is_counted_among_all_and_others_may_have_left_before() -> None:
    told = survivorship(replace(PANEL, delisted=np.array(["2025-01-08", "NaT"], "datetime64[D]")))
    assert told.startswith("1 of 2 securities over 5 sessions is delisted")
    assert "may be missing" in told


def test_who_is_gone_without_a_word_is_told_and_not_taken_for_a_survivor() -> None:
    days = sessions("2025-01-06", 30)
    still = market(days, [10.0] * 30, [10.0] * 8 + [float("nan")] * 22)
    assert "1 has no price in the last 20 sessions" in survivorship(still)
    assert "that survived" not in survivorship(still)


def test_the_kind_of_adjustment_and_what_was_inferred_are_told() -> None:
    assert "inferred" not in dict(honesty.of_prices(PANEL))
    told = dict(honesty.of_prices(replace(PANEL, adjustment="forward", inferred=("limits", "suspensions"))))
    assert "a later dividend changes earlier ones" in told["adjustment"]
    assert "limits; suspensions" in told["inferred"]


def test_few_weeks_are_not_meaningful_and_a_calendar_ends() -> None:
    short = dict(honesty.of_time(26, None, WINDOW))
    assert "not meaningful" in short["weeks"]
    assert "no calendar" in short["calendar"]
    long = dict(honesty.of_time(27, (date(2020, 1, 1), date(2025, 1, 8)), WINDOW))
    assert "not meaningful" not in long["weeks"]
    assert "not sure" in long["calendar"]


def test_the_time_that_has_prices_is_told() -> None:
    told = dict(honesty.of_time(1, None, WINDOW, sessions=PANEL.days))
    assert told["prices"].startswith("from 2025-01-06 to 2025-01-10")
    assert "prices" not in dict(honesty.of_time(1, None, WINDOW, sessions=PANEL.days[:0]))


@pytest.mark.parametrize("rows", [slice(1, None), slice(None, -1), slice(1, -1)])
def test_an_index_that_begins_later_or_ends_earlier_than_prices_is_told(rows: slice) -> None:
    index = IndexSeries("000300.SH", "", PANEL.days[rows], np.ones(5)[rows])
    told = dict(honesty.of_indices([index], PANEL.days))["shorter benchmarks"]
    assert told.startswith(f"000300.SH goes from {index.days[0]} to {index.days[-1]}, prices from 2025-01-06 to")
    assert not honesty.shorter(index, PANEL.days[:0])


def test_what_the_composite_leans_on_is_told() -> None:
    assert "less than two years" in dict(honesty.of_prior(Prior(), WINDOW))["prior"]
    days = np.array(sessions("2022-12-26", 530), "datetime64[D]")
    told = dict(honesty.of_prior(Prior([(days, np.arange(530.0)[:, None])]), WINDOW))["prior"]
    assert "from 2022-12-26 on" in told
    assert told.endswith("1.000 at first, 1.000 at last")


def test_calls_that_are_traded_by_a_date_before_they_were_known_are_counted_and_few_trades_are_named() -> None:
    found = comparison(PANEL, FREE).trade(Candidate("late", "", said((0, "2025-01-06 10:00")), foreseen=1))
    assert "late: 1" in dict(honesty.of_rules(PAPER, [found]))["hindsight"]
    told = dict(honesty.of_results([found], 1, is_kept=True))
    assert "late: 1" in told["few trades"]
    assert "could not be bought" in told["accuracy"]


def test_a_mode_says_what_it_leaves_out() -> None:
    assert "the letter of the paper" in dict(honesty.of_rules(PAPER, []))["rules"]
    assert "same close" not in dict(honesty.of_rules(PAPER, []))["rules"]
    found = replace(
        comparison(PANEL, FREE).trade(Candidate("s", "", said())), counts={"bought and sold at one close": 1}
    )
    assert "1 position is bought and sold at the same close" in dict(honesty.of_rules(PAPER, [found]))["rules"]
    assert dict(honesty.of_rules(PAPER, []))["costs"] == "none"
    assert "never on the day of entry" in dict(honesty.of_rules(STRICT, []))["rules"]


def test_variants_and_indices_without_dividends_are_told() -> None:
    index = IndexSeries("000300.SH", "", PANEL.days, np.ones(5))
    total = replace(index, code="H00300", total_return=True)
    assert dict(honesty.of_indices([index, total], PANEL.days)) == {"benchmarks": "without dividends: 000300.SH"}
    assert dict(honesty.of_results([], 7, is_kept=True))["variants"].startswith("7 ")
    assert "none is remembered" in dict(honesty.of_results([], 7, is_kept=False))["variants"]
