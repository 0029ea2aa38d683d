"""How much of a result could be chance. Every draw comes from a seed: the same input gives the same interval.

How often an interval of 95 % holds the truth, by simulation: of a mean of outcomes that move together within weeks of
5 to 80 of them (`clustered`), and where each week is nearly all right or all wrong and one week may hold most outcomes;
of the Sharpe ratio (`sharpe_interval`) of independent returns, and of returns with an autocorrelation of .2.

    weeks                4     6     8    13    26    52   104
    uneven weeks       .96   .95   .95   .95   .94   .95
    all or nothing     .84   .88   .89   .90   .92   .93
    Sharpe                                     .94   .94   .94
    Sharpe, .2                                 .91   .91   .91

PSR and DSR: Bailey and López de Prado, "The Sharpe Ratio Efficient Frontier" (2012) and "The Deflated Sharpe Ratio"
(2014). PBO: Bailey, Borwein, López de Prado and Zhu, "The Probability of Backtest Overfitting" (2017). Stationary
bootstrap: Politis and Romano (1994).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import e, inf, isnan, pi, sqrt, tan
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.measures import NAN, NOTHING
from finlore.backtest.weeks import PER_YEAR
from finlore.records.panel import Prices

FEWEST_WEEKS: Final = 26
"""Below that nothing is annualised: eight weeks gave a ratio of 7.5 and of -1.6 for one and the same method."""
FEWEST_CLUSTERS: Final = 4
"""Weeks below which how far they differ is not known."""
_NORMAL: Final = NormalDist()
_EULER: Final = 0.5772156649015329
_REPLICATES: Final = 10_000
FEWEST_DIFFERING: Final = 4  # strategies, of which to choose the best is a choice
_MOST_BLOCKS: Final = 16
_MOST_AT_ONCE: Final = 4_000_000  # draws held in memory
Statistic = Callable[[Prices], Prices]
"""Of series (b, n) one number each (b,)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` and `high` hold the truth with 95 %; NaN of too little."""

    low: float
    high: float


def mean_to_spread(series: Prices) -> Prices:
    """Sharpe ratio per step of each series; NaN where nothing moves."""
    mean, spread = series.mean(axis=1), series.std(axis=1, ddof=1)
    ratios: Prices = np.divide(mean, spread, out=np.full(len(mean), np.nan), where=spread > NOTHING)
    return ratios


def sharpe_interval(returns: Prices) -> Interval:
    """Of the Sharpe ratio a year. The replicates of few blocks lie too close together: their distance from the ratio
    is stretched as Student's t is beside the normal, with one degree of freedom a block."""
    n = len(returns)
    if n < 2:
        return Interval(NAN, NAN)
    ratio = float(mean_to_spread(returns[None])[0])
    replicates = stationary_bootstrap(returns, mean_to_spread)
    stretch = student(n / _block(n)) / _NORMAL.inv_cdf(0.975)
    low, high = (ratio + stretch * (bound - ratio) for bound in (replicates.low, replicates.high))
    return Interval(low * PER_YEAR**0.5, high * PER_YEAR**0.5)


@cache
def student(freedom: float) -> float:
    """What Student's t stays below, up or down, with 95 %; of x = sqrt(freedom) tan(angle) the density is that of
    cos(angle)^(freedom - 1). Off by less than 1e-5."""
    angles = np.linspace(0.0, pi / 2, 1 << 14)
    density = np.cos(angles) ** (freedom - 1.0)
    below = np.append(0.0, np.cumsum(density[1:] + density[:-1]))
    return sqrt(freedom) * tan(float(np.interp(0.95 * below[-1], below, angles)))


def _block(n: int) -> float:
    return float(n ** (1 / 3))


def stationary_bootstrap(
    returns: Prices,
    statistic: Statistic,
    *,
    n_replicates: int = _REPLICATES,
    block: float | None = None,
    seed: int = 0,
) -> Interval:
    """The interval of a statistic over replicates made of blocks of random length, `block` on average (by default the
    cube root of n), that wrap around the end."""
    n = len(returns)
    if n < 2:
        return Interval(NAN, NAN)
    goes_on = 1.0 - 1.0 / max(1.0, block or _block(n))
    generator = np.random.default_rng(seed)
    found = []
    at_once = max(1, _MOST_AT_ONCE // n)
    for first in range(0, n_replicates, at_once):
        rows = _blocks(generator, min(at_once, n_replicates - first), n, goes_on)
        found.append(statistic(returns[rows]))
    return _middle(np.concatenate(found))


def _blocks(generator: np.random.Generator, n_series: int, n: int, goes_on: float) -> NDArray[np.intp]:
    """(n_series, n) rows: each follows the one before it, or starts anew."""
    rows = generator.integers(0, n, size=(n, n_series), dtype=np.intp)
    follows = generator.random((n, n_series), dtype=np.float32) < goes_on
    for step in range(1, n):  # over all series at once
        after = rows[step - 1] + 1
        after[after == n] = 0
        np.copyto(rows[step], after, where=follows[step])
    return rows.T


def clustered(values: Prices, clusters: NDArray[np.int64], *, least: float = -inf, most: float = inf) -> Interval:
    """The interval of the mean of values (k,) of which those of one cluster (week) move together, within `least` and
    `most`; NaN values are left out. NaN of fewer than four clusters, and of clusters that do not differ.

    Student's t on the standard error when each cluster is left out once (jackknife), with one degree of freedom less
    than the clusters are worth, sum(sizes)^2 / sum(sizes^2): one large week and many small ones are nearly one week.
    """
    has = np.isfinite(values)
    _, of = np.unique(clusters[has], return_inverse=True)
    sums, sizes = np.bincount(of, values[has]), np.bincount(of).astype(np.float64)
    if (n := len(sizes)) < FEWEST_CLUSTERS:
        return Interval(NAN, NAN)
    mean = float(sums.sum() / sizes.sum())
    without = (sums.sum() - sums) / (sizes.sum() - sizes)
    error = sqrt((n - 1) / n * float(((without - mean) ** 2).sum()))
    if error <= NOTHING:
        return Interval(NAN, NAN)
    worth = float(sizes.sum() ** 2 / (sizes**2).sum())
    reach = student(round(max(1.0, worth - 1.0), 3)) * error
    return Interval(max(least, mean - reach), min(most, mean + reach))


def design_effect(values: Prices, clusters: NDArray[np.int64]) -> float:
    """By how much the variance of the mean is larger than if all values were independent (Kish 1965), at least 1:
    k values are worth k over it. NaN of fewer than two clusters."""
    has = np.isfinite(values)
    values = values[has]
    _, of = np.unique(clusters[has], return_inverse=True)
    sizes = np.bincount(of)
    if len(sizes) < 2 or values.var() <= 0:
        return NAN
    deviations = np.bincount(of, values - values.mean())
    m = len(sizes)
    variance = m / (m - 1) * float((deviations**2).sum()) / len(values) ** 2
    return max(1.0, variance / (float(values.var(ddof=1)) / len(values)))


def probabilistic_sharpe(returns: Prices, *, above: float = 0.0) -> float:
    """PSR: the probability that the true Sharpe ratio per step is above `above`, by skewness and kurtosis of r."""
    ratio, variance = _ratio(returns)
    return _NORMAL.cdf((ratio - above) * sqrt(len(returns) - 1) / sqrt(variance)) if variance > 0 else NAN


def _ratio(returns: Prices) -> tuple[float, float]:
    """The Sharpe ratio per step, and the variance of its estimate times the steps less one; NaN of what never moves."""
    ratio = float(mean_to_spread(returns[None])[0]) if len(returns) > 2 else NAN
    if isnan(ratio):
        return NAN, NAN
    standard = (returns - returns.mean()) / returns.std()
    skewness, kurtosis = float((standard**3).mean()), float((standard**4).mean())
    return ratio, 1.0 - skewness * ratio + (kurtosis - 1.0) / 4.0 * ratio**2


def luckiest(n_trials: int, spread: float) -> float:
    """The Sharpe ratio per step that the best of so many worthless trials is expected to show; `spread`: the standard
    deviation of the ratios over trials."""
    if n_trials < 2:
        return 0.0
    first = _NORMAL.inv_cdf(1.0 - 1.0 / n_trials)
    second = _NORMAL.inv_cdf(1.0 - 1.0 / (n_trials * e))
    return spread * ((1.0 - _EULER) * first + _EULER * second)


def deflated_sharpe(returns: Prices, *, n_trials: int, spread: float) -> float:
    """DSR: `probabilistic_sharpe` above what the luckiest of the trials would show."""
    return probabilistic_sharpe(returns, above=luckiest(n_trials, spread))


def shortest_track(returns: Prices, *, above: float = 0.0, confidence: float = 0.95) -> float:
    """MinTRL: the steps it takes until the ratio is above `above` at that confidence; NaN where it never is."""
    ratio, variance = _ratio(returns)
    return 1.0 + variance * (_NORMAL.inv_cdf(confidence) / (ratio - above)) ** 2 if ratio > above else NAN


@dataclass(frozen=True, slots=True)
class Overfitting:
    """`probability` that choosing the best is overfitting, NaN of too little; over so many splits, of so many steps of
    so many strategies that differ."""

    probability: float
    n_splits: int
    n_steps: int
    n_strategies: int


def overfitting(returns: Prices) -> Overfitting:
    """PBO of strategies by their returns (n, s), by combinatorially symmetric cross-validation.

    The steps are cut into blocks that follow one another, the largest even number of them up to 16 that leaves two
    steps in each; every half of the blocks is once what one has seen, the other half what comes. PBO is the share of
    those splits in which the strategy with the best Sharpe ratio of what was seen has no better one than the median
    of what comes: logit of its relative rank, rank / (s + 1), <= 0. About .5 is what choosing among worthless ones
    gives, 0 where the best stays the best.

    Steps with a NaN are left out, and so are strategies that never move or repeat another. A ratio of what does not
    move is 0. NaN below 26 steps or 4 strategies: not meaningful.
    """
    known = returns[np.isfinite(returns).all(axis=1)]
    differing = np.unique(known[:, np.ptp(known, axis=0) > NOTHING] if len(known) else known[:, :0], axis=1)
    n, s = differing.shape
    if n < FEWEST_WEEKS or s < FEWEST_DIFFERING:
        return Overfitting(NAN, 0, n, s)
    n_blocks = min(_MOST_BLOCKS, n // 2 // 2 * 2)
    seen = np.array(list(combinations(range(n_blocks), n_blocks // 2)))
    chosen = np.zeros((len(seen), n_blocks))
    np.put_along_axis(chosen, seen, 1.0, axis=1)
    before, after = _ratios_of_halves(differing, chosen), _ratios_of_halves(differing, 1.0 - chosen)
    best = np.take_along_axis(after, before.argmax(axis=1)[:, None], axis=1)
    rank = (after < best).sum(axis=1) + ((after == best).sum(axis=1) + 1) / 2
    return Overfitting(float((rank <= (s + 1) / 2).mean()), len(seen), n, s)


def _ratios_of_halves(returns: Prices, chosen: Prices) -> Prices:
    """(splits, s) mean over standard deviation of the blocks chosen (splits, blocks)."""
    blocks = np.array_split(returns, chosen.shape[1])
    sizes = chosen @ np.array([len(block) for block in blocks], np.float64)
    mean = chosen @ np.array([block.sum(axis=0) for block in blocks]) / sizes[:, None]
    squares = chosen @ np.array([(block**2).sum(axis=0) for block in blocks]) / sizes[:, None]
    variance = squares - mean**2
    moves = variance > 1e-12 * squares
    ratios: Prices = np.divide(mean, np.sqrt(np.maximum(variance, 0.0)), out=np.zeros_like(mean), where=moves)
    return ratios


def percentile_in(result: float, others: Prices) -> float:
    """The share of others that a result surpasses, ties half."""
    if not len(others):
        return NAN
    return float(((others < result).sum() + 0.5 * (others == result).sum()) / len(others))


def _middle(replicates: Prices) -> Interval:
    known = replicates[np.isfinite(replicates)]
    if len(known) < 2:
        return Interval(NAN, NAN)
    low, high = np.quantile(known, [0.025, 0.975])
    return Interval(float(low), float(high))
