"""Whether a strategy looks ahead: said again of a market that has not gone on, its signals must be the same."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from finlore.records.backtest import Signal
from finlore.records.instant import Instant
from finlore.records.panel import Days, Mask, PricePanel, Prices

Strategist = Callable[[PricePanel], Sequence[Signal]]
"""All signals that one draws from a panel, those of its earlier sessions too."""


def first_change(strategist: Strategist, panel: PricePanel, *, sessions: Iterable[int] | None = None) -> Signal | None:
    """The earliest signal that is not the same with and without the future, when the panel is cut off before the open,
    before the close and after the close of each of `sessions` (rows, ascending; all by default)."""
    in_hindsight = strategist(panel)
    for row in range(len(panel.days)) if sessions is None else sessions:
        opened, closed = int(panel.opened_at[row]), int(panel.known_at[row])
        for known_at in map(Instant, (opened - 1, closed - 1, closed)):
            then = Counter(signal for signal in strategist(as_known(panel, known_at)) if signal.at <= known_at)
            now = Counter(signal for signal in in_hindsight if signal.at <= known_at)
            if changed := (now - then) + (then - now):
                return min(changed, key=lambda signal: (signal.at, signal.security))
    return None


def as_known(panel: PricePanel, at: Instant) -> PricePanel:
    """The panel as one had it at an instant: its closed sessions, and the one that is to come or goes on, of which at
    most the opens are known; no one is delisted or listed on a later day."""
    closed = int(np.searchsorted(panel.known_at, at, side="right"))
    is_between = closed < len(panel.days) and (not closed or at > panel.known_at[closed - 1])
    n = closed + is_between
    has_opened = n > closed and at >= panel.opened_at[closed]
    known, to_come, today = panel.sessions(slice(n)), np.arange(n) >= closed, panel.days[n - 1 : n]
    return replace(
        known,
        open=_blank(known.open, to_come & (not has_opened)),
        high=_blank(known.high, to_come),
        low=_blank(known.low, to_come),
        close=_blank(known.close, to_come),
        volume=_blank(known.volume, to_come),
        traded=known.traded & ~to_come[:, None],
        listed=_by_then(panel.listed, today),
        delisted=_by_then(panel.delisted, today),
    )


def _blank(values: Prices, rows: Mask) -> Prices:
    return np.where(rows[:, None], np.nan, values)


def _by_then(days: Days, today: Days) -> Days:
    return np.where(days <= today, days, np.datetime64("NaT"))
