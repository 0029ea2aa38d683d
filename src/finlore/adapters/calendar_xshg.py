"""Sessions of the Shanghai exchange, by the package `exchange-calendars` and what it lacks, `market/xshg.toml`.

The package is imported when a session is first asked for: it brings pandas along.
"""

import warnings
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np

from finlore import resources
from finlore.errors import ConfigurationError, MissingExtra
from finlore.records.instant import MARKET_ZONE, Instant, instant_of
from finlore.records.panel import Days

_CLOSE: Final = time(15, 0)
_FIRST: Final = date(1990, 12, 19)
_CHANGES: Final = "market/xshg.toml"


class XshgCalendar:
    """The calendar port for Shanghai, Shenzhen and Beijing, which share their sessions."""

    def __init__(self) -> None:
        if find_spec("exchange_calendars") is None:
            raise MissingExtra("market", needed_for="'xshg' (calendars)")

    def sessions(self, first: date, last: date) -> Days:
        start = np.searchsorted(self._days, np.datetime64(first, "D"))
        return self._days[start : np.searchsorted(self._days, np.datetime64(last, "D"), side="right")]

    def close_of(self, session: date) -> Instant:
        return instant_of(datetime.combine(session, _CLOSE, ZoneInfo(MARKET_ZONE)))

    @property
    def reach(self) -> tuple[date, date]:
        return self._told[1]

    @property
    def _days(self) -> Days:
        return self._told[0]

    @cached_property
    def _told(self) -> tuple[Days, tuple[date, date]]:
        """The sessions and the reach."""
        changes = resources.load_toml(_CHANGES)
        known, end = _packaged()
        reach = max([end, *_dates(changes, "reach")])
        after = np.arange(np.datetime64(end, "D"), np.datetime64(reach, "D")) + 1
        days = np.union1d(known, after[np.is_busday(after)])
        days = np.union1d(days, _as_days(_dates(changes, "added")))
        return np.setdiff1d(days, _as_days(_dates(changes, "removed"))), (_FIRST, reach)


def _packaged() -> tuple[Days, date]:
    """The sessions that the package knows, and the day at which they end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # how the package uses pandas is no matter of ours
        from exchange_calendars.exchange_calendar_xshg import XSHGExchangeCalendar

        end = XSHGExchangeCalendar.bound_max().date()
        calendar = XSHGExchangeCalendar(start=_FIRST.isoformat(), end=end.isoformat())
    return calendar.sessions.to_numpy().astype("datetime64[D]"), end


def _dates(changes: Mapping[str, Any], key: str) -> Sequence[date]:
    stated = changes.get(key, [])
    dates = stated if isinstance(stated, list) else [stated]
    if not all(type(day) is date for day in dates):
        raise ConfigurationError(f"{_CHANGES}: `{key}` holds days such as 2027-01-01")
    return dates


def _as_days(dates: Sequence[date]) -> Days:
    return np.array(dates, "datetime64[D]")
