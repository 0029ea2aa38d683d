"""Limits that are concluded from the close before: by board, by time, without any in the first sessions."""

from pathlib import Path

import numpy as np
import pytest

from tests.adapters.market.folders import HEAD, Weekdays, of, panel, still, told

PAID = 'adjustment = "none"'


def days(first: str, n: int) -> list[str]:
    return np.busday_offset(first, np.arange(n), roll="forward").astype(str).tolist()


def limits(folder: Path, code: str, first: str, *, close: float = 10.0, special: int = 0) -> tuple[object, object]:
    """Of the session after one with that close."""
    rows = [f"{still(code, day, close)},{special}" for day in days(first, 2)]
    got = panel(folder, *rows, head=f"{HEAD},is_st", daily_bars=PAID)
    (_, upper), (_, lower) = of(got, got.upper, got.codes[0]), of(got, got.lower, got.codes[0])
    return upper, lower


@pytest.mark.parametrize(
    ("code", "first", "expected"),
    [
        ("600991", "2024-05-06", (11, 9)),
        ("000991", "2024-05-06", (11, 9)),
        ("309901", "2020-08-20", (11, 9)),
        ("309901", "2020-08-21", (12, 8)),
        ("688991", "2024-05-06", (12, 8)),
        ("430991", "2024-05-06", (13, 7)),
        ("900991", "2024-05-06", (11, 9)),
        ("200991", "2024-05-06", (11, 9)),
    ],
)
def test_a_price_moves_as_far_as_its_board_allows_at_the_time(
    tmp_path: Path, code: str, first: str, expected: tuple[float, float]
) -> None:
    assert limits(tmp_path, code, first) == expected


@pytest.mark.parametrize(
    ("code", "first", "expected"),
    [
        ("600991", "2026-07-02", (10.5, 9.5)),
        ("600991", "2026-07-03", (11, 9)),
        ("309901", "2024-05-06", (12, 8)),
        ("688991", "2024-05-06", (12, 8)),
    ],
)
def test_special_treatment_narrows_the_band_of_the_main_board_until_july_2026(
    tmp_path: Path, code: str, first: str, expected: tuple[float, float]
) -> None:
    assert limits(tmp_path, code, first, special=1) == expected


@pytest.mark.parametrize(
    ("code", "close", "expected"),
    [("600991", 9.95, (10.95, 8.96)), ("600991", 0.45, (0.5, 0.41)), ("900991", 0.455, (0.501, 0.41))],
)
def test_limits_are_rounded_to_the_tick_half_up(
    tmp_path: Path, code: str, close: float, expected: tuple[float, float]
) -> None:
    assert limits(tmp_path, code, "2024-05-06", close=close) == expected


@pytest.mark.parametrize(
    ("code", "listed", "free"),
    [
        ("600991", "2024-05-06", 5),
        ("600991", "2023-04-07", 1),
        ("688991", "2024-05-06", 5),
        ("309901", "2020-08-21", 1),
        ("309901", "2020-08-24", 5),
        ("920991", "2024-05-06", 1),
    ],
)
def test_the_first_sessions_of_a_security_have_no_limit(tmp_path: Path, code: str, listed: str, free: int) -> None:
    rows = [still(code, day, 10) for day in days(listed, 8)]
    got = panel(tmp_path, *rows, securities=f"ts_code,name,list_date\n{code},新股,{listed}\n")
    assert np.isnan(got.upper[:, 0]).tolist() == [day < max(free, 1) for day in range(8)]
    late = panel(tmp_path, *rows[2:], securities=f"ts_code,name,list_date\n{code},新股,{listed}\n")
    assert np.isnan(late.upper[:, 0]).sum() == max(free - 2, 1)  # nothing is known before the first bar


def test_a_limit_of_adjusted_prices_is_the_high_that_lies_within_a_cent_of_it(tmp_path: Path) -> None:
    rows = [still("600991", "2024-05-06", 7.77), "600991,2024-05-07,8,8.56,8,8.56,5", "600991,2024-05-08,9,9.3,9,9.2,5"]
    got = panel(tmp_path, *rows)
    assert of(got, got.upper, "600991.SH") == [None, 8.56, round(8.56 * 1.1, 6)]
    assert (got.close >= got.upper)[:, 0].tolist() == [False, True, False]
    assert "limits (from adjusted prices, to about a cent)" in got.inferred


