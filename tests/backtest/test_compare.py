"""Strategies side by side: with indices that tell of less time than prices do, and around reports of all days."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from finlore.backtest.calls import Candidate
from finlore.backtest.compare import universe
from finlore.backtest.measures import relative, returns_of
from finlore.backtest.quotes import Quotes
from finlore.backtest.results import StrategyResult
from finlore.records.backtest import PAPER, STRICT, Calls, Rules
from finlore.records.panel import IndexSeries, PricePanel
from tests.backtest.markets import FREE, comparison, market, said, sessions, walks

N = 200


PRICES = walks(N, 1)
LEVELS = 100 * np.exp(np.cumsum(np.random.default_rng(8).normal(0, 0.01, N)))


def traded(days: slice) -> StrategyResult:
    """Calls in every third week, beside an index that tells of these sessions alone."""
    index = IndexSeries("i", "", PRICES.days[days], LEVELS[days])
    calls = said(*((0, f"{PRICES.days[row]} 10:00") for row in range(7, N - 8, 15)))
    return compared(PRICES, calls, FREE, index)


def compared(prices: PricePanel, calls: Calls, rules: Rules, *indices: IndexSeries) -> StrategyResult:
    titles = {"27": "电子 Electronics"}
    return comparison(prices, rules, *indices, titles=titles, c0="27").trade(Candidate("s", "", calls))


@pytest.mark.parametrize(("first", "last"), [(0, N), (35, N), (0, 185), (35, 185)])
def test_a_strategy_is_held_against_an_index_in_the_time_of_both(first: int, last: int) -> None:
    found, whole = traded(slice(first, last)), traded(slice(0, N))
    values, levels = found.curve.values[first // 5 : last // 5], LEVELS[first:last].reshape(-1, 5)[:, -1]
    expected = relative(returns_of(values), returns_of(levels))
    assert found.beside["i"].beta == pytest.approx(expected.beta)
    assert found.beside["i"].alpha == pytest.approx(expected.alpha)
    assert np.isfinite(found.over_exposure["i"])
    assert (found.over_exposure["i"] == whole.over_exposure["i"]) == (last - first == N)


def test_of_a_common_time_that_is_short_nothing_is_annualised() -> None:
    beside = traded(slice(60, 160)).beside["i"]
    assert np.isnan([beside.alpha, beside.tracking_error, beside.information]).all()
    assert np.isfinite(beside.beta)


def test_an_index_of_another_time_is_beside_nothing() -> None:
    index = IndexSeries("i", "", np.array(["2020-01-06", "2020-01-13"], "datetime64[D]"), np.ones(2))
    found = compared(PRICES, said((0, f"{PRICES.days[7]} 10:00")), FREE, index)
    assert np.isnan([found.over_exposure["i"], found.beside["i"].beta]).all()


@pytest.mark.parametrize(
    ("rules", "at", "parts"),
    [  # Monday 6 January at 10, each day a tenth more than the one before, but that Monday the 13th stands still
        (PAPER, "2025-01-10 10:00", (0.1, 0.0)),  # Friday: t is Friday, t + 1 Monday
        (PAPER, "2025-01-11 10:00", (0.1, 0.0)),  # Saturday: t + 1 is Monday too, the close of t that of Friday
        (PAPER, "2025-01-13 10:00", (0.0, 0.1)),
        (STRICT, "2025-01-10 10:00", (0.1, 0.0)),
        (STRICT, "2025-01-11 10:00", (0.0, 0.1)),  # heard on Monday, bought on Tuesday
    ],
)
def test_returns_around_a_report_follow_what_its_mode_calls_its_day(
    rules: Rules, at: str, parts: tuple[float, float]
) -> None:
    steps = np.where(np.arange(20) == 5, 1.0, 1.1)
    prices = market(sessions("2025-01-06", 20), (10 * np.cumprod(steps)).tolist())
    found = {part.label: part.mean for part in compared(prices, said((0, at)), replace(rules, cap=1.0)).parts}
    assert (found["t-1 to t"], found["t to t+1"]) == (pytest.approx(parts[0]), pytest.approx(parts[1]))


def test_classes_of_industries_are_told_by_their_titles() -> None:
    found = compared(PRICES, said((0, f"{PRICES.days[7]} 10:00")), FREE)
    assert [one.industry for one in found.industries] == ["电子 Electronics"]


def test_the_universe_is_of_equal_weights_at_each_week_end_and_held_until_the_next() -> None:
    days = sessions("2025-01-06", 11)  # Mondays to Fridays; one session of the third week
    doubles = [1.0] * 5 + [2.0] * 5 + [2.0]
    halves = [1.0] * 5 + [1.0, 1.0, 0.5, 0.5, 0.5] + [1.0]
    absent = [5.0] * 3 + [nan] * 8
    panel = market(days, doubles, halves, absent)
    found = universe(panel, Quotes(panel, FREE).values)
    assert found.closes[4] == 1.0
    assert found.closes[5:10] == pytest.approx([1.5, 1.5, 1.25, 1.25, 1.25])  # what was not traded at the end is out
    assert found.closes[10] == pytest.approx(1.25 * 1.5)


def test_the_universe_stands_after_the_indices_and_alone_where_there_is_none() -> None:
    panel = walks(30, 3)
    index = IndexSeries("000300.SH", "", panel.days, np.linspace(1.0, 2.0, 30))
    assert [one.code for one in comparison(panel, FREE, index).benchmarks] == ["000300.SH", "universe"]
    assert [one.code for one in comparison(panel, FREE).benchmarks] == ["universe"]
    assert not comparison(panel.sessions(slice(0, 1)), FREE).benchmarks


def test_what_is_held_like_the_universe_makes_no_more_than_it_at_the_same_exposure() -> None:
    panel = walks(60, 4)
    tested = comparison(panel, FREE)
    result = tested.trade(next(tested.of_prices(["equal-weight"])))
    assert result.usual_exposure < 0.6
    assert abs(result.over_exposure["universe"]) < 0.05
