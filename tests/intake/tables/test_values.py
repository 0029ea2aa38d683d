"""What the numbers of a table say, from the headers around them."""

from collections.abc import Mapping
from datetime import date

import pytest

from finlore.intake.tables.read import read_tables, table_values
from finlore.records.document import Document
from finlore.records.table import TableValue
from tests.intake.tables.sheets import document, sheet

FORECAST = sheet(
    "会计年度|2022A|2023A|2024E|2025E",
    "营业收入（百万元）|1,000|1,200|1,500|1,800",
    "同比增速（%）|10.0|20.0|25.0|20.0",
    "归母净利润（百万元）|(20)|132|165|198",
    "(+/-)%|n.a.|-|25.0|20.0",
    "每股收益（元）|-0.10|0.66|0.83|0.99",
    "P/E（倍）|-|30.3|24.1|20.2",
)


def values_of(source: Document, securities: Mapping[str, str] | None = None) -> list[TableValue]:
    find = (securities or {}).get
    return list(table_values(source, read_tables(source, find_security=find), find_security=find))


def rows(values: list[TableValue], *names: str) -> list[tuple[object, ...]]:
    return [tuple(getattr(value, name) for name in names) for value in values]


def test_every_number_of_a_forecast_table_has_measure_unit_period_and_basis() -> None:
    values = values_of(document(("heading", "盈利预测"), ("table", FORECAST)))
    assert len(values) == 21
    assert rows(values, "metric", "value", "unit", "period", "basis")[:8] == [
        ("metric:revenue", 1000.0, "百万元", "2022", "actual"),
        ("metric:revenue", 1200.0, "百万元", "2023", "actual"),
        ("metric:revenue", 1500.0, "百万元", "2024", "forecast"),
        ("metric:revenue", 1800.0, "百万元", "2025", "forecast"),
        ("metric:revenue.growth", 10.0, "%", "2022", "actual"),
        ("metric:revenue.growth", 20.0, "%", "2023", "actual"),
        ("metric:revenue.growth", 25.0, "%", "2024", "forecast"),
        ("metric:revenue.growth", 20.0, "%", "2025", "forecast"),
    ]
    assert {value.security for value in values} == {"600123.SH"}


def test_brackets_are_below_zero_and_dashes_are_no_values() -> None:
    values = values_of(document(("table", FORECAST)))
    profit = [value for value in values if value.metric.startswith("metric:net_profit_parent")]
    assert rows(profit, "metric", "value", "period") == [
        ("metric:net_profit_parent", -20.0, "2022"),
        ("metric:net_profit_parent", 132.0, "2023"),
        ("metric:net_profit_parent", 165.0, "2024"),
        ("metric:net_profit_parent", 198.0, "2025"),
        ("metric:net_profit_parent.growth", 25.0, "2024"),
        ("metric:net_profit_parent.growth", 20.0, "2025"),
    ]


def test_a_value_is_cited_where_it_stands() -> None:
    source = document(("table", FORECAST), mapped=True)
    value = values_of(source)[1]
    assert source.text[value.start : value.end] == "1,200"
    assert value.box is not None
    assert (value.box.y0, value.box.x1 - value.box.x0, value.page) == (10.0, 5.0, 1)


@pytest.mark.parametrize(
    ("published", "basis"), [(date(2024, 8, 21), "forecast"), (date(2025, 4, 1), "actual"), (None, "")]
)
def test_without_a_mark_what_ends_after_publication_is_a_forecast(published: date | None, basis: str) -> None:
    source = document(("table", sheet("百万元|2023|2024", "营业收入|10|12")), published=published)
    assert values_of(source)[1].basis == basis


def test_the_unit_of_the_caption_holds_for_amounts_and_for_nothing_else() -> None:
    table = sheet(
        "|2023A|2024E", "营业收入|1,000|1,200", "毛利率|30.0|31.0", "每股收益|0.66|0.83", "P/E|30|24", "门店数量|90|99"
    )
    source = document(("caption", "表 2：利润表（单位：百万元）"), ("table", table))
    assert [value.unit for value in values_of(source)[::2]] == ["百万元", "", "", "", ""]


