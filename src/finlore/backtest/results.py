"""What a backtest found, as it is printed, drawn and kept: the agreed form between who reckons and who shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

import numpy as np

from finlore.backtest.measures import NAN, Hits, Relative, returns_of
from finlore.backtest.significance import FEWEST_WEEKS, Interval, Overfitting, overfitting
from finlore.records.backtest import Rules
from finlore.records.document import Issue
from finlore.records.panel import Days, Prices

_NONE: Final = Hits(0, 0, NAN, NAN, NAN)


@dataclass(frozen=True, slots=True)
class Performance:
    """Measures of the weekly values of one unit of capital (`backtest.measures` has the formulas). NaN in all that is
    annualised below 26 weeks or 10 calls that were bought: not meaningful."""

    arr: float
    vol: float
    sr: float
    sharpe: float
    mdd: float
    cr: float
    total: float


@dataclass(frozen=True, slots=True, eq=False)
class EquityCurve:
    """Values (weeks,) at the last session of each week, of a strategy net of costs, the share that was invested on
    average over the week, and the most names held in it; empty where nobody tells."""

    days: Days
    values: Prices
    exposure: Prices
    breadth: Prices = field(default_factory=lambda: np.zeros(0))


class EventReturn(NamedTuple):
    """Mean return around the calls, before costs, and how many there are: session offsets of `begin` and `end` count
    from the session t in which a call is heard; the last part is from entry to exit."""

    label: str
    mean: float
    n: int


class Period(NamedTuple):
    """A calendar month or quarter: what the strategy made in it, and the first benchmark."""

    label: str
    made: float
    benchmark: float


class Figure(NamedTuple):
    """A number to hold results against, its interval of 95 %, and what it is of."""

    label: str
    value: float
    low: float
    high: float
    n: int
    note: str = ""

    @property
    def ci(self) -> tuple[float, float]:
        return self.low, self.high


class Contribution(NamedTuple):
    """What an industry adds to the return of the calls over the universe, in basis points a week, and the shares that
    calls and universe have in it (`backtest.attribution` has the formulas)."""

    industry: str
    of_signals: float
    of_universe: float
    allocation: float
    selection: float
    interaction: float

    @property
    def total(self) -> float:
        return self.allocation + self.selection + self.interaction


class IndustryShares(NamedTuple):
    """A class of industries: its share of all securities, of the calls to buy, and of what was held (mean weight)."""

    industry: str
    of_universe: float
    of_signals: float
    of_holdings: float


@dataclass(frozen=True, slots=True, eq=False)
class StrategyResult:
    """One strategy under the rules of the backtest.

    `net` and `gross` of costs. `hits` of all calls, falls and what could not be bought too, but those that contradict
    one another; `traded` of those that were bought; `accuracy` its interval, by weeks;
    `effective` how many independent calls they are worth. `brier`, `auc` (within weeks) of the confidences, NaN without
    any. `sharpe_interval` by stationary bootstrap, per year. `psr`, `dsr` probabilities; `percentile` among random
    portfolios of the same breadth in the same weeks. `beside`: index code -> alpha, beta, …; `over_exposure`: index
    code -> what it made over that index held with the same share of capital. `turnover` a week, one side; `breadth`
    median of names over sessions that hold any; `exposure` mean of sessions, `usual_exposure` what nine of ten
    do not exceed; `idle` weeks without a position. `counts`: states, hindrances.
    `capacity`: capital, in currency, up to which no purchase is more than 10 % of what was traded in its security that
    day: the median over purchases, and the tightest 5 %.
    """

    name: str
    description: str
    n_signals: int
    n_rises: int
    net: Performance
    gross: Performance
    hits: Hits
    accuracy: Interval
    effective_n: float
    brier: float
    auc: float
    auc_interval: Interval
    sharpe_interval: Interval
    psr: float
    dsr: float
    percentile: float
    beside: Mapping[str, Relative]
    over_exposure: Mapping[str, float]
    turnover: float
    breadth: float
    exposure: float
    usual_exposure: float
    idle_weeks: int
    counts: Mapping[str, int]
    curve: EquityCurve
    parts: tuple[EventReturn, ...] = ()
    periods: tuple[Period, ...] = ()
    industries: tuple[IndustryShares, ...] = ()
    issues: tuple[Issue, ...] = ()
    figures: tuple[Figure, ...] = ()
    traded: Hits = _NONE
    capacity: tuple[float, float] = (NAN, NAN)
    attribution: tuple[Contribution, ...] = ()

    @property
    def blocked(self) -> int:
        """Calls to buy after which nothing could be bought."""
        return sum(self.counts.get(state, 0) for state in ("at_limit", "suspended", "no_bar"))


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkResult:
    """An index, or the universe, fully invested, without costs."""

    code: str
    name: str
    performance: Performance
    curve: EquityCurve


@dataclass(frozen=True, slots=True, eq=False)
class Backtest:
    """All strategies and benchmarks from `since` to `until`; `weeks` that have a session, of which the first gives the
    value to begin with. `figures`: what the market itself did. `honesty`: (what, what is to be said of it), in words;
    `inputs`: name -> hash of what it was made from; `variants`: how many strategies and settings were tried in this
    workspace so far, this one included."""

    since: date
    until: date
    weeks: int
    rules: Rules
    strategies: tuple[StrategyResult, ...]
    benchmarks: tuple[BenchmarkResult, ...]
    honesty: tuple[tuple[str, str], ...]
    inputs: Mapping[str, str]
    variants: int
    issues: tuple[Issue, ...] = ()
    figures: tuple[Figure, ...] = ()

    @property
    def is_meaningful(self) -> bool:
        """Whether there are enough weekly returns to annualise."""
        return self.weeks > FEWEST_WEEKS

    @property
    def overfitting(self) -> Overfitting:
        """Of choosing the best of these strategies, by their weekly returns net of costs."""
        curves = [result.curve.values for result in self.strategies]
        n = max((len(values) for values in curves), default=0)
        returns = [returns_of(values) for values in curves if len(values) == n]
        return overfitting(np.array(returns).T if n > 1 else np.zeros((0, 0)))
