"""All strategies of a backtest side by side: traded by the same rules on the same sessions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Final

import numpy as np

from finlore.backtest import evaluation, significance
from finlore.backtest.assess import Setup, assess, levels_at, performance
from finlore.backtest.calls import Candidate, Window, candidate_of
from finlore.backtest.chance import random_totals
from finlore.backtest.composite import Composite, Prior, Scores
from finlore.backtest.industries import Industries, classes_of
from finlore.backtest.measures import NAN, returns_of
from finlore.backtest.quotes import Quotes, Rows
from finlore.backtest.results import BenchmarkResult, EquityCurve, Figure, StrategyResult
from finlore.backtest.simulate import simulate
from finlore.backtest.strategies import OF_PRICES, UNIVERSE, of_prices
from finlore.backtest.trades import Trades, trades_of
from finlore.backtest.weeks import last_of_week, weekly
from finlore.records.backtest import PAPER, STRICT, Calls, Rules, Signal, Simulation, Strategy
from finlore.records.panel import IndexSeries, PricePanel, Prices

EVERYTHING: Final = "universe"
_ALL: Final = 0.9


class Comparison:
    """Strategies traded on the sessions of a window. `history` begins before it, for what needs a past, by
    `composite.BEFORE`; of all that was before `prior` tells. `titles`: how classes of industries are called."""

    def __init__(
        self,
        history: PricePanel,
        window: Window,
        rules: Rules,
        *,
        benchmarks: Mapping[str, IndexSeries],
        industries: Industries,
        prior: Prior | None = None,
        titles: Mapping[str, str] = MappingProxyType({}),
        week_goes_on: bool = False,
    ) -> None:
        first = int(np.searchsorted(history.days, np.datetime64(window.since, "D")))
        panel = history.sessions(slice(first, None))
        levels = Quotes(history, rules).values
        everything = [universe(panel, levels[first:])] if len(panel.days) > 1 else []
        self._window, self._rules, self._goes_on = window, rules, week_goes_on
        self._composite = Composite(history, industries, prior or Prior())
        self.setup = Setup(
            panel=panel,
            rules=rules,
            history=history,
            levels=levels,
            first=first,
            benchmarks={**benchmarks, **{series.code: series for series in everything}},
            industries=classes_of(industries, panel.codes, panel.days, titles),
            quotes=Quotes(panel, rules),
        )
        self._simulations: dict[str, Simulation] = {}
        self.trades: dict[str, Trades] = {}
        """Of the strategies that were traded, by name."""

    @property
    def panel(self) -> PricePanel:
        return self.setup.panel

    @property
    def benchmarks(self) -> tuple[BenchmarkResult, ...]:
        """The indices, and the universe."""
        return tuple(benchmark(series) for series in self.setup.benchmarks.values())

    def trade(self, candidate: Candidate) -> StrategyResult:
        """What a strategy makes, and what the same calls make by the rules of the other mode."""
        done = self._simulations[candidate.name] = self.traded(candidate.calls, self._rules)
        quotes, zone = self.setup.quotes, self._window.zone
        self.trades[candidate.name] = trades_of(candidate, done, quotes, self.panel, self._rules, zone=zone)
        other = replace(STRICT if self._rules.name == PAPER.name else PAPER, entry=self._rules.entry)
        values = weekly(self.panel.days, self.traded(candidate.calls, other).net)[1]
        beside = Figure(f"total by the rules of {other.name}", performance(values).total, NAN, NAN, len(values))
        return replace(assess(candidate, done, self.setup), figures=(beside,))

    def traded(self, calls: Calls, rules: Rules) -> Simulation:
        """On the sessions of the window. The one before it is there to tell that what was said since is heard at the
        first."""
        done = simulate(self._traded_on, calls, rules, week_goes_on=self._goes_on)
        return _without(len(self._traded_on.days) - len(self.panel.days), done)

    @cached_property
    def _traded_on(self) -> PricePanel:
        return self.setup.history.sessions(slice(max(self.setup.first - 1, 0), None))

    def signals(self, strategy: Strategy, description: str) -> Candidate:
        """A strategy of signals on this panel."""
        return candidate_of(strategy, self._traded_on, self._window, self._rules, description=description)

    @cached_property
    def _rows(self) -> Rows:
        return last_of_week(self.panel.days)

    @cached_property
    def scores(self) -> tuple[Scores, ...]:
        """By the composite, at the last close of each week."""
        return tuple(self._composite.at(self.setup.first + row) for row in self._rows.tolist())

    def of_prices(self, names: Iterable[str] = OF_PRICES) -> Iterator[Candidate]:
        """Strategies that need nothing but prices."""
        wanted = frozenset(names)
        if wanted:
            yield from (one for one in of_prices(self.panel, self._rows, self.scores) if one.name in wanted)

    @cached_property
    def outcomes(self) -> evaluation.Outcomes:
        """Of every security that traded at the end of each week."""
        everything = next(self.of_prices((UNIVERSE,)))
        done = self._simulations.get(UNIVERSE) or self.traded(everything.calls, self._rules)
        shape = len(self._rows), len(self.panel.codes)
        returns, bought = np.full(shape, np.nan), np.zeros(shape, bool)
        at = np.searchsorted(self.panel.days[self._rows], everything.calls.days), everything.calls.assets
        returns[at], bought[at] = done.returns, np.isin(done.states, ("closed", "held", "prolonged"))
        return evaluation.Outcomes(returns, bought, self._made_by_index(at[0], done))

    def _made_by_index(self, weeks: Rows, done: Simulation) -> Prices:
        """(weeks,) what the first benchmark made from the entry to the exit of the calls of each week."""
        made = np.full(len(self._rows), np.nan)
        first = next(iter(self.setup.benchmarks.values()), None)
        if first is not None and first.code != EVERYTHING:
            closes = levels_at(first, self.panel.days)
            known = (done.entered >= 0) & (done.left >= 0)
            made[weeks[known]] = closes[done.left[known]] / closes[done.entered[known]] - 1.0
        return made

    def evaluated(self, signals: Sequence[Signal]) -> tuple[Figure, ...]:
        """The three numbers of the composite; `signals`: what reports spoke of."""
        said = self.signals(Strategy("reports", tuple(signals)), "").calls
        done = self.traded(said, self._rules)
        rises = np.full(len(said.assets), np.nan)
        for row in np.unique(done.entered[done.entered >= 0]).tolist():
            here = (done.entered == row) & (said.assets >= 0)
            if self.setup.first + row >= 1:  # the last close before it could be bought
                rises[here] = self._composite.at(self.setup.first + row - 1).p_rise[said.assets[here]]
        return tuple(evaluation.evaluated(self.scores, self.outcomes, (rises, done.returns)))

    def of_market(self) -> tuple[Figure, ...]:
        """What the universe did on the same dates."""
        return tuple(evaluation.of_market(self.outcomes)) if len(self._rows) else ()

    def ranked(self, results: Sequence[StrategyResult], trials: Prices) -> tuple[StrategyResult, ...]:
        """Results with what depends on others: `trials` are the weekly Sharpe ratios of all that was tried, NaN where
        there is none."""
        known = trials[np.isfinite(trials)]
        spread = float(known.std(ddof=1)) if len(known) > 1 else 0.0
        return tuple(self._ranked(result, n_trials=len(trials), spread=spread) for result in results)

    def _ranked(self, result: StrategyResult, *, n_trials: int, spread: float) -> StrategyResult:
        returns, is_long = returns_of(result.curve.values), np.isfinite(result.psr)
        deflated = significance.deflated_sharpe(returns, n_trials=n_trials, spread=spread) if is_long else NAN
        if is_long:
            weeks = significance.shortest_track(returns)
            track = Figure("weeks until a Sharpe ratio above 0 is sure at 95 %", weeks, NAN, NAN, len(returns))
            result = replace(result, figures=(*result.figures, track))
        was_nothing_chosen = not result.n_rises or result.breadth > _ALL * len(self.panel.codes)
        if was_nothing_chosen or self._rules.entry == "open":  # of days that begin at the open no exposure is known
            return replace(result, dsr=deflated)
        levels, everyone = self.setup.levels[self.setup.first :], np.arange(len(self.panel.codes))
        drawn = random_totals(
            levels, self._simulations[result.name], can_buy=lambda row: self.setup.quotes.can_buy(row, everyone)
        )
        low, middle, high = np.quantile(drawn, [0.025, 0.5, 0.975]).tolist()
        band = Figure("total before costs of portfolios drawn by chance", middle, low, high, len(drawn))
        place = significance.percentile_in(result.gross.total, drawn)
        return replace(result, dsr=deflated, percentile=place, figures=(*result.figures, band))


def _without(n: int, done: Simulation) -> Simulation:
    """A simulation without its first sessions, on which nothing was traded."""
    return replace(
        done,
        days=done.days[n:],
        gross=done.gross[n:],
        net=done.net[n:],
        exposure=done.exposure[n:],
        breadth=done.breadth[n:],
        turnover=done.turnover[n:],
        entered=np.maximum(done.entered - n, -1),
        left=np.maximum(done.left - n, -1),
        sold=np.maximum(done.sold - n, -1),
    )


def universe(panel: PricePanel, levels: Prices) -> IndexSeries:
    """Every security that traded then, by its total return: equal weights at the last close of each week, and before at
    the first close; held until the next. Without costs. `levels` (n, m) go on where nothing is traded."""
    closes = np.ones(len(panel.days))
    ends = last_of_week(panel.days)
    for begin, end in pairwise(np.unique(np.append(0, ends)).tolist()):
        held = panel.traded[begin] & np.isfinite(levels[begin])
        made = levels[begin : end + 1, held] / levels[begin, held]
        closes[begin : end + 1] = closes[begin] * (made.mean(axis=1) if held.any() else 1.0)
    return IndexSeries(EVERYTHING, "all, equal weights", panel.days, closes, total_return=True)


def benchmark(series: IndexSeries) -> BenchmarkResult:
    """An index, fully invested."""
    days, values = weekly(series.days, series.closes)
    return BenchmarkResult(series.code, series.name, performance(values), EquityCurve(days, values, np.ones(len(days))))


def weekly_ratio(result: StrategyResult) -> float:
    """The Sharpe ratio a week, for the ledger of trials."""
    returns = returns_of(result.curve.values)
    return float(significance.mean_to_spread(returns[None])[0]) if len(returns) >= significance.FEWEST_WEEKS else NAN
