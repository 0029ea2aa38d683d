"""Attributes of a schema of which no rule knows: labels, and values of the right type behind them."""

import pytest

from finlore.knowledge.lexicon.extract import extract_facts
from finlore.knowledge.lexicon.labelled import WITH_RULES
from finlore.knowledge.schema import PARTS, load_schema, make_schema, parse_schema
from finlore.records.fact import Fact
from finlore.records.instant import parse_instant
from finlore.records.schema import Schema
from tests.read_reports import read

OWN = """
[dividend_yield]
zh = "股息率"
en = "dividend yield"
description = "d"
value = "number"
quantity = "percent"
single = true
domain = ["security", "company"]
cues = ["股息率", "股利率", "dividend yield"]

[berths]
zh = "泊位数"
en = "berths"
description = "d"
value = "number"
quantity = "count"
single = true
domain = ["security", "company"]
cues = ["泊位"]

[fare]
zh = "票价"
en = "fare"
description = "d"
value = "number"
quantity = "price"
single = true
domain = ["security", "company"]
cues = ["平均票价"]

[auditor]
zh = "审计机构"
en = "auditor"
description = "d"
value = "entity"
domain = ["security", "company"]
range = ["broker", "organisation", "company", "security"]
cues = ["审计机构"]

[founded]
zh = "成立日期"
en = "founded on"
description = "d"
value = "date"
single = true
domain = ["security", "company"]
cues = ["成立日期", "成立于"]

[method]
zh = "估值方法"
en = "valuation method"
description = "d"
value = "text"
domain = ["security", "company"]
cues = ["估值方法"]
"""


def own() -> Schema:
    shipped = load_schema()
    attributes = parse_schema({part: OWN if part == "attributes" else "" for part in PARTS}, name="own").attributes
    return make_schema("own", attributes=attributes, drivers=shipped.drivers, links=shipped.links)


SCHEMA = own()


def facts(text: str) -> list[Fact]:
    known = {attribute.id for attribute in SCHEMA.attributes}
    return [fact for fact in extract_facts(*read(text), SCHEMA).facts if fact.relation in known]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("股息率：3.2%。", ("dividend_yield", 3.2, "%")),
        ("公司股息率达到3.2%，高于同业。", ("dividend_yield", 3.2, "%")),
        ("股利率（TTM）为3.2%。", ("dividend_yield", 3.2, "%")),
        ("The dividend yield is 3.2%.", ("dividend_yield", 3.2, "%")),
        ("公司股息率提升至3.2%。", ("dividend_yield", 3.2, "%")),
        ("公司拥有泊位12个。", ("berths", 12.0, "个")),
        ("平均票价为85元。", ("fare", 85.0, "元")),
    ],
)
def test_a_number_of_the_right_quantity_behind_its_label_is_read(text: str, said: tuple[str, float, str]) -> None:
    (fact,) = facts(text)
    assert (fact.relation, fact.value, fact.unit) == said
    assert fact.text in text


@pytest.mark.parametrize(
    "text",
    [
        "股息率同比提升3.2%。",  # a change is not the value
        "股息率较高，毛利率为3.2%。",  # another clause
        "股息率对应的金额为3.2元。",  # another unit
        "公司分红稳定，市场看重股息率。",
        "比亚迪股息率为3.2%。",  # another company
        "平均票价上涨85元。",
    ],
)
def test_what_is_not_the_value_of_the_subject_is_not_read(text: str) -> None:
    assert not facts(text)


def test_a_label_in_a_table_has_its_numbers_with_their_periods() -> None:
    found = facts(
        "| 指标 | 2023A | 2024E |\n|---|---|---|\n| 营业收入（百万元） | 100 | 120 |\n| 股息率（%） | 3.1 | 3.4 |\n"
    )
    assert [(f.value, f.unit, f.period, f.basis) for f in found] == [
        (3.1, "%", "2023", "actual"), (3.4, "%", "2024", "forecast"),
    ]  # fmt: skip


def test_names_dates_and_words_are_read_as_their_types_say() -> None:
    (auditor,) = facts("公司审计机构为中信证券。")
    assert auditor.object is not None
    assert (auditor.object.name, auditor.object.kind) == ("中信证券", "security")
    (founded,) = facts("公司成立于2011年12月16日。")
    assert founded.valid_from == parse_instant("2011-12-16")
    (method,) = facts("估值方法：分部估值与现金流折现。")
    assert method.text == "分部估值与现金流折现"
    assert not facts("我们讨论估值方法的选择。")


def test_of_an_attribute_with_one_value_the_surest_statement_counts() -> None:
    (fact,) = facts("公司股息率有望超过2.9%。\n\n股息率：3.2%。")
    assert fact.value == 3.2


def test_rules_are_those_of_shipped_attributes() -> None:
    assert {attribute.id for attribute in load_schema().attributes} > WITH_RULES
