"""Nobody may know the future: what is said up to a day must be the same when later days are taken away."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.backtest.calls import Window, weekly_calls
from finlore.backtest.compare import Comparison
from finlore.backtest.weeks import last_of_week
from finlore.records.backtest import PAPER, STRICT, Calls, Rules
from finlore.records.panel import PricePanel
from tests.backtest.markets import market, said, sessions

SINCE = date(2025, 2, 10)
Says = Callable[[PricePanel], Calls]


def walks(n: int = 80, m: int = 10) -> PricePanel:
    steps = np.random.default_rng(4).normal(0, 0.02, (m, n))
    return market(sessions("2025-01-06", n), *(10 * np.exp(np.cumsum(steps, axis=1))).tolist())


def until(panel: PricePanel, row: int) -> PricePanel:
    by_session = [
        name for name in panel.__slots__ if getattr(getattr(panel, name), "shape", (0,))[0] == len(panel.days)
    ]
    return replace(panel, **{name: getattr(panel, name)[: row + 1] for name in by_session})


def compared(panel: PricePanel, rules: Rules = STRICT) -> Comparison:
    window = Window(SINCE, panel.days[-1].item())
    return Comparison(panel, window, rules, benchmarks={}, industries=lambda codes, day: [None] * len(codes))


def composite(panel: PricePanel) -> Calls:
    return next(one.calls for one in compared(panel).of_prices() if one.name == "composite")


def winners_of_next_week(panel: PricePanel) -> Calls:
    """What nobody can know."""
    rows = last_of_week(panel.days)
    later = np.minimum(rows + 5, len(panel.days) - 1)
    return weekly_calls(panel, rows, panel.close[later] > panel.close[rows])


def foresees(says: Says, panel: PricePanel) -> bool:
    """Whether at the end of some week other calls are made once the time after it is taken away."""
    whole = says(panel)

    def told(calls: Calls, row: int) -> list[tuple[int, int]]:
        known = calls.at <= panel.known_at[row]
        return list(zip(calls.at[known].tolist(), calls.assets[known].tolist(), strict=True))

    return any(
        told(whole, row) != told(says(until(panel, row)), row) for row in last_of_week(panel.days)[6:-1].tolist()
    )


def test_the_composite_foresees_nothing() -> None:
    assert len(composite(walks()).assets)
    assert not foresees(composite, walks())


def test_who_looks_ahead_is_caught() -> None:
    assert foresees(winners_of_next_week, walks())


@pytest.mark.parametrize("rules", [STRICT, PAPER])
@given(row=st.integers(45, 78), seed=st.integers(0, 99))
def test_values_until_a_day_are_the_same_whatever_comes_after(rules: Rules, row: int, seed: int) -> None:
    panel = walks()
    close = panel.close.copy()
    np.random.default_rng(seed).shuffle(close[row + 1 :], axis=1)
    calls = said(*((asset, f"{panel.days[at]} 10:00") for at in range(30, 60, 5) for asset in range(3)))
    found = [compared(one, rules).traded(calls, rules) for one in (panel, replace(panel, close=close, open=close))]
    first = compared(panel, rules).scene.first
    assert found[0].gross[: row + 1 - first].tolist() == found[1].gross[: row + 1 - first].tolist()
