"""What decisions do, and that everything they do can be taken back."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from finlore import registry
from finlore.errors import NotFound, UsageError
from finlore.knowledge.review import Effects, ask, decide, effects, fits, forget, reviewed, standing, undo
from finlore.ports import Store
from finlore.records.fact import Evidence, Fact, Party, Source, StoredFact
from finlore.records.instant import Instant, parse_instant
from finlore.records.names import FoundNames
from finlore.records.review import Decision, ReviewItem, ReviewKind, ReviewStatus
from tests.contracts.documents import report

DAY = parse_instant("2024-05-10")
MERGE = {"entity": "company:云禾精机集团", "into": "309901.SZ"}
CLAIM = {"claims": "fact:1", "text": "26.80元", "value": "26.8", "unit": "元", "period": ""}
BOTH = {"claims_1": "fact:1", "claims_2": "fact:2 fact:3", "keep": ""}


def item(kind: ReviewKind, payload: dict[str, str], id_: str = "review:1") -> ReviewItem:
    return ReviewItem(id_, kind, (), "?", "", tuple(sorted(payload.items())), 0.4, DAY)


def decision(status: ReviewStatus, id_: str = "review:1", at: int = 0, **edits: str) -> Decision:
    return Decision(id_, status, Instant(DAY + at), tuple(sorted(edits.items())))


def stored(id_: str, value: float = 26.8) -> StoredFact:
    winery = Party("蓝山酒业", "蓝山酒业", "security", "600001.SH")
    fact = Fact(winery, "target_price", Evidence(0, 5, 0), f"{value}元", value=value, unit="元")
    return StoredFact(id_, fact, "600001.SH", None, DAY, "lexicon/1", Source("r", 1, "", None, "r:1:0", ""))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made: Store = registry.load("stores", "embedded")(tmp_path / "workspace")
    with made.writing():
        made.add_reviews([item("merge", MERGE), item("merge", MERGE | {"into": "309902.SZ"}, "review:2")])
        yield made
    made.close()


def merges(store: Store) -> tuple[tuple[str, str], ...]:
    found = standing(store.reviews(), store.decisions()).merges
    return tuple(pair for pair in found if pair[0].startswith("company:"))


def test_an_accepted_merge_merges_a_company_under_every_kind_and_lets_later_ingests_find_the_name() -> None:
    found = effects(item("merge", MERGE), decision("accepted"))
    assert {("company:云禾精机集团", "309901.SZ"), ("organisation:云禾精机集团", "309901.SZ")} < set(found.merges)
    assert found.names == (("云禾精机集团", "company"),)


def test_a_merge_of_what_is_no_company_or_has_a_code_merges_that_alone() -> None:
    for entity, names in (("product:刀片电池", (("刀片电池", "product"),)), ("309902.SZ", ())):
        found = effects(item("merge", MERGE | {"entity": entity}), decision("accepted"))
        assert found.merges == ((entity, "309901.SZ"),)
        assert found.names == names


def test_an_edited_merge_goes_where_the_person_says_and_a_rejected_one_nowhere() -> None:
    found = effects(item("merge", MERGE), decision("edited", into="309909.SZ"))
    assert {into for _, into in found.merges} == {"309909.SZ"}
    assert effects(item("merge", MERGE), decision("rejected")) == Effects()


def test_a_decision_that_was_taken_back_does_nothing() -> None:
    assert effects(item("merge", MERGE), replace(decision("accepted"), undone_at=DAY)) == Effects()


def test_a_rejected_fact_is_read_no_more_and_an_accepted_one_as_it_was() -> None:
    facts = [stored("fact:1"), stored("fact:2")]
    rejected = effects(item("low_confidence", CLAIM), decision("rejected"))
    assert reviewed(facts, rejected) == facts[1:]
    assert reviewed(facts, effects(item("low_confidence", CLAIM), decision("accepted"))) == facts


def test_an_edited_fact_is_marked_and_remembers_what_was_read() -> None:
    found = effects(item("low_confidence", CLAIM), decision("edited", value="28.6"))
    (fact,) = reviewed([stored("fact:1")], found)
    assert (fact.fact.value, fact.fact.unit, fact.fact.status) == (28.6, "元", "corrected")
    assert "26.8" in fact.fact.note


def test_of_a_contradiction_all_stand_or_what_says_the_same_or_none() -> None:
    facts = [stored("fact:1"), stored("fact:2", 30.0), stored("fact:3", 30.0)]
    asked = item("contradiction", BOTH)
    for made, kept in (
        (decision("accepted"), ["fact:1", "fact:2", "fact:3"]),
        (decision("edited", keep="fact:3"), ["fact:2", "fact:3"]),
        (decision("rejected"), []),
    ):
        assert [fact.id for fact in reviewed(facts, effects(asked, made))] == kept


@pytest.mark.parametrize(
    ("kind", "payload", "edits"),
    [
        ("low_confidence", CLAIM, {"value": "much"}),
        ("low_confidence", CLAIM, {"value": "nan"}),
        ("low_confidence", CLAIM, {"unit": "parsecs"}),
        ("low_confidence", CLAIM, {"claims": "fact:9"}),
        ("low_confidence", CLAIM, {}),
        ("contradiction", BOTH, {"keep": "fact:9"}),
        ("merge", MERGE, {"entity": "company:别家"}),
        ("merge", MERGE, {"into": ""}),
        ("low_confidence", CLAIM, {"value": "26.8", "unit": "元"}),
        ("contradiction", BOTH, {"keep": ""}),
        ("contradiction", {}, {"keep": "fact:1"}),
    ],
)
def test_an_edit_that_cannot_be_read_or_changes_nothing_is_refused_and_does_nothing(
    store: Store, kind: ReviewKind, payload: dict[str, str], edits: dict[str, str]
) -> None:
    asked, made = item(kind, payload, "review:3"), decision("edited", "review:3", **edits)
    store.add_reviews([asked])
    with pytest.raises(UsageError):
        decide(store, made)
    assert store.decisions("review:3") == []
    assert effects(asked, made).dropped == frozenset()


@pytest.mark.parametrize("status", ["accepted", "rejected", "edited"])
def test_of_what_was_forgotten_nothing_can_be_decided(store: Store, status: ReviewStatus) -> None:
    store.add_reviews([item("contradiction", {}, "review:3")])
    with pytest.raises(UsageError, match="was forgotten"):
        decide(store, decision(status, "review:3"))


@pytest.mark.parametrize(
    ("payload", "edits"),
    [(BOTH, {"keep": "fact:9"}), (BOTH, {"value": "1"}), (BOTH, {}), ({}, {}), ({}, {"keep": "x"})],
)
def test_a_decision_that_does_not_fit_any_more_does_nothing_and_can_be_taken_back(
    store: Store, payload: dict[str, str], edits: dict[str, str]
) -> None:
    asked, made = item("contradiction", payload, "review:3"), decision("edited", "review:3", **edits)
    store.add_reviews([asked])
    store.decide(made)  # as it was when it was made
    assert not fits(asked, made)
    assert standing(store.reviews(), store.decisions()) == Effects()
    assert undo(store, "review:3", at=DAY) is not None


@pytest.mark.parametrize(("place", "kept"), [("r:1:0-9", []), ("r:1:5-9", ["fact:1"]), ("r:2:0-9", ["fact:1"])])
def test_nothing_is_read_out_of_a_table_that_people_do_not_trust(place: str, kept: list[str]) -> None:
    table = replace(item("failed_check", {"table": place}), about=(place,))
    found = effects(table, decision("rejected"))
    assert [fact.id for fact in reviewed([stored("fact:1")], found)] == kept
    assert [fact.id for fact in reviewed([stored("fact:1")], effects(table, decision("accepted")))] == ["fact:1"]


def test_nothing_is_read_out_of_a_passage_that_people_do_not_trust() -> None:
    passage = replace(item("instruction", {"passages": "0"}), about=("r:1:0",))
    assert reviewed([stored("fact:1")], effects(passage, decision("rejected"))) == []


def test_a_rejected_schema_is_not_to_be_used() -> None:
    schema = item("schema", {"schema": "induced", "version": "abc"})
    assert effects(schema, decision("rejected")).refused == {"abc"}


def test_the_later_of_two_decisions_wins_and_both_stay_in_the_audit(store: Store) -> None:
    decide(store, decision("accepted"))
    decide(store, decision("rejected", at=1))
    assert merges(store) == ()
    assert [made.status for made in store.decisions("review:1")] == ["accepted", "rejected"]
    assert not store.split("company:云禾精机集团")


def test_merges_of_one_name_into_two_conflict_and_taking_back_the_later_brings_the_earlier_back(store: Store) -> None:
    decide(store, decision("accepted"))
    decide(store, decision("accepted", "review:2", at=1))
    assert merges(store) == (("company:云禾精机集团", "309902.SZ"),)
    undo(store, "review:2", at=Instant(DAY + 2))
    assert merges(store) == (("company:云禾精机集团", "309901.SZ"),)
    assert store.split("company:云禾精机集团")


def test_what_is_taken_back_can_be_decided_again(store: Store) -> None:
    decide(store, decision("accepted"))
    assert undo(store, "review:1", at=DAY) is not None
    assert undo(store, "review:1", at=DAY) is None
    assert [item.status for item in store.reviews()] == ["open", "open"]
    decide(store, decision("accepted", at=1))
    assert merges(store) == (("company:云禾精机集团", "309901.SZ"),)


def test_a_merge_in_a_circle_is_refused_before_anything_is_written(store: Store) -> None:
    store.add_reviews([item("merge", {"entity": "309901.SZ", "into": "company:云禾精机集团"}, "review:3")])
    decide(store, decision("accepted"))
    with pytest.raises(UsageError, match="already stands for"):
        decide(store, decision("accepted", "review:3", at=1))
    assert store.decisions("review:3") == []


def test_merges_that_lead_back_after_an_undo_hold_in_the_order_in_which_they_were_made(store: Store) -> None:
    back = {"entity": "309901.SZ", "into": "company:云禾精机集团"}
    store.add_reviews([item("merge", back, "review:3")])
    decide(store, decision("accepted"))
    decide(store, decision("accepted", "review:2", at=1))
    decide(store, decision("accepted", "review:3", at=2))
    assert undo(store, "review:2", at=Instant(DAY + 3)) is not None
    assert merges(store) == (("company:云禾精机集团", "309901.SZ"),)
    assert (store.split("309901.SZ"), store.split("company:云禾精机集团")) == (False, True)


def test_what_is_forgotten_takes_its_merge_along_and_brings_it_back_when_it_is_asked_again(store: Store) -> None:
    document, asked = report("r", "云禾精机集团扩产。"), replace(item("merge", MERGE, "review:3"), about=("r",))
    store.put(document, FoundNames((), ()), ingested_at=DAY)
    ask(store, [asked])
    decide(store, decision("accepted", "review:3"))
    assert forget(store, ["r"]) == 1
    assert not store.split("company:云禾精机集团")
    ask(store, [asked])
    assert store.split("company:云禾精机集团")


def test_a_decision_about_what_nobody_asked_is_refused(store: Store) -> None:
    with pytest.raises(NotFound):
        decide(store, decision("accepted", "review:9"))
