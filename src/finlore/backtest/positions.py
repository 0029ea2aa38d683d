"""Which calls become positions, and for how long."""

from collections import Counter
from dataclasses import dataclass
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.calls import contradicted
from finlore.backtest.quotes import Quotes, Rows
from finlore.backtest.schedule import Schedule
from finlore.records.backtest import Calls, CallState
from finlore.records.panel import Mask

_STATES: Final[tuple[CallState, ...]] = get_args(CallState)
_NUMBER: Final = {state: number for number, state in enumerate(_STATES)}
_CLOSED: Final = _NUMBER["closed"]
States = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """What is held (p,), by entry: column, row of entry, row of exit; the number of sessions where it is held still
    when the data end."""

    assets: Rows
    entries: Rows
    exits: Rows

    def only(self, which: Rows | Mask) -> "Positions":
        return Positions(self.assets[which], self.entries[which], self.exits[which])


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Positions; of each call (k,) its state, and the row of exit of what it bought, -1 where that is nothing; and how
    many there are of each state and hindrance."""

    positions: Positions
    states: tuple[CallState, ...]
    exits: Rows
    counts: Counter[str]


def take(calls: Calls, planned: Schedule, quotes: Quotes) -> Taken:
    """Each call in the order of its entry: bought if one can, unless its security is held already, which then is sold
    no earlier than this call asks. What cannot be sold on its day is sold on the first on which it can; what is
    delisted is paid out on the first session after its last day, less the haircut."""
    n = len(quotes.values)
    states = _unusable(calls, planned, quotes)
    usable = np.flatnonzero(states == _CLOSED)
    usable = usable[np.lexsort((planned.exits[usable], planned.entries[usable], calls.assets[usable]))]
    assets, entries = calls.assets[usable], planned.entries[usable]
    due = np.minimum(planned.exits[usable], quotes.gone_from[assets])
    exits = _carried(assets, due, quotes)
    blocked = _blocked(assets, entries, quotes)
    begins, ends, is_held = _runs(assets, entries, exits, blocked == _CLOSED)
    stands_longer = np.append(False, exits[1:] > exits[:-1])
    blocked[is_held] = np.where(stands_longer[is_held], _NUMBER["prolonged"], _NUMBER["repeated"])
    blocked[begins] = np.where(exits[ends] < n, _CLOSED, _NUMBER["held"])
    states[usable] = blocked
    sold = np.full(len(states), -1)
    sold[usable[begins]] = exits[ends]
    begun = Positions(assets[begins], entries[begins], exits[ends])
    counts = _befallen(begun, due[ends], quotes)
    counts.update(dict(zip(_STATES, np.bincount(states, minlength=len(_STATES)).tolist(), strict=True)))
    rows = np.argsort(begun.entries, kind="stable")
    rows = rows[begun.exits[rows] > begun.entries[rows]]  # one close makes nothing
    return Taken(begun.only(rows), tuple(map(_STATES.__getitem__, states.tolist())), sold, +counts)


def _unusable(calls: Calls, planned: Schedule, quotes: Quotes) -> States:
    """States of calls that are not traded whatever the prices; `closed` for the others."""
    n, m = quotes.values.shape
    states = np.full(len(calls.signs), _CLOSED, np.int8)
    rises, is_known = calls.signs > 0, (calls.assets >= 0) & (calls.assets < m)
    listed = np.flatnonzero(is_known)
    states[listed[quotes.is_gone(planned.entries[listed], calls.assets[listed])]] = _NUMBER["no_bar"]
    states[rises & contradicted(calls, planned.entries)] = _NUMBER["conflict"]
    states[planned.exits < 0] = _NUMBER["no_exit"]
    states[planned.entries >= n] = _NUMBER["after_the_end"]
    states[planned.entries < 0] = _NUMBER["before_the_start"]
    states[~rises] = _NUMBER["fall"]
    states[~is_known] = _NUMBER["unknown_security"]
    return states


def _blocked(assets: Rows, entries: Rows, quotes: Quotes) -> States:
    """Why a security cannot be bought at its entry; `closed` where it can."""
    states = np.full(len(assets), _CLOSED, np.int8)
    stuck = np.flatnonzero(~quotes.can_buy(entries, assets))
    at = entries[stuck], assets[stuck]
    states[stuck] = np.where(np.isfinite(quotes.value(*at)), _NUMBER["suspended"], _NUMBER["no_bar"])
    is_open = np.isfinite(quotes.entry(*at)) & quotes.buy_is_limited(*at)
    states[stuck[is_open & ~quotes.is_suspended(*at)]] = _NUMBER["at_limit"]
    return states


def _carried(assets: Rows, due: Rows, quotes: Quotes) -> Rows:
    """Exits on the first session on which one can sell, the number of sessions where that is none."""
    n = len(quotes.values)
    exits = due.copy()
    stuck = np.flatnonzero(exits < n)
    while len(stuck := stuck[~quotes.can_sell(exits[stuck], assets[stuck])]):
        exits[stuck] += 1
        stuck = stuck[exits[stuck] < n]
    return exits


def _runs(assets: Rows, entries: Rows, exits: Rows, can_begin: Mask) -> tuple[Rows, Rows, Mask]:
    """Calls that begin a position (p,), the last calls of each (p,), and which calls (k,) meet one. The calls come by
    security, then by entry, so that no exit lies before the one before it: a run goes on while entries do not lie after
    the exit before them, and a position from the first call of a run that can begin one up to its end."""
    goes_on = (assets[1:] == assets[:-1]) & (entries[1:] <= exits[:-1])
    run = np.cumsum(np.append(False, ~goes_on))[: len(assets)]
    lasts = np.flatnonzero(np.append(~goes_on, True))[: run[-1] + 1 if len(run) else 0]
    able = np.flatnonzero(can_begin)
    begins = able[np.append(True, np.diff(run[able]) > 0)[: len(able)]]
    begin_of = np.full(len(lasts), len(assets))
    begin_of[run[begins]] = begins
    return begins, lasts[run[begins]], np.arange(len(assets)) > begin_of[run]


def _befallen(begun: Positions, due: Rows, quotes: Quotes) -> Counter[str]:
    """How many positions something befell."""
    late, is_sold = np.flatnonzero(begun.exits > due), begun.exits < len(quotes.values)
    at = due[late], begun.assets[late]
    limited = int((quotes.sell_is_limited(*at) & ~quotes.is_suspended(*at)).sum())
    return Counter(
        {
            "exit at the limit": limited,
            "exit suspended": len(late) - limited,
            "delisted while held": int(quotes.is_gone(begun.exits, begun.assets)[is_sold].sum()),
            "bought and sold at one close": int((begun.entries == begun.exits).sum()),
        }
    )
