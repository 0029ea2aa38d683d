"""What is said beside the numbers."""

from dataclasses import replace
from datetime import date

import numpy as np

from finlore.backtest import honesty
from finlore.backtest.calls import Window
from finlore.records.backtest import PAPER, STRICT
from finlore.records.panel import IndexSeries
from tests.backtest.markets import market, sessions

PANEL = market(sessions("2025-01-06", 5), [10.0] * 5, [10.0] * 5)
WINDOW = Window(date(2025, 1, 6), date(2025, 1, 10))


def test_a_source_of_survivors_is_named_so() -> None:
    gone = replace(PANEL, delisted=np.array(["2025-01-08", "NaT"], "datetime64[D]"))
    assert "too good" in dict(honesty.of_prices(PANEL))["survivorship"]
    assert dict(honesty.of_prices(gone))["survivorship"].startswith("1 securities")


def test_the_kind_of_adjustment_and_what_was_inferred_are_told() -> None:
    assert "inferred" not in dict(honesty.of_prices(PANEL))
    told = dict(honesty.of_prices(replace(PANEL, adjustment="forward", inferred=("limits", "suspensions"))))
    assert "a later dividend changes earlier ones" in told["adjustment"]
    assert "limits; suspensions" in told["inferred"]


def test_few_weeks_are_not_meaningful_and_a_calendar_ends() -> None:
    short = dict(honesty.of_time(26, None, WINDOW))
    assert "not meaningful" in short["weeks"]
    assert "no calendar" in short["calendar"]
    long = dict(honesty.of_time(27, (date(2020, 1, 1), date(2025, 1, 8)), WINDOW))
    assert "not meaningful" not in long["weeks"]
    assert "not sure" in long["calendar"]


def test_a_mode_says_what_it_leaves_out() -> None:
    assert "the letter of the paper" in dict(honesty.of_rules(PAPER, []))["rules"]
    assert dict(honesty.of_rules(PAPER, []))["costs"] == "none"
    assert "never on the day of entry" in dict(honesty.of_rules(STRICT, []))["rules"]


def test_variants_and_indices_without_dividends_are_told() -> None:
    index = IndexSeries("000300.SH", "", PANEL.days, np.ones(5))
    assert dict(honesty.of_indices([index, replace(index, code="H00300", total_return=True)])) == {
        "benchmarks": "without dividends: 000300.SH"
    }
    assert dict(honesty.of_results([], 7, is_kept=True))["variants"].startswith("7 ")
    assert "none is remembered" in dict(honesty.of_results([], 7, is_kept=False))["variants"]
