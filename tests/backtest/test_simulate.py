"""The engine on markets small enough to reckon by hand."""

import numpy as np
import pytest

from finlore.backtest.simulate import simulate
from finlore.records.backtest import PAPER, STRICT, Calls, Rules
from finlore.records.panel import PricePanel

HOUR = 3_600_000_000


def panel_of(first: str, *closes: list[float]) -> PricePanel:
    """A column of closes a security, on business days from `first`; the open is the close of the day before."""
    close = np.array(closes, float).T
    n, m = close.shape
    days = np.busday_offset(np.datetime64(first, "D"), np.arange(n), roll="forward")
    known = days.astype("datetime64[us]").astype(np.int64) + 15 * HOUR
    none, never = np.full((n, m), np.nan), np.full(m, "NaT", "datetime64[D]")
    opened = np.vstack([close[:1], close[:-1]])
    return PricePanel(
        days=days, codes=tuple(map(str, range(m))), names=("",) * m, open=opened, high=close, low=close, close=close,
        volume=np.full((n, m), 1e6), factor=np.ones((n, m)), upper=none, lower=none, traded=np.isfinite(close),
        special=np.zeros((n, m), bool), listed=never, delisted=never, opened_at=known - 5 * HOUR, known_at=known,
        adjustment="none",
    )  # fmt: skip


def calls_of(panel: PricePanel, *calls: tuple[int, int]) -> Calls:
    """(security, row): a rise said one hour before the close of a session."""
    assets, rows = np.array([asset for asset, _ in calls], np.int64), np.array([row for _, row in calls], np.int64)
    signs, unsure = np.ones(len(calls), np.int8), np.full(len(calls), np.nan)
    return Calls(assets, signs, panel.known_at[rows] - HOUR, panel.days[rows], unsure)


@pytest.mark.parametrize("rules", [PAPER, STRICT])
def test_a_call_is_bought_at_the_next_close_and_sold_when_the_following_week_ends(rules: Rules) -> None:
    panel = panel_of("2024-01-01", [10.0] * 2 + [20.0] * 7 + [30.0] * 6)
    done = simulate(panel, calls_of(panel, (0, 1)), rules)
    assert (done.entered.tolist(), done.left.tolist(), done.states) == ([2], [9], ("closed",))
    assert done.returns.tolist() == [0.5]


def test_half_of_the_capital_waits_for_the_following_week() -> None:
    panel = panel_of("2024-01-01", [10.0] * 5 + [20.0] * 10)
    done = simulate(panel, calls_of(panel, (0, 0)), PAPER)
    assert done.gross[-1] == pytest.approx(0.5 + 0.5 * 2)
    assert done.exposure[1:5] == pytest.approx(0.5)
    assert done.breadth.tolist() == [0] + [1] * 8 + [0] * 6


def test_costs_lessen_the_net_value_alone() -> None:
    panel = panel_of("2024-01-01", [10.0] * 15)
    done = simulate(panel, calls_of(panel, (0, 0)), STRICT)
    a_side = 0.00025 + 0.00001 + 0.0010
    assert done.gross == pytest.approx(1.0)
    assert done.net[-1] == pytest.approx((1 - 0.05 * a_side) * (1 - 0.05 * (a_side + 0.0005)))
    assert done.turnover.sum() == pytest.approx(0.1)


def test_without_calls_nothing_happens() -> None:
    panel = panel_of("2024-01-01", [10.0, 11.0, 12.0])
    done = simulate(panel, calls_of(panel), STRICT)
    assert done.net.tolist() == [1.0] * 3
    assert not done.states
