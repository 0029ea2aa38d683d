"""Figures of tables and sentences as facts of the company that they are of."""

import pytest

from finlore.knowledge.timeline import GUIDANCE
from finlore.records.instant import parse_instant
from tests.read_reports import extracted, facts

TABLE = """# 盈利预测

| 单位：百万元 | 2023A | 2024A | 2025E |
|---|---|---|---|
| 营业收入 | 4,280 | 5,457 | 7,203 |
| 归母净利润 | 342 | 480 | 696 |
"""


def test_a_cell_is_a_fact_of_the_covered_company_with_period_and_basis() -> None:
    revenue = facts(TABLE, "metric:revenue")
    assert [(fact.value, fact.unit, fact.period, fact.basis) for fact in revenue] == [
        (4280.0, "百万元", "2023", "actual"),
        (5457.0, "百万元", "2024", "actual"),
        (7203.0, "百万元", "2025", "forecast"),
    ]
    assert {fact.subject.entity for fact in revenue} == {"300750.SZ"}
    assert [fact.text for fact in revenue] == ["4,280", "5,457", "7,203"]
    assert revenue[0].valid_to == parse_instant("2023-12-31")


def test_a_sentence_about_the_company_is_about_all_of_it() -> None:
    text = "公司2024年实现营业收入46.51亿元，同比增长39.7%。"
    (revenue,) = facts(text, "metric:revenue")
    assert (revenue.value, revenue.unit, revenue.period, revenue.basis) == (46.51, "亿元", "2024", "actual")
    assert text[revenue.evidence.start : revenue.evidence.end] == "营业收入46.51亿元"
    (growth,) = facts(text, "metric:revenue.growth")
    assert (growth.value, growth.text) == (39.7, "39.7%")


def test_a_figure_of_a_part_is_none_of_the_whole() -> None:
    (part,) = (fact for fact in extracted("2024年储能系统业务实现收入10亿元。").facts if "revenue" in fact.relation)
    assert part.relation == "metric:revenue.segment"
    assert part.part == "储能系统业务"


def test_a_measure_begins_where_the_word_before_it_ends() -> None:
    (part,) = facts("公司2024年电站运营收入11.5亿元。", "metric:revenue.segment")
    assert (part.part, part.value) == ("电站运营", 11.5)
    (whole,) = facts("公司2024年经营收入8亿元。", "metric:revenue")
    assert whole.value == 8


def test_multiples_are_of_the_whole_whatever_stands_before_them() -> None:
    found = facts("我们预计公司2025-2026年净利润5、6亿元，当前股价对应PE分别为38x 31x。", "metric:pe")
    assert [(fact.value, fact.period) for fact in found] == [(38.0, "2025"), (31.0, "2026")]


def test_a_figure_of_another_company_is_that_companys() -> None:
    (found,) = facts("格力电器2024年营业收入1,900亿元。", "metric:revenue")
    assert found.subject.surface == "格力电器"


def test_forecasts_say_so_even_where_the_year_is_over() -> None:
    (found,) = facts("我们预计公司2024年净利润为5.2亿元。", "metric:net_profit")
    assert found.basis == "forecast"


def test_both_ends_of_a_range_are_facts_and_limits_say_so() -> None:
    both = facts("公司预计2025年净利润为5-6亿元。", "metric:net_profit")
    assert [(fact.value, fact.bound) for fact in both] == [(5.0, "low"), (6.0, "high")]
    (over,) = facts("公司2024年营收超过10亿元。", "metric:revenue")
    assert over.note == "stated as 超过"


def test_a_report_on_nobody_speaks_of_what_its_sentences_name() -> None:
    (found,) = facts("2024年全球滤布市场规模为120亿元。", "metric:market_size", security="", title="滤布行业点评")
    assert (found.subject.name, found.subject.entity) == ("全球滤布", "")


def test_what_was_said_twice_is_one_fact() -> None:
    assert len(facts("公司2024年营收10亿元。\n\n公司2024年营收10亿元。", "metric:revenue")) == 1


def test_a_period_holds_until_a_heading_comes() -> None:
    (inside,) = facts("公司2024年营收10亿元。其中国内营收为4亿元。", "metric:revenue.segment")
    assert inside.period == "2024"
    (outside,) = facts("公司2024年营收10亿元。\n\n# 国内\n\n国内营收为4亿元。", "metric:revenue.segment")
    assert outside.period == ""


def test_the_company_of_a_document_that_covers_none_is_the_last_one_named() -> None:
    text = "建议关注格力电器。我们预计公司2026年收入为2,000亿元。"
    (found,) = facts(text, "metric:revenue", security="", title="家电行业点评：需求回暖")
    assert found.subject.surface == "格力电器"


def test_a_company_named_with_one_measure_is_that_of_the_next() -> None:
    text = "2024年格力电器营收为1,900亿元，归母净利润为320亿元。"
    (profit,) = facts(text, "metric:net_profit_parent")
    assert profit.subject.surface == "格力电器"


