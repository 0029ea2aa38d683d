"""Periods as English prose writes them out."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.lexicon.english_periods import find_english_periods
from finlore.knowledge.lexicon.stated_periods import find_stated_periods
from finlore.language.normal import normalise

PUBLISHED = date(2023, 5, 25)
WORDS = ["first", "quarter", "of", "fiscal", "2023", "ended", "april", "31", "29", "half", "q1", "year", "weeks", "13"]


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
def test_what_is_written_out_has_one_name(text: str, name: str) -> None:
    assert [found.name for found in find_stated_periods(normalise(text).text, published=PUBLISHED)] == [name]


def test_a_period_that_ends_with_a_month_begins_with_one() -> None:
    (found,) = find_stated_periods("the six months ended june 30, 2023")
    assert (found.first, found.last) == (date(2023, 1, 1), date(2023, 6, 30))


def test_a_fiscal_period_says_so() -> None:
    assert [found.is_fiscal for found in find_stated_periods("fiscal 2023 after 2022")] == [True, False]


@given(
    st.lists(
        st.sampled_from(
            [
                "first",
                "quarter",
                "of",
                "fiscal",
                "2023",
                "ended",
                "april",
                "31",
                ",",
                "29",
                "half",
                "q1",
                "year",
                "weeks",
                "13",
            ]
        )
    )
)
def test_periods_lie_in_order_and_end_no_earlier_than_they_begin(words: list[str]) -> None:
    found = find_english_periods(" ".join(words), published=PUBLISHED, year=None)
    assert all(period.first <= period.last for period in found)
    assert sorted(found, key=lambda period: period.start) == found
