"""The numbers that our reader takes from tables, against those that a person reads there."""

from dataclasses import dataclass

from finlore.records.document import Document
from intake_scores import Truth


@dataclass(frozen=True)
class Records:
    """`whole`: metric, unit, period, basis and value are right; `numbers`: value, period and basis are. `doubtful`:
    right ones that are marked so; `extra`: records of the document that nobody expects."""

    whole: int
    numbers: int
    expected: int
    doubtful: int
    extra: int

    def __str__(self) -> str:
        return (
            f"{self.whole}/{self.expected} whole, {self.numbers} numbers, {self.doubtful} doubtful, {self.extra} extra"
        )


def records_right(truth: Truth, document: Document) -> Records | None:
    return None
