"""Signals of any source -> the calls that a panel can trade."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np

from finlore.backtest.quotes import Rows
from finlore.backtest.schedule import schedule
from finlore.knowledge.lexicon.ratings import Grade
from finlore.records.backtest import Calls, Label, Rules, Signal, Strategy
from finlore.records.document import Issue
from finlore.records.instant import MARKET_ZONE, as_datetime, end_of_day
from finlore.records.panel import Mask, PricePanel, Prices

SIGNS: Final[Mapping[Label, int]] = {"Rise": 1, "Fall": -1}
LABELS: Final[Mapping[Grade, Label]] = {
    "buy": "Rise", "outperform": "Rise", "underperform": "Fall", "sell": "Fall",
}  # fmt: skip
"""Of grades that say a direction; a neutral one says none."""
_NAMED: Final = 10
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A strategy as it is tested: what it is, what it calls, and what of it could not be used. `foreseen`: calls
    traded by a printed date that lies before the day on which they were known. `securities`: of each call, where one
    may have no column."""

    name: str
    description: str
    calls: Calls
    issues: tuple[Issue, ...] = ()
    foreseen: int = 0
    securities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """The days of a test, both included, as dates and as the instants after the first of which, up to the second of
    which, something is said in it."""

    since: date
    until: date
    zone: str = MARKET_ZONE

    def holds(self, signal: Signal, *, by_clock: bool) -> bool:
        """`by_clock`: whether it could be acted on in this time; else whether it is dated so."""
        if not by_clock:
            return self.since <= signal.day <= self.until
        began = None if self.since == date.min else end_of_day(self.since - _DAY, self.zone)
        return (began is None or began < signal.at) and signal.at <= end_of_day(self.until, self.zone)


def candidate_of(strategy: Strategy, panel: PricePanel, window: Window, rules: Rules, *, description: str) -> Candidate:
    """A strategy on the panel on which it is traded. Signals of other times are left out, and those that say again what
    one of the same trade said; those of securities without prices are kept for the count; issues tell of all."""
    inside = [signal for signal in strategy.signals if window.holds(signal, by_clock=rules.rolls_by_clock)]
    once = _once(inside, panel, rules)
    calls = calls_of(once, panel)
    counts = {
        f"outside {window.since} to {window.until}, left out": len(strategy.signals) - len(inside),
        "said again of one security for one trade, each counted once": len(inside) - len(once),
        "contradicted by another of the same security and trade, none of them counted for ACC": int(
            contradicted(calls, schedule(panel, calls, rules).entries).sum()
        ),
        f"without prices{_named(once, panel)}, not traded": int((calls.assets < 0).sum()),
    }
    told = (f"{what}: {n} of {len(strategy.signals)} signals" for what, n in counts.items() if n)
    dated = () if rules.rolls_by_clock else once
    foreseen = sum(as_datetime(signal.at, window.zone).date() > signal.day for signal in dated)
    issues = *strategy.issues, *(Issue(strategy.name, what, "note") for what in told)
    return Candidate(strategy.name, description, calls, issues, foreseen, tuple(one.security for one in once))


def calls_of(signals: Sequence[Signal], panel: PricePanel) -> Calls:
    """All of them, in their order."""
    column = {code: number for number, code in enumerate(panel.codes)}
    confidence = [np.nan if signal.confidence is None else signal.confidence for signal in signals]
    return Calls(
        assets=np.array([column.get(signal.security, -1) for signal in signals], np.int64),
        signs=np.array([SIGNS[signal.label] for signal in signals], np.int8),
        at=np.array([signal.at for signal in signals], np.int64),
        days=np.array([signal.day for signal in signals], "datetime64[D]"),
        confidence=np.array(confidence, np.float64),
    )


def weekly_calls(panel: PricePanel, rows: Rows, chosen: Mask, confidence: Prices | None = None) -> Calls:
    """A rise of each chosen security (weeks, m), said at the closes of `rows` (weeks,); `confidence` (weeks, m)."""
    weeks, assets = np.nonzero(chosen)
    at = rows[weeks]
    return Calls(
        assets=assets.astype(np.int64),
        signs=np.ones(len(assets), np.int8),
        at=panel.known_at[at],
        days=panel.days[at],
        confidence=np.full(len(assets), np.nan) if confidence is None else confidence[weeks, assets],
    )


def probabilities(calls: Calls) -> Prices:
    """(k,) of a rise, by the confidence in the label; NaN where nobody says."""
    return np.where(calls.signs > 0, calls.confidence, 1.0 - calls.confidence)


def contradicted(calls: Calls, entries: Rows) -> Mask:
    """(k,) whether the opposite of a call is said of its security for one and the same purchase: whoever buys at the
    session `entries` (k,), none where negative, has heard both."""
    places = calls.assets * (int(entries.max(initial=0)) + 1) + entries
    can_be, found = (calls.assets >= 0) & (entries >= 0), np.zeros(len(places), bool)
    rises, falls = (calls.signs > 0) & can_be, (calls.signs < 0) & can_be
    for one, opposite in ((rises, falls), (falls, rises)):
        found[one] = np.isin(places[one], places[opposite])
    return found


def _once(signals: Sequence[Signal], panel: PricePanel, rules: Rules) -> list[Signal]:
    """The first of those that say one thing of one security for one trade: bought at one session and sold at one. What
    is said outside of the sessions may be long past: there it is one thing on one day."""
    planned, n = schedule(panel, calls_of(signals, panel), rules), len(panel.days)
    first: dict[tuple[str, Label, int | date, int], Signal] = {}
    for signal, entry, left in zip(signals, planned.entries.tolist(), planned.exits.tolist(), strict=True):
        trade = (entry, left) if 0 <= entry < n else (signal.day, 0)
        first.setdefault((signal.security, signal.label, *trade), signal)
    return list(first.values())


def _named(signals: Sequence[Signal], panel: PricePanel) -> str:
    """The codes that most signals without prices name, in brackets; "" where there is none."""
    known = frozenset(panel.codes)
    missing = Counter(signal.security for signal in signals if signal.security not in known)
    shown = ", ".join(code for code, _ in missing.most_common(_NAMED))
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return f" ({shown}{more})" if missing else ""
