"""Trades: whatever a strategy made and whatever ACC counts can be worked out from them alone."""

from dataclasses import replace

import numpy as np
import pytest

from finlore.backtest.calls import Candidate
from finlore.backtest.trades import Trade
from finlore.records.backtest import PAPER, STRICT, Calls, Rules
from finlore.records.panel import PricePanel
from tests.backtest.markets import FREE, comparison, market, said, sessions, walks

DAYS = sessions("2025-01-06", 15)


def trades(panel: PricePanel, calls: Calls, rules: Rules, *, since: str = "") -> list[Trade]:
    compared = comparison(panel, rules, since=since)
    compared.trade(Candidate("s", "", calls, securities=("900",) * len(calls.assets)))
    return list(compared.trades["s"])


def test_a_call_that_was_bought_has_its_prices_days_and_weight() -> None:
    panel = market(
        DAYS, [10.0] * 2 + [20.0] * 7 + [30.0] * 6, names=("甲",), factor=np.array([[1.0]] * 5 + [[1.1]] * 10)
    )
    (found,) = trades(panel, said((0, f"{DAYS[1]} 14:00")), FREE)
    assert found == Trade(
        "s", "0", "甲", "2025-01-07T14:00:00+08:00", "Rise", None, DAYS[1], "closed", DAYS[2], 20.0, DAYS[9],
        pytest.approx(30.0), 1.1, 0.5, pytest.approx(0.65), pytest.approx(0.65),
    )  # fmt: skip


def test_days_are_those_of_the_window_however_much_was_before_it() -> None:
    panel = market(DAYS, [10.0] * 12 + [20.0] * 3)
    (found,) = trades(panel, said((0, f"{DAYS[5]} 14:00")), FREE, since=DAYS[5])
    assert (found.heard, found.entry_day, found.exit_day, found.made) == (DAYS[5], DAYS[6], DAYS[14], 1.0)


def test_by_the_letter_of_the_paper_a_call_has_a_date_and_no_instant() -> None:
    (found,) = trades(market(DAYS, [10.0] * 15), said((0, f"{DAYS[1]} 20:00")), PAPER)
    assert (found.said, found.heard, found.entry_day) == (DAYS[1], DAYS[1], DAYS[2])


def test_what_was_not_bought_says_why_and_what_it_would_have_made() -> None:
    panel = market(DAYS, [10.0] * 2 + [20.0] * 7 + [30.0] * 6, upper=np.full((15, 1), 20.0))
    calls = said(
        (0, f"{DAYS[1]} 14:00"), (0, f"{DAYS[0]} 14:00", -1), (-1, f"{DAYS[1]} 14:00"), (0, f"{DAYS[14]} 14:00")
    )
    limited, fall, unknown, late = trades(panel, calls, STRICT)
    assert (limited.state, limited.entry_day, limited.weight, limited.outcome) == ("at_limit", DAYS[2], None, 0.5)
    assert (fall.state, fall.label, fall.entry_price, fall.weight, fall.outcome) == ("fall", "Fall", 10.0, None, 2.0)
    assert (unknown.security, unknown.state, unknown.entry_price, unknown.outcome) == (
        "900",
        "unknown_security",
        *[None] * 2,
    )
    assert (late.state, late.entry_day, late.exit_day) == ("after_the_end", "", "")


def test_what_cannot_be_sold_on_its_day_is_sold_later_and_acc_keeps_to_the_rules() -> None:
    traded = np.ones((15, 1), bool)
    traded[9] = False
    panel = market(DAYS, [10.0] * 10 + [30.0] * 5, traded=traded)
    (found,) = trades(panel, said((0, f"{DAYS[1]} 14:00")), STRICT)
    assert (found.exit_day, found.exit_price, found.made, found.outcome) == (DAYS[10], 30.0, 2.0, 0.0)


def test_what_is_held_still_has_no_exit() -> None:
    panel = market(DAYS[:8], [10.0] * 8, traded=np.arange(8)[:, None] < 7)
    (found,) = trades(panel, said((0, f"{DAYS[1]} 14:00")), STRICT)
    assert (found.state, found.exit_day, found.exit_price, found.made) == ("held", "", None, None)


def test_calls_that_contradict_one_another_have_no_outcome() -> None:
    calls = said((0, f"{DAYS[1]} 10:00"), (0, f"{DAYS[1]} 11:00", -1))
    assert [found.outcome for found in trades(market(DAYS, [10.0] * 15), calls, STRICT)] == [None, None]


@pytest.mark.parametrize("rules", [STRICT, PAPER, replace(STRICT, entry="open"), replace(STRICT, entry="close")])
def test_accuracy_and_returns_follow_from_the_rows(rules: Rules) -> None:
    panel, chosen = walks(80, 6), np.random.default_rng(3)
    calls = said(*[
        (int(asset), f"{panel.days[row]} {hour:02d}:00", int(sign)) for asset, row, hour, sign in zip(
            chosen.integers(0, 6, 60), chosen.integers(1, 70, 60), chosen.integers(0, 24, 60),
            chosen.choice([-1, 1, 1], 60), strict=True)
    ])  # fmt: skip
    compared = comparison(panel, rules)
    result = compared.trade(Candidate("s", "", calls))
    rows = list(compared.trades["s"])
    outcomes = [(row.outcome > 0) == (row.label == "Rise") for row in rows if row.outcome is not None]
    assert (len(outcomes), np.mean(outcomes)) == (result.hits.n, pytest.approx(result.hits.accuracy))
    sold = [row for row in rows if row.exit_price is not None and row.entry_price and row.shares]
    assert len(sold) > 20
    for row in sold:
        assert row.made == pytest.approx(row.exit_price * row.shares / row.entry_price - 1)
    assert sum(row.weight is not None for row in rows) == sum(
        result.counts.get(state, 0) for state in ("closed", "held")
    ) - result.counts.get("bought and sold at one close", 0)
