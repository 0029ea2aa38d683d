"""Figures as sentences state them: which measure, of what, when, how much."""

from datetime import date

import pytest

from finlore.knowledge.lexicon.stated_periods import find_stated_periods
from finlore.knowledge.lexicon.statements import Statement, find_statements
from finlore.language.normal import normalise

Row = tuple[str, float, str, str]


def statements(text: str) -> list[Statement]:
    normal = normalise(text).text
    return find_statements(normal, find_stated_periods(normal, published=date(2021, 8, 7)))


def rows(text: str) -> list[Row]:
    """(measure and what is derived from it, value, unit, period)."""
    return [
        (
            ".".join(filter(None, (s.measure.id.removeprefix("metric:"), s.derived))),
            s.value,
            s.amount.unit,
            s.period.name if s.period else "",
        )
        for s in statements(text)
    ]


def test_a_measure_its_growth_and_the_next_measure() -> None:
    assert rows("2020年实现营业收入52.31亿元，同比+39.7%；归母净利润7.12亿元，同比下降4%") == [
        ("revenue", 52.31, "亿元", "2020"),
        ("revenue.growth", 39.7, "%", "2020"),
        ("net_profit_parent", 7.12, "亿元", "2020"),
        ("net_profit_parent.growth", -4.0, "%", "2020"),
    ]


def test_three_numbers_behind_a_run_of_years_are_one_a_year() -> None:
    assert rows("预计公司2022-2024年净利润8.5、10.9、13.4亿元，对应PE为19/15/12倍") == [
        ("net_profit", 8.5, "亿元", "2022"),
        ("net_profit", 10.9, "亿元", "2023"),
        ("net_profit", 13.4, "亿元", "2024"),
        ("pe", 19.0, "x", "2022"),
        ("pe", 15.0, "x", "2023"),
        ("pe", 12.0, "x", "2024"),
    ]
    assert all(statement.is_forecast for statement in statements("预计公司2022-2024年净利润8.5、10.9、13.4亿元"))


def test_measures_named_together_take_the_numbers_in_their_order() -> None:
    assert rows("2020年营收、归母净利润分别为10.2亿元和2.3亿元，同比分别增长20%、下降3%") == [
        ("revenue", 10.2, "亿元", "2020"),
        ("net_profit_parent", 2.3, "亿元", "2020"),
        ("revenue.growth", 20.0, "%", "2020"),
        ("net_profit_parent.growth", -3.0, "%", "2020"),
    ]


def test_topics_named_together_take_them_too_with_the_asides_of_each() -> None:
    found = statements("6月国产与进口分别出货199万台（同比0%、环比24%）和204万台（环比-25%）")
    assert [(s.topic, s.derived, s.value) for s in found] == [
        ("国产", "", 199.0),
        ("国产", "growth", 0.0),
        ("国产", "qoq", 24.0),
        ("进口", "", 204.0),
        ("进口", "qoq", -25.0),
    ]


def test_from_and_to_are_the_ends_of_a_run() -> None:
    assert rows("2013年到2020年，研发投入由229亿美元增加到305亿美元，CAGR为4%") == [
        ("rd_spending", 229.0, "亿美元", "2013"),
        ("rd_spending", 305.0, "亿美元", "2020"),
        ("rd_spending.cagr", 4.0, "%", "2013-2020"),
    ]


def test_a_ratio_its_change_in_points_and_the_level_it_reached() -> None:
    assert rows("2020年毛利率同比提升2pct至30%") == [
        ("gross_margin.growth", 2.0, "pct", "2020"),
        ("gross_margin", 30.0, "%", "2020"),
    ]


def test_a_growth_rate_that_falls_to_a_level_is_still_growth() -> None:
    assert rows("2020年收入增速下降至20%") == [("revenue.growth", 20.0, "%", "2020")]
    assert rows("2020年销量保持8%左右的增长") == [("sales_volume.growth", 8.0, "%", "2020")]


def test_english_sentences_state_them_too() -> None:
    assert rows("Revenue rose 12% YoY to RMB4,651mn in FY20") == [
        ("revenue.growth", 12.0, "%", "2020"),
        ("revenue", 4651.0, "百万元", "2020"),
    ]
    assert rows("We forecast 2022E/23E net profit of RMB850mn/1,090mn") == [
        ("net_profit", 850.0, "百万元", "2022"),
        ("net_profit", 1090.0, "百万元", "2023"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "2020年收入增长5亿元",  # by how much, not how much
        "2020年收入46 51亿元，净利润6 47亿元",  # lost its points
        "考核目标为2022年净利润不低于5亿元",  # a condition
        "2020年收入、毛利率、净利润分别为10亿元、20%",  # two numbers for three measures
        "2020年资产负债率较年初提升3pct",  # since when nobody compares
        "2020年每股收益15亿元",  # no amount per share
    ],
)
def test_what_is_not_certain_is_left_out(text: str) -> None:
    assert rows(text) == []


def test_a_period_in_brackets_behind_a_number_is_the_numbers() -> None:
    assert rows("2020年渠道调整，收入规模：24.5亿元（2018年）") == [("revenue", 24.5, "亿元", "2018")]


def test_a_base_of_comparison_is_no_period_of_the_number() -> None:
    assert rows("2018Q3销量同比2017Q3仅增长3.6%") == [("sales_volume.growth", 3.6, "%", "2018Q3")]
    assert rows("2020年销量较2017年增长30%") == []


def test_a_bare_number_in_a_name_belongs_to_the_name() -> None:
    (found,) = statements("2020年小盘500市盈率为25.1倍")
    assert found.topic == "小盘500"


def test_a_later_sentence_may_go_on_about_the_measure_before() -> None:
    last = statements("2018年研发费用由234亿美元提升至300亿美元，CAGR为3.6%")[-1]
    text = normalise("预计2024年提升至389亿美元").text
    (found,) = find_statements(text, find_stated_periods(text), before=last)
    assert (found.measure.id, found.value, found.period and found.period.name) == ("metric:rd_expense", 389.0, "2024")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2020年净利润为负3.4亿元", -3.4),
        ("2020年净利润亏损3.4亿元", -3.4),
        ("2020年净利润亏损收窄至3.4亿元", -3.4),
        ("2020年净利润为（3.4）亿元", -3.4),
        ("net profit was RMB (3.4) billion in 2020", -3.4),
        ("2020年净利润扭亏为盈，达3.4亿元", 3.4),
    ],
)
def test_a_loss_is_below_nought_however_it_is_printed(text: str, value: float) -> None:
    assert [(measure, said) for measure, said, _, _ in rows(text)] == [("net_profit", value)]


@pytest.mark.parametrize("text", ["2020年营业收入为（3.4）亿元", "2020年净利润来自（3）亿联项目"])
def test_a_number_in_brackets_of_what_is_never_negative_or_of_a_name_is_no_loss(text: str) -> None:
    assert rows(text) == []
