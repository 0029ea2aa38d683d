"""What one document teaches about names, each statement from its own text alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.graph.gazetteer import Gazetteer
from finlore.graph.learn import learn, name_before, same_names, shortens
from finlore.records.names import STRENGTH_DEFINITION, STRENGTH_IDENTIFIER, Alias, SameName
from tests.graph.pages import page

EMPTY = Gazetteer([])


def taught(text: str, title: str = "", gazetteer: Gazetteer = EMPTY, **stated: object) -> dict[str, str]:
    """Surface -> entity of what is stated with more than the name's own form behind it."""
    aliases = learn(page(text, title, **stated), [text], gazetteer)
    return {alias.surface: alias.entity for alias in sorted(aliases, key=lambda alias: alias.strength)}


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("骊阡新材（609990）发布公告", "骊阡新材"),
        ("我们重点推荐骊阡新材（609990）", "骊阡新材"),
        ("重要下游为骊阡半导体（609990.SH）", "骊阡半导体"),
        ("临江骊阡新材料股份有限公司（证券代码609990，以下简称公司）", "临江骊阡新材料股份有限公司"),
        ("Liqian Materials (609990 CH) rose", "liqian materials"),
        ("sourced from Liqian (Linjiang) Materials (609990)", "liqian linjiang materials"),
    ],
)
def test_the_name_before_a_code_stands_for_it(text: str, surface: str) -> None:
    assert taught(text)[surface] == "609990.SH"
    assert taught(text)["609990"] == "609990.SH"


def test_an_english_company_stands_for_its_ticker() -> None:
    assert taught("Larkfield Mills (NYSE: LKFD) rose")["larkfield mills"] == "LKFD.US"


@pytest.mark.parametrize(
    "text",
    [
        "恒旭电池（306842.SZ，Hengxu Battery Co., Ltd.）",
        "恒旭电池 Hengxu Battery（306842）首次覆盖",
        "Hengxu Battery / 恒旭电池（306842）首次覆盖",
        "恒旭电池（306842）。恒旭电池（English name: Hengxu Battery Co., Ltd.）",
        "恒旭电池（306842）。我们看好恒旭电池（英文名：“Hengxu Battery”）",
    ],
)
def test_a_chinese_company_and_the_english_name_beside_it_are_one(text: str) -> None:
    assert {surface for surface, entity in taught(text).items() if entity == "306842.SZ"} == {
        "306842",
        "恒旭电池",
        "hengxu battery",
    }


def test_the_legal_form_of_an_english_company_is_no_part_of_its_name() -> None:
    assert taught("Hengxu Battery Co., Ltd. (306842.SZ) rose") == {"hengxu battery": "306842.SZ", "306842": "306842.SZ"}


@pytest.mark.parametrize("beside", ["Buy", "A股", "HXBT.US"])
def test_a_rating_or_another_code_beside_a_code_is_no_name(beside: str) -> None:
    assert set(taught(f"恒旭电池（306842.SZ, {beside}）")) - {"hxbt us"} == {"恒旭电池", "306842"}


def test_an_abbreviation_in_brackets_must_be_stated_twice() -> None:
    known = Gazetteer([Alias("骊阡新材", "609990.SH", "security", "骊阡新材", STRENGTH_IDENTIFIER)])
    (alias,) = learn(page("x"), ["骊阡新材（LCD）"], known)
    assert (alias.surface, alias.needs) == ("lcd", 2)


def test_a_share_is_called_by_its_short_name() -> None:
    text = "临江骊阡新材料股份有限公司（609990，Liqian Materials，以下简称“骊阡新材”）"
    strengths = {
        alias.name: alias.strength for alias in learn(page(text), [text], EMPTY) if not alias.surface.isdigit()
    }
    assert max(strengths, key=lambda name: strengths[name]) == "骊阡新材"


def test_a_legal_name_defines_short_names_but_not_roles() -> None:
    text = "临江骊阡新材料股份有限公司（证券代码：609990，以下简称“骊阡新材”或“公司”）"
    assert taught(text)["骊阡新材"] == "609990.SH"
    assert "公司" not in taught(text)


def test_an_unlisted_company_stands_for_itself_and_so_does_its_short_name() -> None:
    found = taught("临江骊阡通信技术有限公司（以下简称“骊阡通信”）成立")
    assert found["骊阡通信"] == found["临江骊阡通信技术有限公司"] == "company:临江骊阡通信技术有限公司"


def test_a_subsidiary_is_also_called_by_place_and_brand() -> None:
    assert taught("临江骊阡通信技术有限公司成立")["临江骊阡"] == "company:临江骊阡"


