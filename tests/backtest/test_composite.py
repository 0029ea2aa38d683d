"""The composite, on markets small enough to rank by hand."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.backtest.composite import Composite, percentiles
from finlore.records.panel import PricePanel
from tests.backtest.markets import market, sessions


def no_industries(codes: list[str], day: date) -> list[str | None]:
    return [None] * len(codes)


def walks(n_sessions: int, n_securities: int, *, seed: int = 1) -> PricePanel:
    steps = np.random.default_rng(seed).normal(0.0, 0.02, (n_securities, n_sessions))
    return market(sessions("2022-01-03", n_sessions), *(10.0 * np.exp(np.cumsum(steps, axis=1))).tolist())


def moving(*daily: list[float]) -> PricePanel:
    closes = [np.append(10.0, 10.0 * np.cumprod(1.0 + np.array(steps))).tolist() for steps in daily]
    return market(sessions("2025-01-06", len(daily[0]) + 1), *closes)


def test_the_calm_and_fallen_are_put_before_the_wild_and_risen() -> None:
    calm, wild = [-0.001, 0.0] * 10, [0.08, -0.05] * 10
    scores = Composite(moving(wild, calm, [0.01, 0.0] * 10), no_industries).at(20)
    assert np.argsort(scores.percentile).tolist() == [0, 2, 1]
    assert scores.percentile.tolist() == pytest.approx([1 / 6, 5 / 6, 1 / 2])
    assert scores.p_beats == pytest.approx(0.5 + 0.05 * (2 * scores.percentile - 1))
    assert scores.is_avoided.tolist() == [True, False, False]
    assert scores.is_top_half.tolist() == [False, True, False]


def test_a_return_counts_less_the_mean_of_its_industry() -> None:
    steps = [[up, 0.0] * 10 for up in (0.010, 0.011, 0.030, 0.031)]
    panel = moving(*steps)
    together = Composite(panel, no_industries).at(20).percentile
    apart = Composite(panel, lambda codes, day: ["a", "a", "b", "b"]).at(20).percentile
    assert together[2] < together[1]
    assert apart[2] - apart[1] > together[2] - together[1]


def test_without_twenty_returns_there_is_no_score() -> None:
    panel = walks(40, 3)
    close = panel.close.copy()
    close[30, 1] = np.nan
    scores = Composite(replace(panel, close=close), no_industries).at(39)
    assert np.isnan(scores.percentile).tolist() == [False, True, False]
    assert not scores.is_avoided[1]
    assert not scores.is_top_half[1]
    assert np.isnan(Composite(panel, no_industries).at(19).percentile).all()


def test_the_prior_is_a_half_until_two_years_are_known_then_the_share_that_rose() -> None:
    rising = market(sessions("2022-01-03", 600), np.linspace(10, 20, 600).tolist(), np.linspace(20, 10, 600).tolist(),
                    np.linspace(10, 30, 600).tolist())  # fmt: skip
    composite = Composite(rising, no_industries)
    assert composite.at(400).prior == 0.5
    assert composite.at(599).prior == pytest.approx(2 / 3)
    assert composite.at(599).p_rise.max() == 0.55


@given(st.integers(20, 59), st.integers(0, 1_000))
def test_nothing_later_changes_a_score(row: int, seed: int) -> None:
    panel = walks(60, 5)
    chance = np.random.default_rng(seed)
    close = panel.close.copy()
    close[row + 1 :] *= chance.uniform(0.5, 2.0, close[row + 1 :].shape)
    known, changed = (Composite(one, no_industries).at(row) for one in (panel, replace(panel, close=close)))
    assert known.percentile.tolist() == changed.percentile.tolist()
    assert known.prior == changed.prior


def test_a_split_is_no_fall() -> None:
    panel = walks(30, 4)
    close, factor = panel.close.copy(), panel.factor.copy()
    close[15:, 2] /= 2.0
    factor[15:, 2] *= 2.0
    split = replace(panel, close=close, factor=factor)
    expected = Composite(panel, no_industries).at(29).percentile
    assert Composite(split, no_industries).at(29).percentile == pytest.approx(expected)


def test_equal_values_stand_at_the_middle_of_their_places() -> None:
    assert percentiles(np.array([3.0, 1.0, 1.0, 2.0])).tolist() == [0.875, 0.25, 0.25, 0.625]
