"""What sentences state of companies. A party stands in brackets, with its kind where it is no company."""

import re
from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.graph.folded import surface_of
from finlore.knowledge.lexicon.links import find_links
from finlore.knowledge.schema import load_schema
from finlore.knowledge.sentences import Named, Reading
from finlore.records.document import Metadata
from finlore.records.fact import Fact, Party
from finlore.records.instant import end_of_day
from finlore.records.mapped import MappedText

SCHEMA = load_schema()
SYMMETRIC = {link.id for link in SCHEMA.links if link.symmetric}
COVERED = Party("澄川电子", "澄川电子", "security", entity="603986.SH")

# sentence|subject relation object [value] [planned];…
STATED = """
[澄川电子]持有[恒旭材料]35.2%的股权|澄川电子 owns 恒旭材料 35.2
[恒旭材料]由[澄川电子]持股51%|澄川电子 owns 恒旭材料 51
[恒旭材料]的控股股东为[瑶图集团]，持股比例49.20%|瑶图集团 controls 恒旭材料 49.2
[瑶图集团]系[恒旭材料]控股股东|瑶图集团 controls 恒旭材料
截至年末，[瑶图集团]直接持有[恒旭材料]12.5%股份，为其第二大股东|瑶图集团 owns 恒旭材料 12.5
[恒旭材料]是[瑶图集团]旗下的全资子公司|恒旭材料 subsidiary_of 瑶图集团 100
[瑶图集团]的子公司[恒旭材料]、[立峰科技]投产|恒旭材料 subsidiary_of 瑶图集团;立峰科技 subsidiary_of 瑶图集团
[瑶图集团]及其子公司[立峰科技]签订补充协议|立峰科技 subsidiary_of 瑶图集团
[澄川电子]拟以现金方式收购[立峰科技]60%股权|澄川电子 acquires 立峰科技 60 planned
[立峰科技]被[澄川电子]收购|澄川电子 acquires 立峰科技
[澄川电子]从[瑶图集团]手中收购了[立峰科技]|澄川电子 acquires 立峰科技
[澄川电子]终止收购[立峰科技]|
[澄川电子]未向[立峰科技]提供担保|
[澄川电子]为[立峰科技]提供连带责任担保，担保金额3.5亿元|澄川电子 guarantees 立峰科技 3.5
[立峰科技]的银行借款由[澄川电子]提供担保|澄川电子 guarantees 立峰科技
[澄川电子]对[立峰科技]的担保余额为8,000万元|澄川电子 guarantees 立峰科技 8000
[立峰科技]获[澄川电子]担保|澄川电子 guarantees 立峰科技
[澄川电子]作为担保人，为[立峰科技]在[通禄银行]的贷款承担连带责任|澄川电子 guarantees 立峰科技
[立峰科技]向[澄川电子]采购隔膜|澄川电子 supplies 立峰科技
[立峰科技]的隔膜主要采购自[澄川电子]|澄川电子 supplies 立峰科技
[澄川电子]向[立峰科技]、[恒旭材料]供应隔膜|澄川电子 supplies 立峰科技;澄川电子 supplies 恒旭材料
[澄川电子]是[立峰科技]隔膜的核心供应商|澄川电子 supplies 立峰科技
[立峰科技]的供应商包括[澄川电子]和[恒旭材料]|澄川电子 supplies 立峰科技;恒旭材料 supplies 立峰科技
[澄川电子]已进入[立峰科技]供应链|澄川电子 supplies 立峰科技
[澄川电子]的主要客户包括[立峰科技]、[恒旭材料]等|立峰科技 customer_of 澄川电子;恒旭材料 customer_of 澄川电子
[立峰科技]为[澄川电子]第一大客户|立峰科技 customer_of 澄川电子
[澄川电子]中标[立峰科技]储能项目|澄川电子 supplies 立峰科技
[澄川电子]与[恒旭材料]签署战略合作协议|澄川电子 partners_with 恒旭材料
[澄川电子]与[恒旭材料]合资成立[立峰科技]|澄川电子 founds 立峰科技;恒旭材料 founds 立峰科技
[澄川电子]出资设立全资子公司[立峰科技]|澄川电子 founds 立峰科技;立峰科技 subsidiary_of 澄川电子 100
[澄川电子]的主要竞争对手为[恒旭材料]|澄川电子 competes_with 恒旭材料
在隔膜市场，[澄川电子]与[恒旭材料]展开竞争|澄川电子 competes_with 恒旭材料
[澄川电子]董事长[顾清和:person]表示，订单充足|顾清和 executive_of 澄川电子
[顾清和:person]出任[澄川电子]总经理|顾清和 executive_of 澄川电子
[澄川电子]聘任[顾清和:person]为财务总监|顾清和 executive_of 澄川电子
[顾清和:person]辞去[澄川电子]董事长职务，由[沈若水:person]接任|沈若水 executive_of 澄川电子
[澄川电子]董事长由[顾清和:person]变更为[沈若水:person]|沈若水 executive_of 澄川电子
[澄川电子]的董事长是[沈若水:person]|沈若水 executive_of 澄川电子
[瑶图集团]增持[澄川电子]2%股份|瑶图集团 increases_holding 澄川电子 2
[瑶图集团]减持了[澄川电子]1.3%的股份|瑶图集团 reduces_holding 澄川电子 1.3
[澄川电子]遭[瑶图集团]减持1.3%|瑶图集团 reduces_holding 澄川电子 1.3
[瑶图集团]将所持[立峰科技]30%股权转让给[澄川电子]|瑶图集团 transfers_to 澄川电子 30;瑶图集团 owns 立峰科技 30
[澄川电子]起诉[恒旭材料]专利侵权|澄川电子 litigates_with 恒旭材料
[恒旭材料]与[澄川电子]的合同纠纷一案开庭|恒旭材料 litigates_with 澄川电子
[瑶图集团]战略入股[澄川电子]|瑶图集团 invests_in 澄川电子
[澄川电子]向[立峰科技]增资2亿元|澄川电子 invests_in 立峰科技
[澄川电子]获得[瑶图集团]战略投资|瑶图集团 invests_in 澄川电子
[澄川电子]拟吸收合并[恒旭材料]|澄川电子 merges_with 恒旭材料 planned
[远鉴资信:rating_agency]将[澄川电子]主体评级由AA下调至AA-|远鉴资信 rates 澄川电子
[通禄证券:broker]首次覆盖[澄川电子]，给予买入评级|通禄证券 rates 澄川电子
[证监会:regulator]对[澄川电子]立案调查|证监会 regulates 澄川电子
[澄川电子]被[证监会:regulator]处罚|证监会 regulates 澄川电子
[澄川电子]收到[上交所:exchange]问询函|上交所 regulates 澄川电子
[澄川电子]主营[隔膜:product]的研发、生产和销售|澄川电子 produces 隔膜
[隔膜:product]的主要原材料为[聚乙烯:material]|隔膜 uses_material 聚乙烯
[澄川电子]属于[电池:industry]行业|澄川电子 belongs_to_industry 电池
[澄川电子]被纳入[沪深300:index]成份股|澄川电子 belongs_to_index 沪深300
[工信部:regulator]印发《[储能行动方案:policy]》|工信部 issued_policy 储能行动方案
《[储能行动方案:policy]》由[工信部:regulator]发布|工信部 issued_policy 储能行动方案
[澄川电子]总部位于[宁州:region]|澄川电子 located_in 宁州
[通禄银行]向[立峰科技]提供5亿元贷款|通禄银行 lends_to 立峰科技 5
[Hengxu Battery] holds a 35% stake in [Lifeng Tech]|Hengxu Battery owns Lifeng Tech 35
[Lifeng Tech] is 60% owned by [Hengxu Battery]|Hengxu Battery owns Lifeng Tech 60
[Hengxu Battery] is the controlling shareholder of [Lifeng Tech]|Hengxu Battery controls Lifeng Tech
[Lifeng Tech], a wholly owned subsidiary of [Hengxu Battery], grew|Lifeng Tech subsidiary_of Hengxu Battery 100
[Hengxu Battery]'s subsidiary [Lifeng Tech] raised prices|Lifeng Tech subsidiary_of Hengxu Battery
[Hengxu Battery] acquired [Lifeng Tech] in 2023|Hengxu Battery acquires Lifeng Tech
[Lifeng Tech] was acquired by [Hengxu Battery]|Hengxu Battery acquires Lifeng Tech
[Hengxu Battery] plans to acquire [Lifeng Tech]|Hengxu Battery acquires Lifeng Tech planned
[Hengxu Battery] supplies separators to [Lifeng Tech]|Hengxu Battery supplies Lifeng Tech
[Lifeng Tech] is supplied by [Hengxu Battery]|Hengxu Battery supplies Lifeng Tech
[Lifeng Tech] sources its separators from [Hengxu Battery]|Hengxu Battery supplies Lifeng Tech
[Hengxu Battery] is a key supplier to [Lifeng Tech]|Hengxu Battery supplies Lifeng Tech
[Hengxu Battery] guarantees the loans of [Lifeng Tech]|Hengxu Battery guarantees Lifeng Tech
[Lifeng Tech]'s bonds are guaranteed by [Hengxu Battery]|Hengxu Battery guarantees Lifeng Tech
[Hengxu Battery] competes with [Lifeng Tech]|Hengxu Battery competes_with Lifeng Tech
The main rivals of [Hengxu] are [Lifeng] and [Yaotu]|Hengxu competes_with Lifeng;Hengxu competes_with Yaotu
[Hengxu Battery] signed an agreement with [Lifeng Tech]|Hengxu Battery partners_with Lifeng Tech
[Jane Roe:person], chief executive of [Hengxu Battery], said so|Jane Roe executive_of Hengxu Battery
[Hengxu Battery] chairman [Jane Roe:person] said so|Jane Roe executive_of Hengxu Battery
[Hengxu Battery] appointed [Jane Roe:person] as chief financial officer|Jane Roe executive_of Hengxu Battery
[Hengxu Battery] sued [Lifeng Tech] over patents|Hengxu Battery litigates_with Lifeng Tech
[Lifeng Tech] is not a supplier to [Hengxu Battery]|
[澄川电子]以自有资金收购[立峰科技]全部股权|澄川电子 acquires 立峰科技
收购[立峰科技]后，[澄川电子]产能翻番|澄川电子 acquires 立峰科技
尚未被[瑶图集团]合并的[立峰科技]收购了[恒旭材料]|立峰科技 acquires 恒旭材料
[澄川电子]收购[瑶图]所持[立峰科技]8%的股份|澄川电子 acquires 立峰科技 8;瑶图 owns 立峰科技 8
[立峰科技]注册资本1亿元，[澄川电子]持有60%的股权|澄川电子 owns 立峰科技 60
[恒旭材料]的创始人曾任[瑶图集团]的高管|
[澄川电子]获得[立峰科技]储能订单|澄川电子 supplies 立峰科技
[澄川电子]已打入[立峰科技]供应链|澄川电子 supplies 立峰科技
[澄川电子]是全球第三大隔膜供应商，[立峰科技]发布新品|
[瑶图集团]业务多元，也是[立峰科技]的第一大股东|瑶图集团 owns 立峰科技
[隔膜:product]的直接材料以[聚乙烯:material]为主|隔膜 uses_material 聚乙烯
"""


