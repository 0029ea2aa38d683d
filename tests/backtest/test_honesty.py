"""What is said beside the numbers."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from finlore.backtest import honesty
from finlore.backtest.calls import Candidate, Window
from finlore.backtest.composite import Prior
from finlore.backtest.measures import Hits
from finlore.backtest.schedule import schedule
from finlore.backtest.significance import Interval
from finlore.records.backtest import PAPER, STRICT, Costs, Entry, Rules
from finlore.records.panel import IndexSeries, PricePanel
from tests.backtest.markets import FREE, comparison, market, said, sessions, walks

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


def rules_told(rules: Rules) -> str:
    return dict(honesty.of_rules(rules, []))["rules"]


def test_a_mode_says_how_it_trades_and_what_it_leaves_out() -> None:
    for words in ("never on the day of entry (T+1)", "at most 10 % of a sleeve", "loses 50 %", "upper limit"):
        assert words in rules_told(STRICT)
    for words in ("the letter of the paper", "no cap", "T+1 do not count", "paid at its last price", "are dropped"):
        assert words in rules_told(PAPER)


@pytest.mark.parametrize(
    ("entry", "bought"), [("open", "2025-01-07"), ("close", "2025-01-07"), ("next_close", "2025-01-08")]
)
def test_when_a_call_without_an_hour_is_bought_is_told_as_it_is_done(entry: Entry, bought: str) -> None:
    rules = replace(STRICT, entry=entry)
    monday_over = said((0, "2025-01-07 00:00"))
    assert str(PANEL.days[schedule(PANEL, monday_over, rules).entries[0]]) == bought
    sentence = rules_told(rules).partition(";")[0].removeprefix("strict: a call dated Monday without an hour is ")
    assert (
        sentence
        == {
            "open": "bought at Tuesday's open, heard at Tuesday's close",
            "close": "heard at Tuesday's close and bought there",
            "next_close": "heard at Tuesday's close and bought at Wednesday's",
        }[entry]
    )


def test_what_the_other_mode_does_without_is_told_beside_its_total() -> None:
    found = comparison(PANEL, FREE).trade(Candidate("s", "", said()))
    assert "and the cap of 10 %" in dict(honesty.of_rules(STRICT, [found]))["total of the other mode"]
    assert "a cap of 10 %" in dict(honesty.of_rules(PAPER, [found]))["total of the other mode"]


def test_zero_day_trades_are_counted() -> None:
    assert "same close" not in dict(honesty.of_rules(PAPER, []))
    found = replace(
        comparison(PANEL, FREE).trade(Candidate("s", "", said())), counts={"bought and sold at one close": 1}
    )
    assert dict(honesty.of_rules(PAPER, [found]))["same close"] == "1 position is bought and sold at the same close"


def test_costs_are_told_in_numbers() -> None:
    def told(costs: Costs | None) -> str:
        return dict(honesty.of_rules(replace(STRICT, costs=costs), []))["costs"]

    assert told(None) == "none, net is gross"
    usual = told(Costs())
    assert "commission 0.025 %, transfer fee 0.001 %, slippage 0.1 %" in usual
    assert "stamp duty of 0.1 %, 0.05 % from 2023-08-28" in usual
    assert "the minimum of 5 an order is left out" in usual
    assert "at least 5 an order of a capital of 100,000" in told(Costs(capital=100_000.0))
    flat = Costs(commission=0.0015, minimum=0.0, stamp_duty=(), transfer_fee=0.0, slippage=0.0)
    assert told(flat).endswith("gross before; each purchase and sale commission 0.15 %")


def test_a_strategy_of_weekly_calls_uses_one_sleeve_and_daily_calls_use_both() -> None:
    panel = walks(60, 30)
    tested = comparison(panel, FREE)
    weekly = tested.trade(next(tested.of_prices(["equal-weight"])))
    daily = tested.trade(Candidate("daily", "", said(*((n % 30, f"{day} 10:00") for n, day in enumerate(panel.days)))))
    told = dict(honesty.of_rules(FREE, [weekly, daily]))["idle sleeve"]
    assert "about 1 / 2 of the capital" in told
    assert "equal-weight: 5" in told
    assert "daily" not in told


def test_too_few_weeks_for_an_interval_are_named() -> None:
    found = comparison(PANEL, FREE).trade(Candidate("s", "", said((0, "2025-01-06 10:00"))))
    one = replace(found, hits=Hits(3, 3, 1.0, 1.0, 0.0))
    assert "s: 3" in dict(honesty.of_results([one], 1, is_kept=True))["intervals"]
    assert "intervals" not in dict(honesty.of_results([replace(one, accuracy=Interval(0, 1))], 1, is_kept=True))


def test_variants_and_indices_without_dividends_are_told() -> None:
    index = IndexSeries("000300.SH", "", PANEL.days, np.ones(5))
    total = replace(index, code="H00300", total_return=True)
    assert dict(honesty.of_indices([index, total], PANEL.days)) == {"benchmarks": "without dividends: 000300.SH"}
    assert dict(honesty.of_results([], 7, is_kept=True))["variants"].startswith("7 strategies and settings were tried")
    assert dict(honesty.of_results([], 1, is_kept=True))["variants"].startswith("1 strategy was tried")
    assert "none is remembered" in dict(honesty.of_results([], 7, is_kept=False))["variants"]
