"""Backtests on real prices: the published rows of two indices, brokers, the composite on the whole universe, baselines.

usage: backtest.py --data FOLDER [--json]

FOLDER holds `market`, perhaps with daily_bars_top300_2019_2025.parquet, and perhaps `reports/broker_ratings.csv`.
Tests: the window of the FinKario paper by its rules; ratings from when the first was known to the last price; all weeks
of the prices; large stocks over years, where the composite has a prior. Times are CPU seconds of this process.
"""

import argparse
import contextlib
import csv
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from finlore.adapters.market.folder import MarketFolder
from finlore.flows import Workspace
from finlore.records.run import BacktestRequest
from finlore.serve import backtests
from finlore.settings import load_settings
from machine import facts, save

PAPER: Final = BacktestRequest(date(2024, 8, 28), date(2025, 3, 7), mode="paper")
PUBLISHED: Final[Mapping[str, tuple[float, ...]]] = {
    "000300.SH": (0.392, 0.295, 1.330, 0.091, 4.332),
    "000001.SH": (0.390, 0.265, 1.471, 0.082, 4.748),
}
MEASURES: Final = ("arr", "vol", "sr", "mdd", "cr")
WARM_UP: Final = timedelta(days=45)
LONG: Final = "daily_bars_top300_2019_2025.parquet"
EVER: Final = date(1990, 1, 1), date(2100, 1, 1)


@dataclass
class Measured:
    """Documents of backtests by name, and what each step took."""

    tests: dict[str, dict[str, Any]] = field(default_factory=dict)
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def timed(self, step: str) -> Iterator[None]:
        began = time.process_time()
        yield
        self.cpu_seconds[step] = round(time.process_time() - began, 3)

    def test(self, name: str, folder: Path, market: Path, request: BacktestRequest) -> None:
        with self.timed(name), opened(folder, market) as workspace:
            self.tests[name] = workspace.backtest(request).document


def opened(folder: Path, market: Path) -> Workspace:
    arguments = {"workspace": folder, "market": market, "embedder": "none", "recognisers": ()}
    return Workspace(settings=load_settings(arguments=arguments))


def measure(data: Path, folder: Path) -> Measured:
    """All tests whose data are there; `folder` is for what they leave behind."""
    market, ratings = data / "market", data / "reports" / "broker_ratings.csv"
    found = Measured()
    for what in ("first load of all prices, with imports", "load of all prices"):
        with found.timed(what):
            days = MarketFolder(market).panel(*EVER).days
    first, last = days[0].item(), days[-1].item()
    found.test("paper window", folder / "paper", market, PAPER)
    if ratings.is_file():
        since = first_known(ratings)
        with found.timed("ingest of ratings"), opened(folder / "ratings", market) as workspace:
            added = workspace.ingest([ratings]).count("added")
        found.notes.append(f"{added} ratings, known from {since} on")
        for mode in ("strict", "paper"):
            found.test(f"ratings, {mode}", folder / "ratings", market, BacktestRequest(since, last, mode=mode))
    found.test("all weeks", folder / "weeks", market, BacktestRequest(first + WARM_UP, last))
    if (market / LONG).is_file():
        large = of_large_stocks(market, folder / "large")
        days = MarketFolder(large).panel(*EVER).days
        found.test("large stocks", folder / "years", large, BacktestRequest(days[0].item() + WARM_UP, days[-1].item()))
    return found


def first_known(ratings: Path) -> date:
    """The day of the first rating: crawled, where the list tells, else dated."""
    with ratings.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        return min(date.fromisoformat((row.get("crawled_at") or row["report_date"])[:10]) for row in rows)


def of_large_stocks(market: Path, folder: Path) -> Path:
    """The folder with the longer prices of few securities in place of the shorter ones of all."""
    folder.mkdir()
    (folder / "daily_bars.parquet").symlink_to((market / LONG).resolve())
    for path in market.glob("*.csv"):
        (folder / path.name).symlink_to(path.resolve())
    return folder


def golden(found: Measured) -> dict[str, bool]:
    """Whether each index shows the published row to three decimals."""
    rows = {row["name"]: row for row in found.tests["paper window"]["benchmarks"]}
    return {
        code: code in rows and tuple(round(rows[code][key] or 0.0, 3) for key in MEASURES) == published
        for code, published in PUBLISHED.items()
    }


def without_series(document: dict[str, Any]) -> dict[str, Any]:
    """What may be kept: no levels of indices, nothing that fills pages."""
    dropped = {"course", "issues", "industries", "periods", "attribution"}
    return {
        key: [{k: v for k, v in row.items() if k not in dropped} for row in value]
        if key in ("strategies", "benchmarks")
        else value
        for key, value in document.items()
        if key not in dropped
    }


def show(found: Measured) -> None:
    for name, document in found.tests.items():
        print(f"\n== {name}")
        backtests.show(document)
    print(
        "\npublished rows:", ", ".join(f"{code} {'exact' if same else 'OFF'}" for code, same in golden(found).items())
    )
    print("CPU seconds:", ", ".join(f"{step} {seconds:.2f}" for step, seconds in found.cpu_seconds.items()))
    print("\n".join(found.notes))


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--data", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    if not (options.data / "market").is_dir():
        print(f"there are no prices in {options.data / 'market'}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        found = measure(options.data, Path(folder))
    result = {
        "machine": facts(),
        "golden": golden(found),
        "tests": {name: without_series(document) for name, document in found.tests.items()},
        "cpu_seconds": found.cpu_seconds,
        "notes": found.notes,
    }
    save("backtest", result)
    if options.json:
        print(json.dumps(result))
    else:
        show(found)
    return 0 if all(golden(found).values()) else 1


if __name__ == "__main__":
    sys.exit(main())
