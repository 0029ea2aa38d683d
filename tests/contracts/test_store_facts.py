"""What every store does with facts, events and what people say of them."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from finlore import registry
from finlore.errors import NotFound, UsageError
from finlore.ports import Store
from finlore.records.document import Block
from finlore.records.fact import Evidence, Extracted, Fact, Role
from finlore.records.instant import Instant
from finlore.records.review import Decision, ReviewItem
from tests.contracts.documents import INGESTED, back_fill, day, found, report, shipped, taught
from tests.contracts.facts import event, fact, party, read_out, said

LATE = day("2030-01-01")
Open = Callable[..., Store]
WINE = shipped("蓝山酒业", "600001.SH")
BRAND = taught("蓝山", "600001.SH")
TEXT = "蓝山酒业目标价为 21.50 元。\n\n蓝山酒业收购北溪电池。"
REPORT = report("甲", TEXT, "2024-03-15", title="周报", broker="霜桥证券")
WINERY = party("蓝山酒业", entity="600001.SH", kind="security")
BATTERIES = party("北溪电池")
TARGET = fact(REPORT, WINERY, "target_price", "21.50 元", value=21.5, unit="元")
TAKEOVER = event(REPORT, WINERY, "strategic_action", "收购北溪电池", object=BATTERIES, involved=(BATTERIES,))


@pytest.fixture(params=registry.names("stores"))
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens the same workspace, again and again."""
    return lambda **options: registry.load("stores", request.param)(tmp_path / "workspace", **options)


@pytest.fixture
def store(open_store: Open) -> Store:
    return open_store()


def put(store: Store, document, *aliases, extracted: Extracted | None = None, ingested_at: Instant = INGESTED) -> None:
    store.put(document, found(document, *aliases), ingested_at=ingested_at, extracted=extracted)


def texts(store: Store, date: str, **asked: object) -> list[str]:
    return [stored.fact.text for stored in store.facts(as_of=day(date), **asked)]


# what goes in comes out


def test_facts_and_events_come_with_a_document_and_tell_where_they_stand(store: Store) -> None:
    paged = replace(REPORT, blocks=(Block(0, 18, page=1), Block(20, len(TEXT), page=2)))
    put(store, paged, WINE, extracted=said(TARGET, TAKEOVER))
    (told,) = store.facts(as_of=LATE)
    assert (told.fact, told.subject, told.object, told.extractor) == (TARGET, "600001.SH", None, "fake/1")
    assert (told.known_at, told.until, told.contradicts) == (day("2024-03-15"), None, ())
    source = told.source
    assert (source.document, source.version, source.title, source.broker) == ("甲", 1, "周报", "霜桥证券")
    assert (source.page, source.passage, source.quote) == (1, "甲:1:0", "21.50 元")
    (happened,) = store.events(as_of=LATE)
    assert (happened.event, happened.object, happened.involved) == (
        TAKEOVER,
        "company:北溪电池",
        ("company:北溪电池",),
    )
    assert (happened.source.page, happened.source.passage, happened.source.quote) == (2, "甲:1:1", "收购北溪电池")


def test_everything_that_was_read_out_of_a_version_is_given_back(store: Store) -> None:
    rich = replace(
        TAKEOVER, roles=(Role("trigger", "收购", 22, 24),), valid_from=day("2024-01-01"), reasoning="\ud800", cause="因"
    )
    whole = said(TARGET, rich, pruned=(("no subject", 2),), failed=(1,), instruction_like=(0,))
    put(store, REPORT, WINE, extracted=whole)
    assert store.extracted("甲", 1, as_of=LATE) == (whole,)
    assert store.extracted("甲", 1, as_of=day("2024-03-14")) == store.extracted("乙", 1, as_of=LATE) == ()


def test_a_table_outside_all_passages_is_cited_without_a_passage(store: Store) -> None:
    put(store, REPORT, WINE, extracted=said(replace(TARGET, evidence=Evidence(0, 4))))
    (told,) = store.facts(as_of=LATE)
    assert (told.source.passage, told.source.quote) == ("", "蓝山酒业")


