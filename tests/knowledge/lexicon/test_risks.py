"""Risks one by one, however they are listed."""

import pytest

from finlore.knowledge.lexicon.risks import introduced_risks, is_risk_heading, split_risks


@pytest.mark.parametrize(
    ("text", "risks"),
    [
        (
            "需求低于预期的风险、竞争加剧的风险、技术替代的风险",
            ["需求低于预期的风险", "竞争加剧的风险", "技术替代的风险"],
        ),
        ("原材料价格上涨 宏观经济不及预期。", ["原材料价格上涨", "宏观经济不及预期"]),
        ("产品价格、运费波动，下游需求不及预期", ["产品价格、运费波动", "下游需求不及预期"]),
        ("1 需求不及预期 2 效率提升不及预期", ["需求不及预期", "效率提升不及预期"]),
        ("1）新品推广不及预期；2）汇率波动", ["新品推广不及预期", "汇率波动"]),
        ("（1）研发延期：审评可能放缓，影响收入。（2）政策风险：法规变化", ["研发延期", "政策风险"]),
        ("1）产品销售不及预期", ["产品销售不及预期"]),  # the only one of this sentence
        ("行业竞争加剧；请务必阅读正文之后的声明；公司简介......3", ["行业竞争加剧"]),
        ("slower demand; policy changes", ["slower demand", "policy changes"]),
        ("经济下行引发坏账等", ["经济下行引发坏账"]),
    ],
)
def test_a_list_of_risks_is_taken_apart(text: str, risks: list[str]) -> None:
    assert [text[start:end] for start, end in split_risks(text)] == risks


def test_a_list_is_introduced_by_its_title_or_a_sentence() -> None:
    text = "Key risks include: slow demand"
    assert text[introduced_risks(text) :] == "slow demand"
    assert introduced_risks("风险可控") is None
    assert introduced_risks("风险提示") is None


def test_headings_of_risks_are_known_by_their_words() -> None:
    assert all(map(is_risk_heading, ("风险提示", "五、主要风险", "Key risks", "风险提示：")))
    assert not any(map(is_risk_heading, ("风险投资", "市场需求", "Risky business")))
