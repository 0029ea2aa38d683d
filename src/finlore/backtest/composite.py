"""The composite: what prices alone say of securities at one close, by a fixed specification.

z = mean of the cross-sectional percentile ranks of -(20-day return less the mean of its industry), -(20-day volatility)
and -(highest daily return in 20 days). P(rise) = prior + .05 (2 pct(z) - 1), from .45 to .55; the prior is the share
of stock-weeks that rose in all weeks that were over by then, .5 where that is less than two years. The worst fifth is
to be avoided. Nothing was fitted; whoever changes it tries a variant.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np

from finlore.backtest.industries import Industries
from finlore.backtest.weeks import last_of_week
from finlore.records.panel import Days, Mask, PricePanel, Prices, week_of

SESSIONS: Final = 20
_SPREAD: Final = 0.05
_MOST: Final = 0.55
_WORST: Final = 0.2
TWO_YEARS: Final = timedelta(days=730)
BEFORE: Final = timedelta(days=90)
"""How long before a test its prices have to begin: the 21 sessions of a first score, with all holidays about 45 days,
and as long again for the last close of what is suspended."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Of each security of a panel (m,) at one close: `percentile` of z from 0 to 1, NaN without bars on the last 21
    sessions; `prior` of a rise. Or of many closes, one a row, priors (n, 1)."""

    percentile: Prices
    prior: float | Prices

    @property
    def p_rise(self) -> Prices:
        """Probability of a rise in the week that follows, NaN without a score."""
        lean = _SPREAD * (2.0 * self.percentile - 1.0)
        return np.asarray(np.clip(self.prior + lean, 1.0 - _MOST, _MOST), np.float64)

    @property
    def is_avoided(self) -> Mask:
        return self.percentile <= _WORST

    @property
    def is_top_half(self) -> Mask:
        return self.percentile > 0.5


class Prior:
    """How often securities rise in a week, by all weeks that were over by a day. `spans`: days and levels (sessions,
    securities) in order, each beginning with the last session of the week before it (`ports.Market.levels`); one is
    looked at at a time."""

    def __init__(self, spans: Iterable[tuple[Days, Prices]] = ()) -> None:
        self.first: date | None = None
        weeks = [np.zeros((0, 3), np.int64)]
        for days, levels in spans:
            if self.first is None:
                self.first = days[0].item() if len(days) else None
            ends = last_of_week(days)
            moves = np.diff(levels[ends], axis=0)
            numbers = days[ends[1:]].astype(np.int64), (moves > 0).sum(axis=1), np.isfinite(moves).sum(axis=1)
            weeks.append(np.column_stack(numbers))
        ended, rose, known = np.concatenate(weeks).T
        self._ended, self._rose, self._known = ended.astype("datetime64[D]"), np.cumsum(rose), np.cumsum(known)

    def at(self, day: date) -> float:
        """The share that rose in the weeks before that of the day; .5 where that is less than two years."""
        last = int(np.searchsorted(week_of(self._ended), week_of(np.array([day], "datetime64[D]"))[0])) - 1
        if self.first is None or last < 0 or not self._known[last]:
            return 0.5
        is_long = self._ended[last].item() - self.first >= TWO_YEARS
        return float(self._rose[last] / self._known[last]) if is_long else 0.5


class Composite:
    """Scores of the securities of a panel at any of its closes; a score is made of that close and those before it."""

    def __init__(self, panel: PricePanel, industries: Industries, prior: Prior) -> None:
        self._panel, self._industries, self._prior = panel, industries, prior
        self._levels = np.where((panel.close > 0) & np.isfinite(panel.close), panel.close, np.nan) * panel.factor

    def at(self, row: int) -> Scores:
        """Of all securities (m,) at the close of a row."""
        return Scores(self._percentile(row), self._prior.at(self._panel.days[row].item()))

    def _percentile(self, row: int) -> Prices:
        panel = self._panel
        found = np.full(len(panel.codes), np.nan)
        window = self._levels[max(row - SESSIONS, 0) : row + 1]
        rated = np.flatnonzero(np.isfinite(window).all(axis=0)) if len(window) > SESSIONS else np.zeros(0, np.int64)
        if not len(rated):
            return found
        levels = window[:, rated]
        daily = levels[1:] / levels[:-1] - 1.0
        made = levels[-1] / levels[0] - 1.0
        codes = [panel.codes[asset] for asset in rated.tolist()]
        own = made - _mean_of_group(made, self._industries(codes, panel.days[row].item()))
        parts = (own, daily.std(axis=0, ddof=1), daily.max(axis=0))
        found[rated] = percentiles(np.mean([percentiles(-part) for part in parts], axis=0))
        return found


def percentiles(values: Prices) -> Prices:
    """Where each value stands among all, from 0 to 1, equal ones at the middle of their places."""
    _, of, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2
    return np.asarray(middle[of] / max(len(values), 1), np.float64)


def _mean_of_group(values: Prices, groups: Sequence[str | None]) -> Prices:
    """Of each value the mean of its group; those without one are a group."""
    _, of = np.unique([group or "" for group in groups], return_inverse=True)
    return np.asarray((np.bincount(of, values) / np.bincount(of))[of], np.float64)
