"""The composite, on markets small enough to rank by hand."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.backtest.composite import Composite, Prior, percentiles
from finlore.backtest.industries import Industries
from finlore.records.panel import PricePanel, week_of
from tests.backtest.markets import market, sessions, walks


def no_industries(codes: Sequence[str], day: date) -> list[str | None]:
    return [None] * len(codes)


def composite(panel: PricePanel, industries: Industries = no_industries) -> Composite:
    return Composite(panel, industries, Prior([(panel.days, panel.close * panel.factor)]))


def moving(*daily: list[float]) -> PricePanel:
    closes = [np.append(10.0, 10.0 * np.cumprod(1.0 + np.array(steps))).tolist() for steps in daily]
    return market(sessions("2025-01-06", len(daily[0]) + 1), *closes)


def test_the_calm_and_fallen_are_put_before_the_wild_and_risen() -> None:
    calm, wild = [-0.001, 0.0] * 10, [0.08, -0.05] * 10
    scores = composite(moving(wild, calm, [0.01, 0.0] * 10)).at(20)
    assert np.argsort(scores.percentile).tolist() == [0, 2, 1]
    assert scores.percentile.tolist() == pytest.approx([1 / 6, 5 / 6, 1 / 2])
    assert scores.p_rise == pytest.approx(0.5 + 0.05 * (2 * scores.percentile - 1))
    assert scores.is_avoided.tolist() == [True, False, False]
    assert scores.is_top_half.tolist() == [False, True, False]


def test_a_return_counts_less_the_mean_of_its_industry() -> None:
    steps = [[up, 0.0] * 10 for up in (0.010, 0.011, 0.030, 0.031)]
    panel = moving(*steps)
    together = composite(panel).at(20).percentile
    apart = composite(panel, lambda codes, day: ["a", "a", "b", "b"]).at(20).percentile
    assert together[2] < together[1]
    assert apart[2] - apart[1] > together[2] - together[1]


def test_without_twenty_returns_there_is_no_score() -> None:
    panel = walks(40, 3, first="2022-01-03")
    close = panel.close.copy()
    close[30, 1] = np.nan
    scores = composite(replace(panel, close=close)).at(39)
    assert np.isnan(scores.percentile).tolist() == [False, True, False]
    assert not scores.is_avoided[1]
    assert not scores.is_top_half[1]
    assert np.isnan(composite(panel).at(19).percentile).all()


def test_the_prior_is_a_half_until_two_years_are_known_then_the_share_that_rose() -> None:
    rising = market(sessions("2022-01-03", 600), np.linspace(10, 20, 600).tolist(), np.linspace(20, 10, 600).tolist(),
                    np.linspace(10, 30, 600).tolist())  # fmt: skip
    found = composite(rising)
    assert found.at(400).prior == 0.5
    assert found.at(599).prior == pytest.approx(2 / 3)
    assert found.at(599).p_rise.max() == 0.55


def test_a_prior_is_of_the_weeks_that_were_over() -> None:
    days = sessions("2020-01-06", 5 * 106)  # a Monday; 106 weeks, 105 of them after another
    closes = [10.0 + (day >= 5 * 105) for day in range(len(days))]  # nothing moves before the last week
    prior = Prior([(np.array(days, "datetime64[D]"), np.array([closes]).T)])
    assert prior.first == date(2020, 1, 6)
    assert [prior.at(date(2022, 1, day)) for day in (7, 10, 14, 16)] == [0.5, 0.0, 0.0, 0.0]  # two years and a week on
    assert prior.at(date(2022, 1, 17)) == 1 / 105
    assert (Prior().first, Prior().at(date(2022, 1, 17))) == (None, 0.5)


@given(st.lists(st.integers(1, 80), max_size=6, unique=True), st.integers(0, 700), st.integers(0, 1_000))
def test_a_prior_is_the_same_however_history_is_cut_and_whatever_comes_later(
    cuts: list[int], row: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    days = np.array(sessions("2020-01-06", 700), "datetime64[D]")
    days = days[chance.random(700) < 0.9]  # holidays, and weeks that end early
    levels = np.where(chance.random((len(days), 4)) < 0.9, chance.uniform(9, 11, (len(days), 4)), np.nan)
    weeks = week_of(days) - week_of(days)[0]
    bounds = [0, *np.searchsorted(weeks, sorted(cuts)).tolist(), len(days)]
    spans = [(days[max(a - 1, 0) : b], levels[max(a - 1, 0) : b]) for a, b in pairwise(bounds)]
    day = days[min(row, len(days) - 1)].item()
    known = Prior([(days, levels)]).at(day)
    assert Prior(spans).at(day) == known
    levels[weeks >= week_of(np.array([day], "datetime64[D]"))[0] - week_of(days)[0]] = 1.0
    assert Prior([(days, levels)]).at(day) == known


@given(st.integers(20, 59), st.integers(0, 1_000))
def test_nothing_later_changes_a_score(row: int, seed: int) -> None:
    panel = walks(60, 5, first="2022-01-03")
    chance = np.random.default_rng(seed)
    close = panel.close.copy()
    close[row + 1 :] *= chance.uniform(0.5, 2.0, close[row + 1 :].shape)
    known, changed = (composite(one).at(row) for one in (panel, replace(panel, close=close)))
    assert known.percentile.tolist() == changed.percentile.tolist()
    assert known.prior == changed.prior


def test_a_split_is_no_fall() -> None:
    panel = walks(30, 4, first="2022-01-03")
    close, factor = panel.close.copy(), panel.factor.copy()
    close[15:, 2] /= 2.0
    factor[15:, 2] *= 2.0
    split = replace(panel, close=close, factor=factor)
    expected = composite(panel).at(29).percentile
    assert composite(split).at(29).percentile == pytest.approx(expected)


def test_equal_values_stand_at_the_middle_of_their_places() -> None:
    assert percentiles(np.array([3.0, 1.0, 1.0, 2.0])).tolist() == [0.875, 0.25, 0.25, 0.625]