def test_an_english_name_beside_a_known_company_is_its_name() -> None:
    known = Gazetteer([Alias("骊阡新材", "609990.SH", "security", "骊阡新材", STRENGTH_IDENTIFIER)])
    assert taught("骊阡新材（Liqian Materials）公告", gazetteer=known)["liqian materials"] == "609990.SH"
    assert "gross margin" not in taught("毛利率（Gross Margin）上升", gazetteer=known)


def test_the_title_and_the_stated_security_teach_as_well() -> None:
    assert taught("正文。", "骊阡新材（609990）深度报告")["骊阡新材"] == "609990.SH"
    assert taught("正文。", security="609990.SH")["609990"] == "609990.SH"


def test_a_name_whose_head_is_a_guess_must_be_stated_twice() -> None:
    (guess,) = [
        a for a in learn(page("x"), ["公司毛利率上升带动整体估值骊阡新材（609990）"], EMPTY) if not a.surface.isdigit()
    ]
    assert (guess.surface, guess.needs, guess.strength) == ("骊阡新材", 2, STRENGTH_DEFINITION)


def test_flagged_words_are_never_learnt() -> None:
    known = Gazetteer([Alias("向阳花", "600990.SH", "security", "向阳花", STRENGTH_IDENTIFIER)], ordinary=["向阳花"])
    assert "向阳花" not in taught("向阳花（600990）公告", gazetteer=known)


@pytest.mark.parametrize("text", ["在交易所上市", "毛利率", "", "。", "本次发行"])
def test_what_is_no_name_is_not_one(text: str) -> None:
    name, _ = name_before(text)
    assert name in ("", "毛利率")


def test_a_name_may_begin_with_a_character_that_often_links() -> None:
    assert name_before("建议关注、同仁药业") == ("同仁药业", 1)
    assert name_before("青禾电池（300990）和骊阡新材") == ("骊阡新材", 1)


def test_a_legal_name_is_linked_to_the_short_name_it_spells_out() -> None:
    surfaces = ["骊阡新材", "临江骊阡新材料股份有限公司"]
    assert same_names(surfaces) == [SameName("临江骊阡新材料股份有限公司", "骊阡新材", 34)]


def test_a_subsidiary_has_the_short_name_only_while_that_means_no_listed_company() -> None:
    surfaces = ["骊阡新材", "骊阡新材料销售有限公司"]
    assert same_names(surfaces) == [SameName("骊阡新材料销售有限公司", "骊阡新材", 34, unlisted_only=True)]


def test_the_longer_short_name_counts_more() -> None:
    legal = "临江骊阡新材料股份有限公司"
    links = same_names(["骊阡新", "骊阡新材", legal])
    assert max(links, key=lambda link: link.strength).via == "骊阡新材"


def test_letters_of_a_short_name_stand_in_order() -> None:
    assert shortens("骊阡新材", "临江骊阡新材料股份有限公司")
    assert not shortens("骊阡材新", "临江骊阡新材料股份有限公司")
    assert not shortens("骊阡", "临江骊阡新材料股份有限公司")


LINKED = ["骊阡新材", "骊阡", "骊阡材料", "临江骊阡新材料股份有限公司", "骊阡新材料有限公司", "青禾电池"]


@given(st.sets(st.sampled_from(["骊阡新材", "骊阡", "临江骊阡新材料股份有限公司", "青禾电池", "骊阡新材料有限公司"])))
def test_links_of_some_surfaces_are_those_of_all_restricted_to_them(surfaces: set[str]) -> None:
    more = {*surfaces, "临江青禾电池股份有限公司"}
    assert set(same_names(surfaces)) == {
        link for link in same_names(more) if link.surface in surfaces and link.via in surfaces
    }


@given(st.sets(st.sampled_from(LINKED)), st.sets(st.sampled_from(LINKED)))
def test_links_of_new_surfaces_are_those_that_one_of_them_is_part_of(surfaces: set[str], new: set[str]) -> None:
    parts = [{link.surface, link.via} & new for link in same_names(surfaces)]
    expected = [link for link, part in zip(same_names(surfaces), parts, strict=True) if part]
    assert same_names(surfaces, new=new) == expected


@given(st.text(alphabet=st.sampled_from("骊阡新材（）()609990：，ABCz .“”简称公司有限股份"), max_size=60))
def test_any_text_is_read_without_failing(text: str) -> None:
    assert all(alias.surface for alias in learn(page(text or "x"), [text], EMPTY))
