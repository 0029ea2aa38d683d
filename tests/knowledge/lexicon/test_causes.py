import pytest

from finlore.knowledge.lexicon.causes import cause_of, causes_in
from finlore.knowledge.lexicon.clauses import clauses_of
from finlore.knowledge.lexicon.wordings import wordings_of
from finlore.knowledge.schema import load_schema


def cause(text: str, effect: str) -> str:
    found = cause_of(causes_in(text, clauses_of(text), wordings_of(load_schema()).find(text)), text.index(effect))
    return text[found.start : found.end] if found else ""


@pytest.mark.parametrize(
    ("text", "effect", "expected"),
    [
        ("受益于海外客户提货，收入增长", "增长", "海外客户提货"),
        ("收入增长，主要系海外客户提货", "增长", "海外客户提货"),
        ("收入增长主要受海外客户提货拉动", "增长", "海外客户提货"),
        ("受铜价走势影响，毛利率下降", "下降", "铜价走势"),
        ("新品放量带动收入增长", "增长", "新品放量"),
        ("铜价上涨，导致毛利率下降", "下降", "铜价上涨"),
        ("Margins fell due to copper prices", "fell", "copper prices"),
        ("Thanks to lens shipments, revenue rose", "rose", "lens shipments"),
        ("Copper prices led to lower margins", "lower", "Copper prices"),
        ("收入增长，费用下降", "下降", ""),
        ("公司受让资产，收入增长", "增长", ""),
        ("需求放缓后公司凭借成本优势拓展份额", "放缓", ""),
        ("毛利率下降主要原因为铜价上涨，导致净利率下降", "净利率下降", "铜价上涨"),
        ("综合影响下净利率下降", "下降", ""),
        ("收入增长，主要由于 1 产品方面，品类增加", "增长", ""),
        ("短期扰动不影响收入增长", "增长", ""),
    ],
)
def test_a_cause_is_told_with_its_effect(text: str, effect: str, expected: str) -> None:
    assert cause(text, effect) == expected


def test_nothing_bad_comes_of_a_benefit() -> None:
    text = "受益于政策支持，收入下降"
    causes = causes_in(text, clauses_of(text), wordings_of(load_schema()).find(text))
    assert cause_of(causes, text.index("下降"))
    assert cause_of(causes, text.index("下降"), is_bad=True) is None
