"""Backtests of a workspace: from a folder of prices and ingested ratings to what is told of strategies."""

import json
import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from finlore.errors import ConfigurationError, NoPrices, UsageError
from finlore.flows import Workspace
from finlore.flows.experiment import rules_of
from finlore.flows.ratings import rated
from finlore.records.instant import end_of_day, parse_instant
from finlore.records.run import BacktestRequest
from tests.rated_market import CODES, REQUEST, asked, empty, prices, report, reported, told, write_market
from tests.small_world import jsonl, workspace

__all__ = ["empty", "prices", "reported", "told"]


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
        documents = [json.dumps({**each.backtest(request).document, "inputs": {}}) for each in (told, later)]
    assert documents[0] == documents[1]


def test_a_broker_that_is_named_needs_no_number_of_ratings(told: Workspace) -> None:
    found = told.backtest(asked("broker:雁洲证券")).backtest
    assert [(one.name, one.n_signals) for one in found.strategies] == [("broker:雁洲证券", 1)]


@pytest.mark.parametrize("part", ["霜桥", "桥证", "霜桥证券"])
def test_a_broker_may_be_named_by_a_part_that_no_other_has(told: Workspace, part: str) -> None:
    assert [one.name for one in told.backtest(asked(f"broker:{part}")).backtest.strategies] == ["broker:霜桥证券"]
    with pytest.raises(UsageError, match="may be any of 2"):
        told.backtest(asked("broker:证券"))


@pytest.mark.parametrize("name", ["brokers", "always-rise", "broker:雁洲", "broker:nobody"])
def test_of_ratings_that_were_known_later_nothing_is_told(
    told: Workspace, tmp_path: Path, prices: Path, name: str
) -> None:
    request = BacktestRequest(date(2024, 8, 1), date(2024, 8, 30), (name,))
    later = told.backtest(request).backtest
    with workspace(tmp_path / "without ratings", market=prices) as empty:
        never = empty.backtest(request).backtest
    assert later.strategies == ()
    assert later.issues == never.issues
    assert later.issues[-1].source == name
    assert "no rating that says a direction was known by 2024-08-30" in later.issues[-1].message


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
    assert [issue.source for issue in found.issues if "no rating" in issue.message] == ["brokers"]
