"""Units however they are spelled."""

import pytest

from finlore.intake.tables.units import find_unit, is_money, parts_of, read_unit


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("百万元", "百万元"),
        ("RMB mn", "百万元"),
        ("人民币百万元", "百万元"),
        ("RMB’000", "千元"),
        ("US$ in millions", "百万美元"),
        ("Dollars in millions", "百万美元"),
        ("HK$ bn", "十亿港元"),
        ("HK$’m", "百万港元"),
        ("百萬港元", "百万港元"),
        ("HK cents", "港仙"),
        ("亿元", "亿元"),
        ("元/股", "元/股"),
        ("美元/桶", "美元/桶"),
        ("百万股", "百万股"),
        ("shares in millions", "百万股"),
        ("万吨", "万吨"),
        ("GWh", "GWh"),
        ("千瓦时", "千瓦时"),
        ("倍", "x"),
        ("X", "x"),
        ("％", "%"),
        ("个百分点", "pct"),
        ("bp", "bps"),
    ],
)
def test_each_unit_has_one_spelling(text: str, unit: str) -> None:
    assert read_unit(text) == unit


@pytest.mark.parametrize("text", ["", "摊薄", "TTM", "公司", "亿元%", "百万百万元", "元美元", "/股", "元/", "a" * 99])
def test_what_is_no_unit_is_none(text: str) -> None:
    assert read_unit(text) == ""


@pytest.mark.parametrize(
    ("caption", "unit"),
    [
        ("附：财务报表预测（单位：百万元）", "百万元"),
        ("表 1：盈利预测（亿元，%）", "亿元"),
        ("Consolidated Statements of Income (In thousands, except per share data)", "千"),
        ("单位：亿元 币种：人民币", "亿元"),
        ("A 股主要指数（单位：点）", "点"),
        ("表 2：盈利预测（2024 年）", ""),
        ("Securities registered under Section 12(b)", ""),
    ],
)
def test_a_caption_states_the_unit_of_its_table(caption: str, unit: str) -> None:
    assert find_unit(caption) == unit


def test_what_counts_as_money() -> None:
    assert [is_money(unit) for unit in ("百万元", "千", "元", "亿股", "元/股", "%", "")] == [True] * 3 + [False] * 4


def test_the_scale_is_told_from_what_is_counted() -> None:
    assert parts_of("百万元") == (1e6, "元")
    assert parts_of("千瓦时") == (1.0, "千瓦时")
