"""What random portfolios would have made with the same exposure and breadth."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import numpy as np

from finlore.backtest.weeks import last_of_week
from finlore.records.backtest import Simulation
from finlore.records.panel import Mask, Prices

_MOST_DRAWN: Final = 100


def random_totals(
    levels: Prices, done: Simulation, *, can_buy: Callable[[int], Mask], n_portfolios: int = 500, seed: int = 0
) -> Prices:
    """(n_portfolios,) what 1 unit becomes from the last close of the first week on, less 1, before costs.

    Each week other securities are held, equally weighted, as many as the strategy held, drawn from those that have a
    level (n, m) throughout and could be bought, by row (m,), when it was first invested; each session the share of
    capital that the strategy had in positions at the close before.
    """
    generator = np.random.default_rng(seed)
    values = np.ones(n_portfolios)
    for begin, end in pairwise(last_of_week(done.days).tolist()):
        exposure, breadth = done.exposure[begin:end], done.breadth[begin:end]
        if not exposure.any():
            continue
        first = int(np.argmax(exposure > 0))
        window = levels[begin : end + 1]
        window = window[:, np.isfinite(window).all(axis=0) & can_buy(begin + first)]
        made = (exposure[:, None] * np.diff(window, axis=0)).sum(axis=0) / window[first]
        if len(made):
            wanted = min(round(float(np.median(breadth[breadth > 0]))), len(made))
            values *= 1.0 + _means(made, wanted, n_portfolios, generator)
    return values - 1.0


def _means(made: Prices, wanted: int, n_portfolios: int, generator: np.random.Generator) -> Prices:
    """Means of so many of a population, drawn without replacement: of a few drawn with replacement, whose distance from
    the mean of all is brought to what it would be (finite population correction)."""
    drawn = min(wanted, _MOST_DRAWN)
    rows = generator.integers(0, len(made), size=(n_portfolios, drawn))
    mean = made.mean()
    smaller = np.sqrt(drawn / wanted * (len(made) - wanted) / max(len(made) - 1, 1))
    return np.asarray(mean + (made[rows].mean(axis=1) - mean) * smaller, np.float64)
