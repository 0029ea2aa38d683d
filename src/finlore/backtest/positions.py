"""Which calls become positions, and for how long."""

from collections import Counter
from dataclasses import dataclass
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.quotes import Quotes, Rows
from finlore.backtest.schedule import Schedule
from finlore.records.backtest import Calls, CallState

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


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Positions, the state of each call (k,), and how often something hindered trading."""

    positions: Positions
    states: tuple[CallState, ...]
    counts: Counter[str]


def take(calls: Calls, planned: Schedule, quotes: Quotes) -> Taken:
    """Each call in the order of its entry: bought if one can, unless its security is held already, which then is sold
    later. What cannot be sold on its day is sold on the first on which it can."""
    states = _unusable(calls, planned, len(quotes.values))
    usable = np.flatnonzero(states == _CLOSED)
    usable = usable[np.lexsort((planned.entries[usable], calls.assets[usable]))]
    assets, entries = calls.assets[usable], planned.entries[usable]
    exits, counts = _carried(assets, planned.exits[usable], quotes)
    counts["bought and sold at one close"] = int((entries == exits).sum())
    blocked = _blocked(assets, entries, quotes)
    begins, lasts = _held(assets.tolist(), entries.tolist(), exits.tolist(), blocked.tolist())
    states[usable] = np.where(blocked == _CLOSED, _NUMBER["prolonged"], blocked)
    states[usable[begins]] = np.where(lasts < len(quotes.values), _CLOSED, _NUMBER["held"])
    named = tuple(_STATES[number] for number in states.tolist())
    begins, lasts = begins[lasts > entries[begins]], lasts[lasts > entries[begins]]  # the others make nothing
    by_entry = np.argsort(entries[begins], kind="stable")
    positions = Positions(assets[begins][by_entry], entries[begins][by_entry], lasts[by_entry])
    return Taken(positions, named, counts + Counter(named))


def _unusable(calls: Calls, planned: Schedule, n: int) -> States:
    """States of calls that are not traded whatever the prices; `closed` for the others."""
    states = np.full(len(calls.signs), _CLOSED, np.int8)
    rises = calls.signs > 0
    places = calls.assets * (n + 1) + planned.entries
    states[rises & np.isin(places, places[~rises])] = _NUMBER["conflict"]
    states[planned.exits < 0] = _NUMBER["no_exit"]
    states[planned.entries >= n] = _NUMBER["after_the_end"]
    states[~rises] = _NUMBER["fall"]
    states[calls.assets < 0] = _NUMBER["unknown_security"]
    return states


def _blocked(assets: Rows, entries: Rows, quotes: Quotes) -> States:
    """Why a security cannot be bought at its entry; `closed` where it can."""
    states = np.full(len(assets), _CLOSED, np.int8)
    stuck = np.flatnonzero(~quotes.can_buy(entries, assets))
    at = entries[stuck], assets[stuck]
    had_price = np.isfinite(quotes.values[at]) & ~quotes.is_gone(*at)
    states[stuck] = np.where(had_price, _NUMBER["suspended"], _NUMBER["no_bar"])
    states[stuck[quotes.buy_is_limited(*at)]] = _NUMBER["at_limit"]
    return states


def _carried(assets: Rows, exits: Rows, quotes: Quotes) -> tuple[Rows, Counter[str]]:
    """Exits moved to the first session on which one can sell; the number of sessions where that is none."""
    n = len(quotes.values)
    carried = exits.copy()
    inside = np.flatnonzero(exits < n)
    stuck = inside[~quotes.can_sell(exits[inside], assets[inside])]
    for call in stuck.tolist():
        rows = np.arange(exits[call], n)
        free = np.flatnonzero(quotes.can_sell(rows, np.full(len(rows), assets[call])))
        carried[call] = exits[call] + free[0] if len(free) else n
    limited = int(quotes.sell_is_limited(exits[stuck], assets[stuck]).sum())
    gone = int(quotes.is_gone(exits[inside], assets[inside]).sum())
    return carried, Counter(
        {"exit at the limit": limited, "exit suspended": len(stuck) - limited, "delisted while held": gone}
    )


def _held(assets: list[int], entries: list[int], exits: list[int], blocked: list[int]) -> tuple[NDArray[np.intp], Rows]:
    """(which calls begin a position, the last exit of each). The calls come by security, then by entry."""
    begins: list[int] = []
    lasts: list[int] = []
    held = -1
    for call, (asset, entry, exit_, why) in enumerate(zip(assets, entries, exits, blocked, strict=True)):
        if asset == held and entry <= lasts[-1]:
            lasts[-1] = max(lasts[-1], exit_)
        elif why == _CLOSED:
            begins.append(call)
            lasts.append(exit_)
            held = asset
    return np.array(begins, np.intp), np.array(lasts, np.int64)
