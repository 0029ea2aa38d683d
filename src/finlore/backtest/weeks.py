"""Calendar weeks, Monday to Sunday: the clock of signals and of results."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.records.panel import Days, Prices

PER_YEAR: Final = 52
_FROM_THURSDAY: Final = 3  # the days of numpy count from a Thursday


def week_of(days: Days) -> NDArray[np.int64]:
    """(n,) the number of the week of each day; consecutive weeks have consecutive numbers."""
    return (days.astype("datetime64[D]").astype(np.int64) + _FROM_THURSDAY) // 7


def last_of_week(days: Days) -> NDArray[np.int64]:
    """Rows of the last day of each week that has any; `days` ascend."""
    weeks = week_of(days)
    return np.flatnonzero(np.append(weeks[1:] != weeks[:-1], True)) if len(weeks) else np.zeros(0, np.int64)


def weekly(days: Days, values: Prices) -> tuple[Days, Prices]:
    """The last day of each week and the value on it; both (weeks,)."""
    rows = last_of_week(days)
    return days[rows], values[rows]
