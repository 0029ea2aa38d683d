"""How much of a result could be chance. Every draw comes from a seed: the same input gives the same interval.

PSR and DSR: Bailey and López de Prado, "The Sharpe Ratio Efficient Frontier" (2012) and "The Deflated Sharpe Ratio"
(2014). Stationary bootstrap: Politis and Romano (1994).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import e, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.records.panel import Prices

FEWEST_WEEKS: Final = 26
"""Below that nothing is annualised: eight weeks gave a ratio of 7.5 and of -1.6 for one and the same method."""
NAN: Final = float("nan")
_NORMAL: Final = NormalDist()
_EULER: Final = 0.5772156649015329
_REPLICATES: Final = 10_000
_MOST_AT_ONCE: Final = 4_000_000  # draws held in memory
Statistic = Callable[[Prices], Prices]
"""Of series (b, n) one number each (b,)."""


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` and `high` hold the middle `level` of the replicates; NaN of too little."""

    low: float
    high: float
    level: float = 0.95


def mean_to_spread(series: Prices) -> Prices:
    """Sharpe ratio per step of each series; NaN where nothing moves."""
    spread = series.std(axis=1, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(spread > 0, series.mean(axis=1) / spread, np.nan), np.float64)


def compounded(series: Prices) -> Prices:
    """What each series of returns makes of 1, less 1."""
    return np.asarray(np.prod(1.0 + series, axis=1) - 1.0, np.float64)


def stationary_bootstrap(
    returns: Prices,
    statistic: Statistic,
    *,
    n_replicates: int = _REPLICATES,
    block: float | None = None,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """The interval of a statistic over replicates made of blocks of random length, `block` on average (by default the
    cube root of n), that wrap around the end."""
    n = len(returns)
    if n < 2:
        return Interval(NAN, NAN, level)
    goes_on = 1.0 - 1.0 / max(1.0, block or n ** (1 / 3))
    generator = np.random.default_rng(seed)
    found = []
    at_once = max(1, _MOST_AT_ONCE // n)
    for first in range(0, n_replicates, at_once):
        rows = _blocks(generator, min(at_once, n_replicates - first), n, goes_on)
        found.append(statistic(returns[rows]))
    return _middle(np.concatenate(found), level)


def _blocks(generator: np.random.Generator, n_series: int, n: int, goes_on: float) -> NDArray[np.intp]:
    """(n_series, n) rows: each follows the one before it, or starts anew."""
    rows = generator.integers(0, n, size=(n, n_series), dtype=np.intp)
    follows = generator.random((n, n_series), dtype=np.float32) < goes_on
    for step in range(1, n):  # over all series at once
        after = rows[step - 1] + 1
        after[after == n] = 0
        np.copyto(rows[step], after, where=follows[step])
    return rows.T


def clustered(
    values: Prices, clusters: NDArray[np.int64], *, n_replicates: int = _REPLICATES, seed: int = 0, level: float = 0.95
) -> Interval:
    """The interval of the mean of values (k,) when whole clusters (weeks) are drawn, for what happens within one moves
    together; NaN of fewer than two clusters. NaN values are left out."""
    has = np.isfinite(values)
    _, of = np.unique(clusters[has], return_inverse=True)
    sums, sizes = np.bincount(of, values[has]), np.bincount(of)
    if len(sizes) < 2:
        return Interval(NAN, NAN, level)
    rows = np.random.default_rng(seed).integers(0, len(sizes), size=(n_replicates, len(sizes)))
    return _middle(sums[rows].sum(axis=1) / sizes[rows].sum(axis=1), level)


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
    n = len(returns)
    spread = float(returns.std()) if n > 2 else 0.0
    if spread <= 0:
        return NAN
    standard = (returns - returns.mean()) / spread
    skewness, kurtosis = float((standard**3).mean()), float((standard**4).mean())
    ratio = float(returns.mean() / returns.std(ddof=1))
    variance = 1.0 - skewness * ratio + (kurtosis - 1.0) / 4.0 * ratio**2
    return _NORMAL.cdf((ratio - above) * sqrt(n - 1) / sqrt(variance)) if variance > 0 else NAN


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
    n = len(returns)
    spread = float(returns.std()) if n > 2 else 0.0
    ratio = float(returns.mean() / returns.std(ddof=1)) if spread > 0 else NAN
    if not ratio > above:
        return NAN
    standard = (returns - returns.mean()) / spread
    skewness, kurtosis = float((standard**3).mean()), float((standard**4).mean())
    variance = 1.0 - skewness * ratio + (kurtosis - 1.0) / 4.0 * ratio**2
    return 1.0 + variance * (_NORMAL.inv_cdf(confidence) / (ratio - above)) ** 2


def percentile_in(result: float, others: Prices) -> float:
    """The share of others that a result surpasses, ties half."""
    if not len(others):
        return NAN
    return float(((others < result).sum() + 0.5 * (others == result).sum()) / len(others))


def _middle(replicates: Prices, level: float) -> Interval:
    known = replicates[np.isfinite(replicates)]
    if len(known) < 2:
        return Interval(NAN, NAN, level)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)