def reading(marked: str) -> Reading:
    """[name] and [name:kind] are parties."""
    text, names, at = "", [], 0
    for match in re.finditer(r"\[([^\]:]+)(?::(\w+))?\]", marked):
        text += marked[at : match.start()]
        party = Party(match[1], surface_of(match[1]), match[2] or "company")
        names.append(Named(len(text), len(text) + len(match[1]), party))
        text, at = text + match[1], match.end()
    return Reading(0, 1, MappedText(text + marked[at:]), tuple(names), "", "body")


def links(marked: str, subject: Party | None = None) -> list[Fact]:
    return find_links([reading(marked)], subject, Metadata(), SCHEMA)


def told(fact: Fact) -> tuple[str, str, str, float | None, bool]:
    assert fact.object is not None
    one, other = fact.subject.name, fact.object.name
    if fact.relation in SYMMETRIC:
        one, other = sorted((one, other))
    return one, fact.relation, other, fact.value, fact.note == "planned"


def cases() -> Iterator[tuple[str, set[tuple[str, str, str, float | None, bool]]]]:
    for line in filter(None, STATED.split("\n")):
        sentence, _, stated = line.partition("|")
        wanted = set()
        for statement in filter(None, stated.split(";")):
            parts = re.fullmatch(r"(.+?) ([a-z_]+) (.+?)(?: ([\d.]+))?( planned)?", statement)
            assert parts is not None
            one, other = sorted((parts[1], parts[3])) if parts[2] in SYMMETRIC else (parts[1], parts[3])
            value = float(parts[4]) if parts[4] else None
            wanted.add((one, parts[2], other, value, bool(parts[5])))
        yield sentence, wanted


