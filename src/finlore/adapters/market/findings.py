"""What is found while bars are read: counted, with an example each, and what had to be concluded."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from finlore.records.document import Issue, Severity
from finlore.records.panel import Days, Mask


@dataclass(slots=True, eq=False)
class Findings:
    """Issues of one source in the order in which they are found; `inferred`: what it does not tell itself."""

    source: str
    issues: list[Issue] = field(default_factory=list)
    inferred: list[str] = field(default_factory=list)

    def tell(self, message: str, severity: Severity = "note") -> None:
        self.issues.append(Issue(self.source, message, severity))

    def count(self, mask: Mask, days: Days, codes: Sequence[str], what: str, severity: Severity = "warning") -> None:
        """Places (n, m) of which something is said, if there are any."""
        n = int(np.count_nonzero(mask))
        if n:
            row, column = divmod(int(mask.argmax()), len(codes))
            self.tell(f"{what}: {counted(n, 'bar')} since {days[0]}, such as {codes[column]} on {days[row]}", severity)


def counted(n: int, noun: str) -> str:
    """As `1 bar`, `1,200 bars`."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
