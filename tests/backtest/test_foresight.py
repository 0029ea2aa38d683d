"""Strategies of prices know nothing of what comes later."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.backtest.calls import Window
from finlore.backtest.compare import Comparison
from finlore.backtest.weeks import last_of_week
from finlore.records.backtest import PAPER, STRICT, Rules, Signal
from finlore.records.instant import Instant
from finlore.records.panel import PricePanel
from tests.backtest.markets import market, said, sessions
from tests.backtest.truncation import first_change


def walks(n: int = 80, m: int = 10) -> PricePanel:
    steps = np.random.default_rng(4).normal(0, 0.02, (m, n))
    return market(sessions("2025-01-06", n), *(10 * np.exp(np.cumsum(steps, axis=1))).tolist())


def compared(panel: PricePanel, rules: Rules = STRICT) -> Comparison:
    window = Window(date(2025, 2, 10), panel.days[-1].item())
    return Comparison(panel, window, rules, benchmarks={}, industries=lambda codes, day: [None] * len(codes))


@pytest.mark.parametrize("name", ["composite", "avoid-worst-fifth", "equal-weight"])
def test_cut_off_at_the_end_of_a_week_they_say_the_same(name: str) -> None:
    def says(panel: PricePanel) -> list[Signal]:
        calls = [one.calls for one in compared(panel).of_prices() if one.name == name]
        return [
            Signal(panel.codes[asset], Instant(at), day, "Rise")
            for of in calls
            for asset, at, day in zip(of.assets.tolist(), of.at.tolist(), of.days.tolist(), strict=True)
        ]

    panel = walks()
    assert says(panel)
    assert first_change(says, panel, sessions=last_of_week(panel.days)[6:].tolist()) is None


@pytest.mark.parametrize("rules", [STRICT, PAPER])
@given(row=st.integers(45, 78), seed=st.integers(0, 99))
def test_values_until_a_day_are_the_same_whatever_comes_after(rules: Rules, row: int, seed: int) -> None:
    panel = walks()
    close = panel.close.copy()
    np.random.default_rng(seed).shuffle(close[row + 1 :], axis=1)
    calls = said(*((asset, f"{panel.days[at]} 10:00") for at in range(30, 60, 5) for asset in range(3)))
    found = [compared(one, rules).traded(calls, rules) for one in (panel, replace(panel, close=close))]
    n = row + 1 - compared(panel, rules).setup.first
    assert found[0].gross[:n].tolist() == found[1].gross[:n].tolist()