def test_amounts_per_share_keep_the_bare_currency_where_the_caption_leaves_them_out() -> None:
    table = sheet(
        "|13 Weeks Ended|", "|April 29,|April 30,", "|2023|2022", "Net sales|$ 2,634|$ 2,346", "Diluted EPS|6.88|6.30"
    )
    source = document(("heading", "Statements of Income (In thousands, except per share data)"), ("table", table))
    assert rows(values_of(source), "metric", "unit", "period") == [
        ("metric:revenue", "千美元", "P13W/2023-04-29"),
        ("metric:revenue", "千美元", "P13W/2022-04-30"),
        ("metric:eps_diluted", "美元", "P13W/2023-04-29"),
        ("metric:eps_diluted", "美元", "P13W/2022-04-30"),
    ]


def test_a_column_of_units_counts() -> None:
    values = values_of(document(("table", sheet("指标|单位|2024Q1", "营业收入|亿元|12.3", "毛利率|%|30.1"))))
    assert rows(values, "metric", "unit", "period") == [
        ("metric:revenue", "亿元", "2024Q1"),
        ("metric:gross_margin", "%", "2024Q1"),
    ]


def test_rows_may_be_periods_and_columns_measures() -> None:
    table = sheet("Year|Revenue (US$ mn)|P/E (x)", "2023|1,000|17.6", "2024|1,150|15.7", "2025|1,300|13.8")
    assert rows(values_of(document(("table", table))), "metric", "unit", "period", "security")[:2] == [
        ("metric:revenue", "百万美元", "2023", "600123.SH"),
        ("metric:pe", "x", "2023", "600123.SH"),
    ]


def test_statements_side_by_side_and_one_below_the_other_are_told_apart() -> None:
    table = sheet(
        "资产负债表（百万元）|2023A|2024E|利润表（百万元）|2023A|2024E",
        "短期借款|120|90|营业收入|1,000|1,200",
        "资产总计|1,000|1,100|净利润|110|130",
        "现金流量表（百万元）|2023A|2024E|主要财务比率|2023A|2024E",
        "净利润|110|130|成长能力||",
        "短期借款|20|-30|营业收入|12.0%|20.0%",
        "资本支出|-50|-60|每股指标（元）||",
        "|||每股收益|0.50|0.59",
    )
    found = {(v.row, v.column): (v.metric, v.value, v.unit, v.period) for v in values_of(document(("table", table)))}
    assert found[1, 1] == ("metric:short_term_debt", 120.0, "百万元", "2023")
    assert found[1, 5] == ("metric:revenue", 1200.0, "百万元", "2024")
    assert found[5, 1] == ("", 20.0, "百万元", "2023")  # what was borrowed and paid back, not what is owed
    assert found[5, 5] == ("metric:revenue.growth", 20.0, "%", "2024")
    assert found[7, 4] == ("metric:eps", 0.5, "元", "2023")


def test_measures_of_parts_are_not_those_of_the_company() -> None:
    table = sheet(
        "业务|指标|2023A|2024E",
        "储能系统|收入（百万元）|600|750",
        "|YoY|20.0%|25.0%",
        "|毛利率|30.0%|31.0%",
        "逆变器|收入（百万元）|400|450",
        "合计|收入（百万元）|1,000|1,200",
        "|YoY|13.0%|20.0%",
    )
    values = values_of(document(("table", table)))[::2]
    assert rows(values, "metric", "label") == [
        ("metric:revenue.segment", "储能系统 / 收入（百万元）"),
        ("metric:revenue.segment.growth", "储能系统 / 收入（百万元） / YoY"),
        ("metric:gross_margin.segment", "储能系统 / 毛利率"),
        ("metric:revenue.segment", "逆变器 / 收入（百万元）"),
        ("metric:revenue", "收入（百万元）"),
        ("metric:revenue.growth", "收入（百万元） / YoY"),
    ]


