"""A backtest as plain data: the JSON document that is printed, kept and compared. NaN is null."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from math import isfinite
from typing import Any, Final

import numpy as np

from finlore.backtest.results import Backtest, BenchmarkResult, Contribution, Figure, StrategyResult
from finlore.backtest.significance import Overfitting
from finlore.records.backtest import Rules

Json = dict[str, Any]
_DIGITS: Final = 6
_KEYS: Final[Mapping[type, Sequence[str]]] = {
    Figure: ("label", "value", "ci", "n", "note"), Contribution: (*Contribution._fields, "total"),
}  # fmt: skip
"""Of records that tell more than their fields, or less."""


def as_document(found: Backtest) -> Json:
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
        "figures": _plain(found.figures),
        "honesty": [{"what": what, "words": words} for what, words in found.honesty],
        "overfitting": _overfitting(found.overfitting),
        "variants": found.variants,
        "inputs": dict(found.inputs),
        "issues": _plain(found.issues),
    }


def number(value: float) -> float | None:
    """Six digits after the point, null for what is not known; never -0."""
    return round(float(value), _DIGITS) + 0.0 if isfinite(value) else None


def _strategy(result: StrategyResult) -> Json:
    hits = result.hits
    intervals = {"acc": result.accuracy, "sharpe": result.sharpe_interval, "auc": result.auc_interval}
    return {
        **_fields(result, "name", "description", "n_signals", "n_rises"),
        **_plain(result.net),
        "gross": _plain(result.gross),
        "acc": number(hits.accuracy),
        "acc_traded": number(result.traded.accuracy),
        "n_traded": result.traded.calls,
        "base_rate": number(hits.base_rate),
        "excess_acc": number(hits.excess),
        "constant_acc": number(hits.constant),
        "n_outcomes": hits.n,
        "coverage": number(hits.coverage),
        **_fields(result, "effective_n", "brier", "auc"),
        "ci": {name: [number(found.low), number(found.high)] for name, found in intervals.items()},
        **_fields(
            result,
            "psr",
            "dsr",
            "percentile",
            "beside",
            "over_exposure",
            "turnover",
            "breadth",
            "exposure",
            "usual_exposure",
        ),
        **_fields(result, "idle_weeks", "blocked", "counts", "parts", "periods", "industries", "capacity"),
        **_fields(result, "attribution", "figures"),
        "course": _plain(result.curve),
        "issues": _plain(result.issues),
    }


def _benchmark(result: BenchmarkResult) -> Json:
    named = {"name": result.code, "title": result.name}
    return {**named, **_plain(result.performance), "exposure": 1.0, "course": _plain(result.curve)}


def _overfitting(found: Overfitting) -> Json:
    return {
        "pbo": number(found.probability),
        "splits": found.n_splits,
        "weekly_returns": found.n_steps,
        "strategies": found.n_strategies,
    }


def _rules(rules: Rules) -> Json:
    """Rates with all their digits."""
    stated = asdict(rules)
    if rules.costs:
        stated["costs"]["stamp_duty"] = [[str(day), duty] for day, duty in rules.costs.stamp_duty]
    return {"mode": stated.pop("name"), **stated}


def _fields(record: object, *names: str) -> Json:
    return {name: _plain(getattr(record, name)) for name in names}


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Records by the names of their fields, arrays and tuples as lists, floats as `number`."""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return {key: _plain(own) for key, own in value.items()}
    if isinstance(value, np.ndarray):
        return _plain((value.astype(str) if value.dtype.kind == "M" else value).tolist())
    if names := _names(value):
        return _fields(value, *names)
    return [_plain(own) for own in value] if isinstance(value, tuple | list) else value


def _names(value: object) -> Sequence[str]:
    """Of the fields of a record; none of anything else."""
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    named: Sequence[str] = getattr(value, "_fields", ())
    return _KEYS.get(type(value), named)
