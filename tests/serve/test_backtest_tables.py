"""A backtest in the terminal: tables that one reads at a glance."""

from dataclasses import replace
from math import nan
from typing import Any

import pytest

from finlore.backtest.document import as_document
from finlore.backtest.measures import Hits
from finlore.backtest.results import Backtest, Figure
from finlore.backtest.significance import Interval
from finlore.serve import backtests
from finlore.serve.tearsheet.answer import answer
from tests.serve.tearsheet.made import backtest, benchmark, strategy, unknown

NEW = ("overfitting", "constant_acc", "usual_exposure", "capacity", "attribution", "acc_traded", "n_traded")


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Any:
    def show(made: Backtest | dict[str, Any]) -> str:
        backtests.show(made if isinstance(made, dict) else as_document(made))
        return capsys.readouterr().out

    return show


def under(out: str, title: str) -> list[str]:
    """The lines from a title to the next empty one."""
    lines = out.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith(title))
    return lines[begin : lines.index("", begin)]


def test_strategies_stand_by_their_total_and_benchmarks_below_them(shown: Any) -> None:
    out = shown(backtest(strategy("bad", drift=-0.02), strategy("good", drift=0.02)))
    rows = [line.split()[0] for line in under(out, "Results")[3:]]
    assert rows == ["good", "bad", "000300.SH"]


def test_of_few_weeks_what_is_annualised_is_named_once_and_has_no_column(shown: Any) -> None:
    out = shown(backtest(strategy(weeks=8), weeks=8, benchmarks=[benchmark(weeks=8)]))
    results = under(out, "Results")
    assert results[-1] == "Not meaningful of 7 weekly returns (26 are needed): ARR, VOL, SR (paper), Sharpe, CR"
    assert not any("Sharpe" in line for line in results[:-1])
    assert "PBO not meaningful (weekly returns 7, 26 needed; differing strategies 1, 4 needed)" in out


def test_of_many_strategies_the_best_and_always_rise_are_shown_and_the_others_counted(shown: Any) -> None:
    many = [strategy(f"broker:{n}", seed=n) for n in range(60)]
    results = under(shown(backtest(*many, strategy("always-rise", drift=-0.05))), "Results")
    assert len([line for line in results if line.startswith("broker:")]) == 20
    assert any(line.startswith("always-rise") for line in results)
    assert results[-1] == "… and 40 more strategies; --json and --html tell of all"


def test_scores_are_told_with_what_they_are_held_to(shown: Any) -> None:
    figures = (
        Figure("worst fifth less universe", -31.108, -92.053, 30.07, 27, "bp a week"),
        Figure("Brier of P(rise) on reports", float("nan"), float("nan"), float("nan"), 0),
        Figure("AUC of beating the median of the week", 0.517, 0.472, 0.562, 27, "weekly mean"),
    )
    out = shown(backtest(replace(strategy("composite"), figures=figures)))
    table = " ".join(" ".join(under(out, "composite: what its scores are worth")).split())
    assert "worst fifth less universe −31.1 bp −92.1 to +30.1 bp 27" in table
    assert "AUC of all scores 0.517 0.472 to 0.562 27 0.530 or more, its interval above 0.500: not met" in table
    assert "reports" not in table


def test_a_run_that_knew_less_is_shown_as_far_as_it_goes(shown: Any) -> None:
    document = as_document(backtest(strategy()))
    old = {key: value for key, value in document.items() if key not in NEW}
    old["strategies"] = [{key: value for key, value in row.items() if key not in NEW} for row in document["strategies"]]
    out = shown(old)
    assert "PBO not reckoned in this run" in out
    assert "Capacity" not in out
    assert "54.5 %" in out


def test_nothing_known_is_no_table_of_dashes(shown: Any) -> None:
    out = shown(backtest(unknown(), benchmarks=[]))
    assert "nan" not in out
    assert not any(set(line.split()[1:]) == {"–"} for line in out.splitlines() if line.startswith("unknown"))


def test_the_first_words_answer_whether_anything_beats_the_index(shown: Any) -> None:
    out = shown(backtest(replace(strategy("lucky"), over_exposure={"000300.SH": 0.008}), strategy("other")))
    assert out.splitlines()[1] == (
        "No strategy beats 000300.SH at the same exposure by more than chance explains: best other +3.4 %, "
        "Sharpe 95 % −0.610 to 3.020. Fully invested: 000300.SH −27.0 %."
    )


def test_what_is_behind_its_index_beats_it_by_nothing() -> None:
    behind = replace(strategy("behind"), over_exposure={"000300.SH": -0.017})
    assert "at the same exposure: best behind −1.7 %" in answer(as_document(backtest(behind)))


def test_where_too_little_was_bought_for_an_interval_that_is_said() -> None:
    few = replace(strategy("few"), sharpe_interval=Interval(nan, nan), traded=Hits(4, 4, 0.5, 0.5, 0.0))
    assert "best few +3.4 %, with 4 calls bought." in answer(as_document(backtest(few)))


def test_more_than_chance_needs_an_interval_above_0_and_a_deflated_ratio() -> None:
    able = replace(strategy("able"), sharpe_interval=Interval(0.4, 3.0), dsr=0.97)
    assert "more than chance explains was made over 000300.SH at the same exposure: able +3.4 %" in answer(
        as_document(backtest(able, strategy("other")))
    )
    for not_quite in (replace(able, dsr=0.94), replace(able, sharpe_interval=Interval(-0.1, 3.0))):
        assert answer(as_document(backtest(not_quite))).startswith("No strategy beats")


def test_of_few_weeks_or_of_nothing_to_compare_no_answer_is_made_up() -> None:
    short = backtest(strategy(weeks=8), weeks=8)
    assert answer(as_document(short)).startswith("Too little to tell skill from chance: weekly returns 7, 26 needed.")
    assert answer(as_document(backtest())) == ""
    assert answer(as_document(backtest(unknown()))) == ""


def test_the_terminal_says_where_terms_are_defined(shown: Any) -> None:
    assert shown(backtest(strategy())).splitlines()[-2].endswith("the page that --html FILE writes")