@pytest.mark.parametrize(("sentence", "wanted"), list(cases()), ids=lambda case: case if isinstance(case, str) else "")
def test_a_sentence_states_these_links_and_no_others(
    sentence: str, wanted: set[tuple[str, str, str, float | None, bool]]
) -> None:
    assert {told(fact) for fact in links(sentence)} == wanted


@pytest.mark.parametrize(
    ("sentence", "stated"),
    [
        ("公司向[立峰科技]采购隔膜", ("立峰科技", "supplies", "澄川电子")),
        ("公司控股股东为[瑶图集团]", ("瑶图集团", "controls", "澄川电子")),
        ("[瑶图集团]为公司提供担保", ("瑶图集团", "guarantees", "澄川电子")),
        ("The company is supplied by [Lifeng Tech]", ("Lifeng Tech", "supplies", "澄川电子")),
    ],
)
def test_the_company_is_the_one_that_the_document_is_about(sentence: str, stated: tuple[str, str, str]) -> None:
    assert [told(fact)[:3] for fact in links(sentence, COVERED)] == [stated]


def test_a_longer_word_that_ends_in_company_is_nobody() -> None:
    assert links("子公司向[立峰科技]采购隔膜", COVERED) == []


def test_the_former_and_the_latter_are_those_named_before() -> None:
    facts = {told(fact)[:3] for fact in links("[澄川电子]与[立峰科技]签署框架协议，由后者负责供货")}
    assert ("立峰科技", "supplies", "澄川电子") in facts


