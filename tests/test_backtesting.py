"""Backtests of a workspace: from a folder of prices and ingested ratings to a run that replays."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from finlore.errors import ConfigurationError, NoPrices, NotFound, StoreDamaged, UsageError
from finlore.flows import Workspace
from finlore.flows.backtesting import is_asked
from finlore.flows.experiment import rules_of
from finlore.flows.ratings import rated
from finlore.records.instant import end_of_day, parse_instant
from finlore.records.run import BacktestRequest, Trial
from finlore.runs import LEDGER, BacktestFolder
from finlore.settings import load_settings
from tests.backtest.markets import sessions
from tests.small_world import jsonl, workspace

DAYS = sessions("2024-07-01", 180)
CODES = [f"6009{number:02d}" for number in range(10, 22)]
REQUEST = BacktestRequest(date(2024, 8, 26), date(2025, 3, 7))


def asked(*strategies: str) -> BacktestRequest:
    return replace(REQUEST, strategies=strategies)


def write_market(folder: Path, *, seed: int = 2, other_from: str = "9") -> Path:
    """Twelve securities that wander, and an index; from a day on they wander otherwise."""
    folder.mkdir(exist_ok=True)
    closes = 10 * np.exp(np.cumsum(np.random.default_rng(seed).normal(0, 0.015, (len(DAYS), len(CODES) + 1)), axis=0))
    changed = np.random.default_rng(9).uniform(0.7, 1.4, closes.shape)
    closes = np.where(np.array(DAYS)[:, None] > other_from, closes * changed, closes)
    rows = [
        f"{code},{day},{close:.2f},{close * 1.01:.2f},{close * 0.99:.2f},{close:.2f},1000"
        for day, prices in zip(DAYS, closes[:, 1:].tolist(), strict=True)
        for code, close in zip(CODES, prices, strict=True)
    ]
    (folder / "daily_bars.csv").write_text("\n".join(["code,date,open,high,low,close,volume", *rows]))
    index = [f"{day},{close:.3f}" for day, close in zip(DAYS, closes[:, 0].tolist(), strict=True)]
    (folder / "index_000300.SH.csv").write_text("\n".join(["date,close", *index]))
    classes = [f"{code},2020-01-01,{27 + number % 2}0101" for number, code in enumerate(CODES)]
    (folder / "shenwan_membership.csv").write_text("\n".join(["code,from_date,shenwan_code", *classes]))
    return folder


def report(number: int, day: str, rating: str, *, broker: str = "霜桥证券") -> dict[str, object]:
    code = CODES[number % len(CODES)]
    text = f"{broker}维持漠川{code}（{code}）“{rating}”评级。公司第{number}项业务进展顺利。"
    return {
        "id": f"r{number}", "title": f"漠川{code}（{code}）点评", "text": text, "published_at": day, "security": code,
        "broker": broker, "kind": "report",
    }  # fmt: skip


@pytest.fixture(scope="module")
def prices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_market(tmp_path_factory.mktemp("prices") / "market")


@pytest.fixture
def empty(tmp_path: Path, prices: Path) -> Iterator[Workspace]:
    with workspace(tmp_path / "w", market=prices) as made:
        yield made


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that only lends itself to be copied."""
    folder = tmp_path_factory.mktemp("reported")
    reports = [report(number, f"2024-09-{number + 2:02d}", "买入") for number in range(6)]
    reports += [report(9, "2024-10-10", "减持", broker="雁洲证券"), report(10, "2024-10-11", "中性")]
    with workspace(folder / "w") as made:
        made.ingest([jsonl(folder / "reports.jsonl", *reports)])
    return folder / "w"


@pytest.fixture
def told(tmp_path: Path, prices: Path, reported: Path) -> Iterator[Workspace]:
    with workspace(Path(shutil.copytree(reported, tmp_path / "w")), market=prices) as made:
        yield made


