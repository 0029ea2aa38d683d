"""Doubts become questions, the same doubt the same question."""

from dataclasses import replace

from finlore.knowledge.quality.doubts import (
    completions,
    contradictions,
    doubtful_merges,
    failed_checks,
    induced_schema,
    instructions,
    low_confidence,
)
from finlore.knowledge.quality.normalise import company, propose
from finlore.knowledge.schema import load_schema
from finlore.records.fact import Evidence, Extracted, Fact, Party, Source, StoredFact
from finlore.records.instant import Instant, parse_instant
from finlore.records.table import Table

TODAY, LATER = parse_instant("2024-05-10"), parse_instant("2024-06-10")
WINERY = Party("蓝山酒业", "蓝山酒业", "security", "600001.SH")
KNOWN = {"云禾精机": "309901.SZ"}


def stored(id_: str, text: str = "26.80元", **other: object) -> StoredFact:
    fact = replace(Fact(WINERY, "target_price", Evidence(0, 5, 0), text, value=26.8, unit="元"), **other)  # type: ignore[arg-type]
    source = Source("report", 1, "首次覆盖", None, "report:1:0", f"目标价\n{text}" + "长" * 300, "霜桥证券", TODAY)
    return StoredFact(id_, fact, "600001.SH", None, TODAY, "lexicon/1", source)


def merge_items(at: Instant) -> list[str]:
    proposals = propose([company("云禾精机集团有限公司"), company("云禾精机股份有限公司")], known=KNOWN)
    return [item.id for item in doubtful_merges(proposals, known=KNOWN, asked_at=at)]


def test_only_merges_in_doubt_are_asked_and_the_same_one_always_under_the_same_id() -> None:
    assert len(merge_items(TODAY)) == 1
    assert merge_items(TODAY) == merge_items(LATER)


def test_a_merge_names_the_entity_that_goes_and_the_one_that_stays() -> None:
    proposals = propose([company("云禾精机集团有限公司")], known=KNOWN)
    (item,) = doubtful_merges(proposals, known=KNOWN, asked_at=TODAY)
    assert dict(item.payload) == {"entity": "company:云禾精机集团有限公司", "into": "309901.SZ"}
    assert item.about == ("company:云禾精机集团有限公司", "309901.SZ")


def test_facts_below_the_bar_are_asked_about_with_a_short_quotation() -> None:
    (item,) = low_confidence([stored("fact:1", confidence=0.3), stored("fact:2", confidence=0.9)], asked_at=TODAY)
    assert item.about == ("fact:1",)
    assert "\n" not in item.question
    assert len(item.question) < 300
    assert dict(item.payload)["value"] == "26.8"


def test_only_completed_facts_are_asked_about_as_completions() -> None:
    facts = [stored("fact:1"), stored("fact:2", status="completed", note="close of the day")]
    assert [(item.about, item.kind) for item in completions(facts, asked_at=TODAY)] == [(("fact:2",), "completion")]


def test_a_contradiction_is_one_question_about_both() -> None:
    one = replace(stored("fact:1"), contradicts=("fact:2",))
    other = replace(stored("fact:2", "20元"), contradicts=("fact:1",))
    for facts in ([one, other], [other, one]):
        (item,) = contradictions(facts, asked_at=TODAY)
        assert item.about == ("fact:1", "fact:2")


def test_tables_that_fail_their_checks_and_passages_that_give_orders_belong_to_their_document() -> None:
    sound = Table(0, 10, 2, 2, (), n_header_rows=1, n_label_columns=1)
    (table,) = failed_checks(
        "report", 2, [sound, replace(sound, doubts=("does not add up",), n_checks=4)], asked_at=TODAY
    )
    assert table.about == ("report:2:0-10",)
    assert table.confidence == 0.75
    (passage,) = instructions("report", 2, Extracted("lexicon/1", instruction_like=(3, 3)), asked_at=TODAY)
    assert passage.about == ("report:2:3",)


def test_an_induced_schema_is_asked_about_once_for_each_content() -> None:
    schema = load_schema()
    again = induced_schema(schema, asked_at=LATER)
    assert induced_schema(schema, asked_at=TODAY).id == again.id
    assert induced_schema(replace(schema, version="other"), asked_at=TODAY).id != again.id
