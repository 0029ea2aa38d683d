"""Names that their form gives away."""

import pytest

from finlore.graph.patterns import find_brands, find_patterns, head_of, is_person, legal_head, person_start


def found(text: str) -> set[tuple[str, str]]:
    return {(text[match.start : match.end], match.kind) for match in find_patterns(text)}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("公司与临江青禾电池股份有限公司签约", "临江青禾电池股份有限公司", "company"),
        ("2023年临江青禾电池股份有限公司收入增长", "临江青禾电池股份有限公司", "company"),
        ("青禾（香港）控股有限公司公告", "青禾（香港）控股有限公司", "company"),
        ("骊阡集团由张远山控制", "骊阡集团", "company"),
        ("据悉，王怀清担任骊阡控股董事长", "骊阡控股", "company"),
        ("《新型电池行业管理办法（试行）》发布", "新型电池行业管理办法（试行）", "policy"),
        ("纪录片《青禾纪事》上映", "青禾纪事", "work"),
        ("董事长张远山表示", "张远山", "person"),
        ("张远山出任公司总经理", "张远山", "person"),
        ("*ST青禾公告", "*ST青禾", "company"),
    ],
)
def test_a_form_gives_a_name_away(text: str, name: str, kind: str) -> None:
    assert (name, kind) in found(text)


@pytest.mark.parametrize("text", ["控股股东减持", "该有限公司", "董事长换届", "《》", "董事长的薪酬"])
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert found(text) == set()


def test_words_before_a_name_end_where_it_begins() -> None:
    assert "重点推荐青禾电池"[head_of("重点推荐青禾电池") :] == "青禾电池"
    assert head_of("同仁药业") == 0


def test_a_verb_ends_what_stands_before_a_long_legal_name() -> None:
    text = "骊阡宠物需要正视骊阡能源设备股份有限公司"
    assert text[legal_head(text) :] == "骊阡能源设备股份有限公司"


def test_a_person_has_a_surname() -> None:
    assert is_person("张远山")
    assert is_person("欧阳远山")
    assert not is_person("的薪酬")


def test_a_coined_brand_with_its_line_of_business_is_a_guess_at_a_company() -> None:
    text = "霁岳生物与海外投资"
    assert [(found.surface, found.kind) for found in find_brands(text)] == [("霁岳生物", "company")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("公司拟收购蓝汀科技股份有限公司", "蓝汀科技股份有限公司"),
        ("公司于4月8日为蓝汀控股集团有限公司", "蓝汀控股集团有限公司"),
        ("向蓝汀科技股份有限公司", "蓝汀科技股份有限公司"),
        ("向日葵食品有限公司", "向日葵食品有限公司"),
        ("董事会聘任何芷晴为副总经理", "何芷晴"),
        ("董事会聘任志强为副总经理", "任志强"),
    ],
)
def test_a_verb_or_preposition_before_a_name_is_no_part_of_it(text: str, name: str) -> None:
    assert [text[found.start : found.end] for found in find_patterns(text)] == [name]


def test_a_person_begins_behind_what_is_glued_to_the_name() -> None:
    assert [person_start(name, 0, len(name)) for name in ("任何芷晴", "任志强", "欧阳芷晴", "由何芷晴")] == [1, 0, 0, 1]
