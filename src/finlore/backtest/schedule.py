"""When a call would be bought and sold: rows of a panel's sessions.

FinKario, section 4: a signal of day t is bought at the close of t + 1 and sold at the close of the last session of the
following week. What that leaves open is settled by `Rules`.
"""

from dataclasses import dataclass

import numpy as np

from finlore.backtest.quotes import Rows
from finlore.backtest.weeks import last_of_week, week_of
from finlore.records.backtest import Calls, Rules
from finlore.records.panel import PricePanel


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """Rows of entry and exit (k,); the number of sessions where they lie after the last one, -1 for an exit that the
    rules do not give."""

    entries: Rows
    exits: Rows


def schedule(panel: PricePanel, calls: Calls, rules: Rules, *, week_goes_on: bool = False) -> Schedule:
    """When each call is traded. `week_goes_on`: the last week of the panel has sessions that it does not hold."""
    heard = _heard(panel, calls, rules)
    entries = _entries(panel, calls, rules, heard)
    week_ends = last_of_week(panel.days)
    weeks = week_of(panel.days)[week_ends]
    if rules.exit_after_entry:
        known = np.append(week_of(panel.days), weeks[-1:] + 1)
        after_signal = np.searchsorted(weeks, known[heard], side="right")
        after_entry = np.searchsorted(week_ends, entries, side="right")
        following = np.maximum(after_signal, after_entry)
        is_given = np.ones(len(entries), bool)
    else:
        wanted = week_of(calls.days) + 1
        following = np.searchsorted(weeks, wanted)
        beyond = following == len(weeks)
        is_given = beyond | (np.append(weeks, 0)[following] == wanted)
    ends = np.append(week_ends, len(panel.days))
    if week_goes_on and len(week_ends):
        ends[-2] = len(panel.days)
    exits = ends[following]
    is_given &= (exits >= entries) | (exits == len(panel.days))
    return Schedule(entries, np.where(is_given, exits, -1))


def _heard(panel: PricePanel, calls: Calls, rules: Rules) -> Rows:
    """The session of a call: by the clock that of the first close at or after it, else the first from its day on."""
    if rules.rolls_by_clock:
        return np.searchsorted(panel.known_at, calls.at, side="left")
    return np.searchsorted(panel.days, calls.days, side="left")


def _entries(panel: PricePanel, calls: Calls, rules: Rules, heard: Rows) -> Rows:
    """Never a price that was made before the call was heard."""
    n = len(panel.days)
    if rules.entry == "close":
        return heard
    if rules.rolls_by_clock:
        opens = np.searchsorted(panel.opened_at, calls.at, side="right")
        return opens if rules.entry == "open" else np.minimum(heard + 1, n)
    return np.searchsorted(panel.days, calls.days, side="right")  # of a printed date the session after it
