"""What kind of thing a question asks for, and which sentences hold one."""

import pytest

from finlore.think.asking import asking_of, asks_for_several, holds


@pytest.mark.parametrize(
    ("question", "asking"),
    [
        ("目标价是多少？", "figure"),
        ("公司有几家子公司？", "figure"),
        ("How many GWh will it ship?", "figure"),
        ("产线何时投产？", "moment"),
        ("从什么时候开始交付？", "moment"),
        ("When does the plant open?", "moment"),
        ("董事长是谁？", None),
        ("Who supplies the anodes?", None),
    ],
)
def test_questions_ask_for_figures_moments_or_neither(question: str, asking: str | None) -> None:
    assert asking_of(question) == asking


@pytest.mark.parametrize(
    ("text", "held"),
    [("目标价30元", True), ("2023年的公司（609901）", False), ("Q3 of 2024", False), ("图 1：份额", False)],
)
def test_years_and_codes_are_no_figures(text: str, held: bool) -> None:
    assert holds(text, "figure") is held


@pytest.mark.parametrize(("text", "held"), [("2025年6月开始", True), ("in June", True), ("不久", False)])
def test_a_moment_is_a_year_a_month_or_a_day(text: str, held: bool) -> None:
    assert holds(text, "moment") is held


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("哪些公司受影响？", True),
        ("Which suppliers are hit?", True),
        ("是哪一家？", False),
        ("Who supplies it?", False),
    ],
)
def test_some_questions_want_all_that_there_are(question: str, several: bool) -> None:
    assert asks_for_several(question) is several


def test_what_something_was_asks_for_a_figure_where_it_is_a_measure() -> None:
    assert asking_of("What was the gross margin in 2023?", of_measure=True) == "figure"
    assert asking_of("What was the reason?") is None
