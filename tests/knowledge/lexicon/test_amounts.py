"""Numbers in running text: value, unit, sign, ranges; what has lost its decimal point is no number."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.knowledge.lexicon.amounts import base_value, find_amounts
from finlore.language.normal import normalise


def read(text: str) -> list[tuple[float, str]]:
    return [(amount.value, amount.unit) for amount in find_amounts(normalise(text).text)]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("收入46.51亿元", 46.51, "亿元"),
        ("收入４６．５１亿元", 46.51, "亿元"),
        ("收入1,901.19百万元", 1901.19, "百万元"),
        ("同比-31.6%", -31.6, "%"),
        ("revenue of RMB4,651mn", 4651.0, "百万元"),
        ("a target of HK$45.0", 45.0, "港元"),
        ("sales of US$1.2bn", 1.2, "十亿美元"),
        ("每股0.86元/股", 0.86, "元/股"),
        ("市盈率15.2倍", 15.2, "x"),
        ("提升2个百分点", 2.0, "pct"),
        ("下降23bps", 23.0, "bps"),
        ("净利润(3.2)亿元", -3.2, "亿元"),
        ("销量1851.36万瓶", 1851.36, "万瓶"),
    ],
)
def test_a_number_has_the_value_and_the_unit_that_are_printed(text: str, value: float, unit: str) -> None:
    assert read(text) == [(value, unit)]


def test_numbers_of_an_enumeration_share_the_unit_behind_the_last() -> None:
    assert read("净利润8.5、10.9、13.4亿元") == [(8.5, "亿元"), (10.9, "亿元"), (13.4, "亿元")]
    assert read("RMB850mn/1,090mn/1,340mn") == [(850.0, "百万元"), (1090.0, "百万元"), (1340.0, "百万元")]


def test_a_range_is_one_number_with_two_ends_and_a_change_to_a_level_is_two() -> None:
    (growth,) = find_amounts("增长15%-20%")
    assert (growth.value, growth.high, growth.text) == (15.0, 20.0, "15%-20%")
    assert read("提升2pct至30%") == [(2.0, "pct"), (30.0, "%")]


def test_a_bracket_behind_another_number_is_an_aside_and_no_minus() -> None:
    assert read("产量20万吨(8%)") == [(20.0, "万吨"), (8.0, "%")]


@pytest.mark.parametrize("text", ["营收46 51亿元", "同比增长15 7 ,毛利率30 48 。", "2022年第3季度", "2021-11-30"])
def test_torn_numbers_and_dates_are_none(text: str) -> None:
    assert read(text) == []


def test_where_points_are_lost_a_space_may_have_been_a_minus() -> None:
    assert read("增长20 02 ,机床业务利润 956万元") == []
    assert read("机床业务利润 956万元") == [(956.0, "万元")]


def test_numbers_that_run_together_are_left_out() -> None:
    assert read("销量同比（%）-20%0%20%40%") == []


def test_limits_keep_the_word_that_makes_them() -> None:
    over, at_least = find_amounts("超过10亿元,20亿元以上")
    assert (over.bound, at_least.bound) == ("超过", "以上")


def test_values_in_plain_units_can_be_compared() -> None:
    assert base_value(46.51, "亿元") == pytest.approx((4.651e9, "元"))
    assert base_value(4651, "百万元") == pytest.approx((4.651e9, "元"))


@given(st.text(alphabet="0123456789.,()-+%亿元万 年至~、x$", max_size=40))
def test_amounts_lie_in_order_and_inside_the_text_whatever_it_is(text: str) -> None:
    amounts = find_amounts(normalise(text).text)
    assert all(a.end <= b.start for a, b in pairwise(amounts))
    assert all(0 <= a.start < a.end <= len(text) and (a.high is None or abs(a.high) >= 0) for a in amounts)
