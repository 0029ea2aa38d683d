"""The shipped names: found wherever they stand; ordinary words only where something says that they are meant."""

import pytest

from finlore.graph.gazetteer import Gazetteer
from finlore.records.instant import ALWAYS, end_of_day
from finlore.records.names import STRENGTH_IDENTIFIER, STRENGTH_LIST, Alias


def listed(surface: str, code: str) -> Alias:
    return Alias(surface, code, "security", surface, STRENGTH_IDENTIFIER)


@pytest.fixture(scope="module")
def small() -> Gazetteer:
    return Gazetteer(
        [
            listed("青禾电池", "300990.SZ"),
            listed("300990", "300990.SZ"),
            listed("青禾电池材料", "300991.SZ"),
            listed("向阳花", "600990.SH"),
            listed("600990", "600990.SH"),
            Alias("roe", "metric:roe", "metric", "净资产收益率", STRENGTH_LIST),
            Alias("cash flow", "metric:cash", "metric", "现金流", STRENGTH_LIST),
        ],
        ordinary=["向阳花"],
    )


@pytest.fixture(scope="module")
def shipped() -> Gazetteer:
    return Gazetteer.load()


def names(gazetteer: Gazetteer, text: str) -> list[tuple[str, str]]:
    return [(text[match.start : match.end], match.surface) for match in gazetteer.find(text)]


def entity(gazetteer: Gazetteer, surface: str) -> str:
    return gazetteer.aliases(surface)[0].entity


def test_nested_names_are_all_kept(small: Gazetteer) -> None:
    assert names(small, "青禾电池材料上市") == [("青禾电池材料", "青禾电池材料"), ("青禾电池", "青禾电池")]


def test_a_name_and_its_code_are_two_matches(small: Gazetteer) -> None:
    assert names(small, "青禾电池（300990.SZ）") == [("青禾电池", "青禾电池"), ("300990.SZ", "300990")]


def test_an_ordinary_word_alone_is_no_name(small: Gazetteer) -> None:
    assert names(small, "花园里的向阳花开了") == []
    assert names(small, "向阳花（300990）")[0] == ("300990", "300990")


@pytest.mark.parametrize("text", ["向阳花（600990）", "600990.SH 向阳花", "向阳花股份公告", "向阳花公司表示"])
def test_an_ordinary_word_beside_its_code_or_an_organisation_word_means_the_code(small: Gazetteer, text: str) -> None:
    assert ("向阳花", "600990") in names(small, text)


def test_the_ordinary_word_itself_never_becomes_an_alias(small: Gazetteer) -> None:
    assert small.aliases("向阳花") == ()


def test_terms_need_no_capital_and_abbreviations_do(small: Gazetteer) -> None:
    assert names(small, "Cash flow and cash flow; a roe deer, ROE") == [
        ("Cash flow", "cash flow"),
        ("cash flow", "cash flow"),
        ("ROE", "roe"),
    ]


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        ("300750", "300750.SZ"),
        ("宁德时代", "300750.SZ"),
        ("catl", "300750.SZ"),
        ("贵州茅台", "600519.SH"),
        ("沪深300", "000300.SH"),
        ("证监会", "regulator:中国证券监督管理委员会"),
        ("央行", "regulator:中国人民银行"),
        ("roe", "metric:roe"),
        ("roa", "metric:roa"),
        ("毛利率", "metric:gross_margin"),
        ("净利率", "metric:net_margin"),
        ("营业收入", "metric:revenue"),
        ("营业利润", "metric:operating_profit"),
        ("归母净利润", "metric:net_profit_parent"),
        ("扣非净利润", "metric:net_profit_deducted"),
    ],
)
def test_shipped_surfaces_mean_what_they_should(shipped: Gazetteer, surface: str, expected: str) -> None:
    assert entity(shipped, surface) == expected


def test_names_of_a_listed_company_are_known_from_its_listing_day(shipped: Gazetteer) -> None:
    from datetime import date

    assert {alias.known_at for alias in shipped.aliases("catl")} == {end_of_day(date(2018, 6, 11))}
    assert {alias.known_at for alias in shipped.aliases("证监会")} == {ALWAYS}


def test_ordinary_short_names_of_the_market_are_flagged(shipped: Gazetteer) -> None:
    assert names(shipped, "机器人与太平洋") == []
    assert names(shipped, "机器人（300024）")[0] == ("机器人", "300024")


def test_bare_industry_words_are_no_industries(shipped: Gazetteer) -> None:
    assert ("电子行业", "电子行业") in names(shipped, "电子行业复苏")
    assert "电子" not in [surface for _, surface in names(shipped, "综合电子银行服务")]


def test_lone_surrogates_and_marks_do_no_harm(shipped: Gazetteer) -> None:
    assert ("宁德\u200b时代", "宁德时代") in names(shipped, "\ud800宁德\u200b时代\udfff")


def test_names_that_people_decided_about_are_found_where_they_are_asked_for_alone(small: Gazetteer) -> None:
    decided = small.with_decided({"岭川云禾": "company"})
    assert list(decided.decided("向岭川云禾供应隔膜")) == [(1, 5, "岭川云禾", "company")]
    assert list(small.decided("向岭川云禾供应隔膜")) == []


def test_a_name_within_a_longer_word_of_the_field_is_no_mention() -> None:
    names = Gazetteer([listed("青禾电池", "300990.SZ")], longer=["青禾电池比率", "青禾电池"])
    assert [match.start for match in names.find("青禾电池比率为1.2，青禾电池增长")] == [11]
