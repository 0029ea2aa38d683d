"""Runs of backtests: kept, replayed from wherever their inputs are, and the ledger of what was tried."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from finlore.errors import ConfigurationError, NotFound, StoreDamaged
from finlore.flows import Workspace
from finlore.flows.backtesting import is_asked
from finlore.records.run import Trial
from finlore.runs import LEDGER, BacktestFolder
from finlore.settings import load_settings
from tests.rated_market import REQUEST, asked, empty, prices, report, reported, told, write_market
from tests.small_world import jsonl, workspace

__all__ = ["empty", "prices", "reported", "told"]


def test_a_run_replays_to_the_same_bytes_and_names_what_changed(told: Workspace, prices: Path) -> None:
    run = told.backtest(REQUEST).run
    assert run is not None
    told.backtest(replace(REQUEST, mode="paper"))  # the ledger grows
    assert told.replay(run).equal
    bars = prices / "daily_bars.csv"
    kept = bars.read_text()
    try:
        write_market(prices, seed=3)
        changed = told.replay(run)
    finally:
        write_market(prices)
    assert bars.read_text() == kept
    assert not changed.equal
    assert changed.difference == "inputs changed: daily_bars.csv, index_000300.SH.csv"


def test_a_run_knows_the_market_and_the_tables_that_it_was_made_from(
    tmp_path: Path, prices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    market = Path(shutil.copytree(prices, tmp_path / "here" / "market"))
    (tmp_path / "here" / "signals.csv").write_text("date,security,label\n2024-09-02,600910,Rise\n")
    monkeypatch.chdir(tmp_path / "here")
    request = asked("file:signals.csv", "equal-weight")
    with workspace(tmp_path / "w", market=Path("market")) as made:
        tested = made.backtest(request)
    assert [one.name for one in tested.backtest.strategies] == ["file:signals.csv", "equal-weight"]
    monkeypatch.chdir(tmp_path)
    with workspace(tmp_path / "w") as elsewhere:
        assert elsewhere.replay(tested.run or "").equal
        market.rename(tmp_path / "moved")
        with pytest.raises(ConfigurationError, match=r"here/market, which is not there \(.*--market"):
            elsewhere.replay(tested.run or "")
    with workspace(tmp_path / "w", market=tmp_path / "moved") as told:
        assert told.replay(tested.run or "").equal
    with workspace(tmp_path / "w", market=write_market(tmp_path / "other", seed=5)) as other:
        assert other.replay(tested.run or "").difference.startswith("inputs changed: daily_bars.csv")


def test_a_run_that_was_kept_without_its_market_is_made_from_that_of_the_settings(empty: Workspace) -> None:
    run = empty.backtest(REQUEST).run or ""
    path = empty.folder / "runs" / "backtests" / f"{run}.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps({key: kept[key] for key in kept.keys() - {"adapter", "market", "place"}}))
    assert empty.replay(run).equal


def test_what_the_settings_name_is_not_asked_but_what_a_caller_names() -> None:
    assert is_asked(load_settings(arguments={"market": "prices"}), "market")
    assert not is_asked(load_settings(), "market")


def test_a_market_of_the_settings_gives_way_to_that_of_the_run(
    tmp_path: Path, prices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workspace(tmp_path / "w", market=prices) as made:
        run = made.backtest(REQUEST).run or ""
    monkeypatch.setenv("FINLORE_MARKET", str(write_market(tmp_path / "other", seed=5)))
    found = load_settings(arguments={"workspace": tmp_path / "w", "embedder": "none", "recognisers": ()})
    with Workspace(settings=found) as made:
        assert made.replay(run).equal


def test_a_rating_that_is_ingested_later_does_not_change_a_replay(told: Workspace, tmp_path: Path) -> None:
    run = told.backtest(REQUEST).run or ""
    told.ingest([jsonl(tmp_path / "late.jsonl", report(11, "2024-09-20", "买入"))])
    assert told.replay(run).equal
    assert told.backtest(REQUEST).backtest.strategies[0].n_signals == 8


def test_variants_are_counted_once_and_for_good(empty: Workspace) -> None:
    first = empty.backtest(REQUEST).backtest.variants
    assert empty.backtest(REQUEST).backtest.variants == first == 4
    other = replace(asked("composite"), entry="open")
    assert empty.backtest(other).backtest.variants == 5
    assert [trial.name for trial in empty.backtests.trials().tried][-1] == "composite"


def test_a_run_is_listed_and_holds_all_that_was_told(empty: Workspace) -> None:
    tested = empty.backtest(REQUEST)
    (record,) = empty.backtests.all()
    assert (record.run, record.request) == (tested.run, REQUEST)
    assert json.loads(record.document) == json.loads(json.dumps(tested.document))
    with pytest.raises(NotFound):
        empty.backtests.load("0" * 16)


def test_a_half_written_row_of_the_ledger_is_passed_over(empty: Workspace) -> None:
    empty.backtest(REQUEST)
    ledger = empty.folder / "runs" / "backtests" / "trials.jsonl"
    ledger.write_text(ledger.read_text()[:-20])
    assert len(empty.backtests.trials().tried) == 3
    again = empty.backtest(REQUEST)
    assert again.backtest.variants == 4  # what was lost was tried again, on a line of its own
    assert [issue.message[-8:] for issue in again.issues] == ["unted: 1"]
    ledger.write_bytes(ledger.read_bytes() + ledger.read_bytes())
    assert empty.backtest(REQUEST).backtest.variants == 4


@pytest.mark.parametrize(
    "row",
    [
        b"\xff\xfe", b"[1]", b"[" * 100_000, b'{"key": "a", "name": "b"}', b'{"key": "a", "name": "b", "ratio": "1"}',
        b'{"key": "a", "name": "b", "ratio": [1]}', b'{"key": ["a"], "name": "b", "ratio": 1.0}',
        b'{"key": "a", "name": "b", "ratio": 1e308}', b'{"key": "a", "name": "b", "ratio": Infinity}',
        b'{"key": "a", "name": "b", "ratio": true}', b'{"key": "a", "name": "b", "ratio": %s}' % (b"9" * 400),
        b'{"key": "a", "name": "b", "ratio": %s}' % (b"9" * 5000),
    ],
)  # fmt: skip
def test_a_row_that_is_none_of_a_ledger_is_counted_and_hinders_nothing(tmp_path: Path, row: bytes) -> None:
    folder = BacktestFolder(tmp_path)
    folder.remember([Trial("1", "one", 0.1)])
    (tmp_path / LEDGER).write_bytes((tmp_path / LEDGER).read_bytes() + row)
    folder.remember([Trial("2", "two", None)])
    assert folder.trials() == ([Trial("1", "one", 0.1), Trial("2", "two", None)], 1)


def test_a_ledger_that_is_no_file_is_reported_as_damaged(empty: Workspace) -> None:
    ledger = empty.folder / "runs" / "backtests" / LEDGER
    ledger.mkdir(parents=True)
    with pytest.raises(StoreDamaged, match="it is no file"):
        empty.backtest(asked("random-half"))
    ledger.rmdir()
    os.mkfifo(ledger)
    with pytest.raises(StoreDamaged, match="it is no file"):
        empty.backtest(asked("random-half"))


def test_a_backup_keeps_runs_and_what_was_tried(told: Workspace, prices: Path, tmp_path: Path) -> None:
    run = told.backtest(REQUEST).run or ""
    told.backup(tmp_path / "kept.zip")
    with workspace(tmp_path / "elsewhere", market=prices) as other:
        other.restore(tmp_path / "kept.zip")
        assert other.backtests.trials() == told.backtests.trials()
        assert other.replay(run).equal


def test_where_nothing_can_be_written_the_numbers_are_told_all_the_same(tmp_path: Path, prices: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "runs").write_text("in the way")
    with workspace(tmp_path / "w", market=prices) as made:
        tested = made.backtest(REQUEST)
    assert tested.run is None
    assert tested.backtest.variants == 4
    assert "none is remembered" in dict(tested.backtest.honesty)["variants"]


@pytest.mark.parametrize(
    "change",
    [
        {"created_at": "x"}, {"created_at": 10**30}, {"trials": -1}, {"trials": "x"}, {"sequence": 10**30},
        {"sequence": -1}, {"inputs": "abc"}, {"document": "{"}, {"document": "[]"}, {"document": "[" * 100_000},
        {"seed": None}, {"run": "0" * 16}, {"other": 1}, {"request": []}, {"mode": "loose"}, {"since": 5},
        {"since": "soon"}, {"broker_signals": 1.5}, {"cost_bps": "1"}, b"{", b"\xff", b"[" * 100_000, b"null", b"{}",
    ],
    ids=lambda change: str(change)[:40],
)  # fmt: skip
def test_a_forged_record_is_reported_as_damaged_and_others_are_listed(
    kept: Workspace, change: dict[str, object] | bytes
) -> None:
    (record,) = kept.backtests.all()
    folder = kept.backtests.folder
    whole = json.loads((folder / f"{record.run}.json").read_bytes())
    if isinstance(change, dict):
        whole["run"] = "f" * 16
        where = whole["request"] if change.keys() <= whole["request"].keys() else whole
        where.update(change)
        change = json.dumps(whole).encode()
    forged = folder / f"{'f' * 16}.json"
    forged.write_bytes(change)
    try:
        with pytest.raises(StoreDamaged, match="cannot be read: "):
            kept.replay("f" * 16)
        assert list(kept.backtests.all()) == [record]
        assert ["f" * 16 in damaged.message for damaged in kept.backtests.unreadable] == [True]
    finally:
        forged.unlink()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, prices: Path) -> Iterator[Workspace]:
    """A workspace with one run, to which tests leave nothing."""
    with workspace(tmp_path_factory.mktemp("kept") / "w", market=prices) as made:
        made.backtest(asked("random-half"))
        yield made


def test_ratings_of_a_forgotten_document_are_missed_by_a_replay(told: Workspace) -> None:
    run = told.backtest(REQUEST).run or ""
    told.forget("r0")
    assert told.replay(run).difference == "inputs changed: ratings"