def test_labels_that_nobody_knows_stay_readable() -> None:
    (value,) = values_of(document(("table", sheet("项目|2024E", "北美装机（GWh）|4.2"))))
    assert (value.metric, value.label, value.unit, value.period) == ("", "北美装机（GWh）", "GWh", "2024")


def test_a_label_that_needs_its_heading_is_read_with_it() -> None:
    table = sheet("|2023|2022", "Net income per common share:||", "Basic|6.92|6.34", "Diluted|6.88|6.30")
    assert [value.metric for value in values_of(document(("table", table)))[::2]] == [
        "metric:eps",
        "metric:eps_diluted",
    ]


def test_growth_beside_what_it_compares_is_that_of_the_later_period() -> None:
    table = sheet("项目|2024H1|2023H1|同比（%）", "营业收入（亿元）|11.86|10.12|17.2")
    value = values_of(document(("table", table)))[2]
    assert (value.metric, value.value, value.period) == ("metric:revenue.growth", 17.2, "2024H1")


PEERS = sheet(
    "公司|代码|股价（元）|EPS（元）|||PE（倍）|||评级",
    "||8.20|2023A|2024E|2025E|2023A|2024E|2025E|",
    "甲电子|600001.SH|20.00|1.00|1.25|1.60|20.0|16.0|12.5|买入",
    "乙科技|300002|33.00|1.10|1.50|2.00|30.0|22.0|16.5|增持",
    "平均||||||25.0|19.0|14.5|",
)


def test_each_row_of_a_comparison_is_about_its_company_and_the_average_about_none() -> None:
    values = [value for value in values_of(document(("table", PEERS))) if value.period in {"", "2024"}]
    assert rows(values, "company", "security", "metric", "value", "basis") == [
        ("甲电子", "600001.SH", "metric:share_price", 20.0, ""),
        ("甲电子", "600001.SH", "metric:eps", 1.25, "forecast"),
        ("甲电子", "600001.SH", "metric:pe", 16.0, "forecast"),
        ("乙科技", "300002.SZ", "metric:share_price", 33.0, ""),
        ("乙科技", "300002.SZ", "metric:eps", 1.5, "forecast"),
        ("乙科技", "300002.SZ", "metric:pe", 22.0, "forecast"),
        ("", None, "metric:pe", 19.0, "forecast"),
    ]


def test_companies_without_a_code_are_found_by_name_where_somebody_knows_them() -> None:
    table = sheet("可比公司|PE 2024E", "甲电子|16.0", "丙材料|18.0")
    values = values_of(document(("table", table)), {"甲电子": "600001.SH"})
    assert rows(values, "company", "security", "metric", "period") == [
        ("甲电子", "600001.SH", "metric:pe", "2024"),
        ("丙材料", None, "metric:pe", "2024"),
    ]


def test_names_with_their_code_in_brackets_may_head_columns_or_rows() -> None:
    across = sheet("指标|甲电子（600001）|乙科技（300002）", "营业收入（亿元）|10.0|20.0")
    down = sheet("股票|1日涨跌 (%)|股票|1日涨跌 (%)", "甲控股 (1251 HK)|5.1|乙控股 (2312 HK)|(2.4)")
    assert rows(values_of(document(("table", across))), "company", "security") == [
        ("甲电子", "600001.SH"),
        ("乙科技", "300002.SZ"),
    ]
    assert rows(values_of(document(("table", down))), "company", "security", "value") == [
        ("甲控股", "01251.HK", 5.1),
        ("乙控股", "02312.HK", -2.4),
    ]


def test_a_table_about_the_world_says_nothing_about_the_company() -> None:
    table = sheet("国家|2023|2024F", "美国|2.9|2.8", "中国|5.2|5.0")
    assert {value.security for value in values_of(document(("table", table)))} == {None}


def test_notes_below_a_table_hold_no_values() -> None:
    assert len(values_of(document(("table", sheet("项目|2024E", "收入|4.2", "注：1 为估计|99"))))) == 1