def test_a_place_outside_the_text_refuses_the_whole_document(store: Store) -> None:
    with pytest.raises(UsageError, match="outside the text"):
        put(store, REPORT, WINE, extracted=said(replace(TARGET, evidence=Evidence(0, 999))))
    assert (store.documents(as_of=LATE), store.facts(as_of=LATE)) == ([], [])


def test_what_is_said_twice_at_one_place_is_kept_once(store: Store) -> None:
    put(store, REPORT, WINE, extracted=said(TARGET, replace(TARGET, confidence=0.5), replace(TARGET, value=22.0)))
    assert [told.fact.value for told in store.facts(as_of=LATE)] == [21.5, 22.0]


def test_facts_are_asked_for_by_party_type_and_id(store: Store) -> None:
    put(store, REPORT, WINE, extracted=said(TARGET, fact(REPORT, BATTERIES, "key_products", "电池"), TAKEOVER))
    assert texts(store, "2030-01-01", entities=["600001.SH"]) == ["21.50 元"]
    assert texts(store, "2030-01-01", relations=["key_products", "no such"]) == ["电池"]
    assert texts(store, "2030-01-01", entities=["company:北溪电池"], relations=["target_price"]) == []
    assert texts(store, "2030-01-01", entities=[]) == texts(store, "2030-01-01", relations=[]) == []
    (told,) = store.facts(as_of=LATE, relations=["target_price"])
    assert store.facts(as_of=LATE, ids=[told.id, "event:nothing", "fact:00"]) == [told]
    (happened,) = store.events(as_of=LATE, entities=["company:北溪电池"], drivers=["strategic_action"])
    assert store.events(as_of=LATE, ids=[happened.id]) == [happened]
    assert store.events(as_of=LATE, ids=[told.id]) == store.events(as_of=LATE, drivers=["sales"]) == []


def test_ids_are_those_of_any_other_store_that_was_told_the_same(tmp_path: Path) -> None:
    other = report("乙", "北溪电池增长。", "2024-04-15")
    told = []
    arrivals = [(REPORT, said(TARGET, TAKEOVER)), (other, read_out(other, [BATTERIES]))]
    for name, order in enumerate(permutations(arrivals)):
        store = registry.load("stores", "embedded")(tmp_path / str(name))
        for document, extracted in order:
            put(store, document, WINE, extracted=extracted)
        told.append((store.facts(as_of=LATE), store.events(as_of=LATE), store.status().digest))
        store.close()
    assert told[0] == told[1]


# time


def test_a_fact_is_known_when_its_document_is_or_when_it_says(store: Store) -> None:
    later = replace(TARGET, value=23.0, known_at=day("2024-05-01"))
    earlier = replace(TARGET, value=24.0, known_at=day("2024-01-01"))
    put(store, REPORT, WINE, extracted=said(TARGET, later, earlier))
    assert store.facts(as_of=Instant(day("2024-03-15") - 1)) == []
    assert [told.fact.value for told in store.facts(as_of=day("2024-03-15"))] == [21.5, 24.0]
    assert [told.known_at for told in store.facts(as_of=day("2024-05-01"))] == [
        *[day("2024-03-15")] * 2,
        day("2024-05-01"),
    ]


