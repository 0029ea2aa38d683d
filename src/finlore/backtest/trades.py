"""The trades of a strategy, call by call, so that any of its numbers can be worked out by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

import numpy as np

from finlore.backtest.calls import Candidate, contradicted
from finlore.backtest.quotes import Quotes, Rows
from finlore.backtest.schedule import heard
from finlore.records.backtest import Calls, CallState, Label, Rules, Simulation
from finlore.records.instant import Instant, isoformat
from finlore.records.panel import PricePanel, Prices


class Trade(NamedTuple):
    """What became of a call. `said`: its instant, or its date where that counts; `heard`: the session that follows it.
    Entry and exit are those of what was bought, else those that the rules give; prices as the panel has them, of which
    the exit is in shares of the entry: `made` = exit_price * shares / entry_price - 1. `outcome`: what its security
    made from the entry to the day on which the rules sell, as ACC counts it; None of calls that are contradicted."""

    strategy: str
    security: str
    name: str
    said: str
    label: Label
    confidence: float | None
    heard: str
    state: CallState
    entry_day: str
    entry_price: float | None
    exit_day: str
    exit_price: float | None
    shares: float | None
    weight: float | None
    made: float | None
    outcome: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Trades:
    """All of a strategy, in the order of its calls (k,): rows of sessions, -1 where there is none, and numbers, NaN
    where there is none."""

    strategy: str
    sessions: tuple[str, ...]
    codes: tuple[str, ...]
    names: tuple[str, ...]
    securities: tuple[str, ...]
    calls: Calls
    states: tuple[CallState, ...]
    heard: Rows
    entries: Rows
    exits: Rows
    numbers: Prices
    zone: str | None

    def __iter__(self) -> Iterator[Trade]:
        calls = self.calls
        assets, signs, days = calls.assets.tolist(), calls.signs.tolist(), calls.days.astype(str).tolist()
        said = [isoformat(Instant(at), self.zone) for at in calls.at.tolist()] if self.zone else days
        rows = zip(self.heard.tolist(), self.entries.tolist(), self.exits.tolist(), strict=True)
        numbers = np.column_stack((calls.confidence, self.numbers)).tolist()
        for k, (session, entry, left) in enumerate(rows):
            sure, bought_at, sold_at, *others = (number if isfinite(number) else None for number in numbers[k])
            asset = assets[k]
            label: Label = "Rise" if signs[k] > 0 else "Fall"
            code = self.codes[asset] if asset >= 0 else self.securities[k]
            name = self.names[asset] if asset >= 0 else ""
            yield Trade(
                self.strategy, code, name, said[k] or "", label, sure, self._day(session), self.states[k],
                self._day(entry), bought_at, self._day(left), sold_at, *others,
            )  # fmt: skip

    def _day(self, row: int) -> str:
        return self.sessions[row] if 0 <= row < len(self.sessions) else ""


def trades_of(
    candidate: Candidate, done: Simulation, quotes: Quotes, panel: PricePanel, rules: Rules, *, zone: str
) -> Trades:
    """Of a strategy as it was traded on this panel."""
    calls, entries = candidate.calls, done.entered
    exits = np.where(np.isfinite(done.weights), done.sold, done.left)
    outcomes = np.where(contradicted(calls, entries), np.nan, done.returns)
    asked = panel.open if rules.entry == "open" else panel.close
    asked_at, factor_at = _at(asked, entries, calls), _at(panel.factor, entries, calls)
    level, factor = _at(quotes.values, exits, calls), _at(panel.factor, exits, calls)
    with np.errstate(divide="ignore", invalid="ignore"):
        made, told, shares = level / (asked_at * factor_at) - 1.0, level / factor, factor / factor_at
    return Trades(
        strategy=candidate.name,
        sessions=tuple(panel.days.astype(str).tolist()),
        codes=panel.codes,
        names=panel.names,
        securities=candidate.securities,
        calls=calls,
        states=done.states,
        heard=heard(panel, calls, by_clock=rules.rolls_by_clock),
        entries=entries,
        exits=exits,
        numbers=np.column_stack((asked_at, told, shares, done.weights, made, outcomes)),
        zone=zone if rules.rolls_by_clock else None,
    )


def _at(array: Prices, rows: Rows, calls: Calls) -> Prices:
    """(k,) of (n, m), NaN where a call has no row or no column."""
    known = (rows >= 0) & (rows < len(array)) & (calls.assets >= 0)
    found = np.full(len(rows), np.nan)
    found[known] = array[rows[known], calls.assets[known]]
    return found
