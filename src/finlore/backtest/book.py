"""What a sleeve of capital holds, trades and is worth, session by session, before costs."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.positions import Positions
from finlore.backtest.quotes import Quotes, Rows
from finlore.records.backtest import Rules
from finlore.records.panel import Prices


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """Of one sleeve (n,): its value and what of it is invested at each close, names held; value bought and sold, and
    what orders fall short of a commission's minimum."""

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
    """The ledger of a sleeve that begins with `cash` and holds these positions, each as large as the others.

    Where names come in, all that can be traded is brought to the same size, at most `cap` of the sleeve; what cannot be
    stays as large as it is. Money of what was sold waits as cash.
    """
    book = _Book(positions, quotes, rules, cash)
    n = len(quotes.values)
    rows = np.unique(np.concatenate([positions.entries, positions.exits, [n]]))
    opens_first = rules.entry == "open"
    for row, until in pairwise(rows.tolist()):
        if opens_first:
            book.enter(row)
        book.leave(row)
        if not opens_first:
            book.enter(row)
        book.mark(row, until)
    return book.ledger


class _Book:
    """The state of a sleeve while its days are gone through. Of what is held: numbers of positions and units."""

    def __init__(self, positions: Positions, quotes: Quotes, rules: Rules, cash: float) -> None:
        self._positions, self._quotes, self._rules, self._cash = positions, quotes, rules, cash
        self._held: Rows = np.zeros(0, np.int64)
        self._assets: Rows = np.zeros(0, np.int64)
        self._units: Prices = np.zeros(0)
        self.ledger = Ledger.of_cash(len(quotes.values), cash)

    def leave(self, row: int) -> None:
        """Sell at the close what is due."""
        stays = self._positions.exits[self._held] > row
        if stays.all():
            return
        leaves = ~stays
        money = self._units[leaves] * self._quotes.values[row, self._assets[leaves]]
        self._cash += float(money.sum())
        self._note(row, -money)
        self._keep(stays)

    def enter(self, row: int) -> None:
        """Buy what comes in, and make all alike in size."""
        first, last = np.searchsorted(self._positions.entries, [row, row + 1])
        if first == last:
            return
        sizes, is_free = self._units * self._quoted(row), self._is_free(row)
        frozen = float(sizes[~is_free].sum())
        free_money = self._cash + float(sizes[is_free].sum())
        n_free = int(is_free.sum()) + int(last - first)
        size = min(self._rules.cap * (free_money + frozen), free_money / n_free)
        self._note(row, np.concatenate([size - sizes[is_free], np.full(last - first, size)]))
        self._units[is_free] *= size / sizes[is_free]
        new = np.arange(first, last)
        assets = self._positions.assets[new]
        self._held, self._assets = np.concatenate([self._held, new]), np.concatenate([self._assets, assets])
        self._units = np.concatenate([self._units, size / self._quotes.entry(row, assets)])
        self._cash = free_money - size * n_free

    def mark(self, row: int, until: int) -> None:
        """Write down the closes from `row` up to the next trade."""
        if not len(self._held):
            self.ledger.value[row:] = self._cash
            return
        invested = self._quotes.values[row:until].take(self._assets, axis=1) @ self._units
        self.ledger.invested[row:until] = invested
        self.ledger.value[row:until] = self._cash + invested
        self.ledger.breadth[row:until] = len(self._held)

    def _quoted(self, row: int) -> Prices:
        """What is held is worth this when names come in: at the close, or at the open, by then."""
        closes: Prices = self._quotes.values[row, self._assets]
        if self._rules.entry != "open":
            return closes
        asked = self._quotes.entry(row, self._assets)
        before: Prices = self._quotes.values[max(row - 1, 0), self._assets]
        return np.where(np.isfinite(asked), asked, before)

    def _is_free(self, row: int) -> NDArray[np.bool_]:
        """Which of what is held can be bought and sold now; what is worth nothing is left alone."""
        quotes, assets = self._quotes, self._assets
        worth = self._units * quotes.values[row, assets]
        return np.asarray(quotes.can_buy(row, assets) & quotes.can_sell(row, assets) & (worth > 0), np.bool_)

    def _note(self, row: int, money: Prices) -> None:
        """Orders: money paid, negative: received."""
        ledger, costs = self.ledger, self._rules.costs
        ledger.bought[row] += float(money[money > 0].sum())
        ledger.sold[row] -= float(money[money < 0].sum())
        if costs and costs.capital:
            paid = np.abs(money[money != 0]) * costs.commission
            ledger.short[row] += float(np.maximum(costs.minimum / costs.capital - paid, 0.0).sum())

    def _keep(self, which: NDArray[np.bool_]) -> None:
        self._held, self._assets, self._units = self._held[which], self._assets[which], self._units[which]
