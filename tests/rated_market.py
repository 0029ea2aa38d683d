"""Workspaces beside a market of twelve securities: without documents, and with a few ratings of them."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from finlore.flows import Workspace
from finlore.records.run import BacktestRequest
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
