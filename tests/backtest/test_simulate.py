"""The engine on markets small enough to reckon by hand."""

from dataclasses import replace

import numpy as np
import pytest

from finlore.backtest.simulate import simulate
from finlore.records.backtest import PAPER, STRICT, Costs, Rules
from tests.backtest.markets import FREE, market, said, sessions

DAYS = sessions("2024-01-01", 15)
MONDAY, TUESDAY, *_ = DAYS
CALL = f"{MONDAY} 14:00"


@pytest.mark.parametrize("rules", [PAPER, STRICT])
def test_a_call_is_bought_at_the_next_close_and_sold_when_the_following_week_ends(rules: Rules) -> None:
    panel = market(DAYS, [10.0] * 2 + [20.0] * 7 + [30.0] * 6)
    done = simulate(panel, said((0, f"{TUESDAY} 14:00")), rules)
    assert (done.entered.tolist(), done.left.tolist(), done.states) == ([2], [9], ("closed",))
    assert done.returns.tolist() == [0.5]


@pytest.mark.parametrize(("entry", "made"), [("open", 40 / 12), ("close", 40 / 11), ("next_close", 40 / 20)])
def test_one_may_buy_at_the_next_open_or_at_the_close_or_at_that_of_the_day_after(entry: str, made: float) -> None:
    panel = market(DAYS, [10.0, 11.0] + [20.0] * 7 + [40.0] * 6)
    panel.open[2] = 12.0
    done = simulate(panel, said((0, f"{TUESDAY} 14:00")), replace(FREE, entry=entry, sleeves=1))
    assert done.gross[-1] == pytest.approx(made)
    assert done.returns[0] == pytest.approx(made - 1)


def test_half_of_the_capital_waits_for_the_following_week() -> None:
    panel = market(DAYS, [10.0] * 5 + [20.0] * 10)
    done = simulate(panel, said((0, CALL)), PAPER)
    assert done.gross[-1] == pytest.approx(0.5 + 0.5 * 2)
    assert done.exposure[1:5] == pytest.approx(0.5)
    assert done.breadth.tolist() == [0] + [1] * 8 + [0] * 6


def test_the_calls_of_two_weeks_do_not_share_their_money() -> None:
    panel = market(DAYS, [10.0] * 6 + [20.0] * 9, [10.0] * 7 + [30.0] * 8)
    done = simulate(panel, said((0, f"{MONDAY} 14:00"), (1, f"{DAYS[5]} 14:00")), PAPER)
    assert done.gross[-1] == pytest.approx(0.5 * 2 + 0.5 * 3)
    assert done.breadth[7] == 2


def test_costs_lessen_the_net_value_alone() -> None:
    panel = market(DAYS, [10.0] * 15)
    done = simulate(panel, said((0, CALL)), STRICT)
    a_side = 0.00025 + 0.00001 + 0.0010
    assert done.gross == pytest.approx(1.0)
    assert done.net[-1] == pytest.approx((1 - 0.05 * a_side) * (1 - 0.05 * (a_side + 0.0005)))
    assert done.turnover.sum() == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("bought", "sold", "duty"),
    [("2023-08-15", "2023-08-25", 0.001), ("2023-08-22", "2023-08-28", 0.0005), ("2023-08-22", "2023-09-01", 0.0005)],
)
def test_stamp_duty_is_that_of_the_day_of_the_sale_and_was_halved_in_august_2023(
    bought: str, sold: str, duty: float
) -> None:
    days = [str(np.datetime64(bought) - 1), bought, sold]
    costs = replace(Costs(), commission=0.0, transfer_fee=0.0, slippage=0.0)
    done = simulate(market(days, [10.0] * 3), said((0, f"{days[0]} 14:00")), replace(FREE, costs=costs, sleeves=1))
    assert (done.entered.tolist(), done.left.tolist()) == ([1], [2])
    assert done.net.tolist() == pytest.approx([1.0, 1.0, 1 - duty])


def test_small_orders_pay_the_least_commission_where_the_capital_is_known() -> None:
    costs = replace(Costs(), capital=10_000.0)
    panel, calls = market(DAYS, [10.0] * 15), said((0, CALL))
    with_capital, without = (simulate(panel, calls, replace(STRICT, costs=paid)).net for paid in (costs, Costs()))
    short = 5 / 10_000 - 0.05 * 0.00025
    assert without[1] - with_capital[1] == pytest.approx(short)


def test_no_security_is_bought_for_more_than_the_cap() -> None:
    done = simulate(market(DAYS, [10.0] * 15), said((0, CALL)), replace(STRICT, cap=0.1))
    assert done.exposure[1] == pytest.approx(0.5 * 0.1)


def test_later_names_of_a_week_are_bought_with_what_is_cut_from_the_larger_ones() -> None:
    calls = said((0, f"{MONDAY} 14:00"), (1, f"{MONDAY} 14:00"), (2, f"{TUESDAY} 14:00"))
    panel = market(DAYS, [10.0] * 2 + [20.0] * 13, [10.0] * 2 + [5.0] * 13, [10.0] * 15)
    done = simulate(panel, calls, replace(FREE, sleeves=1))
    assert done.turnover[1] == pytest.approx(1.0)
    assert done.gross[2] == pytest.approx(1.25)
    # worth 1.0 and 0.25 when the third comes in: it gets half of the 1.0, and the 0.25 stays as it is
    assert done.turnover[2] == pytest.approx(2 * 0.5 / 1.25)
    assert done.breadth[2] == 3


def test_names_that_come_in_do_not_make_one_trade_what_is_held_while_there_is_cash() -> None:
    calls = said((0, f"{MONDAY} 14:00"), (1, f"{TUESDAY} 14:00"))
    done = simulate(market(DAYS, [10.0] * 2 + [15.0] * 13, [10.0] * 15), calls, replace(FREE, cap=0.1, sleeves=1))
    assert done.gross[2] == pytest.approx(1.05)
    assert done.turnover[2] == pytest.approx(0.1)


def test_without_calls_nothing_happens() -> None:
    done = simulate(market(DAYS, [10.0] * 15), said(), STRICT)
    assert done.net.tolist() == [1.0] * 15
    assert (done.states, done.counts) == ((), {})


def test_without_sessions_no_call_is_traded() -> None:
    for rules in (STRICT, PAPER):
        done = simulate(market([], []), said((0, "2024-01-02 14:00"), (0, "2024-01-03 14:00")), rules)
        assert (len(done.net), done.states) == (0, ("after_the_end",) * 2)


def test_the_order_of_the_calls_does_not_matter() -> None:
    panel = market(DAYS, *(10 + np.random.default_rng(1).random((4, 15))))
    calls = [(asset, f"{day} 14:00") for day in DAYS[:8] for asset in range(4)]
    forth, back = (simulate(panel, said(*some), STRICT) for some in (calls, calls[::-1]))
    assert forth.net.tolist() == back.net.tolist()
    assert forth.counts == back.counts


def test_a_weight_is_the_share_of_all_capital_for_which_a_call_was_bought() -> None:
    panel = market(DAYS, *[[10.0] * 15] * 4)
    calls = said((0, CALL), (1, CALL), (2, CALL), (2, f"{TUESDAY} 14:00"), (3, CALL, -1))
    weights = simulate(panel, calls, PAPER).weights
    assert weights[:3] == pytest.approx(0.5 / 3)
    assert np.isnan(weights[3:]).all()
    capped = simulate(panel, calls, replace(FREE, cap=0.1)).weights
    assert capped[:3] == pytest.approx(0.05)
