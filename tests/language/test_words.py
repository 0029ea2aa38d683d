import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.language.words import words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("18.3", ["18.3"]),
        ("PE 18.3x", ["pe", "18.3", "x"]),
        ("增长12.5%，利润1,234,567.8元", ["增长", "12.5%", "利润", "1234567.8", "元"]),
        ("１２．５％", ["12.5%"]),
        ("100，200", ["100", "200"]),
        ("12,34", ["12", "34"]),
        ("5G and MU4", ["5g", "mu4"]),
        ("2024-03-31", ["2024", "03", "31"]),
    ],
)
def test_a_number_is_one_word(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("companies", "company's"),
        ("produced", "produces"),
        ("producing", "produce"),
        ("supplies", "supply"),
        ("plants", "PLANT"),
        ("lithium-ion", "lithium ion"),
    ],
)
def test_forms_of_an_english_word_are_one(one: str, other: str) -> None:
    assert words(one) == words(other)


def test_short_words_and_codes_keep_their_endings() -> None:
    assert words("gas red bs300es") == ["gas", "red", "bs300es"]


def test_chinese_is_cut_into_words_and_grammar_is_left_out() -> None:
    assert words("公司的产能与利润") == ["公司", "产能", "利润"]
    assert words("the profit of it") == ["profit"]


def test_scripts_that_touch_are_cut_apart() -> None:
    assert words("采用LFP电池和5G模块") == ["采用", "lfp", "电池", "5g", "模块"]


@given(st.text())
def test_any_text_gives_words_without_spaces_or_capitals(text: str) -> None:
    for word in words(text):
        assert word
        assert not any(character.isspace() or character.isupper() for character in word)
        assert not word.startswith("~")


@given(st.text(alphabet="公司利润增长ab1,.% "), st.text(alphabet="公司利润增长ab1,.% "))
def test_sentences_do_not_change_one_another(one: str, other: str) -> None:
    assert words(f"{one}\n{other}") == words(one) + words(other)
