"""What companies make, sell and do, as sentences say it."""

import pytest

from finlore.knowledge.lexicon.products import find_offers
from finlore.knowledge.sentences import readings
from tests.read_reports import facts, read


def offered(text: str) -> list[str]:
    return [reading.text[o.start : o.end] for reading in readings(*read(text)) for o in find_offers(reading)]


@pytest.mark.parametrize(
    ("text", "products"),
    [
        ("公司主要产品包括压滤机、滤板和滤布等，收入稳定。", ["压滤机", "滤板", "滤布"]),
        ("目前，公司主营业务为干式变压器（含箱式、柱上）、母线槽及储能柜。", ["干式变压器", "母线槽", "储能柜"]),
        ("公司主要从事工业阀门、管件的研发、生产和销售。", ["工业阀门", "管件"]),
        ("公司专注于湿法隔膜领域，收入增长20%。", ["湿法隔膜"]),
        ("公司是国内领先的压滤机供应商之一。", ["压滤机"]),
        ("公司作为全球甜味剂龙头，份额稳定。", ["甜味剂"]),
        ("公司为园区提供能源托管服务，例如巡检、维修和保养等服务。", ["巡检", "维修", "保养"]),
        ("公司业务分为三大类，包括冷链仓储、城市配送。", ["冷链仓储", "城市配送"]),
        ("公司旗下拥有松岭、青溪、Nordvik三大10亿级品牌。", ["松岭", "青溪", "Nordvik"]),
        ("公司去年推出移动应用“云管家”和“云店主”。", ["云管家", "云店主"]),
        ("The company's key products include valves, pumps and filters.", ["valves", "pumps", "filters"]),
        ("The company is a leading provider of industrial valves to refineries.", ["industrial valves"]),
        ("The company manufactures pumps and filters for water plants.", ["pumps", "filters"]),
    ],
)
def test_what_is_offered_stands_behind_a_label_a_verb_or_as_what_somebody_makes(text: str, products: list[str]) -> None:
    assert offered(text) == products


@pytest.mark.parametrize(
    "text",
    [
        "公司主要产品包括同比增长20%的部分。",
        "公司主营业务有望持续增长。",
        "公司业务覆盖全国25个省。",
        "国产彩超产品主要包括中低端机型。",  # nobody's
        "本机构还可能为这些公司提供投资银行服务。",
        "公司是行业龙头。",
        "Investors in the products include funds that it sells.",
    ],
)
def test_growth_places_and_things_of_nobody_are_no_products(text: str) -> None:
    assert offered(text) == []


def test_products_are_of_the_company_that_the_clause_or_the_sentence_names() -> None:
    text = "隆基绿能主要产品为硅片。公司主要产品为电池。隆基绿能成立于2000年，是全球领先的组件供应商。"
    found = facts(text, "key_products")
    assert [(fact.subject.name, fact.text) for fact in found] == [
        ("隆基绿能", "硅片"), ("300750.SZ", "电池"), ("隆基绿能", "组件"),
    ]  # fmt: skip