def test_limits_of_prices_that_were_paid_are_exact(tmp_path: Path) -> None:
    rows = [
        still("600991", "2024-05-06", 7.77),
        "600991,2024-05-07,8,8.54,8,8.54,5",
        still("600991", "2024-05-08", 9.4),
    ]
    got = panel(tmp_path, *rows, daily_bars=PAID)
    assert of(got, got.upper, "600991.SH") == [None, 8.55, None]
    assert "moved further than any limit" in told(got)
    assert "limits" in got.inferred


def test_prices_adjusted_by_subtraction_are_told_by_their_moves(tmp_path: Path) -> None:
    paid = [10, 11, 10, 11, 10, 11, 10]
    for prices, is_told in (([price - 6 for price in paid], True), ([price / 2 for price in paid], False)):
        rows = [still("600991", day, price) for day, price in zip(days("2024-05-06", 7), prices, strict=True)]
        assert ("adjusted by subtraction" in told(panel(tmp_path, *rows))) == is_told


def test_after_a_suspension_the_last_close_counts(tmp_path: Path) -> None:
    rows = [still("600991", "2024-05-06", 10), still("600991", "2024-05-09", 10.5)]
    got = panel(tmp_path, *rows, daily_bars=PAID, calendar=Weekdays())
    assert of(got, got.upper, "600991.SH") == [None, 11, 11, 11]


def test_limits_that_the_source_tells_are_taken_for_what_was_paid_only(tmp_path: Path) -> None:
    rows = [f"{still('600991', day, 10)},10.44,9.56" for day in days("2024-05-06", 2)]
    head = f"{HEAD},up_limit,down_limit"
    paid = panel(tmp_path, *rows, head=head, daily_bars=PAID)
    assert of(paid, paid.upper, "600991.SH") == [10.44, 10.44]
    assert not any("limits" in inferred for inferred in paid.inferred if "special" not in inferred)
    adjusted = panel(tmp_path, *rows, head=head, daily_bars='adjustment = "forward"')
    assert of(adjusted, adjusted.upper, "600991.SH") == [None, 11]
    assert "inferred for adjusted ones" in told(adjusted)


def test_prices_that_keep_stopping_at_the_narrow_band_tell_special_treatment_until_they_go_beyond(
    tmp_path: Path,
) -> None:
    dates = days("2024-05-06", 70)
    prices = [10.0, 10.5, 11.03, *[11.0] * 57, 11.6, *[11.6] * 9]
    got = panel(tmp_path, *(still("600991", day, price) for day, price in zip(dates, prices, strict=True)))
    special = got.special[:, 0].tolist()
    assert special[39:43] == [False, True, True, False]  # forty sessions with two stops, until one of them has gone by
    assert of(got, got.upper, "600991.SH")[40:42] == [11.55, 11.55]
    assert any("special treatment" in inferred for inferred in got.inferred)


def test_a_security_is_not_under_special_treatment_on_the_day_on_which_it_goes_beyond(tmp_path: Path) -> None:
    dates = days("2024-05-06", 43)
    prices = [10.0, 10.5, 11.03, *[11.03] * 38, 12.13, 12.13]
    got = panel(tmp_path, *(still("600991", day, price) for day, price in zip(dates, prices, strict=True)))
    assert got.special[:, 0].tolist()[40:] == [True, False, False]
    assert (got.close >= got.upper)[41, 0]


def test_what_a_security_is_called_says_nothing_of_others_nor_of_the_time_before(tmp_path: Path) -> None:
    dates = days("2024-05-06", 42)
    prices = [10.0, 10.5, 11.03, *[11.0] * 39]
    rows = [still(code, day, price) for code in ("600991", "600992") for day, price in zip(dates, prices, strict=True)]

    def special(names: str) -> tuple[list[bool], list[bool], bool]:
        got = panel(tmp_path, *rows, name_changes=f"ts_code,start_date,name\n{names}")
        one, other = got.special.T.tolist()
        return one[40:], other[40:], any("special treatment" in inferred for inferred in got.inferred)

    by_prices = [True, True]
    assert special("") == (by_prices, by_prices, True)
    assert special("600992.SH,2010-01-01,霜桥\n") == (by_prices, [False] * 2, True)
    assert special(f"600992.SH,{dates[41]},霜桥\n") == (by_prices, [True, False], True)
    assert special("600992.SH,2030-01-01,霜桥\n") == (by_prices, by_prices, True)
    assert special("600991.SH,2010-01-01,云禾\n600992.SH,2010-01-01,ST霜桥\n") == ([False] * 2, [True] * 2, False)
