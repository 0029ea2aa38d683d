"""`finlore backtest`, and its runs."""

import csv
import json
import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from finlore.serve.verbs.testing import _cell
from tests.backtest.published import CSI_300, SSE
from tests.serve.driver import Finlore
from tests.test_backtesting import write_market

WINDOW = ("--from", "2024-08-28", "--to", "2025-03-07")


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prices, and the published weekly closes of two indices on Fridays."""
    folder = write_market(tmp_path_factory.mktemp("prices") / "market")
    fridays = np.datetime64("2024-08-30", "D") + 7 * np.arange(28)
    for code, closes in (("000300.SH", CSI_300), ("000001.SH", SSE)):
        rows = [f"{day},{close}" for day, close in zip(fridays, closes.tolist(), strict=True)]
        (folder / f"index_{code}.csv").write_text("\n".join(["date,close", *rows]))
    return folder


@pytest.fixture
def backtest(finlore: Finlore, market: Path, tmp_path: Path) -> Finlore:
    def run(*arguments: object) -> object:
        return finlore("--workspace", tmp_path / "w", "backtest", "--market", market, *arguments)

    return run  # type: ignore[return-value]


def test_an_empty_workspace_shows_the_published_figures_of_both_indices(backtest: Finlore) -> None:
    ran = backtest(*WINDOW, "--mode", "paper", "--json")
    rows = {row["name"]: [round(row[key], 3) for key in ("arr", "vol", "sr", "mdd", "cr")] for row in
            ran.json["benchmarks"]}  # fmt: skip
    assert ran.code == 0
    assert list(rows) == ["000300.SH", "000001.SH", "universe"]
    assert {name: rows[name] for name in list(rows)[:2]} == {
        "000300.SH": [0.392, 0.295, 1.330, 0.091, 4.332], "000001.SH": [0.390, 0.265, 1.471, 0.082, 4.748],
    }  # fmt: skip


def test_the_document_has_the_promised_keys_and_no_nan(backtest: Finlore) -> None:
    document = backtest(*WINDOW, "--json").json
    promised = {
        "name", "n_signals", "arr", "vol", "sr", "sharpe", "mdd", "cr", "acc", "base_rate", "excess_acc", "ci",
        "turnover", "blocked",
    }  # fmt: skip
    assert {"strategies", "benchmarks", "weeks", "run"} <= set(document)
    assert all(promised <= set(row) for row in document["strategies"])
    assert json.dumps(document, allow_nan=False)


def test_of_a_few_weeks_nothing_is_annualised_and_the_table_says_so(backtest: Finlore) -> None:
    short = ("--from", "2024-08-28", "--to", "2024-10-31")
    document = backtest(*short, "--json").json
    rows = document["strategies"] + document["benchmarks"]
    assert all(row[key] is None for row in rows for key in ("arr", "vol", "sr", "sharpe", "cr"))
    assert all(row["total"] is not None for row in rows)
    assert "not meaningful" in backtest(*short).out
    assert "not meaningful" not in backtest(*WINDOW).out


def test_the_table_names_strategies_benchmarks_and_what_is_to_be_said(backtest: Finlore) -> None:
    out = backtest(*WINDOW).out
    for word in ("composite", "000300.SH", "survivorship", "variants", "1.330", "AUC of all scores", "PBO"):
        assert word in out
    assert "not known" not in out
    tables = out.partition("\n\n")[2].partition("survivorship:")[0]
    assert max(map(len, tables.splitlines())) <= 120


def test_a_run_is_listed_shown_and_replayed(backtest: Finlore, finlore: Finlore, market: Path, tmp_path: Path) -> None:
    told = backtest(*WINDOW, "--strategy", "composite", "--json").json
    here = ("--workspace", tmp_path / "w", "--market", market)
    assert [row["run"] for row in finlore(*here, "runs", "list", "--json").json["runs"]] == [told["run"]]
    shown = finlore(*here, "runs", "show", told["run"], "--json").json
    assert shown == {key: value for key, value in told.items() if key not in ("seconds", "cpu_seconds")}
    assert "composite" in finlore(*here, "runs", "show", told["run"]).out
    assert finlore(*here, "runs", "replay", told["run"], "--json").json["equal"]


def test_a_listed_run_tells_by_which_rules_what_was_tested_and_what_did_best(
    backtest: Finlore, finlore: Finlore, tmp_path: Path
) -> None:
    told = backtest(*WINDOW, "--strategy", "composite", "--entry", "open", "--cost-bps", "15", "--json").json
    (row,) = finlore("--workspace", tmp_path / "w", "runs", "list", "--json").json["runs"]
    total = told["strategies"][0]["total"]
    assert row["question"] == (
        f"backtest 2024-08-28 to 2025-03-07, strict, entry open, 15 bp a side: composite; best composite {total:+.1%}"
    )
    assert "+08:00" in finlore("--workspace", tmp_path / "w", "runs", "list").out


def test_a_kept_run_gives_the_page_that_was_written_when_it_was_made(
    backtest: Finlore, finlore: Finlore, tmp_path: Path
) -> None:
    told = backtest(*WINDOW, "--strategy", "composite", "--html", tmp_path / "then.html", "--json").json
    here = ("--workspace", tmp_path / "w", "runs", "show", told["run"])
    assert finlore(*here, "--html", tmp_path / "now.html").code == 0
    assert (tmp_path / "now.html").read_text() == (tmp_path / "then.html").read_text()
    assert finlore(*here, "--html", tmp_path).code == 2


def test_a_forged_run_is_named_by_a_list_and_refused_by_all_else(
    backtest: Finlore, finlore: Finlore, tmp_path: Path
) -> None:
    run = backtest(*WINDOW, "--strategy", "random-half", "--json").json["run"]
    folder = tmp_path / "w" / "runs" / "backtests"
    whole = json.loads((folder / f"{run}.json").read_text())
    (folder / f"{'e' * 16}.json").write_text("{")
    for document in ({}, {"rules": 1, "strategies": []}, {**json.loads(whole["document"]), "strategies": [1]}):
        (folder / f"{'f' * 16}.json").write_text(
            json.dumps({**whole, "run": "f" * 16, "document": json.dumps(document)})
        )
        for more in ([], ["--html", tmp_path / "page.html"]):
            ran = finlore("--workspace", tmp_path / "w", "runs", "show", "f" * 16, *more)
            assert (ran.code, "holds no backtest" in ran.err) == (6, True)
        assert not (tmp_path / "page.html").exists()
        listed = finlore("--workspace", tmp_path / "w", "runs", "list", "--json").json
        assert {row["run"] for row in listed["runs"]} == {run, "f" * 16}
        assert ["e" * 16 in message for message in listed["damaged"]] == [True]
    assert "cannot be read" in finlore("--workspace", tmp_path / "w", "runs", "list").err
    assert finlore("--workspace", tmp_path / "w", "runs", "replay", "e" * 16).code == 6


def test_strategies_and_indices_are_measured_in_the_weeks_that_have_prices(backtest: Finlore) -> None:
    document = backtest("--from", "2020-01-01", "--to", "2024-10-31", "--strategy", "equal-weight", "--json").json
    first = document["strategies"][0]["course"]["days"]
    assert document["weeks"] == len(first)
    assert all(row["course"]["days"][0] >= first[0] for row in document["benchmarks"])
    assert any(remark["what"] == "prices" for remark in document["honesty"])


def test_a_page_that_cannot_be_written_is_refused_before_anything_is_tried(backtest: Finlore, tmp_path: Path) -> None:
    for page in (tmp_path, tmp_path / "nowhere" / "page.html"):
        assert backtest(*WINDOW, "--strategy", "equal-weight", "--html", page).code == 2
    assert backtest(*WINDOW, "--strategy", "composite", "--json").json["variants"] == 1


def test_a_page_is_written(backtest: Finlore, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert backtest(*WINDOW, "--strategy", "composite", "--html", page, "--json").code == 0
    assert "composite" in page.read_text(encoding="utf-8")
    assert backtest(*WINDOW, "--strategy", "composite", "--html", tmp_path / "no" / "page.html").code == 2


def test_what_a_file_held_stays_until_the_new_one_is_whole_and_no_device_is_written(
    backtest: Finlore, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "fifo")
    for option, path in product(("--html", "--trades"), (tmp_path / "fifo", "/dev/full", "/dev/null")):
        assert backtest(*WINDOW, "--strategy", "equal-weight", option, path).code == 2
    (tmp_path / "kept.txt").write_text("kept")
    (tmp_path / "page.html").symlink_to(tmp_path / "kept.txt")
    assert backtest(*WINDOW, "--strategy", "equal-weight", "--html", tmp_path / "page.html").code == 0
    assert (tmp_path / "page.html").is_symlink()
    assert (tmp_path / "kept.txt").read_text().startswith("<!DOCTYPE html>")
    assert not list(tmp_path.glob(".*"))


def test_what_became_of_each_call_is_written_as_text_that_no_spreadsheet_reckons_with(
    backtest: Finlore, tmp_path: Path
) -> None:
    table = tmp_path / "signals.csv"
    table.write_text("date,security,label,confidence\n2024-09-02,600910,Rise,0.8\n2024-09-03,600999,Fall,\n")
    assert backtest(*WINDOW, "--strategy", f"file:{table}", "--trades", tmp_path / "trades.csv").code == 0
    bought, unknown = csv.DictReader((tmp_path / "trades.csv").read_text(encoding="utf-8").splitlines())
    assert (bought["security"], bought["state"], bought["entry_day"]) == ("600910.SH", "closed", "2024-09-04")
    made = float(bought["exit_price"]) * float(bought["shares"]) / float(bought["entry_price"]) - 1
    assert float(bought["made"]) == pytest.approx(made, abs=1e-9)
    assert (unknown["security"], unknown["state"], unknown["weight"]) == ("600999.SH", "unknown_security", "")
    assert [_cell(text) for text in ("=1+1", "+甲", "-甲", "@甲", "甲")] == ["'=1+1", "'+甲", "'-甲", "'@甲", "甲"]
    assert [_cell(number) for number in (None, -0.5, 1 / 3)] == ["", "-0.5", "0.3333333333"]


def test_a_damaged_row_of_what_was_tried_is_told(backtest: Finlore, tmp_path: Path) -> None:
    backtest(*WINDOW, "--strategy", "equal-weight")
    ledger = tmp_path / "w" / "runs" / "backtests" / "trials.jsonl"
    ledger.write_bytes(ledger.read_bytes() + b"\xff[")
    ran = backtest(*WINDOW, "--strategy", "random-half", "--json").json
    assert ran["variants"] == 2
    assert ran["issues"][0]["message"].endswith("are not counted: 1")


def test_without_a_folder_of_prices_the_option_is_named(finlore: Finlore) -> None:
    ran = finlore("backtest", *WINDOW)
    assert ran.code == 4
    assert "--market" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "2025-01-02", "--to", "2025-01-01"),
        ("--from", "yesterday", "--to", "2025-01-01"),
        (*WINDOW, "--strategy", "astrology"),
        (*WINDOW, "--mode", "loose"),
    ],
)
def test_what_makes_no_sense_is_a_matter_of_usage(backtest: Finlore, arguments: tuple[str, ...]) -> None:
    assert backtest(*arguments).code == 2


def test_where_nothing_could_be_tested_the_exit_says_so(backtest: Finlore, tmp_path: Path) -> None:
    table = tmp_path / "signals.csv"
    table.write_text("date,security,label\n2020-01-01,600910,Rise\n")
    ran = backtest(*WINDOW, "--strategy", f"file:{table}")
    assert ran.code == 1
    assert "outside" in ran.err
    assert backtest("--from", "2030-01-01", "--to", "2030-02-01").code == 1


def test_a_table_that_is_refused_is_told_first_and_is_no_variant_that_was_tried(
    backtest: Finlore, tmp_path: Path
) -> None:
    table = tmp_path / "signals.csv"
    table.write_text("day,who\n2024-09-02,600910\n")
    ran = backtest(*WINDOW, "--strategy", f"file:{table}", "--strategy", "composite", "--json")
    assert (ran.code, ran.json["variants"]) == (3, 1)  # the composite
    shown = backtest(*WINDOW, "--strategy", f"file:{table}")
    assert shown.code == 2
    assert "no column for date and none for security" in shown.err.splitlines()[0]
