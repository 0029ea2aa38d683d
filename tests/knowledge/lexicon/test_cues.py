import pytest

from finlore.errors import ConfigurationError
from finlore.knowledge.lexicon.cues import CueMatcher
from finlore.records.schema import Cue


def found(text: str, *cues: str) -> list[str]:
    matches = CueMatcher([(Cue(cue), cue) for cue in cues]).find(text)
    assert all(match.cue.text == match.owner for match in matches)
    return [text[match.start : match.end] for match in matches]


def test_chinese_cues_stand_anywhere_and_latin_ones_as_whole_words() -> None:
    assert found("公司收购了一家工厂", "收购") == ["收购"]
    assert found("It won, wonders never cease", "won") == ["won"]
    assert found("公司won一个项目", "won") == ["won"]


def test_a_star_lets_a_latin_cue_go_on() -> None:
    assert found("Acquiring a plant, reacquired", "acqui*") == ["Acqui"]


def test_case_and_width_do_not_matter_and_offsets_are_those_of_the_text() -> None:
    assert found("㎏ ＩＰＯ，Ipo", "ipo") == ["ＩＰＯ", "Ipo"]


def test_a_cue_inside_a_longer_one_is_not_found() -> None:
    assert found("业绩不达预期", "达预期", "不达预期") == ["不达预期"]


def test_the_same_wording_may_be_a_cue_of_several() -> None:
    matches = CueMatcher([(Cue("扩产"), 1), (Cue("扩产"), 2)]).find("公司扩产")
    assert [match.owner for match in matches] == [1, 2]


def test_a_gap_holds_two_parts_together_within_a_sentence() -> None:
    assert found("毛利率同比明显提升", "毛利率…提升") == ["毛利率同比明显提升"]
    assert found("毛利率持平。费用率提升", "毛利率…提升") == []
    assert found("毛利率" + "很" * 40 + "提升", "毛利率…提升") == []
    assert CueMatcher([(Cue("毛利率…提升"), 0)]).find("毛利率再提升")[0].head_end == 3


@pytest.mark.parametrize("cue", ["", "*", "…提升", "提升…", "一…二…三"])
def test_what_cannot_be_found_is_no_cue(cue: str) -> None:
    with pytest.raises(ConfigurationError, match="no cue"):
        CueMatcher([(Cue(cue), 0)])


def test_no_cues_find_nothing() -> None:
    assert CueMatcher[int]([]).find("公司收购") == []
