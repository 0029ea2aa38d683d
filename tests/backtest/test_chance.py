"""Random portfolios."""

from dataclasses import replace

import numpy as np
import pytest

from finlore.backtest.chance import random_totals
from finlore.backtest.simulate import simulate
from finlore.records.backtest import Simulation
from finlore.records.panel import PricePanel
from tests.backtest.markets import FREE, said, walks


def anyone(row: int) -> np.ndarray:
    return np.ones(1, bool)


def traded(panel: PricePanel, *assets: int) -> Simulation:
    return simulate(panel, said(*((asset, f"{panel.days[4]} 15:00") for asset in assets)), FREE)


def test_who_holds_everything_is_no_better_than_chance() -> None:
    panel = walks(15, 8)
    done = traded(panel, *range(8))
    totals = random_totals(panel.close, done, can_buy=anyone, n_portfolios=5)
    assert np.ptp(totals) == pytest.approx(0)
    assert totals[0] == pytest.approx(done.gross[-1] - 1, abs=5e-4)  # chance is brought to equal weights every week


def test_who_holds_one_is_among_portfolios_of_one() -> None:
    panel = walks(15, 50)
    done = traded(panel, 7)
    totals = random_totals(panel.close, done, can_buy=anyone)
    held = panel.close[9] / panel.close[5] - 1
    assert totals.mean() == pytest.approx(0.5 * held.mean(), abs=0.003)
    assert totals.std() == pytest.approx(0.5 * held.std(), rel=0.15)


def test_of_many_the_spread_shrinks_as_without_replacement() -> None:
    panel = walks(15, 400)
    held = panel.close[9] / panel.close[5] - 1
    totals = random_totals(panel.close, traded(panel, *range(300)), can_buy=anyone)
    assert totals.std() == pytest.approx(0.5 * held.std() / np.sqrt(300) * np.sqrt(100 / 399), rel=0.15)


def test_nobody_is_drawn_whose_prices_are_not_known_throughout() -> None:
    panel = walks(15, 3)
    close = panel.close.copy()
    close[:, 2] = np.nan
    holed = replace(panel, close=close)
    assert np.isfinite(random_totals(holed.close, traded(holed, 0), can_buy=anyone, n_portfolios=20)).all()


def test_a_panel_is_cut_at_a_row_in_all_its_columns() -> None:
    panel = walks(15, 2).sessions(slice(5, None))
    assert (len(panel.days), panel.close.shape, panel.known_at.shape) == (10, (10, 2), (10,))


def test_nobody_is_drawn_who_could_not_be_bought() -> None:
    panel = walks(15, 6)
    done = traded(panel, 0)
    totals = random_totals(panel.close, done, can_buy=lambda row: np.arange(6) == 3, n_portfolios=4)
    held = panel.close[9, 3] / panel.close[5, 3] - 1
    assert totals == pytest.approx(0.5 * held, abs=0.005)
