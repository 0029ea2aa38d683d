"""Target prices with the ones before, by the labels of the schema."""

import pytest

from finlore.knowledge.lexicon.quotes import find_targets
from finlore.language.normal import normalise

LABELS = ("目标价", "合理价值", "target price", "TP")


def targets(text: str) -> list[tuple[float, float | None, str, str]]:
    return [(q.value, q.high, q.unit, before) for q, before in find_targets(normalise(text).text, LABELS)]


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
