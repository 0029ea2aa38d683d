from math import isnan

import empyrical
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.backtest import measures
from finlore.backtest.measures import returns_of
from tests.backtest.published import CSI_300, SSE, TABLE_2, TABLE_5

closes = st.lists(st.floats(0.5, 2.0), min_size=3, max_size=60).map(np.cumprod)


@pytest.mark.parametrize(
    ("values", "published"),
    [(CSI_300, (0.392, 0.295, 1.330, 0.091, 4.332)), (SSE, (0.390, 0.265, 1.471, 0.082, 4.748))],
)
def test_the_published_figures_of_two_indices_come_out_to_three_decimals(
    values: np.ndarray, published: tuple[float, ...]
) -> None:
    found = (
        measures.annual_return(values),
        measures.volatility(returns_of(values)),
        measures.return_to_volatility(values),
        measures.max_drawdown(values),
        measures.calmar(values),
    )
    assert [round(number, 3) for number in found] == list(published)


@pytest.mark.parametrize("row", [*TABLE_2, *TABLE_5], ids=lambda row: row[0])
def test_every_published_row_agrees_with_the_formulas_within_its_rounding(row: tuple[str, *tuple[float, ...]]) -> None:
    _, arr, vol, sr, mdd, cr = row
    for printed, above, below in ((sr, arr, vol), (cr, arr, mdd)):
        corners = [
            measures.quotient(above + up, below + down) for up in (-0.0005, 0.0005) for down in (-0.0005, 0.0005)
        ]
        assert min(corners) - 0.0005 <= printed <= max(corners) + 0.0005


@given(closes)
def test_an_independent_library_agrees_where_the_definitions_do(values: np.ndarray) -> None:
    returns = returns_of(values)
    assert measures.annual_return(values) == pytest.approx(
        empyrical.annual_return(returns, "weekly"), rel=1e-9, abs=1e-9
    )
    assert measures.volatility(returns) == pytest.approx(
        empyrical.annual_volatility(returns, "weekly"), rel=1e-9, abs=1e-9
    )
    assert measures.max_drawdown(values) == pytest.approx(-empyrical.max_drawdown(returns), rel=1e-9, abs=1e-9)


def test_the_two_ratios_that_are_called_sharpe_are_two() -> None:
    returns = returns_of(CSI_300)
    assert measures.sharpe(returns) == pytest.approx(empyrical.sharpe_ratio(returns, period="weekly"))
    assert measures.sharpe(returns) == pytest.approx(1.2601, abs=1e-4)
    assert measures.return_to_volatility(CSI_300) - measures.sharpe(returns) == pytest.approx(0.0701, abs=1e-4)


def test_a_loss_of_all_is_a_loss_of_all() -> None:
    values = np.array([1.0, 0.5, 0.0])
    assert measures.annual_return(values) == -1.0
    assert measures.max_drawdown(values) == 1.0


@pytest.mark.parametrize("values", [np.array([]), np.array([1.0])])
def test_of_too_little_nothing_is_said(values: np.ndarray) -> None:
    assert isnan(measures.annual_return(values))
    assert isnan(measures.volatility(returns_of(values)))
    assert isnan(measures.sharpe(returns_of(values)))
    assert isnan(measures.exposure_matched(values, values, values))


def test_what_never_moves_has_no_ratio_and_no_drawdown() -> None:
    values = np.ones(10)
    assert measures.annual_return(values) == measures.max_drawdown(values) == 0.0
    assert isnan(measures.return_to_volatility(values))
    assert isnan(measures.sharpe(returns_of(values)))
    assert isnan(measures.calmar(values))


def test_a_hole_in_a_series_is_a_hole_in_its_measures() -> None:
    assert isnan(measures.max_drawdown(np.array([1.0, np.nan, 1.2])))
    assert isnan(measures.volatility(np.array([0.1, np.nan, 0.2])))


def test_calls_are_right_in_direction_only_and_a_tie_is_wrong_for_both() -> None:
    signs = np.array([1, 1, -1, -1, 1, 1], np.int8)
    found = measures.hits(signs, np.array([0.1, -0.1, -0.2, 0.0, 0.0, np.nan]))
    assert (found.calls, found.n, found.coverage) == (6, 5, pytest.approx(5 / 6))
    assert found.accuracy == pytest.approx(2 / 5)
    assert found.base_rate == pytest.approx(1 / 5)
    assert found.excess == pytest.approx(2 / 5 - 2 / 5)


def test_always_rise_has_no_excess_where_most_rose() -> None:
    found = measures.hits(np.ones(4, np.int8), np.array([0.1, 0.2, 0.3, -0.1]))
    assert (found.accuracy, found.excess) == (0.75, 0.0)


def test_no_outcome_is_no_accuracy() -> None:
    found = measures.hits(np.ones(2, np.int8), np.array([np.nan, np.nan]))
    assert (found.calls, found.n, found.coverage) == (2, 0, 0.0)
    assert isnan(found.accuracy)
    assert isnan(measures.hits(np.zeros(0, np.int8), np.zeros(0)).coverage)


def test_a_coin_scores_a_quarter() -> None:
    outcomes = np.array([True, False, True])
    assert measures.brier(np.full(3, 0.5), outcomes) == 0.25
    assert measures.brier(np.array([1.0, 0.0, np.nan]), outcomes) == 0.0
    assert isnan(measures.brier(np.full(3, np.nan), outcomes))


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=30))
def test_the_area_is_the_share_of_pairs_in_order(pairs: list[tuple[int, bool]]) -> None:
    scores, outcomes = np.array([score for score, _ in pairs], float), np.array([outcome for _, outcome in pairs])
    wins = [(a > b) + 0.5 * (a == b) for a in scores[outcomes] for b in scores[~outcomes]]
    area = measures.area_under_curve(scores, outcomes)
    assert isnan(area) if not wins else area == pytest.approx(np.mean(wins))


def test_twice_the_benchmark_has_a_slope_of_two_and_no_alpha() -> None:
    benchmark = np.array([0.01, -0.02, 0.03, -0.01])
    found = measures.relative(2 * benchmark, benchmark)
    assert (found.beta, found.up, found.down) == (pytest.approx(2), pytest.approx(2), pytest.approx(2))
    assert found.alpha == pytest.approx(0, abs=1e-12)
    assert found.tracking_error == pytest.approx(measures.volatility(benchmark))


def test_what_half_the_capital_in_the_index_makes_is_no_skill() -> None:
    index = np.array([1.0, 1.1, 0.99, 1.2])
    half = np.cumprod([1.0, *(1 + 0.5 * returns_of(index))])
    assert measures.exposure_matched(half, index, np.full(4, 0.5)) == pytest.approx(0, abs=1e-12)
    assert measures.exposure_matched(index, index, np.full(4, 0.5)) > 0.05


def test_capacity_is_the_capital_at_which_a_purchase_is_a_tenth_of_what_was_traded() -> None:
    weights, traded = np.array([0.05, 0.1, 0.2]), np.array([1e6, 4e6, 4e6])
    median, tightest = measures.capacity(weights, traded)
    assert median == pytest.approx(2e6)  # 2, 4 and 2 millions
    assert tightest == pytest.approx(2e6)


def test_where_no_volume_is_known_there_is_no_capacity() -> None:
    assert all(map(isnan, measures.capacity(np.array([0.1, np.nan]), np.array([np.nan, 1e6]))))
    assert measures.capacity(np.array([0.1, 0.1, 0.0]), np.array([np.nan, 1e6, 1e3])) == (1e6, 1e6)
