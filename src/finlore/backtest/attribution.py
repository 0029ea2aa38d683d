"""In which industries the calls of a strategy made more than the universe, and by what.

Brinson and Fachler (1985). With the shares w and W that calls and universe have in an industry, their mean returns r
and R in it from the entry of the calls to their exit, and R_all of the whole universe: allocation (w - W) (R - R_all),
selection W (r - R), interaction (w - W) (r - R). Summed over industries that is what the calls made over the universe.
"""

from typing import Final

import numpy as np

from finlore.backtest.industries import Classes
from finlore.backtest.quotes import Quotes, Rows
from finlore.backtest.results import Contribution
from finlore.records.backtest import Calls, Simulation
from finlore.records.panel import Prices

_BASIS_POINTS: Final = 1e4
_STOOD: Final = ("closed", "held", "prolonged", "repeated")


def attribution(
    calls: Calls, done: Simulation, quotes: Quotes, industries: Classes, weeks: Rows
) -> tuple[Contribution, ...]:
    """Contributions by industry, the largest first: means over `weeks` (k,) of the calls on which a position
    stood, each week alike and in it each call, before costs. Of calls and universe counts what could be bought at the
    entry and has an outcome. Rows of the simulation are those of the quotes. Nothing where no industry is known."""
    used = np.isin(done.states, _STOOD) & np.isfinite(done.returns) & (done.left > done.entered)
    used[used] = quotes.can_buy(done.entered[used], calls.assets[used])
    if not industries or not used.any():
        return ()
    names, assets = industries.names, np.arange(len(quotes.values.T))
    numbers, week, n_of_week = np.unique(weeks[used], return_inverse=True, return_counts=True)
    each, shape = 1.0 / n_of_week[week], (len(n_of_week), len(names))
    places = week * len(names) + industries.at(weeks[used], calls.assets[used])
    of = industries.at(numbers[:, None], assets)
    own, made = (
        np.bincount(places, values, shape[0] * shape[1]).astype(np.float64).reshape(shape)
        for values in (each, each * done.returns[used])
    )
    universe, beside = _universe(np.stack([week, done.entered[used], done.left[used]]), each, quotes, of, shape)
    in_points = (_BASIS_POINTS * part for part in brinson_fachler(own, made, universe, beside))
    parts = [part.mean(axis=0) for part in (own, universe, *in_points)]
    found = [Contribution(name, *values) for name, *values in zip(names, *(p.tolist() for p in parts), strict=True)]
    return tuple(sorted(found, key=lambda one: (-abs(one.total), one.industry)))


def brinson_fachler(own: Prices, made: Prices, universe: Prices, beside: Prices) -> tuple[Prices, Prices, Prices]:
    """(allocation, selection, interaction) of periods and industries (p, g): shares of the calls, what these make of
    the whole (share times return), and the same of the universe. What is not held makes what its industry makes; an
    industry that the universe lacks, what the universe makes."""
    whole = beside.sum(axis=1, keepdims=True)
    theirs = np.divide(beside, universe, out=np.broadcast_to(whole, beside.shape).copy(), where=universe > 0)
    ours = np.divide(made, own, out=theirs.copy(), where=own > 0)
    return (own - universe) * (theirs - whole), universe * (ours - theirs), (own - universe) * (ours - theirs)


def _universe(windows: Rows, each: Prices, quotes: Quotes, of: Rows, shape: tuple[int, int]) -> tuple[Prices, Prices]:
    """(weeks, industries) of the universe in the `windows` (3, k), week, entry and exit, of calls that weigh `each`;
    `of` (weeks, m): shares, and what these made of the whole."""
    shares, made = np.zeros(shape), np.zeros(shape)
    everything = np.arange(of.shape[1])
    distinct, which = np.unique(windows, axis=1, return_inverse=True)
    weights = np.bincount(which.ravel(), each)
    for (week, entry, exit_), weight in zip(distinct.T.tolist(), weights.tolist(), strict=True):
        returns = quotes.value(exit_, everything) / quotes.entry(entry, everything) - 1.0
        members = np.flatnonzero(np.isfinite(returns) & quotes.can_buy(entry, everything))
        groups = of[week, members]
        shares[week] += weight / len(members) * np.bincount(groups, minlength=shape[1])
        made[week] += weight / len(members) * np.bincount(groups, returns[members], shape[1])
    return shares, made
