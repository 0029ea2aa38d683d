"""What a sleeve of capital holds, trades and is worth, session by session, before costs."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.positions import Positions
from finlore.backtest.quotes import Quotes
from finlore.records.backtest import Rules
from finlore.records.panel import Prices


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
    trades_at_open = rules.entry == "open"
    for (row, until), (first, last) in zip(pairwise(rows.tolist()), pairwise(firsts), strict=True):
        if trades_at_open:
            book.enter(row, first, last)
        book.leave(row)
        if not trades_at_open:
            book.enter(row, first, last)
        book.mark(row, until)
    return book.ledger


def size_of_new(cash: float, n_new: int, sizes: Prices, most: float) -> tuple[float, float]:
    """(the size of what comes in, the size to which `sizes` are cut that are larger): all the cash, and of the largest
    as much as makes them alike, unless `most` is less. Infinite where nothing is cut."""
    sums = np.append(0.0, np.cumsum(np.sort(sizes)[::-1]))
    numbers = np.arange(len(sums))
    size = min(most, float(((cash + sums) / (n_new + numbers)).max()))
    needed = n_new * size - cash
    if needed <= 0.0 or not len(sizes):
        return size, np.inf
    return size, float(((sums[1:] - needed) / numbers[1:]).max())


class _Book:
    """The state of a sleeve while its days are gone through. Of what is held: columns, rows of exit, units."""

    def __init__(self, positions: Positions, quotes: Quotes, rules: Rules, cash: float) -> None:
        self._positions, self._quotes, self._rules, self._cash = positions, quotes, rules, cash
        self._bought_at = quotes.entry(positions.entries, positions.assets)
        self._assets, self._exits = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._units: Prices = np.zeros(0)
        self.ledger = Ledger.of_cash(len(quotes.values), cash)

    def leave(self, row: int) -> None:
        """Sell at the close what is due."""
        stays = self._exits > row
        if stays.all():
            return
        leaves = ~stays
        money = self._units[leaves] * self._quotes.value(row, self._assets[leaves])
        self._cash += float(money.sum())
        self.ledger.sold[row] += money.sum()
        self._charge(row, money)
        self._assets, self._exits, self._units = self._assets[stays], self._exits[stays], self._units[stays]

    def enter(self, row: int, first: int, last: int) -> None:
        """Buy the positions from `first` up to `last`."""
        n_new = last - first
        if not n_new:
            return
        held, prices = self._units, self._quotes.at_entry(row, self._assets)
        sizes = held * prices
        can_cut = self._quotes.can_cut(row, self._assets)
        most = self._rules.cap * (self._cash + float(sizes.sum()))
        size, cut_to = size_of_new(self._cash, n_new, sizes[can_cut], most)
        if cut_to < np.inf:
            self._units = np.where(can_cut, np.minimum(held, cut_to / prices), held)
            money = (held - self._units) * prices
            self._cash += float(money.sum())
            self.ledger.sold[row] += money.sum()
            self._charge(row, money[money > 0])
        self._cash -= n_new * size
        self.ledger.bought[row] += n_new * size
        self._charge(row, np.full(n_new, size))
        self._assets = np.append(self._assets, self._positions.assets[first:last])
        self._exits = np.append(self._exits, self._positions.exits[first:last])
        self._units = np.append(self._units, size / self._bought_at[first:last])

    def mark(self, row: int, until: int) -> None:
        """Write down the closes from `row` up to the next trade."""
        ledger = self.ledger
        if not len(self._assets):
            ledger.value[row:] = self._cash
            return
        levels = self._quotes.values[row:until].take(self._assets, axis=1)
        invested = (levels * self._units).sum(axis=1)  # row by row: a day's sum must not depend on how many follow
        ledger.invested[row:until] = invested
        ledger.value[row:until] = self._cash + invested
        ledger.breadth[row:until] = np.count_nonzero(self._units)

    def _charge(self, row: int, orders: Prices) -> None:
        """Note what orders, in money, fall short of the commission's minimum."""
        costs = self._rules.costs
        if costs and costs.capital:
            least = costs.minimum / costs.capital
            self.ledger.short[row] += np.maximum(least - orders[orders > 0] * costs.commission, 0.0).sum()
