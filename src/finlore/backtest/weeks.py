"""Calendar weeks, Monday to Sunday: the clock of signals and of results."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.records.panel import Days, Prices, week_of

PER_YEAR: Final = 52


def last_of_week(days: Days) -> NDArray[np.int64]:
    """Rows of the last day of each week that has any; `days` ascend."""
    weeks = week_of(days)
    return np.flatnonzero(np.append(weeks[1:] != weeks[:-1], True)) if len(weeks) else np.zeros(0, np.int64)


def weekly(days: Days, values: Prices) -> tuple[Days, Prices]:
    """The last day of each week and the value on it; both (weeks,)."""
    rows = last_of_week(days)
    return days[rows], values[rows]
