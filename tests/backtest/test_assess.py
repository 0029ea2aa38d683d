"""What is told of a strategy, and of scores of the whole universe."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from finlore.backtest import evaluation
from finlore.backtest.assess import levels_at, performance, weekly_areas
from finlore.backtest.calls import Candidate
from finlore.backtest.compare import Comparison, benchmark, weekly_ratio
from finlore.backtest.composite import Scores
from finlore.backtest.document import as_document
from finlore.backtest.results import Backtest, StrategyResult
from finlore.records.backtest import PAPER, STRICT, Calls, Rules
from finlore.records.panel import IndexSeries, PricePanel
from tests.backtest.markets import (
    FREE,
    any_rules,
    comparison,
    market,
    said,
    scattered_calls,
    sessions,
    troubled_markets,
    walks,
)  # fmt: skip
from tests.backtest.published import CSI_300


def compared(panel: PricePanel, rules: Rules = FREE, *, since: str = "", **classes: str) -> Comparison:
    index = IndexSeries("000300.SH", "", panel.days, np.linspace(100.0, 110.0, len(panel.days)))
    return comparison(panel, rules, index, since=since, **classes)


def result(panel: PricePanel, calls: Calls, rules: Rules = FREE, **classes: str) -> StrategyResult:
    return compared(panel, rules, **classes).trade(Candidate("s", "", calls))


def test_the_published_closes_give_the_published_figures() -> None:
    found = performance(CSI_300)
    figures = (found.arr, found.vol, found.sr, found.mdd, found.cr)
    assert np.round(figures, 3).tolist() == [0.392, 0.295, 1.330, 0.091, 4.332]
    assert round(found.sharpe, 3) == 1.260


def test_below_26_weekly_returns_nothing_is_annualised() -> None:
    short, long = performance(CSI_300[:26]), performance(CSI_300[:27])
    assert np.isnan([short.arr, short.vol, short.sr, short.sharpe, short.cr]).all()
    assert np.isfinite([short.total, short.mdd, long.arr, long.vol, long.sr, long.sharpe, long.cr]).all()


def test_an_index_is_measured_by_the_last_close_of_each_week_from_the_first_on() -> None:
    days = np.array(sessions("2025-01-08", 8), "datetime64[D]")
    found = benchmark(IndexSeries("i", "", days, np.array([90.0, 95.0, 100.0, 1.0, 2.0, 3.0, 4.0, 110.0])))
    assert found.curve.values.tolist() == [100.0, 110.0]
    assert found.performance.total == pytest.approx(0.1)


def test_the_last_close_known_stands_for_a_day_without_one() -> None:
    series = IndexSeries("i", "", np.array(["2025-01-07", "2025-01-09"], "datetime64[D]"), np.array([1.0, 2.0]))
    days = np.array(["2025-01-06", "2025-01-08", "2025-01-09", "2025-01-10"], "datetime64[D]")
    assert levels_at(series, days)[1:3].tolist() == [1.0, 2.0]
    assert np.isnan(levels_at(series, days)).tolist() == [True, False, False, True]  # before its first, after its last


def test_a_call_is_held_against_its_outcome_and_against_always_saying_rise() -> None:
    rises, falls = np.linspace(10, 20, 15).tolist(), np.linspace(20, 10, 15).tolist()
    panel = market(sessions("2025-01-06", 15), rises, falls, falls)
    found = result(panel, said((0, "2025-01-07 10:00"), (1, "2025-01-07 10:00", -1), (2, "2025-01-07 10:00")))
    assert (found.hits.accuracy, found.hits.base_rate) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert (found.n_signals, found.n_rises) == (3, 2)
    assert found.counts["fall"] == 1
    assert np.isnan(found.auc)


def test_calls_that_contradict_one_another_are_not_judged_and_what_was_bought_is_judged_apart() -> None:
    rises, falls = np.linspace(10, 20, 15).tolist(), np.linspace(20, 10, 15).tolist()
    at_limit = np.full((15, 4), np.nan)
    at_limit[2, 3] = falls[2]
    panel = market(sessions("2025-01-06", 15), rises, falls, rises, falls, upper=at_limit)
    at = "2025-01-07 10:00"
    found = result(panel, said((0, at), (0, at, -1), (1, at, -1), (2, at), (3, at)))
    assert (found.hits.calls, found.hits.n, found.hits.accuracy) == (5, 3, pytest.approx(2 / 3))
    assert (found.traded.calls, found.traded.accuracy) == (1, 1.0)


def test_of_fewer_than_ten_calls_that_were_bought_nothing_is_annualised() -> None:
    panel = walks(160, 1)
    few, enough = (said(*((0, f"{panel.days[row]} 10:00") for row in range(5, 5 + 15 * n, 15))) for n in (9, 10))
    short, long = result(panel, few), result(panel, enough)
    assert np.isnan([short.net.arr, short.net.sr, short.net.sharpe, short.net.cr, short.psr]).all()
    assert np.isfinite([short.net.total, short.net.mdd, long.net.sr, long.net.sharpe, long.net.cr, long.psr]).all()


def test_confidences_are_judged_by_brier_and_within_weeks() -> None:
    panel = walks(60, 6)
    calls = said(*((asset, f"{panel.days[row]} 10:00") for row in range(10, 40, 5) for asset in range(6)))
    blind = compared(panel).trade(Candidate("s", "", calls))
    after = compared(panel)
    returns = after.traded(calls, FREE).returns
    prophet = after.trade(Candidate("s", "", replace(calls, confidence=np.where(returns > 0, 0.9, 0.1))))
    assert np.isnan(blind.brier)
    assert (prophet.auc, prophet.brier) == (pytest.approx(1.0), pytest.approx(0.01))


def test_areas_are_of_weeks_and_their_interval_is_of_as_many() -> None:
    scores, outcomes = np.tile([0.9, 0.1, 0.2, 0.8], 2), np.tile([True, False], 4)
    area, interval, n = weekly_areas(np.append(scores, 0.5), np.append(outcomes, True), np.arange(9) // 2)
    assert (area, interval.low, interval.high, n) == (0.5, 0.0, 1.0, 4)
    assert np.isnan(weekly_areas(scores[:4], outcomes[:4], np.arange(4) // 2)[1].low)


def test_within_weeks_the_market_itself_tells_nothing() -> None:
    outcomes = np.array([True, True, True, False, False, False, False, True])
    scores = np.array([0.9] * 4 + [0.1] * 4)
    assert weekly_areas(scores, outcomes, np.repeat([1, 2], 4))[0] == 0.5
    assert weekly_areas(scores, outcomes, np.ones(8, int))[0] > 0.7


def test_the_return_around_calls_is_told_in_parts_that_begin_before_them() -> None:
    closes = [10.0] * 7 + [11.0] + [12.1] + [12.1 * 1.1**step for step in range(1, 12)]
    panel = market(sessions("2025-01-06", 20), closes, [1.0] * 20)
    found = compared(panel, since="2025-01-13").trade(Candidate("s", "", said((0, f"{panel.days[8]} 10:00"))))
    assert {part.label: round(part.mean, 6) for part in found.parts} == {
        "t-6 to t-1": 0.1, "t-1 to t": 0.1, "t to t+1": 0.1, "entry to exit": round(1.1**5 - 1, 6),
    }  # fmt: skip


def test_months_are_told_beside_the_index() -> None:
    panel = walks(40, 1)
    found = result(panel, said((0, f"{panel.days[2]} 10:00")))
    assert [period.label for period in found.periods] == ["2025-01", "2025-02"]
    made = np.prod([1 + period.made for period in found.periods])
    assert made == pytest.approx(compared(panel).traded(said((0, f"{panel.days[2]} 10:00")), FREE).net[-1])


def test_industries_are_told_as_shares_of_all_of_calls_and_of_what_was_held() -> None:
    panel = walks(15, 4)
    calls = said((0, "2025-01-07 10:00"), (1, "2025-01-07 10:00"), (2, "2025-01-07 10:00"))
    found = result(panel, calls, c0="27", c1="27", c2="48", c3="48").industries
    assert found[0][0] == "27"
    assert found[0][1:] == pytest.approx((0.5, 2 / 3, 2 / 3))
    assert result(panel, calls).industries == ()


def test_capacity_is_of_what_was_bought_and_traded_on_its_day() -> None:
    panel = walks(15, 2)
    panel.volume[2] = (2e6, np.nan)
    calls = said((0, "2025-01-07 10:00"), (1, "2025-01-07 10:00"))
    expected = 0.1 * 2e6 * panel.close[2, 0] / 0.25  # a half of a half of the capital
    assert result(panel, calls).capacity == pytest.approx((expected, expected))
    assert np.isnan(result(panel, said()).capacity).all()


def test_what_the_other_mode_makes_of_the_same_calls_is_told() -> None:
    panel = walks(15, 1)
    found = result(panel, said((0, "2025-01-07 10:00")), STRICT)
    assert found.figures[0].label == "total by the rules of paper"
    assert found.figures[0].value > found.net.total or panel.close[9] < panel.close[2]


def test_the_better_half_and_the_worst_fifth_are_held_against_the_universe() -> None:
    scores = [Scores(np.array([0.1, 0.4, 0.6, 0.9]), 0.5)] * 2
    returns = np.array([[-0.02, 0.0, 0.01, 0.03], [-0.04, 0.0, 0.02, np.nan]])
    outcomes = evaluation.Outcomes(returns, np.isfinite(returns), np.zeros(2))
    found = {
        figure.label: figure for figure in evaluation.evaluated(scores, outcomes, (np.array([0.6]), np.array([0.1])))
    }
    assert found["AUC of beating the median of the week"].value == 1.0
    assert found["Brier of P(rise) on reports"].value == pytest.approx(0.16)
    half, fifth = found["top half less universe"], found["worst fifth less universe"]
    assert half.value == pytest.approx(1e4 * np.mean([0.02 - 0.005, 0.02 + 0.02 / 3]))
    assert fifth.value == pytest.approx(1e4 * np.mean([-0.02 - 0.005, -0.04 + 0.02 / 3]))
    assert half.n == 2


def test_the_composite_is_scored_at_the_last_close_before_one_can_buy() -> None:
    panel = walks(60, 8)
    tried = compared(panel)
    figures = {figure.label: figure for figure in tried.evaluated([])}
    assert figures["Brier of P(rise) on the universe"].n == 8 * 7  # of 12 weeks the first four and the last have none
    assert figures["Brier of P(rise) on reports"].n == 0


def test_deflation_grows_with_all_that_was_tried() -> None:
    panel = walks(160, 3)
    tried = compared(panel)
    calls = said(*((0, f"{panel.days[row]} 10:00") for row in range(0, 150, 5)))
    found = [tried.trade(Candidate("s", "", calls))]
    few, many = (tried.ranked(found, np.tile([0.1, -0.1], n))[0] for n in (1, 50))
    assert np.isfinite(weekly_ratio(found[0]))
    assert many.dsr < few.dsr < few.psr
    assert 0 <= few.percentile <= 1


@settings(max_examples=25)
@given(troubled_markets().flatmap(lambda panel: scattered_calls(panel).map(lambda calls: (panel, calls))), any_rules())
def test_whatever_goes_wrong_in_a_market_all_of_it_can_be_told(drawn: tuple[PricePanel, Calls], rules: Rules) -> None:
    panel, calls = drawn
    tried = compared(panel, rules)
    found = tried.ranked([tried.trade(one) for one in (Candidate("s", "", calls), *tried.of_prices())],
                            np.zeros(3))  # fmt: skip
    whole = Backtest(panel.days[0].item(), panel.days[-1].item(), 1, rules, found, (), (), {}, 3, (), tried.of_market())
    assert json.dumps(as_document(whole), allow_nan=False)


@pytest.mark.parametrize("rules", [STRICT, PAPER])
def test_without_calls_everything_is_told_and_nothing_was_made(rules: Rules) -> None:
    found = result(walks(30, 2), said(), rules)
    assert (found.net.total, found.n_signals, found.idle_weeks, found.blocked) == (0.0, 0, 6, 0)


def test_what_is_said_before_the_first_session_of_the_window_is_heard_there() -> None:
    panel = walks(40, 2)
    on_saturday = said((0, f"{panel.days[10] - 2} 02:00"))
    tried = compared(panel, since=str(panel.days[10] - 2))
    done = tried.traded(on_saturday, FREE)
    assert (done.days[0], done.entered.tolist(), done.states) == (panel.days[10], [1], ("closed",))
    assert done.returns[0] == pytest.approx(panel.close[19, 0] / panel.close[11, 0] - 1)
