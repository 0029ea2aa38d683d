"""The attributes that a report states about its security."""

import pytest

from finlore.knowledge.lexicon.attributes import last_crumb
from finlore.knowledge.lexicon.ratings import rating_of
from finlore.records.instant import parse_instant
from tests.read_reports import extracted, facts

FIRST_PAGE = """# 宁德时代（300750.SZ）：需求回暖

投资评级：买入（维持）

12个月目标价：300.00元（前值280.00元）

截至2025年3月12日收盘价为252.40元，公司总市值11,100亿元。

# 风险提示

需求不及预期；竞争加剧。
"""


def test_code_and_exchange_come_from_the_printed_code() -> None:
    (code,) = facts(FIRST_PAGE, "stock_ticker")
    assert code.text == FIRST_PAGE[code.evidence.start : code.evidence.end] == "300750.SZ"
    (exchange,) = facts(FIRST_PAGE, "primary_exchange")
    assert exchange.object is not None
    assert (exchange.object.name, exchange.object.kind) == ("深圳证券交易所", "exchange")


def test_the_institution_is_the_broker() -> None:
    (house,) = facts(FIRST_PAGE, "research_institution")
    assert house.object is not None
    assert house.object.name == "青松证券"


def test_the_rating_has_its_grade_and_change() -> None:
    (fact,) = facts(FIRST_PAGE, "investment_rating")
    rating = rating_of(fact)
    assert rating is not None
    assert (fact.text, rating.grade, rating.change) == ("买入", "buy", "maintain")


def test_prices_have_their_units_and_days() -> None:
    (target,) = facts(FIRST_PAGE, "target_price")
    assert (target.value, target.unit, target.note) == (300.0, "元", "from 280.00元")
    assert target.valid_from == parse_instant("2025-03-14")
    (price,) = facts(FIRST_PAGE, "current_stock_price")
    assert (price.value, price.valid_from) == (252.4, parse_instant("2025-03-12"))
    (value,) = facts(FIRST_PAGE, "market_capitalisation")
    assert (value.value, value.unit) == (11100.0, "亿元")


def test_both_ends_of_a_target_are_facts() -> None:
    both = facts("给予合理价值区间20.1-23.5元。", "target_price")
    assert [(fact.value, fact.bound) for fact in both] == [(20.1, "low"), (23.5, "high")]


def test_each_risk_is_one_fact() -> None:
    assert [fact.text for fact in facts(FIRST_PAGE, "risk_assessment")] == ["需求不及预期", "竞争加剧"]
    assert [fact.text for fact in facts("风险提示。政策变化；汇率波动。", "risk_assessment")] == [
        "政策变化",
        "汇率波动",
    ]


def test_prices_of_another_company_are_not_the_subjects() -> None:
    assert facts("格力电器目标价50元。", "target_price") == []


def test_a_side_bar_is_a_table_of_labels_and_values() -> None:
    (price,) = facts("| 收盘价（元） | 41.80 |\n|---|---|\n| 总市值（百万元） | 62,700 |\n", "current_stock_price")
    assert (price.value, price.unit, price.text) == (41.8, "元", "41.80")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("股价：21.5元", 21.5), ("收盘价（元）：21.5", 21.5), ("12个月股价区间（元）36.86~71.42", None),
        ("本次转股价格为105.28港元/股", None), ("当前股价对应PE为15倍", None),
    ],
)  # fmt: skip
def test_a_price_is_behind_its_label_with_its_unit_there_or_in_the_label(text: str, value: float | None) -> None:
    assert [fact.value for fact in facts(text, "current_stock_price")] == ([] if value is None else [value])


def test_market_values_are_those_of_all_shares_today() -> None:
    (value,) = facts("总市值627亿元，流通市值483亿元，目标市值700亿元", "market_capitalisation")
    assert (value.value, value.unit) == (627.0, "亿元")


def test_shareholders_and_products_belong_to_companies() -> None:
    text = "公司控股股东为珏山控股集团，持股比例38.6%。公司主要产品包括滤板、滤布。"
    (holder,) = facts(text, "major_shareholders")
    assert (holder.text, holder.value, holder.unit) == ("珏山控股集团", 38.6, "%")
    assert [fact.text for fact in facts(text, "key_products")] == ["滤板", "滤布"]


def test_a_document_about_nobody_has_no_attributes() -> None:
    assert not [
        f for f in extracted("目标价20元。", security="", title="").facts if not f.relation.startswith("metric:")
    ]


@pytest.mark.parametrize(
    ("line", "industry"),
    [
        ("公司研究 | 医药生物 | 生物制品", "生物制品"),
        ("公告点评｜耐用消费品与服装", "耐用消费品与服装"),
        ("公司研究 | 李明", None),
        ("霜桥证券研究报告 / 2025年3月", None),
        ("储能 / 光伏", None),  # no line of divisions
    ],
)
def test_a_line_of_divisions_ends_in_the_industry(line: str, industry: str | None) -> None:
    crumb = last_crumb(line)
    assert (line[slice(*crumb)] if crumb else None) == industry


def test_the_parts_of_revenue_are_products() -> None:
    text = "分业务看，储能系统收入72.3亿元，同比增长31.5%；逆变器收入34.8亿元；华东地区收入11.5亿元。"
    assert {fact.text for fact in facts(text, "key_products")} == {"储能系统", "逆变器"}
