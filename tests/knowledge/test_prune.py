"""What the schema does not allow falls away, and is counted by reason."""

from dataclasses import replace

import pytest

from finlore.knowledge.prune import prune
from finlore.knowledge.schema import load_schema
from finlore.records.fact import Event, Evidence, Extracted, Fact, Party

PLACE = Evidence(0, 4, 0)
MAKER = Party("澄川电子", "澄川电子", "security", entity="603986.SH")
RIVAL = Party("云岭材料", "云岭材料", "company")
PERSON = Party("周望", "周望", "person")
UNKNOWN = Party("Quillon", "quillon", "name")
REGION = Party("浙江", "浙江", "region")

TARGET = Fact(MAKER, "target_price", PLACE, "12.50元", value=12.5, unit="CNY")
OWNS = Fact(PERSON, "owns", PLACE, "周望持股12%", object=MAKER, value=12.0, unit="%")
REVENUE = Fact(MAKER, "metric:revenue.growth", PLACE, "18.3%", value=18.3, unit="%")
EVENT = Event(MAKER, "扩产", "supply", "capacity_adjustment", "good", PLACE, metric="metric:revenue")


def pruned(fact: Fact | None = None, event: Event | None = None) -> Extracted:
    extracted = Extracted("test/1", (fact,) if fact else (), (event,) if event else ())
    return prune(extracted, load_schema())


@pytest.mark.parametrize(
    "fact",
    [
        TARGET,
        replace(TARGET, value=None, unit=""),  # to be completed later
        replace(TARGET, subject=UNKNOWN),
        OWNS,
        replace(OWNS, object=UNKNOWN),
        REVENUE,
        replace(REVENUE, relation="metric:revenue"),
        Fact(MAKER, "key_products", PLACE, "滤波器", object=Party("滤波器", "滤波器", "product")),
        Fact(MAKER, "competes_with", PLACE, "对手", object=RIVAL),
    ],
)
def test_a_fact_of_the_schema_stays_as_it_is(fact: Fact) -> None:
    assert pruned(fact) == Extracted("test/1", (fact,))


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        (replace(TARGET, relation="favourite_colour"), "fact: unknown relation"),
        (replace(TARGET, relation="supply"), "fact: unknown relation"),
        (replace(TARGET, subject=PERSON), "fact: domain of target_price"),
        (replace(TARGET, object=RIVAL), "fact: range of target_price"),
        (replace(TARGET, value=float("nan")), "fact: value is no number"),
        (replace(OWNS, value=float("inf")), "fact: value is no number"),
        (replace(OWNS, object=None), "fact: range of owns"),
        (replace(OWNS, object=REGION), "fact: range of owns"),
        (replace(OWNS, subject=REGION), "fact: domain of owns"),
        (replace(OWNS, subject=MAKER), "fact: link of a party to itself"),
        (replace(OWNS, subject=RIVAL, object=replace(RIVAL, name="云岭")), "fact: link of a party to itself"),
        (Fact(MAKER, "key_products", PLACE, "滤波器"), "fact: range of key_products"),
        (Fact(MAKER, "key_products", PLACE, "周望", object=PERSON), "fact: range of key_products"),
        (replace(REVENUE, relation="metric:happiness"), "fact: unknown metric"),
        (replace(REVENUE, subject=PERSON), "fact: domain of a metric"),
        (replace(REVENUE, object=RIVAL), "fact: range of a metric"),
    ],
)
def test_a_fact_outside_relations_domain_or_range_is_dropped_and_counted(fact: Fact, reason: str) -> None:
    assert pruned(fact) == Extracted("test/1", pruned=((reason, 1),))


def test_an_event_of_the_schema_that_touches_a_company_stays() -> None:
    rate_cut = Event(REGION, "降息", "macro", "interest_rate", "good", PLACE, involved=(MAKER,))
    assert pruned(event=EVENT).events == (EVENT,)
    assert pruned(event=rate_cut).events == (rate_cut,)


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (replace(EVENT, driver="astrology"), "event: unknown type"),
        (replace(EVENT, driver="demand"), "event: unknown type"),
        (replace(EVENT, direction="splendid"), "event: unknown direction"),
        (replace(EVENT, metric="happiness"), "event: unknown metric"),
        (replace(EVENT, subject=PERSON), "event: no company in it"),
    ],
)
def test_another_event_is_dropped_and_counted(event: Event, reason: str) -> None:
    assert pruned(event=event) == Extracted("test/1", pruned=((reason, 1),))


def test_counts_add_up_and_reasons_are_few_whatever_relations_are_invented() -> None:
    invented = tuple(replace(TARGET, relation=f"made_up_{number}") for number in range(100))
    before = Extracted("test/1", (*invented, TARGET), pruned=(("fact: unknown relation", 2), ("quote not found", 1)))
    after = prune(before, load_schema())
    assert after.facts == (TARGET,)
    assert after.pruned == (("fact: unknown relation", 102), ("quote not found", 1))


def test_what_a_link_tells_is_no_event_of_the_same_term() -> None:
    guarantee = Fact(MAKER, "guarantees", PLACE, "提供担保", object=RIVAL)
    event = Event(MAKER, "担保", "supply", "is_provided_by", "neutral", PLACE, object=RIVAL)
    others = (
        replace(event, direction="bad"),
        replace(event, object=UNKNOWN),
        replace(event, evidence=Evidence(9, 12, 0)),
        replace(event, subtype="capacity_adjustment"),
    )
    found = prune(Extracted("test/1", (guarantee,), (event, *others)), load_schema())
    assert found.events == others
    assert dict(found.pruned) == {"event: told by a link": 1}
