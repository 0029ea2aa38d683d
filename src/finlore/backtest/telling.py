"""A backtest as plain data: the JSON document that is printed, kept and compared. NaN is null."""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from finlore.backtest.measures import Relative
from finlore.backtest.results import (
    Backtest,
    BenchmarkResult,
    Contribution,
    Course,
    Figure,
    Performance,
    StrategyResult,
)
from finlore.backtest.significance import Interval, Overfitting
from finlore.records.backtest import Costs, Rules
from finlore.records.document import Issue

Json = dict[str, Any]
_DIGITS = 6


def told(found: Backtest) -> Json:
    """All of it; the same backtest gives the same document."""
    return {
        "since": str(found.since),
        "until": str(found.until),
        "weeks": found.weeks,
        "weekly_returns": max(found.weeks - 1, 0),
        "meaningful": found.is_meaningful,
        "rules": _rules(found.rules),
        "strategies": [_strategy(result) for result in found.strategies],
        "benchmarks": [_benchmark(result) for result in found.benchmarks],
        "figures": _figures(found.figures),
        "honesty": [{"what": what, "words": words} for what, words in found.honesty],
        "overfitting": _overfitting(found.overfitting),
        "variants": found.variants,
        "inputs": dict(found.inputs),
        "issues": _issues(found.issues),
    }


def _strategy(result: StrategyResult) -> Json:
    hits = result.hits
    return {
        "name": result.name,
        "description": result.description,
        "n_signals": result.n_signals,
        "n_rises": result.n_rises,
        **_performance(result.net),
        "gross": _performance(result.gross),
        "acc": number(hits.accuracy),
        "acc_traded": number(result.traded.accuracy),
        "n_traded": result.traded.calls,
        "base_rate": number(hits.base_rate),
        "excess_acc": number(hits.excess),
        "n_outcomes": hits.n,
        "coverage": number(hits.coverage),
        "effective_n": number(result.effective),
        "brier": number(result.brier),
        "auc": number(result.auc),
        "ci": {
            "acc": _interval(result.accuracy),
            "sharpe": _interval(result.sharpe_interval),
            "auc": _interval(result.auc_interval),
        },
        "psr": number(result.psr),
        "dsr": number(result.dsr),
        "percentile": number(result.percentile),
        "beside": {code: _relative(found) for code, found in result.beside.items()},
        "over_exposure": {code: number(value) for code, value in result.over_exposure.items()},
        "turnover": number(result.turnover),
        "breadth": number(result.breadth),
        "exposure": number(result.exposure),
        "idle_weeks": result.idle,
        "blocked": result.blocked,
        "counts": dict(result.counts),
        "parts": [{"label": part.label, "mean": number(part.mean), "n": part.n} for part in result.parts],
        "periods": [
            {"label": p.label, "made": number(p.made), "benchmark": number(p.benchmark)} for p in result.periods
        ],
        "industries": [
            {
                "industry": found.industry,
                "of_universe": number(found.of_universe),
                "of_signals": number(found.of_signals),
                "of_holdings": number(found.of_holdings),
            }
            for found in result.industries
        ],
        "capacity": [number(capital) for capital in result.capacity],
        "attribution": [_contribution(one) for one in result.attribution],
        "figures": _figures(result.figures),
        "course": _course(result.course),
        "issues": _issues(result.issues),
    }


def _contribution(one: Contribution) -> Json:
    return {
        "industry": one.industry,
        "of_signals": number(one.of_calls),
        "of_universe": number(one.of_universe),
        "allocation": number(one.allocation),
        "selection": number(one.selection),
        "interaction": number(one.interaction),
        "total": number(one.total),
    }


def _overfitting(found: Overfitting) -> Json:
    return {
        "pbo": number(found.probability),
        "splits": found.n_splits,
        "weekly_returns": found.n_steps,
        "strategies": found.n_strategies,
    }


def _benchmark(result: BenchmarkResult) -> Json:
    return {
        "name": result.code,
        "title": result.name,
        **_performance(result.performance),
        "course": _course(result.course),
    }


def _performance(found: Performance) -> Json:
    return {
        "arr": number(found.arr),
        "vol": number(found.vol),
        "sr": number(found.sr),
        "sharpe": number(found.sharpe),
        "mdd": number(found.mdd),
        "cr": number(found.cr),
        "total": number(found.total),
    }


def _relative(found: Relative) -> Json:
    return {
        "alpha": number(found.alpha),
        "beta": number(found.beta),
        "tracking_error": number(found.tracking_error),
        "information": number(found.information),
        "up": number(found.up),
        "down": number(found.down),
    }


def _course(course: Course) -> Json:
    return {
        "days": course.days.astype(str).tolist(),
        "values": [number(value) for value in course.values.tolist()],
        "exposure": [number(share) for share in course.exposure.tolist()],
        "breadth": [number(names) for names in course.breadth.tolist()],
    }


def _figures(figures: Iterable[Figure]) -> list[Json]:
    return [
        {"label": f.label, "value": number(f.value), "ci": [number(f.low), number(f.high)], "n": f.n, "note": f.note}
        for f in figures
    ]


def _rules(rules: Rules) -> Json:
    return {
        "mode": rules.name,
        "entry": rules.entry,
        "exit_after_entry": rules.exit_after_entry,
        "rolls_by_clock": rules.rolls_by_clock,
        "respects_limits": rules.respects_limits,
        "sleeves": rules.sleeves,
        "cap": rules.cap,
        "haircut": rules.haircut,
        "costs": None if rules.costs is None else _costs(rules.costs),
    }


def _costs(costs: Costs) -> Mapping[str, object]:
    return {
        "commission": costs.commission,
        "minimum": costs.minimum,
        "stamp_duty": [[str(day), duty] for day, duty in costs.stamp_duty],
        "transfer_fee": costs.transfer_fee,
        "slippage": costs.slippage,
        "capital": costs.capital,
    }


def _issues(issues: Iterable[Issue]) -> list[Json]:
    return [{"source": i.source, "message": i.message, "severity": i.severity, "line": i.line} for i in issues]


def _interval(found: Interval) -> list[float | None]:
    return [number(found.low), number(found.high)]


def number(value: float) -> float | None:
    """Six digits after the point, null for what is not known; never -0."""
    return round(float(value), _DIGITS) + 0.0 if isfinite(value) else None
