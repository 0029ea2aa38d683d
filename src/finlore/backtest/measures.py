"""What a series of values is worth: one formula a function.

Values V_0 … V_n are those of one unit of capital at the ends of weeks, 52 a year; returns are r_i = V_i / V_(i-1) - 1.
All are shares of one (0.05 is 5 %). A measure of too little, or of a spread of nothing, is NaN: nothing is guessed. NaN
in a series makes its measure NaN; in a table of outcomes NaN is what has no outcome, and counts for coverage alone.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.weeks import PER_YEAR
from finlore.records.panel import Mask, Prices

NAN = float("nan")
NOTHING: Final = 1e-12
"""What is no larger comes from rounding: a value that grows by 1 % each week has returns that differ by 1e-16."""
_FEWEST = 2
_OF_A_DAY = 0.1


def returns_of(values: Prices) -> Prices:
    """(n,) of (n + 1,) values."""
    return np.asarray(values[1:] / values[:-1] - 1.0, np.float64) if len(values) else np.zeros(0)


def annual_return(values: Prices) -> float:
    """ARR = (V_n / V_0)^(52 / n) - 1, compounded."""
    steps = len(values) - 1
    if steps < 1 or not values[0] > 0 or values[-1] < 0:
        return NAN
    return float((values[-1] / values[0]) ** (PER_YEAR / steps) - 1.0)


def volatility(returns: Prices) -> float:
    """VOL = std(r) sqrt(52), the standard deviation of a sample (n - 1)."""
    return float(np.std(returns, ddof=1) * np.sqrt(PER_YEAR)) if len(returns) >= _FEWEST else NAN


def return_to_volatility(values: Prices) -> float:
    """SR of the FinKario paper = ARR / VOL, at a rate of 0. Compounding makes it larger than `sharpe` where returns are
    high."""
    return quotient(annual_return(values), volatility(returns_of(values)))


def sharpe(returns: Prices) -> float:
    """Sharpe ratio = mean(r) / std(r) sqrt(52), at a rate of 0 (Sharpe 1994)."""
    if len(returns) < _FEWEST:
        return NAN
    return quotient(float(np.mean(returns)), float(np.std(returns, ddof=1))) * float(np.sqrt(PER_YEAR))


def drawdowns(values: Prices) -> Prices:
    """(n + 1,) 1 - V_i / max(V_0 … V_i): what is lost from the highest value so far."""
    return np.asarray(1.0 - values / np.maximum.accumulate(values), np.float64)


def max_drawdown(values: Prices) -> float:
    """MDD, the largest of `drawdowns`, positive."""
    return float(np.max(drawdowns(values))) if len(values) else NAN


def calmar(values: Prices) -> float:
    """CR = ARR / MDD."""
    return quotient(annual_return(values), max_drawdown(values))


def quotient(above: float, below: float) -> float:
    """NaN where there is nothing to divide by."""
    return above / below if abs(below) > NOTHING else NAN


@dataclass(frozen=True, slots=True)
class Hits:
    """How calls came out. `n` have an outcome, of `calls` in all; `coverage` = n / calls. `accuracy`: share of right
    directions, a return of nothing is wrong for both; `base_rate`: share that rose; `excess`: accuracy less that of the
    better constant call, max(base_rate, share that fell)."""

    calls: int
    n: int
    accuracy: float
    base_rate: float
    excess: float

    @property
    def coverage(self) -> float:
        return quotient(self.n, self.calls)

    @property
    def constant(self) -> float:
        """Accuracy of the better constant call."""
        return self.accuracy - self.excess


def hits(signs: NDArray[np.int8], returns: Prices) -> Hits:
    """ACC of calls (k,), +1 rise, -1 fall, against the returns (k,) that followed; NaN: no outcome."""
    has = np.isfinite(returns)
    n = int(has.sum())
    if not n:
        return Hits(len(signs), 0, NAN, NAN, NAN)
    came, said = np.sign(returns[has]), signs[has]
    rose = float(np.mean(came > 0))
    right = float(np.mean(came == said))
    return Hits(len(signs), n, right, rose, right - max(rose, float(np.mean(came < 0))))


def brier(probabilities: Prices, outcomes: Mask) -> float:
    """Mean of (p - o)^2 over calls whose probability is known (Brier 1950); 0.25 is what a coin gets."""
    has = np.isfinite(probabilities)
    return float(np.mean((probabilities[has] - outcomes[has]) ** 2)) if has.any() else NAN


def area_under_curve(scores: Prices, outcomes: Mask) -> float:
    """The share of pairs of one true and one false outcome of which the true one scores higher, ties half
    (Mann-Whitney); NaN where all outcomes are the same."""
    has = np.isfinite(scores)
    scores, outcomes = scores[has], outcomes[has]
    n_true = int(outcomes.sum())
    n_false = len(outcomes) - n_true
    if not n_true or not n_false:
        return NAN
    return float((_ranks(scores)[outcomes].sum() - n_true * (n_true + 1) / 2) / (n_true * n_false))


def _ranks(scores: Prices) -> Prices:
    """From 1, equal ones share the mean of their ranks."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    first = np.searchsorted(ordered, ordered, side="left")
    last = np.searchsorted(ordered, ordered, side="right")
    ranks = np.empty(len(scores))
    ranks[order] = (first + last + 1) / 2
    return ranks


