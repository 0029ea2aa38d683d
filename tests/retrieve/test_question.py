import pytest

from finlore.retrieve.question import asked_words, leads, read_question
from tests.retrieve.fake_view import FakeView, passage
from tests.retrieve.market import CUES, market


def entities(text: str) -> set[str]:
    view = market()
    return {view.entity_ids[number] for number in read_question(view, text, CUES).entities}


def wanted(text: str) -> dict[str, int]:
    return read_question(market(), text, CUES).wanted


def test_the_longest_name_wins_over_those_inside_it() -> None:
    assert entities("瑚海电池的供应商是谁？") == {"300001.SZ"}


def test_every_spelling_of_a_name_means_the_same_entity() -> None:
    assert entities("Who supplies Huhai Battery's cathodes?") == {"300001.SZ"}
    assert entities("代码300001的公司由谁供应？") == {"300001.SZ"}


def test_a_name_in_brackets_is_read_too() -> None:
    assert entities("它（岭南锂材）由谁控股？") == {"company:岭南锂材"}


def test_a_small_word_among_capitals_is_no_name() -> None:
    names = {"Mother": "name:mother", "Alder": "name:alder"}
    view = FakeView([passage(1, "Mother is a film. Alder bought it.", names=names)], names)
    for text, known in (("Who is Alder's mother?", 1), ("Who made Mother for Alder?", 2), ("mother of alder", 2)):
        assert len(read_question(view, text, CUES).entities) == known


def test_what_remains_without_the_names_is_wanted() -> None:
    assert wanted("岭南锂材的控股方是哪家公司？") == {"控股方": 1, "~ownership": 1}


def test_a_relation_asked_for_twice_is_wanted_twice() -> None:
    assert wanted("岭南锂材的控股方的控股方是谁？")["~ownership"] == 2


def test_a_second_wording_in_brackets_is_not_a_second_wish() -> None:
    assert wanted("岭南锂材的毛利率（毛利率）是多少？")["~gross_margin"] == 1


def test_names_side_by_side_each_want_what_is_asked() -> None:
    assert wanted("岭南锂材和瑚海电池的毛利率哪家更高？")["~gross_margin"] == 2
    assert wanted("岭南锂材的控股方和董事长是谁？")["~ownership"] == 1


def test_what_is_only_supposed_is_not_wanted() -> None:
    assert "~ownership" not in wanted("若岭南锂材的控股方变更，由谁供应？")
    assert wanted("若瑚海电池停产，谁的供应受影响？").keys() == wanted("谁的供应受影响？").keys()
    assert "~supply" in wanted("若岭南锂材供应中断，谁的供应受影响？")


def test_a_question_that_only_supposes_wants_that() -> None:
    assert "~ownership" in wanted("若岭南锂材的控股方变更，")


def test_the_day_of_asking_is_not_looked_for_in_passages() -> None:
    assert wanted("截至2024-05-11，岭南锂材由谁控股？") == wanted("岭南锂材由谁控股？")


def test_words_that_only_ask_are_left_out() -> None:
    assert asked_words("请问哪家公司的毛利率提升？") == ("提升", "毛利率")
    assert asked_words("请问哪家公司？ Which company is it?") == ()


def test_names_that_nobody_has_mentioned_are_reported() -> None:
    asked = read_question(market(), "云岭光学股份有限公司向瑚海电池供应什么？", CUES)
    assert asked.unknown == ("云岭光学股份有限公司",)
    assert read_question(market(), "What does Yunling Optics supply to Huhai Battery?", CUES).unknown == (
        "yunling optics",
    )


@pytest.mark.parametrize(
    "question",
    [
        "请问向云岭光学股份有限公司供货的是谁？",
        "瑚海电池给予云岭光学股份有限公司什么？",
        "若云岭光学股份有限公司违约会怎样？",
        "瑚海电池与云岭光学股份有限公司哪家更高？",
    ],
)
def test_words_before_an_unknown_legal_name_are_no_part_of_it(question: str) -> None:
    assert read_question(market(), question, CUES).unknown == ("云岭光学股份有限公司",)


def test_a_legal_name_means_the_longest_known_name_that_it_spells_out() -> None:
    asked = "截至目前，西山岭南锂材料集团有限公司由谁控股？"
    assert entities(asked) == {"company:岭南锂材"}
    assert read_question(market(), asked, CUES).unknown == ()


def test_a_share_is_the_short_name_of_a_joint_stock_company_alone() -> None:
    names = {"云禾精机": "600001.SH"}
    view = FakeView([passage(1, "云禾精机扩产。", names=names)], names)
    for legal, known in (("岭南云禾精密机械股份有限公司", {"600001.SH"}), ("岭南云禾精密机械有限公司", set())):
        asked = read_question(view, f"{legal}由谁控股？", CUES)
        assert {view.entity_ids[entity] for entity in asked.entities} == known
        assert asked.unknown == (() if known else (legal,))


def test_latin_terms_of_a_chinese_question_end_where_the_chinese_goes_on() -> None:
    names = {"瑚海电池": "300001.SZ"}
    view = FakeView([passage(1, "瑚海电池的SX90今年交付。", names=names)], names)
    for question in ("SX90从什么时候开始交付？", "瑚海电池的SX90什么时候交付？"):
        assert read_question(view, question, CUES).unknown == ()
    assert read_question(view, "QX77从什么时候开始交付？瑚海QX77呢？", CUES).unknown == ("qx77",)


def test_topics_are_known_but_no_anchors() -> None:
    rows_with_topic = market()
    asked = read_question(rows_with_topic, "瑚海由谁供应？", CUES)
    assert [rows_with_topic.entity_ids[e] for e in asked.topics] == ["concept:瑚海"]
    assert not asked.anchors


def test_only_parties_lead_on() -> None:
    assert leads("300001.SZ")
    assert leads("name:huhai battery")
    assert leads("person:周砚")
    assert not leads("metric:roe")
    assert not leads("name:隔膜")
    assert not leads("company:公司")
