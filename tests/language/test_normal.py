import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.language.normal import fold, normalise

NASTY = st.text(
    st.sampled_from("aÀß㎡…１，Ａ公司\u200b\u202e\ud800ﬁİ ½ｶﾞ，（）：；！？％～\u3000、。ΑΣ\ufeff'’s(（)）.-%&")
)


@given(NASTY | st.text())
def test_the_normal_text_is_the_characters_read_one_by_one(source: str) -> None:
    readings = [normalise(character).text for character in source]
    normal = normalise(source)
    assert normal.text == "".join(readings)
    origins = [at for at, reading in enumerate(readings) for _ in reading]
    assert [normal.origin(offset) for offset in range(len(normal.text))] == origins


@given(NASTY | st.text())
def test_the_end_of_the_text_comes_from_the_end_of_the_source_or_what_vanished_there(source: str) -> None:
    normal = normalise(source)
    rest = source[normal.origin(len(normal.text)) :] if source else ""
    assert normalise(rest).text == ""


@given(NASTY | st.text())
def test_normalising_again_changes_nothing(source: str) -> None:
    once = normalise(source).text
    assert normalise(once).text == once
    assert not any("\ud800" <= character <= "\udfff" for character in once)


@pytest.mark.parametrize(
    ("source", "normal"),
    [("Ａ股１２％", "a股12%"), ("m\u200bu", "mu"), ("㎡", "m2"), ("ABC", "abc"), ("（甲）", "(甲)"), ("\ud800a", "a")],
)
def test_width_case_and_invisible_marks_do_not_count(source: str, normal: str) -> None:
    assert normalise(source).text == normal


@pytest.mark.parametrize(
    ("name", "surface"),
    [
        ("Harbour's", "harbour"),
        ("Langxi (301999.SZ)", "langxi"),
        ("澜溪 电池（集团）", "澜溪电池"),
        ("Ａｃｍｅ  Holdings", "acme holdings"),
        ("R&D", "r&d"),
        ("Acme, Inc.", "acme inc"),
        ("18.3%", "18.3%"),
        ("（甲）乙", "甲乙"),
    ],
)
def test_a_surface_has_no_case_width_brackets_or_punctuation(name: str, surface: str) -> None:
    assert fold(name) == surface


@given(NASTY | st.text())
def test_folding_again_changes_nothing(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@given(st.text())
def test_composed_and_decomposed_names_are_one_surface(name: str) -> None:
    assert fold(unicodedata.normalize("NFD", name)) == fold(unicodedata.normalize("NFC", name))
