"""A panel as a trader meets it: prices that go on where there is none, and whether one can buy and sell."""

from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from finlore.records.backtest import Rules
from finlore.records.panel import Mask, PricePanel, Prices

Rows: TypeAlias = NDArray[np.int64]
Row: TypeAlias = Rows | int
_Scalar = TypeVar("_Scalar", bound=np.generic)


class Quotes:
    """What is asked of places of a panel: sessions `rows` (k,) or one for all, securities `assets` (k,).

    A price that is not a positive number is none, and a bar without a close is no bar. Without respect for limits
    whatever has had a price can be sold, and whatever has one on the day bought.
    """

    def __init__(self, panel: PricePanel, rules: Rules) -> None:
        self._panel, self._respects_limits = panel, rules.respects_limits
        self._asked = panel.open if rules.entry == "open" else panel.close
        ends = np.searchsorted(panel.days, panel.delisted, side="right")
        self.gone_from: Rows = np.where(np.isnat(panel.delisted), len(panel.days), ends)
        self.values = _levels(panel)
        self._lost = np.flatnonzero(self.gone_from < len(panel.days))
        self._has_buyers = self._buyers(panel.close)
        self._has_buyers_then = self._has_buyers if self._asked is panel.close else self._buyers(self._asked)
        for asset in self._lost.tolist():
            end = self.gone_from[asset]
            left = self.values[end - 1, asset] * (1.0 - rules.haircut) if end else np.nan
            self.values[end:, asset] = left

    def is_gone(self, rows: Row, assets: Rows) -> Mask:
        """Whether a security has been delisted."""
        if not len(self._lost):
            return np.zeros(len(assets), np.bool_)
        return np.asarray(self.gone_from.take(assets) <= rows, np.bool_)

    def value(self, rows: Row, assets: Rows) -> Prices:
        """Total return at the close, the last one where there is no bar; of a delisted one what is left of it."""
        return self._at(self.values, rows, assets)

    def entry(self, rows: Row, assets: Rows) -> Prices:
        """The level at which one buys, NaN where nothing is quoted."""
        levels = self._at(self._asked, rows, assets) * self._at(self._panel.factor, rows, assets)
        has_close = _are_prices(self._at(self._panel.close, rows, assets))
        return np.where(_are_prices(levels) & has_close, levels, np.nan)

    def at_entry(self, row: int, assets: Rows) -> Prices:
        """What is held is worth this when others are bought: the close, or the open, where none is the close before."""
        if self._asked is self._panel.close:
            return self.value(row, assets)
        asked, gone = self.entry(row, assets), self.is_gone(row, assets)
        before = np.where(gone, self.value(row, assets), self.value(max(row - 1, 0), assets))
        return np.where(np.isfinite(asked) & ~gone, asked, before)

    def can_buy(self, rows: Row, assets: Rows) -> Mask:
        """At the open or the close, as the rules enter: quoted, not delisted, and with limits respected not suspended
        nor at the upper one."""
        quoted = np.isfinite(self.entry(rows, assets)) & np.isfinite(self.value(rows, assets))
        quoted &= ~self.is_gone(rows, assets)
        if self._respects_limits:
            quoted &= self._at(self._panel.traded, rows, assets) & ~self.buy_is_limited(rows, assets)
        return quoted

    def can_sell(self, rows: Row, assets: Rows) -> Mask:
        """At the close; what is left of a delisted one can be had."""
        if not self._respects_limits:
            return np.isfinite(self.value(rows, assets))
        return self._at(self._has_buyers, rows, assets) | self.is_gone(rows, assets)

    def can_cut(self, row: int, assets: Rows) -> Mask:
        """Whether some of what is held can be sold when others are bought."""
        if not self._respects_limits:
            return np.ones(len(assets), np.bool_)
        return self._at(self._has_buyers_then, row, assets) & ~self.is_gone(row, assets)

    def is_suspended(self, rows: Row, assets: Rows) -> Mask:
        """Whether no shares changed hands."""
        return ~self._at(self._panel.traded, rows, assets)

    def buy_is_limited(self, rows: Row, assets: Rows) -> Mask:
        """Whether the price at which one would buy is the highest of the day; never without a limit."""
        upper = self._at(self._panel.upper, rows, assets)
        return np.asarray(self._at(self._asked, rows, assets) >= upper, np.bool_)

    def sell_is_limited(self, rows: Row, assets: Rows) -> Mask:
        """Whether the close is the lowest of the day; never without a limit."""
        lower = self._at(self._panel.lower, rows, assets)
        return np.asarray(self._at(self._panel.close, rows, assets) <= lower, np.bool_)

    def _buyers(self, prices: Prices) -> Mask:
        """(n, m) where one can sell at these prices; nowhere where nobody asks."""
        panel = self._panel
        if not self._respects_limits:
            return np.zeros((0, prices.shape[1]), np.bool_)
        return np.asarray(panel.traded & _are_prices(prices) & ~(prices <= panel.lower), np.bool_)

    def _at(self, array: NDArray[_Scalar], rows: Row, assets: Rows) -> NDArray[_Scalar]:
        one_row = isinstance(rows, int)
        found: NDArray[_Scalar] = array[rows].take(assets) if one_row else array.take(rows * array.shape[1] + assets)
        return found


def _are_prices(levels: Prices) -> Mask:
    return np.asarray((levels > 0) & (levels < np.inf), np.bool_)


def _levels(panel: PricePanel) -> Prices:
    """(n, m) total return at the close, the last one where there is none; NaN before the first."""
    with np.errstate(invalid="ignore"):
        levels: Prices = panel.close * panel.factor
    missing = ~_are_prices(levels)
    levels[:1][missing[:1]] = np.nan
    for row in (np.flatnonzero(missing[1:].any(axis=1)) + 1).tolist():
        np.copyto(levels[row], levels[row - 1], where=missing[row])
    return levels
