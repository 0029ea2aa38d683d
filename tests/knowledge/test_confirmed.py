"""Two extractors that say the same of one document say it once; what they say differently stays."""

from dataclasses import replace
from typing import Any

import pytest

from finlore.knowledge.confirmed import events_once, facts_once
from finlore.records.fact import Event, Evidence, Fact, Party, Source, StoredEvent, StoredFact
from finlore.records.instant import Instant

OWN = Party("蓝山酒业", "蓝山酒业", "security", "600001.SH")
RULES, MODEL = "lexicon/1+s", "llm/1+m+s"
PRICE = Fact(OWN, "target_price", Evidence(4, 9, 0), "26.80元", value=26.8, unit="元", confidence=0.9)
BUILT = Event(OWN, "扩产", "supply", "capacity_adjustment", "good", Evidence(10, 30, 0), confidence=0.9)
SOURCE = Source("a", 1, "点评", None, "a:1:0", "公司扩产")


def fact(extractor: str, *, document: str = "a", object_: str | None = None, **changes: Any) -> StoredFact:
    said = replace(PRICE, **changes)
    name = f"{extractor}{document}{said.text}{said.relation}{object_}{said.period}"
    return StoredFact(name, said, "600001.SH", object_, Instant(1), extractor, replace(SOURCE, document=document))


def event(extractor: str, **changes: Any) -> StoredEvent:
    said = replace(BUILT, **changes)
    return StoredEvent(f"{extractor}{said}", said, "600001.SH", None, (), Instant(1), extractor, SOURCE)


def test_a_fact_that_both_state_is_told_once_by_the_surer_one_and_names_both() -> None:
    sure, less = fact(RULES), fact(MODEL, confidence=0.8, text="26.8", evidence=Evidence(0, 9, 0))
    for told in ([sure, less], [less, sure]):
        assert facts_once(told) == [replace(sure, extractor=f"{RULES}, {MODEL}")]


def test_equal_numbers_in_other_units_are_the_same() -> None:
    assert len(facts_once([fact(RULES, value=2680.0, unit="万元"), fact(MODEL, value=0.268, unit="亿元")])) == 1


def test_the_fuller_of_two_stands_for_both() -> None:
    bare, full = fact(RULES, object_="x", value=None), fact(MODEL, object_="x", value=31.5, unit="%", confidence=0.5)
    assert [one.fact.value for one in facts_once([bare, full])] == [31.5]


@pytest.mark.parametrize(
    "other",
    [
        fact(MODEL, value=30.0),
        fact(MODEL, document="b"),
        fact(MODEL, relation="current_stock_price"),
        fact(MODEL, bound="low"),
        fact(MODEL, object_="y"),
        fact(MODEL, period="2024"),
    ],
)
def test_what_differs_is_told_twice(other: StoredFact) -> None:
    assert facts_once([fact(RULES), other]) == [fact(RULES), other]


def test_one_extractor_is_left_alone() -> None:
    told = [fact(RULES), fact(RULES, confidence=0.1)]
    assert facts_once(told) == told
    assert len(facts_once([*told, fact(MODEL)])) == 2


def test_an_event_of_one_sentence_is_told_by_whoever_says_more() -> None:
    bare, full = (
        event(RULES),
        event(MODEL, cause="需求旺盛", time_frame="2024年", confidence=0.8, evidence=Evidence(12, 28)),
    )
    for told in ([bare, full], [full, bare]):
        assert events_once(told) == [replace(full, extractor=f"{MODEL}, {RULES}")]


@pytest.mark.parametrize(
    "change", [{"direction": "bad"}, {"evidence": Evidence(30, 40, 0)}, {"subtype": "holds"}, {"driver": "demand"}]
)
def test_another_event_is_told_as_well(change: dict[str, Any]) -> None:
    assert len(events_once([event(RULES), event(MODEL, **change)])) == 2
