"""What a sleeve of capital holds, trades and is worth, session by session, before costs."""

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
    """Of one sleeve (n,): its value and what of it is invested at each close, names held; value bought and sold, and
    what orders fall short of a commission's minimum, each order as large as it is before costs."""

    value: Prices
    invested: Prices
    breadth: NDArray[np.int64]
    bought: Prices
    sold: Prices
    short: Prices

    @classmethod
    def of_cash(cls, n: int, cash: float) -> "Ledger":
        return cls(np.full(n, cash), np.zeros(n), np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.zeros(n))


def keep_book(positions: Positions, quotes: Quotes, rules: Rules, *, cash: float) -> Ledger:
    """The ledger of a sleeve that begins with `cash` and holds these positions.

    Names that come in are bought at one size, at most `cap` of the sleeve. The money for them is what waits as cash,
    and then what is cut from holdings larger than they are, from the largest first, so that those of one week are
    alike whatever the day on which each is called. Nothing is bought for a second time, and nothing is sold for the
    sake of equal weights: that would be a bet of its own, against what has risen. What cannot be sold stays as it is.
    """
    book = _Book(positions, quotes, rules, cash)
    n = len(quotes.values)
    rows = np.unique(np.concatenate([positions.entries, positions.exits, [n]]))
    firsts = np.searchsorted(positions.entries, rows).tolist()
    exits = set(positions.exits.tolist())
    trades_at_open = rules.entry == "open"
    for (row, until), (first, last) in zip(pairwise(rows.tolist()), pairwise(firsts), strict=True):
        if trades_at_open and first < last:
            book.enter(row, first, last)
        if row in exits:
            book.leave(row)
        if not trades_at_open and first < last:
            book.enter(row, first, last)
        book.mark(row, until)
    book.write_down()
    return book.ledger


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


class _Book:
    """The state of a sleeve while its days are gone through. Of what is held: columns, rows of exit, units."""

    def __init__(self, positions: Positions, quotes: Quotes, rules: Rules, cash: float) -> None:
        self._positions, self._quotes, self._rules, self._cash = positions, quotes, rules, cash
        self._bought_at = quotes.entry(positions.entries, positions.assets)
        self._assets, self._exits = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._units: Prices = np.zeros(0)
        self._marks: list[tuple[int, Rows, Prices]] = []
        self._n_marked = 0
        self.ledger = Ledger.of_cash(len(quotes.values), cash)

    def leave(self, row: int) -> None:
        """Sell at the close what is due."""
        stays = self._exits > row
        leaves = ~stays
        money = self._units[leaves] * self._quotes.value(row, self._assets[leaves])
        received = float(money.sum())
        self._cash += received
        self.ledger.sold[row] += received
        self._charge(row, money)
        self._assets, self._exits, self._units = self._assets[stays], self._exits[stays], self._units[stays]

    def enter(self, row: int, first: int, last: int) -> None:
        """Buy the positions from `first` up to `last`."""
        n_new, new = last - first, slice(first, last)
        held, prices = self._units, self._quotes.at_entry(row, self._assets)
        sizes, can_cut = held * prices, self._quotes.can_cut(row, self._assets)
        most = self._rules.cap * (self._cash + float(sizes.sum()))
        size, cut_to = size_of_new(self._cash, n_new, sizes[can_cut], most)
        if cut_to < np.inf:
            money = np.where(can_cut, np.maximum(sizes - cut_to, 0.0), 0.0)
            held = held - money / prices
            received = float(money.sum())
            self._cash += received
            self.ledger.sold[row] += received
            self._charge(row, money)
        self._cash -= n_new * size
        self.ledger.bought[row] += n_new * size
        self._charge(row, np.full(n_new, size))
        self._assets = np.concatenate((self._assets, self._positions.assets[new]))
        self._exits = np.concatenate((self._exits, self._positions.exits[new]))
        self._units = np.concatenate((held, size / self._bought_at[new]))

    def mark(self, row: int, until: int) -> None:
        """Take down what is held at the closes from `row` up to the next trade."""
        self.ledger.value[row:until] = self._cash
        held = self._assets, self._units
        self._marks += [(session, *held) for session in range(row, until)]
        self._n_marked += (until - row) * len(self._assets)
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
        self.ledger.invested[marked] = np.bincount(rows, worth, len(sessions))
        self.ledger.value[marked] += self.ledger.invested[marked]
        self.ledger.breadth[marked] = np.bincount(rows, all_units > 0, len(sessions))
        self._marks, self._n_marked = [], 0

    def _charge(self, row: int, orders: Prices) -> None:
        """What orders, in money, fall short of the commission's minimum."""
        costs = self._rules.costs
        if costs and costs.capital:
            least = costs.minimum / costs.capital
            self.ledger.short[row] += np.maximum(least - orders[orders > 0] * costs.commission, 0.0).sum()
