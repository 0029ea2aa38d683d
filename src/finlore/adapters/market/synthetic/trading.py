"""Trade on the synthetic market, session after session: nothing of a day is made of what comes later.

Every company has a value that nobody sees. It moves with the market, its sector, what happens to it, what is planted,
and chance of clustered size with fat tails. The price is that value as far as the limits of the day let it, in ticks;
what they cut off is made up for on the next days.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from finlore.adapters.market.limits import bands_of
from finlore.adapters.market.synthetic.companies import SECTORS, Companies
from finlore.adapters.market.synthetic.happenings import Happenings
from finlore.adapters.market.synthetic.planted import LONG, quiet_trading
from finlore.records.panel import Days, Mask, Prices

_LEAN: Final = 0.042
"""What the planted factor moves a session, from its middle to its end, in units of a company's own risk: found by
trial, so that `planted.WEEKLY_IC` is the mean of many seeds."""
_MARKET_DRIFT: Final = 0.0001
_MARKET_RISK: Final = 0.0147
_SECTOR_RISK: Final = 0.0065
_OWN_STRETCH: Final = 2.0
_COMMON_STRETCH: Final = 1.5
_RUMOURS: Final = 0.006
"""How often a value moves by far at once."""
_EXCITEMENT: Final = 4.0
"""How much more than usual changes hands of a company on its first day."""
_NEW: Final = 11
"""Sessions after which a new company is in the index."""
_HAIR: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Traded:
    """What a panel holds (n, m): NaN where there was no trade. `worth` (n, m): market value at the last close. `levels`
    (2, n): of the index without and with dividends."""

    open: Prices
    high: Prices
    low: Prices
    close: Prices
    volume: Prices
    factor: Prices
    upper: Prices
    lower: Prices
    traded: Mask
    special: Mask
    listed: Mask
    worth: Prices
    levels: Prices


@dataclass(frozen=True, slots=True, eq=False)
class _Today:
    """What is settled before a session (m,): who trades, how far, what moves values and what holders get."""

    active: Mask
    listed: Mask
    band: Prices
    drift: Prices
    cash: Prices
    bonus: Prices


@dataclass(slots=True, eq=False)
class _State:
    """Of each company (m,) at a close, in ticks, of which `units` make one of the currency. `calm`: the present
    variance of its own moves, `market_calm` that of the market, both 1 on average."""

    units: Prices
    value: Prices
    close: Prices
    shares: Prices
    factor: Prices
    calm: Prices
    activity: Prices
    lean: Prices
    market_calm: float = 1.0

    def worth(self) -> Prices:
        return self.close * self.shares / self.units


def trade(days: Days, companies: Companies, happenings: Happenings, *, seed: int) -> Traded:
    """All sessions of `days`, the first of which is that of the market."""
    n, m = len(days), len(companies.codes)
    listed, special = companies.is_listed(n), companies.is_special(n)
    active = listed & ~companies.is_halted(n)
    bands = bands_of(days, companies.codes, companies.listed_days(days))
    band = np.where(special, bands.special, bands.ordinary)
    in_index = (np.arange(n)[:, None] >= companies.first_row + _NEW) | (companies.age > 0)
    in_index &= listed & ~companies.b_shares
    draw = np.random.Generator(np.random.PCG64([seed, 5]))
    state = _opening_state(companies, np.rint(1 / bands.ticks))
    kept = np.empty((7, n, m))
    factor, worth, levels = np.empty((n, m)), np.empty((n, m)), np.empty((2, n))
    level = np.full(2, 1000.0)
    for row in range(n):
        if row and happenings.week[row] != happenings.week[row - 1]:
            recent = slice(max(row - LONG, 0), row)
            state.lean = _lean(quiet_trading(kept[3, recent], kept[6, recent]))
        weights = np.where(in_index[row], state.worth(), 0.0)
        today = _Today(
            active[row], listed[row], band[row], happenings.drift[row], happenings.cash[row], happenings.bonus[row]
        )
        kept[:, row], gains = _session(state, companies, today, draw)
        level = level * (1 + (gains * weights).sum(axis=1) / weights.sum())
        levels[:, row], factor[row], worth[row] = level, state.factor, state.worth()
    worth, levels = np.where(listed, worth, np.nan), np.rint(levels * 100) / 100
    opened, high, low, close, upper, lower, volume = kept
    return Traded(opened, high, low, close, volume, factor, upper, lower, active, special, listed, worth, levels)


def _opening_state(companies: Companies, units: Prices) -> _State:
    ones = np.ones(len(units))
    price = np.rint(companies.price * units)
    activity = np.where(companies.age > 0, 1.0, _EXCITEMENT)
    return _State(units, price, price, companies.shares, ones, ones, activity, 0 * ones)


def _session(state: _State, companies: Companies, today: _Today, draw: np.random.Generator) -> tuple[Prices, Prices]:
    """(7, m) prices, limits and volume of a session, (2, m) returns without and with dividends; `state` moves on."""
    active, listed, band = today.active, today.listed, today.band
    chance = draw.random((13, len(band)))
    move, shock = _moves(state, companies, today.drift, chance, draw)
    before, bonus = state.close, np.where(active, today.bonus, 0.0)
    reference = _without_rights(state, np.where(active, today.cash, 0.0), bonus)
    gap = move * (0.7 * chance[8] - 0.1) + 0.4 * companies.risk * (chance[9] - 0.5)
    asked = np.where(listed, state.value * (1 + np.array([gap, move])), state.value)
    state.value = np.maximum(asked[1], 2.0)
    limits = np.array([np.floor(reference * (1 + sign * band) + 0.5 + _HAIR) for sign in (1, -1)])
    prices = np.maximum(np.fmax(np.fmin(np.rint(asked), limits[0]), limits[1]), 1.0)
    close = prices[1]
    high, low = _extremes(prices, limits, state.value * companies.risk, chance[10:12])
    gains = np.array([close * (1 + bonus) / before - 1, close / reference - 1])
    volume = _volume(state, companies, np.abs(gains[1]), high == low, chance[12])
    activity = np.clip(1 + 0.9 * (state.activity - 1) + 0.12 * (np.abs(shock) - 0.75), 0.3, 4.0)
    state.activity = np.where(listed, activity, state.activity)
    state.close = np.where(active, close, reference)
    kept = np.vstack([np.array([prices[0], high, low, close, *limits]) / state.units, volume])
    return np.where(active, kept, np.nan), np.where(active, gains, 0.0)


def _extremes(prices: Prices, limits: Prices, risk: Prices, chance: Prices) -> tuple[Prices, Prices]:
    """(m,) the high and the low of a session around open and close (2, m), within the upper and the lower limit (2, m);
    mostly a single price where both are at the same limit."""
    top, bottom = prices.max(axis=0), prices.min(axis=0)
    stuck = (top == bottom) & (top == limits).any(axis=0) & (chance[0] < 0.7)
    reach = np.where(stuck, 0.0, np.rint(0.9 * risk * chance * chance))
    return np.fmin(top + reach[0], limits[0]), np.fmax(np.maximum(bottom - reach[1], 1.0), limits[1])


def _moves(
    state: _State, companies: Companies, drift: Prices, chance: Prices, draw: np.random.Generator
) -> tuple[Prices, Prices]:
    """(m,) returns of the values, and the chance in them in units of the calm of each."""
    common = _shocks(draw.random((7, 1 + len(SECTORS))), _COMMON_STRETCH)
    market = common[0] * sqrt(state.market_calm)
    shock = _shocks(chance, _OWN_STRETCH) * np.sqrt(state.calm)
    state.market_calm = min(float(0.05 + 0.12 * market * market + 0.83 * state.market_calm), 6.0)
    state.calm = np.minimum(0.05 + 0.1 * shock * shock + 0.85 * state.calm, 9.0)
    move = _MARKET_DRIFT + _MARKET_RISK * market * companies.beta + _SECTOR_RISK * common[1:][companies.sector]
    rumour = np.where(chance[7] < _RUMOURS, 0.36 * (chance[7] / _RUMOURS - 0.4), 0.0)
    return move + companies.risk * (shock + _LEAN * state.lean) + drift + rumour, shock


def _shocks(chance: Prices, stretch: float) -> Prices:
    """(m,) of chance (7, m): variance 1 and fat tails; a bell of six uniform numbers, stretched by a seventh, by at
    most the cube of `stretch`."""
    bell = (chance[:6].sum(axis=0) - 3) * np.sqrt(2.0)
    root = np.sqrt(np.sqrt(1 - chance[6]))
    stretched = np.minimum(1 / (root * np.sqrt(root)), stretch * stretch * stretch)
    shocks: Prices = bell * stretched / np.sqrt(4 - 3 / (stretch * stretch))  # the mean square of what stretches
    return shocks


def _without_rights(state: _State, cash: Prices, bonus: Prices) -> Prices:
    """The close before, less what its holders get today, in ticks; value, factor and shares follow."""
    reference = np.maximum(np.rint((state.close - np.rint(state.close * cash)) / (1 + bonus)), 1.0)
    state.factor = state.factor * (state.close / reference)
    state.value = state.value * (reference / state.close)
    state.shares = np.rint(state.shares * (1 + bonus))
    return reference


def _volume(state: _State, companies: Companies, moved: Prices, locked: Mask, chance: Prices) -> Prices:
    """In shares, whole lots: more where prices move, little where nobody sells at the limit."""
    pace = companies.turnover * state.activity * (0.7 + 0.6 * chance) * (1 + 12 * np.minimum(moved, 0.2))
    volume: Prices = np.maximum(np.rint(state.shares * np.where(locked, 0.15, 1.0) * pace / 100), 1.0) * 100
    return volume


def _lean(factor: Prices) -> Prices:
    """(m,) ranks from -1 to 1, 0 without a factor."""
    lean = np.zeros(len(factor))
    known = np.flatnonzero(np.isfinite(factor))
    if len(known) > 1:
        lean[known[np.argsort(factor[known], kind="stable")]] = np.linspace(-1, 1, len(known))
    return lean