def test_the_facts_of_a_version_are_read_until_the_next_is_known(store: Store) -> None:
    corrected = report("甲", TEXT.replace("21.50", "12.50"), "2024-04-15")
    put(store, REPORT, WINE, extracted=said(TARGET))
    put(store, corrected, WINE, extracted=said(fact(corrected, WINERY, "target_price", "12.50 元")))
    assert texts(store, "2024-04-14") == ["21.50 元"]
    assert texts(store, "2024-04-15") == ["12.50 元"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_two_copies_say_is_told_once_by_the_one_that_was_known_first(store: Store, order: tuple[int, ...]) -> None:
    copies = [REPORT, replace(REPORT, id="乙", metadata=replace(REPORT.metadata, published_at=day("2024-03-20")))]
    for at in order:
        put(store, copies[at], WINE, extracted=said(TARGET, TAKEOVER))
    for date in ("2024-03-15", "2024-03-20"):
        assert [told.source.document for told in store.facts(as_of=day(date))] == ["甲"]
    assert [told.source.document for told in store.events(as_of=LATE)] == ["甲"]
    store.forget("甲")
    assert [(told.source.document, told.known_at) for told in store.facts(as_of=LATE)] == [("乙", day("2024-03-20"))]
    assert store.facts(as_of=day("2024-03-19")) == []


def test_a_party_is_whoever_its_surface_means_at_the_date(store: Store) -> None:
    stated = fact(REPORT, party("蓝山"), "key_products", "蓝山酒业")
    put(store, REPORT, WINE, extracted=said(stated))
    put(store, report("乙", "简称蓝山。", "2024-06-01"), BRAND)
    for date, entity, other in (
        ("2024-05-31", "company:蓝山", "600001.SH"),
        ("2024-06-01", "600001.SH", "company:蓝山"),
    ):
        (told,) = store.facts(as_of=day(date), entities=[entity])
        assert (told.subject, store.facts(as_of=day(date), entities=[other])) == (entity, [])
        assert store.facts(as_of=day(date)) == [told]


def test_merges_count_at_every_date_and_for_every_name(store: Store) -> None:
    put(store, REPORT, WINE, extracted=said(TARGET, fact(REPORT, BATTERIES, "key_products", "电池")))
    store.merge("company:北溪电池", "600001.SH")
    assert len(store.facts(as_of=LATE, entities=["600001.SH"])) == 2
    assert len(store.facts(as_of=LATE, entities=["company:北溪电池"])) == 2
    assert {told.subject for told in store.facts(as_of=LATE)} == {"600001.SH"}
    store.split("company:北溪电池")
    assert texts(store, "2030-01-01", entities=["600001.SH"]) == ["21.50 元"]


# extractors


def test_an_extractor_replaces_what_it_said_before_and_no_other_does(store: Store) -> None:
    put(store, REPORT, WINE, extracted=said(TARGET))
    before = store.status()
    assert store.put_extracted("甲", 1, said(replace(TARGET, value=22.0), extractor="fake/2"))
    assert store.put_extracted("甲", 1, said(TAKEOVER, extractor="other/1"))
    assert [told.fact.value for told in store.facts(as_of=LATE)] == [22.0]
    assert [(e.extractor, len(e.facts), len(e.events)) for e in store.extracted("甲", 1, as_of=LATE)] == [
        ("fake/2", 1, 0),
        ("other/1", 0, 1),
    ]
    assert store.status().digest != before.digest
    (then,) = store.facts(as_of=LATE, sequence=before.sequence)
    assert (then.fact, then.extractor, store.events(as_of=LATE, sequence=before.sequence)) == (TARGET, "fake/1", [])
    assert not any(store.put_extracted(*absent, said(TARGET)) for absent in (("乙", 1), ("甲", 2)))


def test_a_replay_sees_carriers_and_names_as_they_were(store: Store) -> None:
    put(store, REPORT, WINE, extracted=said(TARGET, fact(REPORT, party("蓝山"), "key_products", "蓝山酒业")))
    sequence = store.status().sequence
    then = store.facts(as_of=LATE)
    earlier = replace(REPORT, id="丙", metadata=replace(REPORT.metadata, published_at=day("2024-01-01")))
    put(store, earlier, WINE, BRAND, extracted=said(TARGET))
    back_fill(store)
    assert [told.source.document for told in store.facts(as_of=LATE)] == ["丙"]
    assert store.facts(as_of=LATE, sequence=sequence) == then


def test_what_an_extractor_of_this_version_has_not_seen_can_be_listed(store: Store) -> None:
    put(store, REPORT, WINE, extracted=said(TARGET))
    put(store, report("乙", "产能。", "2024-04-01"))
    put(store, replace(REPORT, id="癸"), WINE)  # a copy that is never read
    assert store.unextracted("fake/1", limit=9) == [("乙", 1)]
    assert store.unextracted("fake/2", limit=9) == store.unextracted("llm/1", limit=9) == [("甲", 1), ("乙", 1)]
    assert store.unextracted("fake/2", limit=1) == [("甲", 1)]
    store.put_extracted("乙", 1, said())
    assert store.unextracted("fake/1", limit=9) == []


def test_a_version_of_which_passages_failed_is_told_until_they_are_read(store: Store) -> None:
    put(store, REPORT, WINE, extracted=replace(said(TARGET), failed=(0,)))
    assert store.failed("fake/1") == [("甲", 1)]
    assert store.failed("fake/2") == store.failed("llm/1") == []
    assert dict(store.status().counts)["failed_passages"] == 1
    store.put_extracted("甲", 1, said(TARGET))
    assert store.failed("fake/1") == []
    assert dict(store.status().counts)["failed_passages"] == 0


def test_a_document_that_comes_again_is_read_again_by_a_newer_extractor_only(store: Store) -> None:
    put(store, REPORT, WINE)
    put(store, REPORT, WINE, extracted=said(TARGET))
    sequence = store.status().sequence
    put(store, REPORT, WINE, extracted=said(replace(TARGET, value=1.0)))
    assert (store.status().sequence, [told.fact.value for told in store.facts(as_of=LATE)]) == (sequence, [21.5])
    put(store, REPORT, WINE, extracted=said(replace(TARGET, value=1.0), extractor="fake/2"))
    assert [told.fact.value for told in store.facts(as_of=LATE)] == [1.0]


# loss and counts


def test_facts_go_with_their_document(open_store: Open, tmp_path: Path) -> None:
    store = open_store()
    put(store, report("乙", "产能。", "2024-04-01"))
    empty = store.status()
    put(store, REPORT, WINE, extracted=said(TARGET, TAKEOVER))
    store.put_extracted("甲", 1, said(replace(TARGET, text="秘密字样"), extractor="fake/2"))
    counts = dict(store.status().counts)
    assert (counts["facts"], counts["events"]) == (1, 0)
    store.forget("甲")
    assert (store.facts(as_of=LATE), store.events(as_of=LATE)) == ([], [])
    assert (store.status().digest, store.status().counts) == (empty.digest, empty.counts)
    assert store.integrity() == []
    store.close()
    assert not any("秘密字样".encode() in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_an_absent_workspace_has_no_facts(store: Store) -> None:
    assert (store.facts(as_of=LATE, entities=["600001.SH"]), store.events(as_of=LATE)) == ([], [])
    assert (store.unextracted("fake/1", limit=3), store.reviews(), store.decisions()) == ([], [], [])


def test_what_was_read_out_of_some_documents_can_be_asked_for_and_which_came_last(store: Store) -> None:
    other = report("乙", TEXT + "\n\n又及。", "2024-03-16")
    put(store, REPORT, WINE, extracted=said(TARGET, TAKEOVER))
    assert store.unexamined() == ["甲"]
    with store.writing():
        store.note_examined(store.view(LATE).sequence)
    put(store, other, extracted=said(fact(other, WINERY, "target_price", "21.50 元", value=21.5, unit="元")))
    assert store.unexamined() == ["乙"]
    assert [told.source.document for told in store.facts(as_of=LATE, documents=["乙"])] == ["乙"]
    assert store.facts(as_of=LATE, documents=["甲"], entities=["600001.SH"])
    assert store.events(as_of=LATE, documents=["丙"]) == []
    store.put_extracted("甲", 1, replace(said(TARGET), extractor="fake/2"))
    assert store.unexamined() == sorted(["甲", "乙"])


# what people are asked


def question(id_: str = "q1", about: tuple[str, ...] = ("600001.SH",), asked: str = "2024-05-01") -> ReviewItem:
    payload = (("entity", "company:蓝山"), ("into", "600001.SH"))
    return ReviewItem(id_, "merge", about, "蓝山 = 蓝山酒业?", "merge them", payload, 0.7, day(asked))


def verdict(item: str, status: str = "accepted", **said: object) -> Decision:
    return replace(Decision(item, "accepted", day("2024-06-01")), status=status, **said)  # type: ignore[arg-type]


def test_the_same_doubt_is_asked_once(store: Store) -> None:
    assert store.add_reviews([question(), question("q2", asked="2024-04-01")]) == 2
    assert store.add_reviews([question(), question("q3")]) == 1
    assert store.reviews() == [question("q2", asked="2024-04-01"), question(), question("q3")]
    assert dict(store.status().counts)["open_reviews"] == 3


def test_a_decision_stands_until_it_is_taken_back_and_is_never_lost(store: Store) -> None:
    store.add_reviews([question(), question("q2")])
    edited = verdict("q1", "edited", edits=(("into", "600002.SH"),), note="because", by="lin")
    store.decide(edited)
    assert store.reviews(status="edited") == [replace(question(), status="edited")]
    assert [item.id for item in store.reviews(status="open")] == ["q2"]
    taken_back = replace(edited, undone_at=day("2024-07-01"), undone_by="mo")
    assert store.undo("q1", at=day("2024-07-01"), by="mo") == taken_back
    assert store.undo("q1", at=LATE) is None
    store.decide(verdict("q1", "rejected"))
    assert store.decisions("q1") == store.decisions() == [taken_back, verdict("q1", "rejected")]


def test_decisions_that_conflict_are_refused(store: Store) -> None:
    store.add_reviews([question()])
    store.decide(verdict("q1"))
    with pytest.raises(UsageError, match="already accepted"):
        store.decide(verdict("q1", "rejected"))
    with pytest.raises(NotFound):
        store.decide(verdict("q9"))
    store.undo("q1", at=LATE)
    with pytest.raises(UsageError, match="accepts, rejects or edits"):
        store.decide(verdict("q1", "open"))
    assert len(store.decisions()) == 1


@pytest.mark.parametrize("about", ["甲:1:0", "甲", "fact", "company:北溪电池"])
def test_of_what_is_forgotten_only_who_decided_when_is_kept(store: Store, about: str) -> None:
    put(store, REPORT, WINE, extracted=said(TARGET, TAKEOVER))
    put(store, report("乙", "蓝山酒业有产能。", "2024-04-01"), WINE)
    thing = store.facts(as_of=LATE)[0].id if about == "fact" else about
    store.add_reviews([question(about=(thing, "600001.SH")), question("q2"), question("q3", ("schema: any",))])
    store.decide(verdict("q1", edits=(("into", "蓝山"),), note="蓝山", by="lin"))
    store.forget("甲")
    gone, *kept = store.reviews()
    assert gone == replace(question(), about=(), question="", proposal="", payload=(), status="accepted")
    assert kept == [question("q2"), question("q3", ("schema: any",))]
    assert store.decisions() == [verdict("q1", by="lin")]
    put(store, REPORT, WINE, extracted=said(TARGET, TAKEOVER))
    store.add_reviews([question(about=(thing, "600001.SH"))])
    assert store.reviews(status="accepted") == [replace(question(about=(thing, "600001.SH")), status="accepted")]


def test_facts_of_any_kind_are_told_apart(store: Store) -> None:
    others = [
        replace(TARGET, subject=BATTERIES), replace(TARGET, relation="x"), replace(TARGET, text="x"),
        replace(TARGET, object=BATTERIES), replace(TARGET, period="2025"), replace(TARGET, basis="forecast"),
        replace(TARGET, unit="港元"), replace(TARGET, valid_to=LATE), replace(TARGET, evidence=Evidence(0, 4)),
    ]  # fmt: skip
    put(store, REPORT, WINE, extracted=said(TARGET, *others))
    assert len({told.id for told in store.facts(as_of=LATE)}) == 1 + len(others)
    assert {told.fact for told in store.facts(as_of=LATE)} == {TARGET, *others}


def test_a_fact_keeps_its_id_when_it_is_judged_again(store: Store) -> None:
    put(store, REPORT, WINE, extracted=said(TARGET))
    ((before,), judged) = store.facts(as_of=LATE), replace(TARGET, confidence=0.4, note="doubtful", status="corrected")
    store.put_extracted("甲", 1, said(judged, extractor="fake/2"))
    (after,) = store.facts(as_of=LATE)
    assert (after.id, after.fact) == (before.id, judged)
    assert isinstance(after.fact, Fact)
