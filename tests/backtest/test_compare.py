"""Strategies side by side: with indices that tell of less time than prices do, and around reports of all days."""

from dataclasses import replace

import numpy as np
import pytest

from finlore.backtest.calls import Candidate, Window
from finlore.backtest.compare import Comparison
from finlore.backtest.measures import relative, returns_of
from finlore.backtest.results import StrategyResult
from finlore.records.backtest import PAPER, STRICT, Calls, Rules
from finlore.records.panel import IndexSeries, PricePanel
from tests.backtest.markets import FREE, market, said, sessions

N = 200


def panel() -> PricePanel:
    steps = np.random.default_rng(7).normal(0.001, 0.02, N)
    return market(sessions("2025-01-06", N), (10 * np.exp(np.cumsum(steps))).tolist())


def traded(days: slice, prices: PricePanel) -> StrategyResult:
    """Calls in every third week, beside an index that tells of these sessions alone."""
    levels = 100 * np.exp(np.cumsum(np.random.default_rng(8).normal(0, 0.01, N)))
    index = IndexSeries("i", "", prices.days[days], levels[days])
    calls = said(*((0, f"{prices.days[row]} 10:00") for row in range(7, N - 8, 15)))
    return compared(prices, calls, FREE, index)


def compared(prices: PricePanel, calls: Calls, rules: Rules, *indices: IndexSeries) -> StrategyResult:
    window = Window(prices.days[0].item(), prices.days[-1].item())
    found = Comparison(
        prices, window, rules, benchmarks={index.code: index for index in indices},
        industries=lambda codes, day: ["27" for _ in codes], titles={"27": "电子 Electronics"},
    )  # fmt: skip
    return found.trade(Candidate("s", "", calls))


@pytest.mark.parametrize(("first", "last"), [(0, N), (35, N), (0, 185), (35, 185)])
def test_a_strategy_is_held_against_an_index_in_the_time_of_both(first: int, last: int) -> None:
    prices = panel()
    found, whole = traded(slice(first, last), prices), traded(slice(0, N), prices)
    values, levels = found.curve.values[first // 5 : last // 5], whole_weeks(first, last)
    expected = relative(returns_of(values), returns_of(levels))
    assert found.beside["i"].beta == pytest.approx(expected.beta)
    assert found.beside["i"].alpha == pytest.approx(expected.alpha)
    assert np.isfinite(found.over_exposure["i"])
    assert (found.over_exposure["i"] == whole.over_exposure["i"]) == (last - first == N)


def whole_weeks(first: int, last: int) -> np.ndarray:
    levels = 100 * np.exp(np.cumsum(np.random.default_rng(8).normal(0, 0.01, N)))
    return levels[first:last].reshape(-1, 5)[:, -1]


def test_of_a_common_time_that_is_short_nothing_is_annualised() -> None:
    beside = traded(slice(60, 160), panel()).beside["i"]
    assert np.isnan([beside.alpha, beside.tracking_error, beside.information]).all()
    assert np.isfinite(beside.beta)


def test_an_index_of_another_time_is_beside_nothing() -> None:
    prices = panel()
    index = IndexSeries("i", "", np.array(["2020-01-06", "2020-01-13"], "datetime64[D]"), np.ones(2))
    found = compared(prices, said((0, f"{prices.days[7]} 10:00")), FREE, index)
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
    prices = panel()
    found = compared(prices, said((0, f"{prices.days[7]} 10:00")), FREE)
    assert [one.industry for one in found.industries] == ["电子 Electronics"]
