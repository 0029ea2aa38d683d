"""Which industry each security was of, week by week."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from finlore.backtest.weeks import last_of_week
from finlore.records.panel import Days, week_of

Industries = Callable[[Sequence[str], date], Sequence[str | None]]
"""(codes, day) -> the class of the industry of each, at its first level."""


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """`names` (g,), ascending, "" for none; `of` (w, m): which of them each security was of at the end of each week."""

    names: tuple[str, ...]
    weeks: NDArray[np.int64]
    of: NDArray[np.int64]

    def __bool__(self) -> bool:
        return any(self.names)

    def at(self, weeks: NDArray[np.int64], assets: NDArray[np.int64]) -> NDArray[np.int64]:
        """(k,) the classes of securities in weeks; weeks (k, 1) and assets (m,) make (k, m)."""
        return self.of[np.searchsorted(self.weeks, weeks), assets]


def classes_of(industries: Industries, codes: Sequence[str], days: Days, titles: Mapping[str, str]) -> Classes:
    """Of the weeks of these sessions."""
    ends = days[last_of_week(days)]
    told = [[titles.get(found, found) if found else "" for found in industries(codes, day)] for day in ends.tolist()]
    names = sorted({name for week in told for name in week})
    number = {name: at for at, name in enumerate(names)}
    of = np.array([[number[name] for name in week] for week in told], np.int64).reshape(len(ends), len(codes))
    return Classes(tuple(names), week_of(ends), of)