@dataclass(frozen=True, slots=True)
class Relative:
    """A strategy beside a benchmark. `alpha`: intercept of r on b, a year; `beta`: slope; `tracking_error`: volatility
    of r - b; `information`: mean(r - b) a year over it; `up`, `down`: mean r over mean b where b rose,
    where it fell."""

    alpha: float
    beta: float
    tracking_error: float
    information: float
    up: float
    down: float


def relative(returns: Prices, benchmark: Prices) -> Relative:
    """Least squares over the same steps; both (n,)."""
    if len(returns) < _FEWEST:
        return Relative(NAN, NAN, NAN, NAN, NAN, NAN)
    spread = returns - benchmark
    beta = quotient(float(np.cov(returns, benchmark, ddof=1)[0, 1]), float(np.var(benchmark, ddof=1)))
    alpha = (float(np.mean(returns)) - beta * float(np.mean(benchmark))) * PER_YEAR
    error = volatility(spread)
    return Relative(
        alpha,
        beta,
        error,
        quotient(float(np.mean(spread)) * PER_YEAR, error),
        _captured(returns, benchmark, benchmark > 0),
        _captured(returns, benchmark, benchmark < 0),
    )


def _captured(returns: Prices, benchmark: Prices, when: Mask) -> float:
    return quotient(float(np.mean(returns[when])), float(np.mean(benchmark[when]))) if when.any() else NAN


def capacity(weights: Prices, traded: Prices) -> tuple[float, float]:
    """The capital, in currency, with which a purchase of `weights` (k,) of it is 10 % of the value `traded` (k,) of its
    security on that day, .1 * traded / weight: (median, 5 % quantile) over purchases. NaN, and nothing traded,
    is what is not known: those are left out; NaN of none."""
    known = (weights > 0) & (traded > 0) & np.isfinite(weights) & np.isfinite(traded)
    if not known.any():
        return NAN, NAN
    median, tightest = np.quantile(_OF_A_DAY * traded[known] / weights[known], [0.5, 0.05]).tolist()
    return median, tightest


def exposure_matched(values: Prices, benchmark: Prices, exposure: Prices) -> float:
    """What a strategy made over a benchmark held with the same share of capital: V_n / V_0 less the product of
    1 + exposure_(i-1) b_i. All (n + 1,), exposure at each step's end."""
    if len(values) < _FEWEST:
        return NAN
    matched = np.prod(1.0 + exposure[:-1] * returns_of(benchmark))
    return float(values[-1] / values[0] - matched)
