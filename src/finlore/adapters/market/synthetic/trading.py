"""Trade on the synthetic market, session after session: nothing of a day is made of what comes later.

Every company has a value that nobody sees. It moves with the market, its sector, what happens to it, what is planted,
and chance of clustered size with fat tails. The price is that value as far as the limits of the day let it, in ticks;
what they cut off is made up for on the next days.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from finlore.adapters.market.synthetic.companies import SECTORS, Companies
from finlore.adapters.market.synthetic.happenings import Happenings
from finlore.records.panel import Days, Mask, Prices

Bands: TypeAlias = Callable[[Days, Sequence[str], Mask, Days], tuple[Prices, Prices]]
"""(days, codes, special (n, m), listed (m,)) -> how far each may move (n, m), NaN without a limit; ticks (m,)."""

SHORT: Final, LONG: Final = 5, 20
LEAN: Final = 0.045
"""What the planted factor moves a session, from its middle to its end, in units of a company's own risk."""
_MARKET_DRIFT: Final, _MARKET_RISK: Final, _SECTOR_RISK: Final = 0.0003, 0.0125, 0.0065
_NEW: Final = 11
"""Sessions after which a new company is in the index."""
_HAIR: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Traded:
    """What a panel holds (n, m); NaN in prices and volume 0 where there was no trade. `special`, `listed` (n, m);
    `shares` (n, m) of each company; `worth` (n, m): its market value at the last close. `levels` (2, n): of the index
    without and with dividends."""

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


@dataclass(slots=True, eq=False)
class _State:
    """Of each company (m,) at a close; prices in ticks, `calm` the present variance of its own moves. `market_calm`:
    the same of the market."""

    value: Prices
    close: Prices
    shares: Prices
    factor: Prices
    calm: Prices
    activity: Prices
    lean: Prices
    market_calm: float = 1.0


def quiet_trading(close: Prices, volume: Prices) -> Prices:
    """(m,) the planted factor after the last of the rows (n, m): minus the mean of ``close * volume`` over 5 sessions
    divided by that over 20; NaN where one of the 20 had no trade. High: less is traded than was."""
    if len(close) < LONG:
        return np.full(close.shape[1], np.nan)
    amounts = close[-LONG:] * volume[-LONG:]
    return -(amounts[-SHORT:].sum(axis=0) / SHORT) / (amounts.sum(axis=0) / LONG)


def trade(days: Days, companies: Companies, happenings: Happenings, *, seed: int, bands: Bands) -> Traded:
    """All sessions of `days`, the first of which is that of the market."""
    n, m = len(days), len(companies.codes)
    listed, special = companies.is_listed(n), companies.is_special(n)
    active = listed & ~companies.is_halted(n)
    band, ticks = bands(days, companies.codes, special, companies.listed_days(days))
    units = np.rint(1 / ticks)
    draw = np.random.Generator(np.random.PCG64([seed, 5]))
    start = np.rint(companies.price * units)
    ones = np.ones(m)
    state = _State(start, start, companies.shares, ones, ones, ones, np.zeros(m))
    kept = np.full((9, n, m), np.nan)
    levels = np.empty((2, n))
    level = np.full(2, 1000.0)
    in_index = listed & ~companies.b_shares
    in_index &= (np.arange(n)[:, None] >= companies.first_row + _NEW) | (companies.age > 0)
    for row in range(n):
        if row and happenings.week[row] != happenings.week[row - 1]:
            state.lean = _lean(quiet_trading(kept[3, max(row - LONG, 0) : row], kept[4, max(row - LONG, 0) : row]))
        before = state.close * state.shares / units
        told = _session(state, companies, happenings, row, active[row], listed[row], band[row], draw)
        kept[:8, row] = told[:8]
        kept[8, row] = state.close * state.shares / units
        weights = np.where(in_index[row], before, 0.0)
        level = level * (1 + (told[8:] * weights).sum(axis=1) / weights.sum())
        levels[:, row] = level
    for prices in (*kept[:4], *kept[6:8]):
        prices /= units
    kept[4] = np.where(listed, np.nan_to_num(kept[4]), np.nan)
    return Traded(*kept[:8], active, special, listed, np.where(listed, kept[8], np.nan), np.rint(levels * 100) / 100)
