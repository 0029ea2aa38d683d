"""When a call would be bought and sold: rows of a panel's sessions.

FinKario, section 4: a signal of day t is bought at the close of t + 1 and sold at the close of the last session of the
following week. What that leaves open is settled by `Rules`.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from finlore.backtest.quotes import Rows
from finlore.backtest.weeks import last_of_week
from finlore.records.backtest import Calls, Rules
from finlore.records.panel import PricePanel, week_of

_DAY: Final = 86_400_000_000  # of an instant


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Rows of entry and exit (k,); the number of sessions where they lie after the last one. -1 is the entry of a call
    made before the panel begins, and an exit that the rules do not give."""

    entries: Rows
    exits: Rows


def schedule(panel: PricePanel, calls: Calls, rules: Rules, *, week_goes_on: bool = False) -> Schedule:
    """When each call is traded. `week_goes_on`: the last week of the panel has sessions that it does not hold."""
    n = len(panel.days)
    if not n:
        return Schedule(np.zeros(len(calls.days), np.int64), np.zeros(len(calls.days), np.int64))
    sessions = heard(panel, calls, by_clock=rules.rolls_by_clock)
    entries = _entries(panel, calls, sessions, rules)
    week_ends = last_of_week(panel.days)
    weeks = week_of(panel.days)[week_ends]
    ends = np.append(week_ends, n)
    if week_goes_on:
        ends[-2] = n
    if rules.exit_after_entry:
        after_signal = np.searchsorted(week_ends, sessions, side="left") + 1  # they lie in the week that ends first
        after_entry = np.searchsorted(week_ends, entries, side="right")
        exits = ends[np.minimum(np.maximum(after_signal, after_entry), len(weeks))]
        return Schedule(entries, exits)
    wanted = week_of(calls.days) + 1
    following = np.searchsorted(weeks, wanted)
    is_given = (following == len(weeks)) | (np.append(weeks, 0)[following] == wanted)
    exits = ends[following]
    return Schedule(entries, np.where(is_given & (exits >= entries), exits, -1))


def heard(panel: PricePanel, calls: Calls, *, by_clock: bool) -> Rows:
    """(k,) the session t of each call: the row of the first close at or after it, or of the first day from its date
    on; the number of sessions where that is none."""
    if by_clock:
        return np.searchsorted(panel.known_at, calls.at, side="left")
    return np.searchsorted(panel.days, calls.days, side="left")


def _entries(panel: PricePanel, calls: Calls, sessions: Rows, rules: Rules) -> Rows:
    """The session at which each call is bought, of those that hear them: never at a price that was made before, or by
    the same instant. Nobody tells whether there were sessions before the first one, so what was said more than a day
    before it is not traded."""
    if rules.rolls_by_clock:
        early = calls.at < panel.opened_at[0] - _DAY
        at_open = np.searchsorted(panel.opened_at, calls.at, side="right")
        at_close = np.searchsorted(panel.known_at, calls.at, side="right")
        after = np.minimum(sessions + 1, len(panel.days))
    else:
        early = calls.days < panel.days[0] - np.timedelta64(1, "D")
        at_close, after = sessions, np.searchsorted(panel.days, calls.days, side="right")
        at_open = after
    return np.where(early, -1, {"open": at_open, "close": at_close, "next_close": after}[rules.entry])
