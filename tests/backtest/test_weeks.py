import numpy as np

from finlore.backtest.weeks import last_of_week, weekly
from finlore.records.panel import week_of


def days(*texts: str) -> np.ndarray:
    return np.array(texts, "datetime64[D]")


def test_a_week_is_monday_to_sunday() -> None:
    weeks = week_of(days("2024-09-29", "2024-09-30", "2024-10-06", "2024-10-07"))
    assert (weeks - weeks[0]).tolist() == [0, 1, 1, 2]


def test_weeks_go_on_through_new_year_and_before_1970() -> None:
    weeks = week_of(days("1969-12-28", "1969-12-29", "1970-01-04", "1970-01-05"))
    assert (weeks - weeks[0]).tolist() == [0, 1, 1, 2]
    assert np.ptp(week_of(days("2024-12-30", "2025-01-03"))) == 0


def test_a_week_is_told_by_its_last_session() -> None:
    sessions = days("2024-09-26", "2024-09-27", "2024-09-30", "2024-10-08", "2024-10-11")
    assert last_of_week(sessions).tolist() == [1, 2, 4]
    on, values = weekly(sessions, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert on.tolist() == days("2024-09-27", "2024-09-30", "2024-10-11").tolist()
    assert values.tolist() == [2.0, 3.0, 5.0]


def test_no_sessions_make_no_weeks() -> None:
    assert not len(last_of_week(days()))
