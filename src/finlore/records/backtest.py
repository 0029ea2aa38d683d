"""A backtest: what was said, by which rules it is traded, what came out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from finlore.records.document import Issue
from finlore.records.instant import Instant
from finlore.records.panel import Days, Prices

Label = Literal["Rise", "Fall"]
Entry = Literal["open", "close", "next_close"]
CallState = Literal[
    "closed", "held", "prolonged", "repeated", "fall", "conflict", "at_limit", "suspended", "no_bar", "no_exit",
    "before_the_start", "after_the_end", "unknown_security",
]  # fmt: skip
"""What became of a call. `closed`: bought and sold; `held`: still open when the data end; `prolonged`: it let another
position stand longer, `repeated`: it did not even do that; `fall`: nothing is sold short; `conflict`: calls of one
session contradict one another. After the others nothing was bought."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A call on a security. `at`: when it could be acted on; `day`: its date as printed, where only that is known.
    `confidence` from 0 to 1 in the label, None where nobody says."""

    security: str
    at: Instant
    day: date
    label: Label
    confidence: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Signals under a name, sorted by instant; `issues` what could not be used of where they come from."""

    name: str
    signals: tuple[Signal, ...]
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True)
class Costs:
    """Shares of the traded value, dated: (first day, value), ascending. `minimum` in currency per order counts only
    with a `capital`."""

    commission: float = 0.00025
    minimum: float = 5.0
    stamp_duty: tuple[tuple[date, float], ...] = ((date(1990, 1, 1), 0.001), (date(2023, 8, 28), 0.0005))
    transfer_fee: float = 0.00001
    slippage: float = 0.0010
    capital: float | None = None


@dataclass(frozen=True, slots=True)
class Rules:
    """How signals become trades. `exit_after_entry`: T+1, and the week of the exit is the next one that has a session
    after the entry; else the letter of the paper holds, in which both may be one close. `sleeves`: parts of the capital
    that take turns by week. `cap`: the most of a sleeve for which one security is bought. `haircut`: what a delisted
    holding loses of its last price. `rolls_by_clock`: what comes after the close counts for the next session; else its
    printed date does.
    """

    name: str
    entry: Entry
    exit_after_entry: bool
    rolls_by_clock: bool
    respects_limits: bool
    sleeves: int
    cap: float
    haircut: float
    costs: Costs | None


STRICT = Rules("strict", "next_close", True, True, True, 2, 0.10, 0.5, Costs())
PAPER = Rules("paper", "next_close", False, False, False, 2, 1.0, 0.0, None)


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """Signals as arrays (k,), in their order: `assets` columns of a panel, -1 where it has none; `signs` +1 rise, -1
    fall; `at` instants; `days` the printed dates; `confidence` NaN where nobody says."""

    assets: NDArray[np.int64]
    signs: NDArray[np.int8]
    at: NDArray[np.int64]
    days: Days
    confidence: Prices


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """What trading did, on the n sessions of `days`. `gross`, `net` (n,): value of 1 unit of capital at each close,
    before and after costs, cash at 0 % counted. `exposure` (n,): share of capital in positions at the close; `breadth`
    (n,): names held; `turnover` (n,): value bought plus sold over the capital of the day. Per call (k,): `states`;
    `entered`, `left`: rows of `days` at which the rules would have it bought and sold, -1 where there is none; `sold`:
    that at which what it bought was sold, -1 where it bought nothing and where that is held still;
    `returns`: what the security made between the two, whether or not it was held, NaN where one is not known;
    `weights`: share of all capital for which it was bought, NaN where nothing was. `counts`: states, and what hindered
    trading, by name."""

    days: Days
    gross: Prices
    net: Prices
    exposure: Prices
    breadth: NDArray[np.int64]
    turnover: Prices
    states: tuple[CallState, ...]
    entered: NDArray[np.int64]
    left: NDArray[np.int64]
    sold: NDArray[np.int64]
    returns: Prices
    weights: Prices
    counts: Mapping[str, int]
