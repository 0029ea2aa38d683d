"""Target prices with the ones before, current prices and market values, by the labels of the schema."""

import pytest

from finlore.knowledge.lexicon.quotes import QuoteFinder
from finlore.language.normal import normalise

TARGETS = QuoteFinder(("目标价", "合理价值", "target price", "TP"))
PRICES = QuoteFinder(("收盘价", "当前股价", "share price"))
VALUES = QuoteFinder(("总市值", "市值", "market cap"))


def targets(text: str) -> list[tuple[float, float | None, str, str]]:
    return [(q.value, q.high, q.unit, q.previous) for q in TARGETS.targets(normalise(text).text)]


@pytest.mark.parametrize(
    ("text", "value", "high", "unit", "previous"),
    [
        ("给予目标价23.4元/股", 23.4, None, "元", ""),
        ("目标价格是23.4，评分高", 23.4, None, "", ""),
        ("合理价值区间为20.1-23.5元", 20.1, 23.5, "元", ""),
        ("目标价为20.1元~23.5元，较现价有20%空间", 20.1, 23.5, "元", ""),
        ("目标价由20元上调至25元", 25.0, None, "元", "20元"),
        ("上调目标价，由20元至25元", 25.0, None, "元", "20元"),
        ("目标价25元（前值20元）", 25.0, None, "元", "20元"),
        ("raise our TP to HK$45 from HK$40", 45.0, None, "港元", "hk$40"),
        ("维持25.0元的目标价", 25.0, None, "元", ""),
        ("目标价上调15%至30元", 30.0, None, "元", ""),
    ],
)
def test_a_target_price(text: str, value: float, high: float | None, unit: str, previous: str) -> None:
    assert targets(text) == [(value, high, unit, previous)]


def test_a_label_with_a_colon_is_none_without_it() -> None:
    prices = QuoteFinder(("股价：", "收盘价"))
    for text, found in (
        ("股价：21.5元", [21.5]),
        ("股价（元） 21.5", [21.5]),
        ("12个月股价区间（元）36.86~71.42", []),
        ("本次转股价格为105.28港元/股", []),
        ("收盘价（元）41.2712个月股价区间（元）36.86~71.42", []),
    ):
        assert [quote.value for quote, _ in prices.prices(normalise(text).text)] == found


def test_a_target_in_two_currencies_is_two() -> None:
    assert [(value, unit) for value, _, unit, _ in targets("目标价HK$45（对应US$5.8）")] == [
        (45.0, "港元"),
        (5.8, "美元"),
    ]


@pytest.mark.parametrize(
    "text", ["合理价值为15-20倍PE", "目标价未公布，评分是7.0", "上调目标价10 至13 80元", "目标价23 4元"]
)
def test_multiples_other_numbers_and_torn_ones_are_no_targets(text: str) -> None:
    assert targets(text) == []


def test_the_horizon_is_said_with_the_label() -> None:
    (quote,) = TARGETS.targets("12个月目标价45元")
    assert quote.horizon == "12个月"


def test_a_price_may_have_its_unit_in_the_label() -> None:
    assert [(q.value, q.unit) for q, _ in PRICES.prices("收盘价(元)41.80")] == [(41.8, "元")]
    assert list(PRICES.prices("当前股价对应pe为15倍")) == []


def test_market_values_are_those_of_all_shares_today() -> None:
    found = [(q.value, q.unit) for q, _ in VALUES.values("总市值627亿元,流通市值483亿元,目标市值700亿元")]
    assert found == [(627.0, "亿元")]
