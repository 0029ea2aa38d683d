"""A run: enough to repeat an answer, or a backtest, offline and to say where a repetition differs."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from finlore.records.answer import Answer
from finlore.records.backtest import Entry
from finlore.records.instant import Instant

BacktestMode = Literal["strict", "paper"]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """`passages` are (id, hash of text) of everything the answer was made from; `redacted` names documents that were
    forgotten since, whose quotes are gone from the record."""

    run: str
    created_at: Instant
    question: str
    as_of: Instant
    sequence: int
    settings_hash: str
    passages: tuple[tuple[str, str], ...]
    answer: Answer
    after: str | None = None
    entities: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Replay:
    """`difference` is empty when the repetition is equal, else the first field that differs and both values."""

    run: str
    equal: bool
    difference: str = ""


@dataclass(frozen=True, slots=True)
class BacktestRequest:
    """What is asked of a backtest, both days included. `strategies`: names, none for all that the data allow;
    ``file:PATH`` is a table of signals. `entry`, `cost_bps` (a side): None for what the mode says. A broker is followed
    alone from `broker_signals` signals on."""

    since: date
    until: date
    strategies: tuple[str, ...] = ()
    mode: BacktestMode = "strict"
    entry: Entry | None = None
    cost_bps: float | None = None
    broker_signals: int = 100


@dataclass(frozen=True, slots=True)
class BacktestRun:
    """Enough to repeat a backtest. `inputs`: name of a file or list -> hash; `sequence`: of the store; `trials`: how
    many rows the ledger of trials had; `document`: what was told, as one JSON text; `adapter`, `market`: which reads
    prices from which folder; `place`: the folder from which tables of signals were named. Older records tell neither.
    """

    run: str
    created_at: Instant
    request: BacktestRequest
    sequence: int
    version: str
    seed: int
    inputs: tuple[tuple[str, str], ...]
    trials: int
    document: str
    adapter: str = ""
    market: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A strategy under settings that was tried; `ratio`: its weekly Sharpe ratio, None where there is none."""

    key: str
    name: str
    ratio: float | None
