"""Labels of rows and columns."""

import pytest

from finlore.intake.tables.labels import Label, header_role, is_aggregate, lexicon, read_label


@pytest.mark.parametrize(
    ("label", "metric"),
    [
        ("营业收入（百万元）", "metric:revenue"),
        ("一、营业总收入", "metric:revenue"),
        ("Net sales", "metric:revenue"),
        ("归母净利润", "metric:net_profit_parent"),
        ("归属于母公司股东的净利润", "metric:net_profit_parent"),
        ("归属母公司净利润(百万元)", "metric:net_profit_parent"),
        ("NP attributable", "metric:net_profit_parent"),
        ("Net income attributable to Shanhai Holdings", "metric:net_profit_parent"),
        ("净利润", "metric:net_profit"),
        ("减：所得税", "metric:income_tax"),
        ("每股收益EPS（元）", "metric:eps"),
        ("每股收益(最新摊薄)(元)", "metric:eps"),
        ("EPS（稀释）", "metric:eps_diluted"),
        ("Diluted earnings per share", "metric:eps_diluted"),
        ("市盈率 P/E（倍）", "metric:pe"),
        ("PE(TTM)", "metric:pe"),
        ("市净率", "metric:pb"),
        ("EV/EBITDA (x)", "metric:ev_ebitda"),
        ("ROE(%)", "metric:roe"),
        ("毛利率", "metric:gross_margin"),
        ("总股本（百万股）", "metric:share_capital"),
        ("负债和股东权益", "metric:liabilities_and_equity"),
        ("EBIT", "metric:ebit"),
        ("资本性支出", "metric:capex"),
    ],
)
def test_synonyms_are_one_measure(label: str, metric: str) -> None:
    assert read_label(label).id == metric


@pytest.mark.parametrize(
    ("label", "metric"),
    [
        ("营业收入同比增速（%）", "metric:revenue.growth"),
        ("归母净利润YoY", "metric:net_profit_parent.growth"),
        ("Revenue growth (%)", "metric:revenue.growth"),
        ("净利润环比", "metric:net_profit.qoq"),
        ("收入占比", ""),
        ("毛利率同比变动(pct)", "metric:gross_margin.growth"),
    ],
)
def test_what_is_derived_from_a_measure_says_so(label: str, metric: str) -> None:
    assert read_label(label).id == metric


@pytest.mark.parametrize("label", ["同比增速（%）", "(+/-)%", "+/-%", "YoY (%)", "% YoY", "增长率(%)"])
def test_bare_growth_belongs_to_another_row(label: str) -> None:
    assert read_label(label) == Label(derived="growth", unit="%", is_bare=True)


@pytest.mark.parametrize(
    ("label", "unit"),
    [
        ("Revenue, RMB mn", "百万元"),
        ("EPS 元", "元"),
        ("毛利率%", "%"),
        ("装机量（GWh）", "GWh"),
        ("Earnings per share", ""),
        ("EPS(摊薄/元)", "元"),
    ],
)
def test_the_unit_stands_in_brackets_or_behind(label: str, unit: str) -> None:
    assert read_label(label).unit == unit


def test_unknown_labels_name_no_measure() -> None:
    assert read_label("储能系统（百万元）") == Label(unit="百万元")


def test_heads_that_say_only_what_stands_below() -> None:
    assert [header_role(text) for text in ("证券代码", "公司名称", "单位", "序号", "营业收入")] == [
        "code", "company", "unit", "ordinal", "",
    ]  # fmt: skip
    assert [is_aggregate(text) for text in ("平均", "行业平均值", "Median", "山海股份")] == [True, True, True, False]


def test_the_lexicon_knows_the_measures_of_statements_in_both_languages() -> None:
    measures = {metric for metric, kind in lexicon().metrics.values() if kind}
    assert len(measures) >= 130
