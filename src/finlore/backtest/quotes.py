"""A panel as a trader meets it: prices that go on where there is none, and whether one can buy and sell."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from finlore.records.backtest import Rules
from finlore.records.panel import Mask, PricePanel, Prices

Rows: TypeAlias = NDArray[np.int64]
Row: TypeAlias = Rows | int


class Quotes:
    """What is asked of places of a panel: sessions `rows` (k,) or one for all, securities `assets` (k,).

    Without respect for limits whatever has a price can be traded.
    """

    def __init__(self, panel: PricePanel, rules: Rules) -> None:
        self._panel, self._rules = panel, rules
        self._asked = panel.open if rules.entry == "open" else panel.close
        dated = ~np.isnat(panel.delisted)
        ends = np.searchsorted(panel.days, panel.delisted, side="right")
        self._gone_from = np.where(dated, ends, len(panel.days))
        self.values = self._levels()

    def _levels(self) -> Prices:
        """(n, m) total return at the close, the last one where there is no bar, after the delisting what is left of it;
        NaN before the first."""
        panel = self._panel
        values = _carried(panel.close * panel.factor)
        lost = np.flatnonzero(self._gone_from < len(panel.days))
        if len(lost):
            values = values.copy()
        for asset in lost.tolist():
            values[self._gone_from[asset] :, asset] *= 1.0 - self._rules.haircut
        return values

    def is_gone(self, rows: Row, assets: Rows) -> Mask:
        """Whether a security has been delisted."""
        return np.asarray(rows >= self._gone_from[assets], np.bool_)

    def entry(self, rows: Row, assets: Rows) -> Prices:
        """The level at which one buys, NaN where nothing is quoted."""
        asked = self._asked[rows, assets]
        return np.where(asked > 0, asked * self._panel.factor[rows, assets], np.nan)

    def can_buy(self, rows: Row, assets: Rows) -> Mask:
        quoted: Mask = (self._asked[rows, assets] > 0) & ~self.is_gone(rows, assets)
        if not self._rules.respects_limits:
            return quoted
        return np.asarray(quoted & self._panel.traded[rows, assets] & ~self.buy_is_limited(rows, assets), np.bool_)

    def can_sell(self, rows: Row, assets: Rows) -> Mask:
        """At the close; what is left of a delisted one can be had."""
        if not self._rules.respects_limits:
            return np.asarray(np.isfinite(self.values[rows, assets]), np.bool_)
        panel, gone = self._panel, self.is_gone(rows, assets)
        trades = panel.traded[rows, assets] & (panel.close[rows, assets] > 0) & ~self.sell_is_limited(rows, assets)
        return np.asarray(trades | gone, np.bool_)

    def buy_is_limited(self, rows: Row, assets: Rows) -> Mask:
        """Whether the price at which one would buy is the highest of the day; never without a limit."""
        return np.asarray(self._asked[rows, assets] >= self._panel.upper[rows, assets], np.bool_)

    def sell_is_limited(self, rows: Row, assets: Rows) -> Mask:
        return np.asarray(self._panel.close[rows, assets] <= self._panel.lower[rows, assets], np.bool_)


def _carried(levels: Prices) -> Prices:
    """The last price that there was."""
    missing = ~(levels > 0)
    if not missing.any():
        return levels
    rows = np.maximum.accumulate(np.where(missing, 0, np.arange(len(levels))[:, None]), axis=0)
    carried: Prices = np.take_along_axis(levels, rows, axis=0)
    return np.where(carried > 0, carried, np.nan)