def test_an_empty_workspace_tests_what_prices_alone_allow(empty: Workspace) -> None:
    found = empty.backtest(REQUEST).backtest
    assert [one.name for one in found.strategies] == ["equal-weight", "composite", "avoid-worst-fifth", "random-half"]
    assert [one.code for one in found.benchmarks] == ["000300.SH", "universe"]
    assert found.weeks == 28
    assert {what for what, _ in found.honesty} >= {"survivorship", "adjustment", "inferred", "weeks", "variants"}


def test_ratings_are_followed_broker_by_broker_and_held_against_constants(told: Workspace) -> None:
    found = told.backtest(replace(REQUEST, broker_signals=5)).backtest
    by_name = {one.name: one for one in found.strategies}
    assert list(by_name)[:4] == ["brokers", "broker:霜桥证券", "always-rise", "always-fall"]
    assert (by_name["brokers"].n_signals, by_name["brokers"].n_rises) == (7, 6)  # who is neutral calls nothing
    assert by_name["always-fall"].counts["fall"] == 7
    assert "ratings" in found.inputs


def test_what_was_rated_later_is_not_seen(told: Workspace) -> None:
    early = told.backtest(BacktestRequest(REQUEST.since, date(2024, 9, 4), ("brokers",))).backtest
    assert early.strategies[0].n_signals == 3


