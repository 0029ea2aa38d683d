"""Capitalised spans are names; words that only begin a sentence, figures and units are not."""

import pytest

from finlore.graph.spans import find_spans, lower_words


def surfaces(text: str) -> list[str]:
    return [surface for _, _, surface in find_spans(text, lower_words(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Bank of Elmshire's chair left.", ["bank of elmshire"]),
        ("Prince Osric Of Vellany's mother", ["prince osric of vellany"]),
        ("Qinghe (Linjiang) Cells supplies Larkfield.", ["qinghe linjiang cells", "larkfield"]),
        ("Marl & Sons, with Jean-Paul Orrin", ["marl & sons", "jean-paul orrin"]),
        ("However, Larkfield fell in March 2024.", ["larkfield"]),
        ("EPS of RMB1.22 in 3Q24, 15x and 30GWh", ["eps"]),
        ("Larkfield Mills Co., Ltd. sued Marl Inc.", ["larkfield mills", "marl"]),
        ("HENGXU BATTERY met Hengxu Battery S.A.", ["hengxu battery", "hengxu battery"]),
        ("Larkfield Holdings PLC", ["larkfield holdings"]),
        ("于是 Larkfield集团 宣布", ["larkfield"]),
    ],
)
def test_spans(text: str, expected: list[str]) -> None:
    assert [surface for surface in surfaces(text) if surface != "2024"] == expected


def test_a_capital_at_the_head_of_a_sentence_says_nothing_of_a_word_the_text_also_writes_small() -> None:
    assert surfaces("Dredging paid off: dredging is hard.") == []
    assert surfaces("Larkfield paid off.") == ["larkfield"]


def test_the_range_is_that_of_the_name_without_common_words_and_full_stops() -> None:
    text = "In the Larkfield Union."
    ((start, end, _),) = find_spans(text)
    assert text[start:end] == "Larkfield Union"


def test_a_name_may_stand_in_chinese_without_a_space_but_an_abbreviation_may_not() -> None:
    assert [surface for _, _, surface in find_spans("认购LarkfieldMills股份后启动IPO", after_number=False)] == [
        "larkfieldmills"
    ]
