"""Where sentences end."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.language.sentences import LONGEST, MASK, language_of, split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def test_chinese_sentences_end_at_their_marks_and_keep_closing_quotes() -> None:
    text = "收入增长12.5%；毛利率提升！“订单饱满。”公司称？是的。"
    assert sentences(text) == ["收入增长12.5%；", "毛利率提升！", "“订单饱满。”", "公司称？", "是的。"]


def test_ascii_marks_count_after_han_characters() -> None:
    assert sentences("关注甲公司、乙公司;数据方面关注丙公司") == ["关注甲公司、乙公司;", "数据方面关注丙公司"]


def test_an_english_stop_ends_a_sentence_before_a_capital() -> None:
    assert sentences("Revenue rose. Margins fell! Why? Nobody said.") == [
        "Revenue rose.",
        "Margins fell!",
        "Why?",
        "Nobody said.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Sales were 3.14 billion, i.e. Much more than Mr. Smith of Acme Inc. Germany expected.",
        "The U.S. Treasury and J. P. Brown agreed vs. Last year.",
        "Shares of Foo Corp. and Bar Co. closed at 10.5 on Jan. 5 in Zürich.",
        "The margin was 68. 86% in the period",
        "1. Overview of the market",
        "It trades at e.g. Lower levels of approx. 12 times.",
    ],
)
def test_abbreviations_initials_and_numbers_end_nothing(text: str) -> None:
    assert sentences(text) == [text]


def test_an_abbreviation_before_a_word_that_opens_sentences_ends_one() -> None:
    assert sentences("It bought Foo Inc. The price was low.") == ["It bought Foo Inc.", "The price was low."]


def test_a_line_break_alone_ends_nothing_but_an_empty_line_or_a_hard_break_does() -> None:
    assert sentences("收入\n增长  \n利润下降\n\n风险") == ["收入\n增长", "利润下降", "风险"]


def test_a_hard_break_after_a_comma_ends_nothing() -> None:
    assert sentences("收入增长，  \n利润下降") == ["收入增长，  \n利润下降"]


def test_mark_up_around_a_stop_is_transparent() -> None:
    assert sentences(f"It rose.{MASK}{MASK} Then it fell.") == ["It rose.", "Then it fell."]


def test_a_sentence_without_end_is_cut_at_a_weaker_mark() -> None:
    text = "很长的一句话，" * 200
    pieces = sentences(text)
    assert "".join(pieces) == text
    assert all(len(piece) <= LONGEST and piece.endswith("，") for piece in pieces)


@given(st.text(alphabet="ab1 .。！;；\n，“”\\" + MASK, max_size=300))
def test_spans_ascend_and_leave_out_nothing_but_space_and_mark_up(text: str) -> None:
    spans = split_sentences(text)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert all(text[start:end].strip() for start, end in spans)
    kept = "".join(text[start:end] for start, end in spans)
    assert kept.translate({ord(c): None for c in f" \n\\{MASK}"}) == text.translate(
        {ord(c): None for c in f" \n\\{MASK}"}
    )


@pytest.mark.parametrize("unit", [".", ". ", "a", "。", "字。", "1. ", "a，  \n", "“", f".{MASK}"])
def test_time_is_linear_in_the_length(unit: str) -> None:
    started = time.process_time()
    split_sentences(unit * (200_000 // len(unit)))
    assert time.process_time() - started < 4


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("公司2024年收入增长。", "zh"),
        ("Revenue rose in 2024.", "en"),
        ("GDP 增速 CPI PPI", "zh"),
        ("", "en"),
        ("12.5%", "en"),
    ],
)
def test_language_is_told_by_its_letters(text: str, language: str) -> None:
    assert language_of(text) == language
