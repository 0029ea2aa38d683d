"""Dates and periods that are written out."""

from datetime import date

import pytest

from finlore.language.dates import find_dates, find_days


@pytest.mark.parametrize(
    "text",
    [
        "2024年5月31日", "2024 年 5 月 31 日", "2024-05-31", "2024/5/31", "2024.05.31", "31 May 2024", "May 31, 2024",
        "May 31st, 2024", "31st of May 2024", "24年5月31日", "二〇二四年五月三十一日", "2024年５月31日",
    ],
)  # fmt: skip
def test_days_in_both_languages(text: str) -> None:
    (found,) = find_dates(f"于 {text} 公布 results")
    assert (found.first, found.last, found.grain) == (date(2024, 5, 31), date(2024, 5, 31), "day")


@pytest.mark.parametrize(
    ("text", "first", "last", "grain"),
    [
        ("2024Q3", (2024, 7, 1), (2024, 9, 30), "quarter"),
        ("3Q24", (2024, 7, 1), (2024, 9, 30), "quarter"),
        ("24Q3", (2024, 7, 1), (2024, 9, 30), "quarter"),
        ("Q3 2024", (2024, 7, 1), (2024, 9, 30), "quarter"),
        ("third quarter of 2024", (2024, 7, 1), (2024, 9, 30), "quarter"),
        ("2024年三季度", (2024, 7, 1), (2024, 9, 30), "quarter"),
        ("2024年第3季度", (2024, 7, 1), (2024, 9, 30), "quarter"),
        ("2024年上半年", (2024, 1, 1), (2024, 6, 30), "half"),
        ("2024年下半年", (2024, 7, 1), (2024, 12, 31), "half"),
        ("2024年半年报", (2024, 1, 1), (2024, 6, 30), "half"),
        ("2024H1", (2024, 1, 1), (2024, 6, 30), "half"),
        ("1H24", (2024, 1, 1), (2024, 6, 30), "half"),
        ("2024年2月", (2024, 2, 1), (2024, 2, 29), "month"),
        ("February 2024", (2024, 2, 1), (2024, 2, 29), "month"),
        ("2024年年报", (2024, 1, 1), (2024, 12, 31), "year"),
        ("FY2024", (2024, 1, 1), (2024, 12, 31), "year"),
        ("in 2024", (2024, 1, 1), (2024, 12, 31), "year"),
    ],
)
def test_periods(text: str, first: tuple[int, int, int], last: tuple[int, int, int], grain: str) -> None:
    (found,) = find_dates(text)
    assert (found.first, found.last, found.grain) == (date(*first), date(*last), grain)


@pytest.mark.parametrize(
    "text", ["2024年2月30日", "2024-13-01", "Feb 30, 2023", "31.02.2024", "去年三季度", "最近一周", "next May"]
)
def test_impossible_and_relative_dates_are_none(text: str) -> None:
    assert [found for found in find_dates(text) if found.grain != "year"] == []


@pytest.mark.parametrize("text", ["价格2024.5元", "20241元", "共 2,024 家", "增长2024%", "版本 1.2024.3.4"])
def test_other_numbers_are_no_dates(text: str) -> None:
    assert find_dates(text) == []


def test_offsets_are_those_of_the_text() -> None:
    text = "公司于2024年5月31日公告，2024年三季度见效。"
    assert [text[found.start : found.end] for found in find_dates(text)] == ["2024年5月31日", "2024年三季度"]


def test_days_may_be_eight_digits() -> None:
    assert [found.first for found in find_days("日报-20250702 与 20251399")] == [date(2025, 7, 2)]
