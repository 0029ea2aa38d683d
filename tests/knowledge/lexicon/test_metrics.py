"""Figures of tables and sentences as facts of the company that they are of."""

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
