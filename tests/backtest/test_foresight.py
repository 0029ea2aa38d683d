"""Strategies of prices know nothing of what comes later."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.backtest.weeks import last_of_week
from finlore.records.backtest import PAPER, STRICT, Rules, Signal
from finlore.records.instant import Instant
from finlore.records.panel import PricePanel
from tests.backtest.markets import comparison, said, walks
from tests.backtest.truncation import first_change

SINCE = "2025-02-10"


@pytest.mark.parametrize("name", ["composite", "avoid-worst-fifth", "equal-weight"])
def test_cut_off_at_the_end_of_a_week_they_say_the_same(name: str) -> None:
    def says(panel: PricePanel) -> list[Signal]:
        calls = [one.calls for one in comparison(panel, STRICT, since=SINCE).of_prices() if one.name == name]
        return [
            Signal(panel.codes[asset], Instant(at), day, "Rise")
            for of in calls
            for asset, at, day in zip(of.assets.tolist(), of.at.tolist(), of.days.tolist(), strict=True)
        ]

    panel = walks(80, 10)
    assert says(panel)
    assert first_change(says, panel, sessions=last_of_week(panel.days)[6:].tolist()) is None


@pytest.mark.parametrize("rules", [STRICT, PAPER])
@given(row=st.integers(45, 78), seed=st.integers(0, 99))
def test_values_until_a_day_are_the_same_whatever_comes_after(rules: Rules, row: int, seed: int) -> None:
    panel = walks(80, 10)
    close = panel.close.copy()
    np.random.default_rng(seed).shuffle(close[row + 1 :], axis=1)
    calls = said(*((asset, f"{panel.days[at]} 10:00") for at in range(30, 60, 5) for asset in range(3)))
    found = [comparison(one, rules, since=SINCE).traded(calls, rules) for one in (panel, replace(panel, close=close))]
    n = row + 1 - comparison(panel, rules, since=SINCE).setup.first
    assert found[0].gross[:n].tolist() == found[1].gross[:n].tolist()