def test_what_is_planned_is_trusted_less_than_what_is_done() -> None:
    (done,), (planned,) = links("[澄川电子]收购[立峰科技]"), links("[澄川电子]拟收购[立峰科技]")
    assert planned.confidence < done.confidence


def test_the_only_date_of_a_sentence_is_when_it_begins_to_hold() -> None:
    (fact,) = links("2024年3月5日，[澄川电子]收购[立峰科技]")
    assert fact.valid_from == end_of_day(date(2024, 3, 5))


def test_an_amount_keeps_its_unit() -> None:
    (fact,) = links("[澄川电子]为[立峰科技]提供担保，担保金额8,000万元")
    assert (fact.value, fact.unit) == (8000.0, "万元")


def test_the_text_of_an_office_is_the_office() -> None:
    (fact,) = links("[澄川电子]副董事长[沈若水:person]表示，订单充足")
    assert (fact.relation, fact.text) == ("executive_of", "副董事长")


def test_letters_of_the_private_area_are_no_parties() -> None:
    assert [told(fact)[:3] for fact in links("\uf06c\ue000[澄川电子]收购\ue001[立峰科技]")] == [
        ("澄川电子", "acquires", "立峰科技")
    ]


def test_evidence_is_the_sentence() -> None:
    sentence = "[澄川电子]收购[立峰科技]60%股权"
    (fact,) = links(sentence)
    assert (fact.evidence.start, fact.evidence.end) == (0, len(reading(sentence).text))


@pytest.mark.parametrize("rating", ["将[立峰科技]的评级由“增持”上调至“买入”", "维持[立峰科技]“增持”评级"])
def test_a_rating_that_reads_like_a_purchase_is_none(rating: str) -> None:
    assert "increases_holding" not in {fact.relation for fact in links(f"[通禄证券:broker]{rating}")}


@given(
    st.lists(
        st.one_of(
            st.text(alphabet="由被向为与和的，。公司持有35%股权收购担保", max_size=8), st.just("[甲]"), st.just("[乙]")
        )
    )
)
def test_any_text_reads_without_failing_and_links_two_parties(pieces: list[str]) -> None:
    for fact in links("".join(pieces), COVERED):
        assert fact.object is not None
        assert fact.subject != fact.object
        assert 0 < fact.confidence <= 1
