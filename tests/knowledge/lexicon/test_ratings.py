"""Ratings as they are worded, what became of them, and what they come to."""

import pytest

from finlore.knowledge.lexicon.ratings import Rating, find_previous, find_ratings, grade_of, rating_of
from finlore.language.normal import normalise
from finlore.records.fact import Evidence, Fact, Party


def read(text: str) -> list[tuple[str, str, str, str]]:
    return [(r.word, r.grade, r.change, r.previous) for r in find_ratings(normalise(text).text)]


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ("因此维持“买入”评级。", ("买入", "buy", "maintain", "")),
        ("维持 买入 评级", ("买入", "buy", "maintain", "")),
        ("首次覆盖，给予“增持”评级", ("增持", "outperform", "initiate", "")),
        ("将评级由“增持”上调至“买入”", ("买入", "buy", "upgrade", "增持")),
        ("下调至“中性”评级", ("中性", "neutral", "downgrade", "")),
        ("上调公司评级至买入", ("买入", "buy", "upgrade", "")),
        ("投资评级：买入（维持）", ("买入", "buy", "maintain", "")),
        ("评级：买入（维持） 上次评级：增持", ("买入", "buy", "maintain", "增持")),
        ("增持——维持", ("增持", "outperform", "maintain", "")),
        ("领先大市-A维持评级", ("领先大市", "outperform", "maintain", "")),
        ("We maintain our BUY rating", ("buy", "buy", "maintain", "")),
        ("Upgrade to Buy from Hold", ("buy", "buy", "upgrade", "hold")),
        ("We downgrade the stock to Neutral (from Buy)", ("neutral", "neutral", "downgrade", "buy")),
        ("initiate coverage with an Outperform rating", ("outperform", "outperform", "initiate", "")),
        ("上调目标价至54元，维持“买入”评级", ("买入", "buy", "maintain", "")),  # the nearest change counts
        ("首次给予“买进”的投资评级", ("买进", "buy", "initiate", "")),
        ("Rating: Overweight", ("overweight", "outperform", "", "")),
    ],
)
def test_a_rating_is_read_with_what_became_of_it(text: str, rating: tuple[str, str, str, str]) -> None:
    assert read(text) == [rating]


@pytest.mark.parametrize(
    "text", ["公司大股东减持股份", "推荐关注产业链龙头", "buy components from suppliers", "买入成本为10元"]
)
def test_words_that_only_look_like_ratings_are_none(text: str) -> None:
    assert read(text) == []


def test_a_rating_of_the_industry_says_so() -> None:
    (rating,) = find_ratings(normalise("维持医疗器械行业“增持”评级").text)
    assert rating.of_industry


def test_a_line_may_label_the_rating_before() -> None:
    assert find_previous("前次评级 买入") == "买入"
    assert find_previous("投资评级 买入") == ""


def test_a_fact_keeps_all_of_it() -> None:
    rating = Rating("买入", "buy", "upgrade", "增持")
    fact = Fact(Party("甲", "甲", "company"), "investment_rating", Evidence(0, 2), rating.word, note=rating.note)
    assert rating_of(fact) == rating
    assert rating_of(Fact(fact.subject, "target_price", fact.evidence, "20元")) is None


def test_grades_come_from_the_word_alone() -> None:
    assert [grade_of(word) for word in ("强烈推荐", "Underweight", "天气")] == ["buy", "underperform", None]
