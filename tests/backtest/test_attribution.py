"""In which industries the calls made more than the universe."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from finlore.backtest.attribution import attribution, brinson_fachler
from finlore.backtest.industries import Classes, classes_of
from finlore.backtest.quotes import Quotes
from finlore.backtest.results import Contribution
from finlore.backtest.simulate import simulate
from finlore.records.backtest import Calls
from finlore.records.panel import PricePanel, week_of
from tests.backtest.markets import FREE, market, said, sessions, walks


def of_weeks(panel: PricePanel, *weeks: Sequence[str]) -> Classes:
    later = iter(weeks)
    return classes_of(lambda codes, day: next(later), panel.codes, panel.days, {})


def attributed(panel: PricePanel, calls: Calls, *industries: str) -> tuple[Contribution, ...]:
    done = simulate(panel, calls, FREE)
    return attribution(calls, done, Quotes(panel, FREE), of_weeks(panel, *[industries] * 99), week_of(calls.days))


def test_the_textbook_case_is_split_as_in_the_textbook() -> None:
    """Two sectors: 70 % against 50 % at 8 % against 5 %, 30 % against 50 % at 1 % against 2 %."""
    own, universe = np.array([[0.7, 0.3]]), np.array([[0.5, 0.5]])
    parts = brinson_fachler(own, own * [[0.08, 0.01]], universe, universe * [[0.05, 0.02]])
    allocation, selection, interaction = (part[0].tolist() for part in parts)
    assert allocation == pytest.approx([0.2 * 0.015, -0.2 * -0.015])
    assert selection == pytest.approx([0.5 * 0.03, 0.5 * -0.01])
    assert interaction == pytest.approx([0.2 * 0.03, -0.2 * -0.01])


def test_contributions_add_up_to_what_the_calls_made_over_the_universe() -> None:
    panel = walks(60, 9)
    generator = np.random.default_rng(1)
    times = [(int(asset), f"{panel.days[row]} 10:00") for row in range(2, 45) for asset in generator.integers(0, 9, 2)]
    calls = said(*dict.fromkeys(times))
    found = attributed(panel, calls, *"AABBCCCDD")
    done, weeks = simulate(panel, calls, FREE), week_of(calls.days)
    counted = np.isfinite(done.returns)
    universe = np.array(
        [(panel.close[b] / panel.close[a] - 1).mean() for a, b in np.stack([done.entered, done.left]).T]
    )
    over = [(done.returns - universe)[counted & (weeks == week)].mean() for week in np.unique(weeks[counted])]
    assert sum(one.total for one in found) == pytest.approx(1e4 * np.mean(over), abs=1e-8)
    for shares in ([one.of_signals for one in found], [one.of_universe for one in found]):
        assert sum(shares) == pytest.approx(1.0)
    sizes = [abs(one.total) for one in found]
    assert sizes == sorted(sizes, reverse=True)


def test_the_better_industry_is_allocation_and_the_better_of_an_industry_selection() -> None:
    days = sessions("2025-01-06", 10)
    up, flat = [10.0] * 2 + [11.0] * 8, [10.0] * 10
    panel = market(days, up, up, flat, flat)
    calls = said((0, f"{days[0]} 10:00"))
    industry = {one.industry: one for one in attributed(panel, calls, "A", "A", "B", "B")}
    assert industry["A"].allocation == pytest.approx(1e4 * 0.5 * 0.05)
    assert [one.selection for one in industry.values()] == pytest.approx([0.0, 0.0], abs=1e-8)
    chosen = attributed(panel, calls, "A", "B", "A", "B")
    assert sum(one.allocation for one in chosen) == pytest.approx(0.0, abs=1e-8)
    assert sum(one.total for one in chosen) == pytest.approx(500)


def test_the_universe_itself_has_nothing_to_explain() -> None:
    panel = walks(30, 4)
    calls = said(*((asset, f"{panel.days[4]} 15:00") for asset in range(4)))
    assert [one.total for one in attributed(panel, calls, *"AABB")] == pytest.approx([0.0, 0.0], abs=1e-8)


def test_what_nobody_could_buy_is_no_part_of_the_universe() -> None:
    panel = walks(30, 3)
    closed = panel.traded.copy()
    closed[:, 2] = False
    calls = said((0, f"{panel.days[1]} 10:00"))
    found = attributed(replace(panel, traded=closed), calls, *"ABC")
    assert {one.industry: one.of_universe for one in found} == {"A": 0.5, "B": 0.5, "C": 0.0}


def test_without_industries_or_positions_there_is_none() -> None:
    panel = walks(30, 2)
    assert attributed(panel, said((0, f"{panel.days[1]} 10:00")), "", "") == ()
    assert attributed(panel, said((0, f"{panel.days[1]} 10:00", -1)), "A", "B") == ()


def test_a_call_is_of_the_industry_of_its_week_whatever_it_becomes_later() -> None:
    panel = walks(20, 4)
    calls = said((0, f"{panel.days[1]} 10:00"), (0, f"{panel.days[12]} 10:00"))
    done, weeks = simulate(panel, calls, FREE), week_of(calls.days)
    changing = of_weeks(panel, *["AABB"] * 2, *["BABB"] * 3)
    told = {one.industry: one for one in attribution(calls, done, Quotes(panel, FREE), changing, weeks)}
    assert {name: (one.of_signals, one.of_universe) for name, one in told.items()} == {
        "A": (0.5, 0.375), "B": (0.5, 0.625),
    }  # fmt: skip