def test_a_part_named_with_one_measure_has_the_margin_and_not_the_net_profit_behind_it() -> None:
    found = extracted("2024年储能业务收入10亿元，毛利率30%，归母净利润5亿元。").facts
    relations = {fact.relation for fact in found if fact.relation.startswith("metric:")}
    assert relations == {"metric:revenue.segment", "metric:gross_margin.segment", "metric:net_profit_parent"}


@pytest.mark.parametrize(
    ("text", "relation", "wanted"),
    [
        ("公司毛利率从2022年的28.4%提升至2024年的33.1%。", "gross_margin", [(28.4, "2022"), (33.1, "2024")]),
        ("2021年至2024年营收由20亿元增长至46亿元，CAGR为32%。", "revenue", [(20.0, "2021"), (46.0, "2024")]),
        ("2021年至2024年营收由20亿元增长至46亿元，CAGR为32%。", "revenue.cagr", [(32.0, "2021-2024")]),
        ("公司预计2025年一季度净利润为1.2-1.5亿元。", "net_profit", [(1.2, "2025Q1"), (1.5, "2025Q1")]),
        ("2024年三季度销量12.6万台，环比下降8.2%。", "sales_volume.qoq", [(-8.2, "2024Q3")]),
        ("２０２４年公司营业收入４６．５亿元。", "revenue", [(46.5, "2024")]),
        ("2024年公司研发费用3.2亿元，占营业收入的6.9%。", "rd_expense.share", [(6.9, "2024")]),
        ("2024年新签订单60亿元，其中海外18亿元，国内42亿元。", "orders.segment", [(18.0, "2024"), (42.0, "2024")]),
        ("公司2024年营收46亿元，净利润5亿元，同比增长20%和15%。", "revenue.growth", [(20.0, "2024")]),
        ("公司2024年营收46亿元，净利润5亿元，同比增长20%和15%。", "net_profit.growth", [(15.0, "2024")]),
        ("与2023年净利润4.1亿元相比，2024年净利润达5.2亿元。", "net_profit", [(4.1, "2023"), (5.2, "2024")]),
        ("2024年净利润比去年同期增长26.8%。", "net_profit.growth", [(26.8, "2024")]),
        ("2024年狂苗（规格换算/200IU）批签发量120万瓶(-5%)。", "batch_release.segment", [(120.0, "2024")]),
        ("2024年储能、光伏收入为3亿元和2亿元，同比分别增长5%、下降6%。", "revenue.segment", [(3, "2024"), (2, "2024")]),
        ("24年线缆、滤布收入3亿、2亿元，分别增长5%、下降6%。", "revenue.segment.growth", [(5, "2024"), (-6, "2024")]),
        ("Gross margin rose from 28% in 2023 to 31% in 2024.", "gross_margin", [(28.0, "2023"), (31.0, "2024")]),
        ("FY24 revenue was RMB3.2bn, while net profit was RMB410mn.", "net_profit", [(410.0, "2024")]),
        ("可比公司2025年平均PE为20倍。", "pe", []),
    ],
)  # fmt: skip
def test_a_sentence_of_this_kind_states(text: str, relation: str, wanted: list[tuple[float, str]]) -> None:
    assert [(fact.value, fact.period) for fact in facts(text, f"metric:{relation}")] == wanted


@pytest.mark.parametrize(
    ("text", "relation", "wanted"),
    [
        ("2024年全球滤布市场规模120亿元，2029年将达180亿元，CAGR为8.4%。", "market_size.cagr", [("全球滤布", 8.4)]),
        ("格力电器营收1,900亿元；美的集团营收4,000亿元。", "revenue", [("格力电器", 1900.0), ("美的集团", 4000.0)]),
        ("化纤、棉布是主要品类，2024年市场份额分别为50%、30%。", "market_share", [("化纤", 50.0), ("棉布", 30.0)]),
        ("滤布产能由2020年的3.2亿平方米增至2024年的5亿平方米。", "capacity", [("滤布", 3.2), ("滤布", 5.0)]),
        ("2024年国产滤布销量占全球销量的38%。", "sales_volume.share", [("国产滤布", 38.0)]),
        ("据统计，2024年格力电器EPS为5.2元。", "eps", [("格力电器", 5.2)]),
        ("我们预计2026年EPS为5.2元。", "eps", []),
    ],
)  # fmt: skip
def test_in_a_report_on_an_industry_a_figure_is_of(text: str, relation: str, wanted: list[tuple[str, float]]) -> None:
    found = facts(text, f"metric:{relation}", security="", title="滤布行业点评")
    assert [(fact.subject.name, fact.value) for fact in found] == wanted


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("公司预计2025年净利润为4.6亿元。", GUIDANCE),
        ("公司业绩指引显示，2025年净利润预计超过4.6亿元。", f"{GUIDANCE}; stated as 超过"),
        ("我们预计公司2025年净利润为5.2亿元。", ""),
        ("公司预计收入增长，我们预计2025年净利润为5.2亿元。", ""),
    ],
)
def test_a_forecast_says_so_where_it_is_the_guidance_of_the_company(text: str, note: str) -> None:
    assert [fact.note for fact in facts(text, "metric:net_profit")] == [note]
