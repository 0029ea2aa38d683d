"""What is found while bars are read: counted, with an example each, and what had to be concluded."""

from collections.abc import Sequence

import numpy as np

from finlore.records.document import Issue, Severity
from finlore.records.panel import Days, Mask


class Findings:
    """Collects issues of one source in the order in which they are found."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._issues: list[Issue] = []
        self._inferred: list[str] = []

    @property
    def issues(self) -> tuple[Issue, ...]:
        return tuple(self._issues)

    @property
    def inferred(self) -> tuple[str, ...]:
        return tuple(self._inferred)

    def tell(self, message: str, severity: Severity = "note") -> None:
        self._issues.append(Issue(self._source, message, severity))

    def infer(self, what: str) -> None:
        self._inferred.append(what)

    def count(self, mask: Mask, days: Days, codes: Sequence[str], what: str, severity: Severity = "warning") -> None:
        """Places (n, m) of which something is said, if there are any."""
        n = int(np.count_nonzero(mask))
        if n:
            row, column = divmod(int(mask.argmax()), len(codes))
            self.tell(f"{what}: {counted(n, 'bar')}, such as {codes[column]} on {days[row]}", severity)


def counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
