from dataclasses import replace

from finlore.knowledge.agreement import surest
from finlore.records.fact import Evidence, Fact, Party

FACT = Fact(Party("漠川材料", "漠川材料", "company"), "target_price", Evidence(0, 5), "21.50元", confidence=0.6)
SURER = replace(FACT, confidence=0.9)
OTHER = replace(FACT, relation="current_stock_price", confidence=0.1)


def test_of_a_matter_the_surest_fact_is_kept_at_the_place_of_the_first() -> None:
    assert surest([FACT, OTHER, SURER], matter=lambda fact: fact.relation) == [SURER, OTHER]


def test_of_equally_sure_ones_the_first_is_kept() -> None:
    again = replace(FACT, evidence=Evidence(9, 14))
    assert surest([FACT, again], matter=lambda fact: fact.relation) == [FACT]
