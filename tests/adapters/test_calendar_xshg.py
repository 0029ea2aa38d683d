"""Sessions of Shanghai: holidays, the close that ends a session, and the day up to which all this is known."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from finlore import resources
from finlore.adapters.calendar_xshg import XshgCalendar
from finlore.errors import ConfigurationError
from finlore.records.instant import isoformat


@pytest.fixture
def changes(tmp_path: Path) -> Iterator[Path]:
    """The file of a user that takes the place of the shipped one."""
    (tmp_path / "market").mkdir()
    resources.override_with(tmp_path)
    yield tmp_path / "market" / "xshg.toml"
    resources.override_with(None)


def test_a_week_may_have_no_session_and_another_one_only_one() -> None:
    calendar = XshgCalendar()
    assert calendar.sessions(date(2024, 2, 12), date(2024, 2, 18)).tolist() == []
    assert calendar.sessions(date(2024, 9, 28), date(2024, 10, 6)).tolist() == [date(2024, 9, 30)]


def test_between_the_dates_of_the_paper_there_are_124_sessions() -> None:
    sessions = XshgCalendar().sessions(date(2024, 8, 28), date(2025, 3, 7))
    assert (len(sessions), sessions.dtype) == (124, np.dtype("datetime64[D]"))
    assert sessions.tolist()[:: len(sessions) - 1] == [date(2024, 8, 28), date(2025, 3, 7)]


def test_sessions_end_at_three() -> None:
    assert isoformat(XshgCalendar().close_of(date(2024, 9, 27))) == "2024-09-27T15:00:00+08:00"


def test_beyond_its_reach_the_calendar_knows_nothing() -> None:
    calendar = XshgCalendar()
    first, last = calendar.reach
    assert (first, last >= date(2026, 12, 31)) == (date(1990, 12, 19), True)
    assert len(calendar.sessions(last, date(2099, 1, 1))) <= 1
    assert len(calendar.sessions(date(1980, 1, 1), first)) == 1


def test_a_user_adds_and_removes_sessions(changes: Path) -> None:
    changes.write_text("added = [2024-09-28]\nremoved = [2024-09-30]\n")
    days = XshgCalendar().sessions(date(2024, 9, 27), date(2024, 10, 8)).tolist()
    assert days == [date(2024, 9, 27), date(2024, 9, 28), date(2024, 10, 8)]


def test_up_to_a_stated_reach_weekdays_are_sessions_that_are_not_removed(changes: Path) -> None:
    changes.write_text("removed = [2031-01-01]\nreach = 2031-01-10\n")
    calendar = XshgCalendar()
    assert calendar.reach[1] == date(2031, 1, 10)
    days = calendar.sessions(date(2030, 12, 31), date(2031, 2, 1)).tolist()
    assert [day.day for day in days] == [31, 2, 3, 6, 7, 8, 9, 10]


@pytest.mark.parametrize("text", ['added = ["soon"]', "reach = 2031", "removed = [2024-09-30T10:00:00]"])
def test_what_is_no_day_is_refused(changes: Path, text: str) -> None:
    changes.write_text(text)
    with pytest.raises(ConfigurationError, match="holds days"):
        XshgCalendar().sessions(date(2024, 1, 1), date(2024, 2, 1))


def test_what_the_calendar_is_made_of_is_loaded_when_a_session_is_asked_for() -> None:
    probe = "import sys, finlore.adapters.calendar_xshg as xshg; xshg.XshgCalendar(); print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
