"""A name is found in a text exactly where its surface stands in the folded text, and leads back to the source."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.graph.folded import capitals_suffice, folded, is_coined, is_word, stands_alone, surface_of, word_pieces


def found(source: str, name: str) -> list[str]:
    """The parts of the source that the name's surface is found in."""
    text = folded(source)
    return [
        source[slice(*text.span(match.start(), match.end()))]
        for match in re.finditer(re.escape(surface_of(name)), text.text)
        if stands_alone(text.text, match.start(), match.end())
    ]


@pytest.mark.parametrize(
    ("source", "name", "written"),
    [
        ("公司与青 禾\n电池签约", "青禾电池", "青 禾\n电池"),
        ("ＱＩＮＧＨＥ Ltd shares", "Qinghe Ltd", "ＱＩＮＧＨＥ Ltd"),
        ("Larkfield's dividend", "Larkfield", "Larkfield"),
        ("青禾（香港）有限公司公告", "青禾（香港）有限公司", "青禾（香港）有限公司"),
        ("Qinghe (Linjiang) Cells said", "Qinghe (Linjiang) Cells", "Qinghe (Linjiang) Cells"),
        ("㎡后的\u200b青\u200b禾电池", "青禾电池", "青\u200b禾电池"),
        ("U.S. Steel, Inc. fell", "U.S. Steel Inc", "U.S. Steel, Inc"),
    ],
)
def test_writing_variants_are_found_as_they_stand(source: str, name: str, written: str) -> None:
    assert found(source, name) == [written]


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("Larkfields rose", "Larkfield"),
        ("in 12023 we", "2023"),
        ("北岭银行业整体", "北岭银行"),
        ("青禾，电池", "青禾电池"),
    ],
)
def test_parts_of_something_longer_are_no_names(source: str, name: str) -> None:
    assert found(source, name) == []


def test_results_may_follow_a_name() -> None:
    assert found("北岭银行业绩稳健", "北岭银行") == ["北岭银行"]


def test_a_short_name_must_lie_on_the_borders_of_words() -> None:
    assert is_word("央行降息", 0, 2)
    assert not is_word("其中行业分化", 1, 3)


def test_one_latin_word_needs_a_capital_and_an_abbreviation_two() -> None:
    assert capitals_suffice("Larkfield", "larkfield")
    assert not capitals_suffice("larkfield", "larkfield")
    assert not capitals_suffice("Roe", "roe")
    assert capitals_suffice("return on equity", "return on equity")


def test_characters_that_form_no_word_are_one_piece_and_coined() -> None:
    assert word_pieces("骊阡半导体") == ["骊阡", "半导体"]
    assert is_coined("骊阡")
    assert not is_coined("电池")


@given(st.text(alphabet=st.sampled_from("青禾 Aａ①㎡.'’s（)·\u200b\ud800\n银行"), max_size=40))
def test_every_range_leads_back_into_the_source_in_order(source: str) -> None:
    text = folded(source)
    spans = [text.span(at, at + 1) for at in range(len(text.text))]
    assert all(0 <= start < end <= len(source) for start, end in spans)
    assert spans == sorted(spans)
