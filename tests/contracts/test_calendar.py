"""What every calendar does."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.adapters.calendar_xshg import XshgCalendar
from finlore.ports import Calendar
from tests.adapters.market.folders import Weekdays

CALENDARS: list[Calendar] = [XshgCalendar(), Weekdays("2024-05-01", "2024-05-02")]
calendars = pytest.mark.parametrize("calendar", CALENDARS, ids=lambda calendar: type(calendar).__name__)
days = st.dates(date(2010, 1, 1), date(2025, 12, 31))


@calendars
@settings(deadline=None)
@given(first=days, length=st.integers(-5, 60))
def test_sessions_ascend_within_their_ends(calendar: Calendar, first: date, length: int) -> None:
    last = first + timedelta(days=length)
    sessions = calendar.sessions(first, last)
    assert sessions.dtype == np.dtype("datetime64[D]")
    assert (np.diff(sessions) > np.timedelta64(0)).all()
    assert all(first <= day <= last for day in sessions.tolist())
    assert not length < 0 or not len(sessions)


@calendars
@settings(deadline=None)
@given(first=days, cut=st.integers(0, 40))
def test_a_time_has_the_sessions_of_its_parts(calendar: Calendar, first: date, cut: int) -> None:
    last, middle = first + timedelta(days=40), first + timedelta(days=cut)
    parts = calendar.sessions(first, middle), calendar.sessions(middle + timedelta(days=1), last)
    assert np.array_equal(np.concatenate(parts), calendar.sessions(first, last))


@calendars
def test_nothing_is_told_beyond_the_reach(calendar: Calendar) -> None:
    first, last = calendar.reach
    assert not len(calendar.sessions(last + timedelta(days=1), last + timedelta(days=400)))
    assert not len(calendar.sessions(first - timedelta(days=400), first - timedelta(days=1)))
