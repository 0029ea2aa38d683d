"""Which strategies are shown first, and the one style that each keeps in all tables and drawings of a page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

import numpy as np

from finlore.backtest.results import Backtest, BenchmarkResult, StrategyResult
from finlore.records.panel import Prices
from finlore.serve.tearsheet.charts import Series

_BEST: Final = 5
_ALWAYS_RISE: Final = "alwaysrise"
_BENCHMARKS: Final = 3  # drawn ones


@dataclass(frozen=True, slots=True)
class Ranked:
    """Strategies by their total net of costs, what is not known last; `styles` of those that are drawn, by place."""

    strategies: tuple[StrategyResult, ...]
    styles: Mapping[int, str]

    @property
    def drawn(self) -> list[tuple[StrategyResult, str]]:
        return [(self.strategies[place], style) for place, style in self.styles.items()]


def ranked(strategies: Sequence[StrategyResult]) -> Ranked:
    """The best few and always-Rise are drawn."""
    named = [replace(one, name=one.name if one.name.strip() else "(no name)") for one in strategies]
    ordered = tuple(named[place] for place in by_total((one.name, one.net.total) for one in named))
    return Ranked(ordered, shown_first([one.name for one in ordered]))


def by_total(strategies: Iterable[tuple[str, float | None]]) -> list[int]:
    """Places of (name, total), the best first."""
    rows = [
        (False, -total, name) if total is not None and isfinite(total) else (True, 0.0, name)
        for name, total in strategies
    ]
    return sorted(range(len(rows)), key=rows.__getitem__)


def shown_first(names: Sequence[str], *, best: int = _BEST) -> dict[int, str]:
    """Styles of the best few of what is ordered, and of always-Rise, by place."""
    styles = {place: f"s{place}" for place in range(min(best, len(names)))}
    for place, name in enumerate(names):
        if place not in styles and "".join(filter(str.isalpha, name.casefold())) == _ALWAYS_RISE:
            styles[place] = "rise"
    return styles


def drawn_benchmarks(backtest: Backtest) -> list[tuple[BenchmarkResult, str]]:
    return [(benchmark, f"b{place}") for place, benchmark in enumerate(backtest.benchmarks[:_BENCHMARKS])]


def curves(backtest: Backtest, order: Ranked) -> list[Series]:
    """Values of all that are drawn and have any."""
    drawn = [(one.name, style, one.curve) for one, style in order.drawn]
    drawn += [(one.name, style, one.curve) for one, style in drawn_benchmarks(backtest)]
    return [Series(name, style, curve.days, curve.values) for name, style, curve in drawn if is_curve(curve.values)]


def is_curve(values: Prices) -> bool:
    """One value is none."""
    return int(np.isfinite(values).sum()) > 1
