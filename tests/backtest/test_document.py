"""A backtest as plain data."""

import json
from datetime import date
from math import copysign

import numpy as np
import pytest

from finlore.backtest.compare import benchmark
from finlore.backtest.document import as_document, number
from finlore.backtest.results import Backtest, Figure
from finlore.records.backtest import STRICT
from finlore.records.document import Issue
from finlore.records.panel import IndexSeries
from tests.backtest.published import CSI_300


def whole(n_weeks: int) -> Backtest:
    fridays = np.datetime64("2024-08-30", "D") + 7 * np.arange(n_weeks)
    index = benchmark(IndexSeries("000300.SH", "", fridays, CSI_300[:n_weeks]))
    return Backtest(
        date(2024, 8, 28), date(2025, 3, 7), n_weeks, STRICT, (), (index,), (("weeks", "few"),), {"bars": "00"}, 3,
        (Issue("signals.csv", "no label", "rejected", 4),), (Figure("share", 0.5, float("nan"), 1.0, 9),),
    )  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), [(float("nan"), None), (float("inf"), None), (1 / 3, 0.333333)])
def test_a_number_has_six_digits_and_what_is_not_known_is_null(value: float, expected: float | None) -> None:
    assert number(value) == expected


def test_there_is_no_negative_nothing() -> None:
    nothing = number(-1e-9)
    assert nothing is not None
    assert copysign(1.0, nothing) == 1.0


def test_of_enough_weeks_the_published_figures_are_told() -> None:
    document = as_document(whole(28))
    assert (document["weeks"], document["weekly_returns"], document["meaningful"]) == (28, 27, True)
    assert document["benchmarks"][0]["arr"] == 0.392191
    assert len(document["benchmarks"][0]["course"]["values"]) == 28


def test_of_too_few_what_is_annualised_is_null() -> None:
    document = as_document(whole(26))
    assert not document["meaningful"]
    assert {key for key, value in document["benchmarks"][0].items() if value is None} == {
        "arr", "vol", "sr", "sharpe", "cr",
    }  # fmt: skip


def test_the_rest_is_told_as_it_is() -> None:
    document = json.loads(json.dumps(as_document(whole(28)), allow_nan=False))
    assert document["honesty"] == [{"what": "weeks", "words": "few"}]
    assert document["issues"] == [{"source": "signals.csv", "message": "no label", "severity": "rejected", "line": 4}]
    assert document["figures"] == [{"label": "share", "value": 0.5, "ci": [None, 1.0], "n": 9, "note": ""}]
    assert document["rules"]["costs"]["stamp_duty"][-1] == ["2023-08-28", 0.0005]
