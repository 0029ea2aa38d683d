"""What sleeves of capital hold, trade and are worth, session by session, before costs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.positions import Positions
from finlore.backtest.quotes import Quotes, Rows
from finlore.records.backtest import Rules
from finlore.records.panel import Prices

_MOST_AT_ONCE: Final = 1_000_000  # places of the panel valued together


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Of a capital of 1 (n,): its value and what of it is invested at each close, names held; value bought and sold,
    and what orders fall short of a commission's minimum, each order as large as it is before costs."""

    value: Prices
    invested: Prices
    breadth: NDArray[np.int64]
    bought: Prices
    sold: Prices
    short: Prices


def keep_book(sleeves: Sequence[Positions], quotes: Quotes, rules: Rules) -> Ledger:
    """The ledger of equal sleeves that hold these positions.

    Names that come in are bought at one size, at most `cap` of the sleeve. The money for them is what waits as cash,
    and then what is cut from holdings larger than they are, from the largest first, so that those of one week are
    alike whatever the day on which each is called. Nothing is bought for a second time, and nothing is sold for the
    sake of equal weights: that would be a bet of its own, against what has risen. What cannot be sold stays as it is.
    """
    n = len(quotes.values)
    ledger = Ledger(np.zeros(n), np.zeros(n), np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.zeros(n))
    for positions in sleeves:
        _Sleeve(positions, quotes, rules, ledger, cash=1.0 / len(sleeves)).go_through()
    return ledger


def size_of_new(cash: float, n_new: int, sizes: Prices, most: float) -> tuple[float, float]:
    """(the size of what comes in, the size to which `sizes` are cut that are larger): all the cash, and of the largest
    as much as makes them alike, unless `most` is less. Infinite where nothing is cut."""
    of_cash = cash / n_new
    if of_cash >= most or not len(sizes):
        return min(most, of_cash), np.inf
    sums, numbers = np.sort(sizes)[::-1].cumsum(), np.arange(1, len(sizes) + 1)
    alike = max(of_cash, float(((sums + cash) / (numbers + n_new)).max()))
    if alike <= most:
        return alike, alike
    return most, float(((sums - (n_new * most - cash)) / numbers).max())


class _Sleeve:
    """The state of a sleeve while its days are gone through: what is held, as places among the positions, and how many
    units of each position."""

    def __init__(self, positions: Positions, quotes: Quotes, rules: Rules, ledger: Ledger, *, cash: float) -> None:
        self._positions, self._quotes, self._rules, self._cash = positions, quotes, rules, cash
        self._ledger = ledger
        self._bought_at = quotes.entry(positions.entries, positions.assets)
        self._held: Rows = np.zeros(0, np.int64)
        self._units: Prices = np.zeros(len(positions.assets))
        self._marks: list[tuple[int, Rows, Prices]] = []
        self._n_marked = 0

    def go_through(self) -> None:
        """Trade on each day on which there is something to trade, and enter all days in the ledger."""
        entries, exits = self._positions.entries, set(self._positions.exits.tolist())
        rows = np.unique(np.concatenate([[0], entries, self._positions.exits, [len(self._ledger.value)]]))
        firsts = np.searchsorted(entries, rows).tolist()
        trades_at_open = self._rules.entry == "open"
        for (row, until), (first, last) in zip(pairwise(rows.tolist()), pairwise(firsts), strict=True):
            if trades_at_open and first < last:
                self.enter(row, first, last)
            if row in exits:
                self.leave(row)
            if not trades_at_open and first < last:
                self.enter(row, first, last)
            self.mark(row, until)
        self.write_down()

    def leave(self, row: int) -> None:
        """Sell at the close what is due."""
        stays = self._positions.exits[self._held] > row
        due, self._held = self._held[~stays], self._held[stays]
        self._receive(row, self._units[due] * self._quotes.value(row, self._positions.assets[due]))

    def enter(self, row: int, first: int, last: int) -> None:
        """Buy the positions from `first` up to `last`."""
        n_new, held = last - first, self._held
        assets = self._positions.assets[held]
        prices, can_cut = self._quotes.at_entry(row, assets), self._quotes.can_cut(row, assets)
        sizes = self._units[held] * prices
        most = self._rules.cap * (self._cash + float(sizes.sum()))
        size, cut_to = size_of_new(self._cash, n_new, sizes[can_cut], most)
        if cut_to < np.inf:
            money = np.where(can_cut, np.maximum(sizes - cut_to, 0.0), 0.0)
            self._units[held] -= money / prices
            self._receive(row, money)
        self._cash -= n_new * size
        self._ledger.bought[row] += n_new * size
        self._ledger.short[row] += self._short_of_minimum(np.full(n_new, size))
        self._units[first:last] = size / self._bought_at[first:last]
        self._held = np.concatenate((held, np.arange(first, last)))

    def mark(self, row: int, until: int) -> None:
        """Take down what is held at the closes from `row` up to the next trade."""
        self._ledger.value[row:until] += self._cash
        held = self._positions.assets[self._held], self._units[self._held]
        self._marks += [(session, *held) for session in range(row, until)]
        self._n_marked += (until - row) * len(self._held)
        if self._n_marked > _MOST_AT_ONCE:
            self.write_down()

    def write_down(self) -> None:
        """Enter in the ledger what was taken down. Each session is summed by itself: what follows must not move it."""
        if not self._marks:
            return
        sessions, assets, units = zip(*self._marks, strict=True)
        first, lengths = sessions[0], [len(held) for held in assets]
        rows, all_units = np.repeat(np.arange(len(sessions)), lengths), np.concatenate(units)
        worth = self._quotes.value(rows + first, np.concatenate(assets)) * all_units
        marked = slice(first, first + len(sessions))
        invested = np.bincount(rows, worth, len(sessions))
        self._ledger.invested[marked] += invested
        self._ledger.value[marked] += invested
        self._ledger.breadth[marked] += np.bincount(rows[all_units > 0], minlength=len(sessions))
        self._marks, self._n_marked = [], 0

    def _receive(self, row: int, money: Prices) -> None:
        """Take in what orders to sell brought, `money` (orders,)."""
        received = float(money.sum())
        self._cash += received
        self._ledger.sold[row] += received
        self._ledger.short[row] += self._short_of_minimum(money)

    def _short_of_minimum(self, money: Prices) -> float:
        """What the commission on orders, `money` (orders,), falls short of its minimum; 0 where no capital is known."""
        costs = self._rules.costs
        if not costs or not costs.capital:
            return 0.0
        return float(np.maximum(costs.minimum / costs.capital - money[money > 0] * costs.commission, 0.0).sum())
