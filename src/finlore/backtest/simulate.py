"""Calls in, value out."""

import numpy as np

from finlore.backtest.book import Ledger, keep_book
from finlore.backtest.positions import Positions, Taken, take
from finlore.backtest.quotes import Quotes
from finlore.backtest.schedule import Schedule, schedule
from finlore.records.backtest import Calls, Costs, Rules, Simulation
from finlore.records.panel import Days, PricePanel, Prices, week_of


def simulate(panel: PricePanel, calls: Calls, rules: Rules, *, week_goes_on: bool = False) -> Simulation:
    """What the calls would have made. The capital is split into sleeves, which take turns by the week of entry, so that
    what is held into the following week leaves money for that week's calls. Costs are paid by all holdings in
    proportion: they lessen the value, never the weights.

    `week_goes_on`: the last week has sessions that the panel does not hold, so that its calls are not sold yet.
    """
    quotes = Quotes(panel, rules)
    planned = schedule(panel, calls, rules, week_goes_on=week_goes_on)
    taken = take(calls, planned, quotes)
    book = keep_book(_sleeves(taken.positions, panel.days, rules.sleeves), quotes, rules)
    return Simulation(
        days=panel.days,
        gross=book.value,
        net=book.value * np.cumprod(np.maximum(1.0 - _share(_paid(panel.days, book, rules.costs), book.value), 0.0)),
        exposure=_share(book.invested, book.value),
        breadth=book.breadth,
        turnover=_share(book.bought + book.sold, book.value),
        states=taken.states,
        entered=np.where(planned.entries < len(panel.days), planned.entries, -1),
        left=np.where(planned.exits < len(panel.days), planned.exits, -1),
        sold=np.where(taken.exits < len(panel.days), taken.exits, -1),
        returns=_outcomes(calls, planned, quotes),
        weights=_weights(taken, planned, _share(book.bought, book.value)),
        counts=dict(taken.counts),
    )


def _sleeves(positions: Positions, days: Days, n_sleeves: int) -> list[Positions]:
    """Positions by the week in which they are entered, weeks without a session not counted."""
    turns = np.unique(week_of(days), return_inverse=True)[1] % n_sleeves if len(days) else np.zeros(0, np.int64)
    of = turns[positions.entries]
    return [positions.only(of == sleeve) for sleeve in range(n_sleeves)]


def _paid(days: Days, book: Ledger, costs: Costs | None) -> Prices:
    """(n,) what the trades of each session cost."""
    if costs is None:
        return np.zeros(len(days))
    both = costs.commission + costs.transfer_fee + costs.slippage
    since = np.array([day for day, _ in costs.stamp_duty], "datetime64[D]")
    duties = np.array([0.0, *(duty for _, duty in costs.stamp_duty)])
    duty: Prices = duties[np.searchsorted(since, days, side="right")]
    return (book.bought + book.sold) * both + book.sold * duty + book.short


def _share(part: Prices, whole: Prices) -> Prices:
    """(n,) 0 of nothing."""
    return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)


def _weights(taken: Taken, planned: Schedule, bought: Prices) -> Prices:
    """(k,) shares of the capital for which calls were bought: those of one session alike, for one sleeve buys."""
    n_bought = np.bincount(taken.positions.entries, minlength=len(bought))
    each = np.divide(bought, n_bought, out=np.full(len(bought), np.nan), where=n_bought > 0)
    is_bought = np.array([state in ("closed", "held") for state in taken.states], bool)
    found = np.full(len(taken.states), np.nan)
    found[is_bought] = each[planned.entries[is_bought]]
    return found


def _outcomes(calls: Calls, planned: Schedule, quotes: Quotes) -> Prices:
    """(k,) what each security made from entry to exit."""
    n, m = quotes.values.shape
    entries, exits = planned.entries, planned.exits
    known = (calls.assets >= 0) & (calls.assets < m) & (entries >= 0) & (entries < n) & (exits >= 0) & (exits < n)
    found = np.full(len(calls.signs), np.nan)
    assets = calls.assets[known]
    bought = quotes.entry(entries[known], assets)
    found[known] = quotes.value(exits[known], assets) / bought - 1.0
    return found
