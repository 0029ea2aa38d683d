"""The date by which a question wants to have known."""

from datetime import date

import pytest

from finlore.think.moment import moment_of


@pytest.mark.parametrize(
    ("question", "rest", "day"),
    [
        ("截至2024年9月5日，目标价是多少？", "目标价是多少？", date(2024, 9, 5)),
        ("截止2024-09-05目标价是多少？", "目标价是多少？", date(2024, 9, 5)),
        ("2024年3月31日之前，谁供应？", "谁供应？", date(2024, 3, 31)),
        ("As of 5 September 2024, who supplies it?", "who supplies it?", date(2024, 9, 5)),
        ("As of September 2024, who supplies it?", "who supplies it?", date(2024, 9, 30)),
    ],
)
def test_a_dated_question_loses_its_date_and_keeps_the_rest(question: str, rest: str, day: date) -> None:
    assert moment_of(question) == (rest, day)


@pytest.mark.parametrize("question", ["2023年的ROA是多少？", "What was revenue in 2023?", "目标价是多少？", ""])
def test_a_period_that_is_asked_about_dates_nothing(question: str) -> None:
    assert moment_of(question) == (question, None)
