"""A run: enough to repeat an answer offline and to say where a repetition differs."""

from dataclasses import dataclass

from finlore.records.answer import Answer
from finlore.records.instant import Instant


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