def test_items_of_the_balance_sheet_are_changes_in_a_statement_of_cash_flows() -> None:
    table = ("table", sheet("项目|2023A|2024E", "净利润|110|130", "短期借款|20|-30"))
    balance = values_of(document(("heading", "资产负债表（百万元）"), table))
    flows = values_of(document(("heading", "现金流量表（百万元）"), table))
    assert [value.metric for value in balance[2:]] == ["metric:short_term_debt"] * 2
    assert [value.metric for value in flows] == ["metric:net_profit"] * 2 + [""] * 2


def test_names_of_measures_inside_a_table_head_what_is_below_them() -> None:
    table = sheet("亿元|2023A|2024E", "营业收入|43.97|54.04", "储能系统|收入|毛利率", "上半年|35.18|33.9%")
    values = values_of(document(("table", table)))[2:]
    assert rows(values, "metric", "value", "period") == [
        ("metric:revenue", 35.18, ""),
        ("metric:gross_margin", 33.9, ""),
    ]


def test_a_corner_that_names_what_its_column_lists_is_no_unit() -> None:
    table = sheet("年|新车销量|均价（元）", "2023|918|47,014", "2024|935|47,652")
    assert [value.unit for value in values_of(document(("table", table)))[:2]] == ["", "元"]


def test_labels_and_values_in_turn_need_no_headers() -> None:
    source = document(
        ("side", "市场数据"),
        ("table", sheet("收盘价（元）|41.80|总股本（百万股）|1,500", "总市值（亿元）|627|市净率（倍）|2.8")),
    )
    assert rows(values_of(source), "metric", "value", "unit") == [
        ("metric:share_price", 41.8, "元"),
        ("metric:market_cap", 627.0, "亿元"),
        ("metric:share_capital", 1500.0, "百万股"),
        ("metric:pb", 2.8, "x"),
    ]
    assert read_tables(source)[0].doubts == ()


def test_a_currency_beside_a_name_is_not_the_unit_of_its_growth() -> None:
    table = ("table", sheet("|2023|2024", "出口（美元）|2.5|0.6", "出口额（亿美元）|740|658"))
    values = values_of(document(("caption", "表 5：出口同比增速（%）"), table))
    assert [value.unit for value in values[::2]] == ["%", "亿美元"]


@pytest.mark.parametrize("heads", ["山海股份|林泉科技|云渡电子|均值", "望川材料|林泉科技|云渡电子|中位数"])
def test_columns_of_companies_that_nobody_knows_are_not_ascribed_to_the_company_of_the_document(heads: str) -> None:
    peers = sheet(f"指标|{heads}", "市值（亿元）|52|31|88|57", "毛利率（%）|45|33|50|43")
    values = values_of(document(("table", peers)), {"山海股份": "600123.SH"})
    first, *others = rows(values, "security", "company")[:4]
    assert first == (("600123.SH", "山海股份") if "山海股份" in heads else (None, "望川材料"))
    assert others == [(None, "林泉科技"), (None, "云渡电子"), (None, "")]


def test_an_average_over_years_is_still_about_the_company() -> None:
    values = values_of(document(("table", sheet("指标|2022A|2023A|平均", "毛利率（%）|30|34|32"))))
    assert rows(values, "security") == [("600123.SH",)] * 3


def test_the_change_from_an_old_to_a_new_forecast_is_no_growth() -> None:
    revision = sheet(
        "|原预测||新预测||变动幅度|",
        "|2024E|2025E|2024E|2025E|2024E|2025E",
        "营业收入（百万元）|2,000|2,400|2,100|2,600|5.0%|8.3%",
        "归母净利润（百万元）|200|250|220|290|10.0%|16.0%",
    )
    values = values_of(document(("table", revision)))
    assert rows(values, "metric", "value", "unit")[3:6] == [
        ("metric:revenue", 2600.0, "百万元"),
        ("", 5.0, "%"),
        ("", 8.3, "%"),
    ]
    assert not any(value.is_doubtful for value in values)
