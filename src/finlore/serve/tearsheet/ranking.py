"""Which strategies the page shows first, and the one style that each keeps in all its tables and drawings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Final

import numpy as np

from finlore.backtest.results import Backtest, BenchmarkResult, StrategyResult
from finlore.records.panel import Prices
from finlore.serve.tearsheet.charts import Series

_BEST: Final = 5
_ALWAYS_RISE: Final = "alwaysrise"
_SHORT: Final = 12  # tables of at most so many strategies are shown whole
_BENCHMARKS: Final = 3  # drawn ones


@dataclass(frozen=True, slots=True)
class Ranked:
    """Strategies by their total net of costs, what is not known last; `styles` of those that are drawn, by place."""

    strategies: tuple[StrategyResult, ...]
    styles: Mapping[int, str]

    @property
    def drawn(self) -> list[tuple[StrategyResult, str]]:
        return [(self.strategies[place], style) for place, style in self.styles.items()]

    def is_shown(self, place: int) -> bool:
        """The others stand below a line that opens."""
        return len(self.strategies) <= _SHORT or place in self.styles


def ranked(strategies: Sequence[StrategyResult]) -> Ranked:
    """The best few and always-Rise are drawn."""
    named = (replace(one, name=one.name if one.name.strip() else "(no name)") for one in strategies)
    ordered = tuple(sorted(named, key=_rank))
    styles = {place: f"s{place}" for place in range(min(_BEST, len(ordered)))}
    for place, strategy in enumerate(ordered):
        if place not in styles and "".join(filter(str.isalpha, strategy.name.casefold())) == _ALWAYS_RISE:
            styles[place] = "rise"
    return Ranked(ordered, styles)


def drawn_benchmarks(backtest: Backtest) -> list[tuple[BenchmarkResult, str]]:
    return [(benchmark, f"b{place}") for place, benchmark in enumerate(backtest.benchmarks[:_BENCHMARKS])]


def curves(backtest: Backtest, order: Ranked) -> list[Series]:
    """Values of all that are drawn and have any."""
    drawn = [(one.name, style, one.course) for one, style in order.drawn]
    drawn += [(one.name, style, one.course) for one, style in drawn_benchmarks(backtest)]
    return [Series(name, style, course.days, course.values) for name, style, course in drawn if is_curve(course.values)]


def is_curve(values: Prices) -> bool:
    """One value is none."""
    return int(np.isfinite(values).sum()) > 1


def _rank(strategy: StrategyResult) -> tuple[bool, float, str]:
    total = strategy.net.total
    return (isnan(total), 0.0 if isnan(total) else -total, strategy.name)
