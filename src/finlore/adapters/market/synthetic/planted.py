"""What is planted in the synthetic market: a factor that is worth something, and a field that looks into the future."""

from typing import Final

import numpy as np

from finlore.records.panel import Prices

FACTOR: Final = "quiet_trading"
FORMULA: Final = "-ts_mean(close * volume, 5) / ts_mean(close * volume, 20)"
WEEKLY_IC: Final = 0.05
"""Mean rank correlation of the factor at the last close of a week with the returns to the last close of the next."""
LEAK: Final = "forum_mood"
"""Stamped with a day, made of the return of the next."""
SHORT: Final = 5
LONG: Final = 20
_NOISE: Final = 0.02


def quiet_trading(close: Prices, volume: Prices) -> Prices:
    """(m,) the planted factor after the last of the rows (n, m); NaN where one of 20 sessions had no trade. It is high
    where less changes hands than before."""
    if len(close) < LONG:
        return np.full(close.shape[1], np.nan)
    amounts = close[-LONG:] * volume[-LONG:]
    factor: Prices = -(amounts[-SHORT:].sum(axis=0) / SHORT) / (amounts.sum(axis=0) / LONG)
    return factor


def planted_factor(close: Prices, volume: Prices) -> Prices:
    """(n, m) the factor after each session."""
    parts = (slice(max(row - LONG, 0), row) for row in range(1, len(close) + 1))
    return np.array([quiet_trading(close[part], volume[part]) for part in parts])


def planted_leak(levels: Prices, *, seed: int) -> Prices:
    """(n, m) of total return levels: the next return under noise; NaN in the last row, and where one is not known."""
    noise = np.random.Generator(np.random.PCG64([seed, 6])).random(levels.shape) - 0.5
    mood = np.full(levels.shape, np.nan)
    mood[:-1] = levels[1:] / levels[:-1] - 1
    return np.rint((mood + _NOISE * noise) * 10_000) / 10_000
