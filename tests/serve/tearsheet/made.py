"""Backtests made by hand, as small or as large as a test wants them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from math import nan

import numpy as np

from finlore.backtest.measures import Hits, Relative
from finlore.backtest.results import (
    Backtest,
    BenchmarkResult,
    EquityCurve,
    EventReturn,
    IndustryShares,
    Performance,
    Period,
    StrategyResult,
)
from finlore.backtest.significance import Interval
from finlore.records.backtest import STRICT
from finlore.records.document import Issue

INDUSTRIES = ("Banks", "电力设备", "Food and beverage", "Software")
NOTHING = Performance(nan, nan, nan, nan, nan, nan, nan)
NO_INTERVAL = Interval(nan, nan)


def curve(weeks: int, *, seed: int = 0, drift: float = 0.004) -> EquityCurve:
    random = np.random.default_rng(seed)
    days = np.datetime64("2024-08-30") + 7 * np.arange(weeks)
    values = np.cumprod(np.append(1.0, 1.0 + random.normal(drift, 0.03, max(0, weeks - 1))))[:weeks]
    return EquityCurve(days, values, random.uniform(0.3, 1.0, weeks), random.integers(0, 30, weeks).astype(float))


def performance(of: EquityCurve) -> Performance:
    total = float(of.values[-1] / of.values[0] - 1) if len(of.values) else nan
    return Performance(0.392, 0.295, 1.33, 1.26, 0.091, 4.332, total)


def strategy(name: str = "momentum", *, weeks: int = 28, seed: int = 1, drift: float = 0.004) -> StrategyResult:
    of = curve(weeks, seed=seed, drift=drift)
    return StrategyResult(
        name=name, description="Buys what brokers call a buy.", n_signals=1240, n_rises=1100,
        net=performance(of), gross=replace(performance(of), arr=0.431),
        hits=Hits(1240, 1198, 0.545, 0.523, 0.022), accuracy=Interval(0.497, 0.591), effective_n=84.0,
        brier=0.249, auc=0.521, auc_interval=Interval(0.49, 0.553), sharpe_interval=Interval(-0.61, 3.02),
        psr=0.91, dsr=0.63, percentile=0.874, beside={"000300.SH": Relative(0.08, 0.91, 0.11, 0.7, 1.02, 0.87)},
        over_exposure={"000300.SH": 0.034}, turnover=0.43, breadth=17.3, exposure=0.82, usual_exposure=0.97,
        idle_weeks=2,
        counts={"closed": 900, "at_limit": 31, "suspended": 4, "no_bar": 1, "exit at the limit": 7}, curve=of,
        parts=(EventReturn("t-6 … t-1", 0.021, 1190), EventReturn("t-1 … t", 0.008, 1195),
               EventReturn("entry … exit", -0.003, 1198)),
        periods=(Period("2024-09", 0.062, 0.081), Period("2024-10", -0.031, -0.042), Period("2024-11", 0.01, 0.01)),
        industries=tuple(IndustryShares(one, 0.25, 0.1 * n, 0.4 - 0.1 * n) for n, one in enumerate(INDUSTRIES)),
        issues=(Issue("signals.csv", "unknown security 999999.SZ", line=17),),
        traded=Hits(900, 890, 0.552, 0.552, 0.0), capacity=(1.04e11, 6.8e6),
    )  # fmt: skip


def unknown(name: str = "unknown", *, weeks: int = 28) -> StrategyResult:
    """A strategy of which nothing is known."""
    of = EquityCurve(curve(weeks).days, np.full(weeks, nan), np.full(weeks, nan), np.full(weeks, nan))
    return replace(
        strategy(name, weeks=weeks), net=NOTHING, gross=NOTHING, hits=Hits(0, 0, nan, nan, nan), accuracy=NO_INTERVAL,
        effective_n=nan, brier=nan, auc=nan, auc_interval=NO_INTERVAL, sharpe_interval=NO_INTERVAL, psr=nan, dsr=nan,
        percentile=nan, beside={"000300.SH": Relative(nan, nan, nan, nan, nan, nan)}, over_exposure={}, turnover=nan,
        breadth=nan, exposure=nan, usual_exposure=nan, counts={}, curve=of, parts=(EventReturn("t-1 … t", nan, 0),),
        periods=(Period("2024-09", nan, nan),), industries=(IndustryShares("Banks", nan, nan, nan),), issues=(),
        traded=Hits(0, 0, nan, nan, nan), capacity=(nan, nan),
    )  # fmt: skip


def benchmark(code: str = "000300.SH", name: str = "CSI 300", *, weeks: int = 28, seed: int = 7) -> BenchmarkResult:
    of = curve(weeks, seed=seed, drift=0.002)
    return BenchmarkResult(code, name, performance(of), of)


def backtest(
    *strategies: StrategyResult,
    weeks: int = 28,
    benchmarks: Sequence[BenchmarkResult] | None = None,
    inputs: Mapping[str, str] | None = None,
) -> Backtest:
    return Backtest(
        since=date(2024, 8, 28), until=date(2025, 3, 7), weeks=weeks, rules=STRICT, strategies=strategies,
        benchmarks=tuple([benchmark(weeks=weeks)] if benchmarks is None else benchmarks),
        honesty=(("Survivorship", "All securities of today; what was delisted before is missing."),
                 ("Adjustment", "Forward-adjusted prices: they change with later dividends.")),
        inputs={"market prices": "a3" * 32} if inputs is None else inputs, variants=12,
        issues=(Issue("prices.csv", "3 bars have a high below the low"),),
    )  # fmt: skip