def test_a_rating_that_another_version_replaced_still_was_said(tmp_path: Path, told: Workspace) -> None:
    changed = report(0, "2024-12-02", "减持")
    told.ingest([jsonl(tmp_path / "reports.jsonl", changed)])
    known = told._backtesting._known
    said = [
        (one.label, one.day.isoformat())
        for one in rated(known, end_of_day(REQUEST.until))
        if one.security[:6] == CODES[0]
    ]
    assert said == [("Rise", "2024-09-02"), ("Fall", "2024-12-02")]
    assert [one.label for one in rated(known, parse_instant("2024-11-30")) if one.security[:6] == CODES[0]] == ["Rise"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030"])
def test_signals_of_a_table_are_tested_beside_others_and_their_faults_told(
    empty: Workspace, tmp_path: Path, encoding: str
) -> None:
    table = tmp_path / "signals.csv"
    table.write_text("日期,代码,标签\n2024-09-02,600910,看涨\n2024-09-03,600911,也许\n", encoding=encoding)
    found = empty.backtest(asked(f"file:{table}", "always-rise")).backtest
    assert [(one.name, one.n_signals) for one in found.strategies] == [(f"file:{table}", 1), ("always-rise", 1)]
    assert [issue.line for issue in found.strategies[0].issues] == [3]
    assert f"file:{table}" in found.inputs


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


def test_without_prices_one_is_told_how_to_name_them(tmp_path: Path) -> None:
    with workspace(tmp_path / "w") as made, pytest.raises(ConfigurationError, match="--market"):
        made.backtest(REQUEST)


def test_a_market_of_indices_alone_shows_these(tmp_path: Path) -> None:
    market = write_market(tmp_path / "market")
    (market / "daily_bars.csv").unlink()
    with workspace(tmp_path / "w", market=market) as made:
        found = made.backtest(REQUEST).backtest
    assert [one.code for one in found.benchmarks] == ["000300.SH"]
    assert (found.weeks, found.strategies) == (28, ())
    assert "no strategy can be tested" in found.issues[0].message


def unreadable(folder: Path, fault: str) -> Path:
    """A market beside whose index no bars can be read."""
    market, whole = write_market(folder), folder / "daily_bars.csv"
    pl.read_csv(whole, infer_schema=False).write_parquet(bars := folder / "daily_bars.parquet")
    whole.unlink()
    content = bars.read_bytes()
    match fault:
        case "damaged":
            bars.write_bytes(content[: len(content) // 2])
        case "empty":
            bars.write_bytes(b"")
        case "other columns":
            pl.DataFrame({"price": [1.0]}).write_parquet(bars)
        case "a folder":
            bars.unlink()
            bars.mkdir()
        case "a damaged part":
            (folder / "daily_bars").mkdir()
            (folder / "daily_bars" / "1.parquet").write_bytes(content)
            (folder / "daily_bars" / "2.parquet").write_bytes(content[:900])
    return market


@pytest.mark.parametrize("fault", ["damaged", "empty", "other columns", "a folder", "a damaged part"])
def test_bars_that_cannot_be_read_are_not_taken_for_none(tmp_path: Path, fault: str) -> None:
    market = unreadable(tmp_path / "market", fault)
    with workspace(tmp_path / "w", market=market) as made:
        with pytest.raises(ConfigurationError, match=r"daily_bars.* (cannot be read: |has no read)") as caught:
            made.backtest(REQUEST)
        assert not isinstance(caught.value, NoPrices)
        assert caught.value.exit_code == 4


def test_without_bars_and_indices_there_is_nothing_to_test(tmp_path: Path) -> None:
    (tmp_path / "market").mkdir()
    with workspace(tmp_path / "w", market=tmp_path / "market") as made, pytest.raises(NoPrices) as caught:
        made.backtest(REQUEST)
    assert caught.value.exit_code == 4


def test_an_index_of_less_time_is_told_and_one_of_another_time_too(tmp_path: Path) -> None:
    market = write_market(tmp_path / "market")
    rows = (market / "index_000300.SH.csv").read_text().splitlines()
    (market / "index_000300.SH.csv").write_text("\n".join([rows[0], *rows[60:110]]))
    (market / "index_000001.SH.csv").write_text("date,close\n2020-01-02,3000\n2020-01-03,3001\n")
    with workspace(tmp_path / "w", market=market) as made:
        found = made.backtest(REQUEST).backtest
    told = {issue.source: issue.message for issue in found.issues}
    assert told["000300.SH"].startswith("goes from 2024-09-20 to 2024-11-28, prices from 2024-08-26 to 2025-03-07")
    assert "no two levels" in told["000001.SH"]
    assert "shorter benchmarks" in dict(found.honesty)


def test_classes_are_called_by_their_names_and_unknown_ones_by_their_digits(empty: Workspace) -> None:
    found = empty.backtest(REQUEST).backtest
    assert {one.industry for one in found.strategies[0].industries} == {"电子 Electronics", "汽车 Automobiles"}


@pytest.mark.parametrize(
    "request_",
    [
        BacktestRequest(date(2025, 1, 2), date(2025, 1, 1)),
        asked("astrology"),
        asked("file:/nowhere/signals.csv"),
        replace(REQUEST, cost_bps=-1.0),
    ],
)
def test_what_cannot_be_tested_is_refused(empty: Workspace, request_: BacktestRequest) -> None:
    with pytest.raises(UsageError):
        empty.backtest(request_)


def test_costs_a_side_take_the_place_of_those_of_the_mode() -> None:
    flat = rules_of(replace(REQUEST, mode="paper", cost_bps=15, entry="open"))
    assert flat.costs is not None
    assert (flat.costs.commission, flat.costs.slippage, flat.entry) == (0.0015, 0.0, "open")
    assert rules_of(replace(REQUEST, cost_bps=0)).costs is None


def test_after_the_last_price_there_is_nothing_to_test(empty: Workspace) -> None:
    found = empty.backtest(BacktestRequest(date(2026, 1, 1), date(2026, 2, 1))).backtest
    assert found.weeks == 0
    assert not any(one.n_signals for one in found.strategies)


def test_whatever_happens_later_changes_nothing(told: Workspace, tmp_path: Path) -> None:
    request = BacktestRequest(REQUEST.since, date(2024, 12, 27), broker_signals=5)
    other = write_market(tmp_path / "other", other_from="2024-12-27")
    with workspace(told.folder, market=other) as later:
        documents = [
            json.dumps({**each.backtest(request).document, "inputs": {}, "issues": []}) for each in (told, later)
        ]
    assert documents[0] == documents[1]


def test_a_broker_that_is_named_needs_no_number_of_ratings(told: Workspace) -> None:
    found = told.backtest(asked("broker:雁洲证券")).backtest
    assert [(one.name, one.n_signals) for one in found.strategies] == [("broker:雁洲证券", 1)]


@pytest.mark.parametrize("part", ["霜桥", "桥证", "霜桥证券"])
def test_a_broker_may_be_named_by_a_part_that_no_other_has(told: Workspace, part: str) -> None:
    assert [one.name for one in told.backtest(asked(f"broker:{part}")).backtest.strategies] == ["broker:霜桥证券"]
    with pytest.raises(UsageError, match="may be any of 2"):
        told.backtest(asked("broker:证券"))


@pytest.mark.parametrize(
    ("name", "issue"),
    [
        ("brokers", ("brokers", "ratings that say a direction: 7, the first known on 2024-09-02")),
        ("always-rise", ("always-rise", "ratings that say a direction: 7, the first known on 2024-09-02")),
        ("broker:雁洲", ("broker:雁洲证券", "ratings that say a direction: 1, the first known on 2024-10-10")),
    ],
)
def test_ratings_that_were_known_later_are_told_and_not_tested(
    told: Workspace, name: str, issue: tuple[str, str]
) -> None:
    found = told.backtest(BacktestRequest(date(2024, 8, 1), date(2024, 8, 30), (name,))).backtest
    assert found.strategies == ()
    assert (found.issues[-1].source, found.issues[-1].message) == issue


def test_of_strategies_without_prices_only_those_that_were_asked_for_are_tested(told: Workspace) -> None:
    early = BacktestRequest(date(2025, 1, 1), date(2025, 3, 7))  # after all ratings
    found = told.backtest(early).backtest
    assert [one.name for one in found.strategies] == ["equal-weight", "composite", "avoid-worst-fifth", "random-half"]
    assert [one.message for one in found.issues if one.source == "brokers, always-rise, always-fall"] == [
        "left out, for no call of this time has prices"
    ]
    assert found.variants == 4
    assert [one.name for one in told.backtest(replace(early, strategies=("brokers",))).backtest.strategies] == [
        "brokers"
    ]


def test_a_table_of_which_nothing_can_be_read_stops_a_test_or_is_left_out_of_it(
    empty: Workspace, tmp_path: Path
) -> None:
    name = f"file:{tmp_path / 'signals.csv'}"
    for content in ("", "day,who\n2024-09-02,600910\n", "date,security,label\n2024-09-02,600910,maybe\n"):
        (tmp_path / "signals.csv").write_text(content)
        with pytest.raises(UsageError, match=r"date, security, label.*semicolons"):
            empty.backtest(asked(name))
    found = empty.backtest(asked(name, "random-half")).backtest
    assert [one.name for one in found.strategies] == ["random-half"]
    assert found.variants == 1
    assert [(issue.source, issue.line) for issue in found.issues if issue.severity == "rejected"] == [(name, 2)]


@pytest.mark.parametrize("source", ["/dev/zero", "fifo", ".", "nowhere.csv", "a\0b"])
def test_what_is_no_file_is_neither_read_nor_waited_for(empty: Workspace, tmp_path: Path, source: str) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(UsageError, match="cannot be read: "):
        empty.backtest(asked(f"file:{tmp_path / source}"))


def test_a_time_may_begin_with_the_calendar(told: Workspace) -> None:
    found = told.backtest(BacktestRequest(date.min, REQUEST.until, ("brokers",))).backtest
    assert found.strategies[0].n_signals == 7


def test_what_there_are_no_data_for_is_said(empty: Workspace) -> None:
    found = empty.backtest(asked("brokers")).backtest
    assert found.strategies == ()
    assert [issue.source for issue in found.issues if "nothing to test" in issue.message] == ["brokers"]


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
