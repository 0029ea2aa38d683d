"""Periods in sentences get the names that tables give theirs."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.lexicon.stated_periods import find_stated_periods
from finlore.language.normal import normalise

PUBLISHED = date(2021, 8, 7)


def names(text: str, published: date | None = PUBLISHED) -> list[str]:
    return [period.name for period in find_stated_periods(normalise(text).text, published=published)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2021年实现收入", "2021"),
        ("2020年前三季度", "2020Q1-Q3"),
        ("2020Q1-3收入", "2020Q1-Q3"),
        ("22Q2净利润", "2022Q2"),
        ("1Q20下降", "2020Q1"),
        ("2021年上半年", "2021H1"),
        ("2020年1-7月份", "2020M1-M7"),
        ("2022 年 1-6 月", "2022H1"),
        ("2020年7月", "2020-07"),
        ("截至2021年4月30日", "2021-04-30"),
        ("in FY24 revenue", "2024"),
        ("2014-2018年CAGR", "2014-2018"),
        ("22-24年EPS", "2022-2024"),
        ("因子Ⅷ2020Q3销量", "2020Q3"),
    ],
)
def test_what_is_written_out_has_one_name(text: str, name: str) -> None:
    assert names(text) == [name]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("in the first quarter of fiscal 2022", "2022Q1"),
        ("first quarter fiscal 2023 results", "2023Q1"),
        ("the fiscal 2023 first quarter", "2023Q1"),
        ("the thirteen-week period (“first quarter”) ended April 29, 2023", "2023Q1"),
        ("the three months ended March 31, 2023", "2023Q1"),
        ("the first quarter ended December 31, 2022", "2023Q1"),
        ("the fourth quarter ended January 28, 2023", "2022Q4"),
        ("the 52 weeks ended January 28, 2023", "2022"),
        ("the year ended June 30, 2023", "2023"),
        ("nine months ended September 30, 2022", "2022Q1-Q3"),
        ("the second half of 2024", "2024H2"),
        ("Q3 FY24", "2024Q3"),
        ("H1 2024", "2024H1"),
        ("in the January-March period", "2023Q1"),
        ("January to May 2022", "2022M1-M5"),
        ("full-year 2023", "2023"),
        ("fiscal year 2024", "2024"),
        ("as of 30 June 2022", "2022-06-30"),
        ("in March 2022", "2022-03"),
        ("the fourth quarter", "2022Q4"),
    ],
)
def test_english_prose_has_the_same_names(text: str, name: str) -> None:
    assert names(text, date(2023, 5, 25)) == [name]


def test_a_period_that_ends_with_a_month_begins_with_one() -> None:
    (found,) = find_stated_periods("the six months ended june 30, 2023")
    assert (found.first, found.last) == (date(2023, 1, 1), date(2023, 6, 30))


def test_a_fiscal_period_says_so() -> None:
    assert [found.is_fiscal for found in find_stated_periods("fiscal 2023 after 2022")] == [True, False]


def test_a_part_without_its_year_is_of_the_year_said_before_it() -> None:
    assert names("2019年收入下降，第三季度回升") == ["2019", "2019Q3"]


def test_else_it_is_the_latest_that_had_begun_by_the_publication() -> None:
    assert names("7月份销量") == ["2021-07"]
    assert names("11月销量") == ["2020-11"]
    assert names("11月销量", published=None) == []


def test_last_year_is_the_same_part_a_year_before() -> None:
    assert names("2021年上半年为10%，去年同期为9%") == ["2021H1", "2020H1"]


def test_a_run_of_years_knows_each_of_them_and_marks_say_forecast() -> None:
    run, single = find_stated_periods("2022-2024年和2025e")
    assert run.years == (2022, 2023, 2024)
    assert single.basis == "forecast"


def test_a_comparison_since_a_year_is_no_period_and_an_amount_no_year() -> None:
    assert names("为2011年以来最高") == []
    assert names("收入2022.5亿元，产能2030万吨") == []


WORDS = [
    "first", "quarter", "of", "fiscal", "2023", "ended", "april", "31", ",", "29", "half", "q1", "year", "weeks", "13",
]  # fmt: skip


@given(
    st.text(alphabet="0123456789年月季度前第三上半Q-/.Eq至~ ", max_size=30)
    | st.lists(st.sampled_from(WORDS)).map(" ".join)
)
def test_periods_lie_in_order_and_end_no_earlier_than_they_begin(text: str) -> None:
    periods = find_stated_periods(normalise(text).text, published=PUBLISHED)
    assert all(a.end <= b.start for a, b in pairwise(periods))
    assert all(period.first <= period.last for period in periods)
