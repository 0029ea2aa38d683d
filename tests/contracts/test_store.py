"""What every store does, whatever it is made of."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from finlore import registry
from finlore.errors import StoreBusy, UsageError
from finlore.ports import Store
from finlore.records.document import Document, Span
from finlore.records.index import passage_key
from finlore.records.names import FoundNames, Mention, SameName
from finlore.records.store import ScannedMentions
from tests.contracts.documents import (
    INGESTED,
    MODEL,
    back_fill,
    day,
    embed,
    found,
    put,
    report,
    searched,
    shipped,
    taught,
    vector_of,
)
from tests.contracts.readings import everything, of_view

LATE = day("2030-01-01")
Open = Callable[..., Store]
WINE = shipped("蓝山酒业", "600001.SH")
SHORT = taught("蓝山", "600001.SH")


@pytest.fixture(params=registry.names("stores"))
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens the same workspace, again and again."""
    return lambda **options: registry.load("stores", request.param)(tmp_path / "workspace", **options)


@pytest.fixture
def store(open_store: Open) -> Store:
    return open_store()


def texts(store: Store, date: str) -> list[str]:
    view = store.view(day(date))
    return sorted(p.text for p in store.passages(view.keys[view.alive].tolist(), as_of=view.as_of))


def entities(store: Store, date: str) -> dict[str, int]:
    view = store.view(day(date))
    return dict(zip(view.entity_ids, view.entity_counts.tolist(), strict=True))


# what goes in comes out


def test_an_absent_workspace_reads_as_an_empty_one_and_stays_absent(open_store: Open, tmp_path: Path) -> None:
    store = open_store()
    assert store.view(LATE).n_passages == 0
    assert (store.documents(as_of=LATE), store.passages([5], as_of=LATE), dict(store.surfaces(as_of=LATE))) == (
        [],
        [],
        {},
    )
    assert (store.without_vectors(MODEL, limit=5), list(store.name_scans()), store.status().sequence) == ([], [], 0)
    assert not (tmp_path / "workspace").exists()


def test_a_document_comes_back_as_it_was_put(store: Store) -> None:
    text = "标题\x00\x07\n\n收入增长\ud83d 12.5%。利润下降。"
    document = report("甲/\udcff", text, "2024-03-15", title="周报\ud800", analysts=("李四",), security="600001.SH")
    put(store, document)
    assert store.document(document.id, 1, as_of=LATE) == document
    (second,) = store.passages([passage_key(document.id, 1, 1)], as_of=LATE)
    assert (second.text, second.ordinal, second.id) == (text[6:], 1, f"{document.id}:1:1")
    assert (second.sentences, second.metadata) == (document.passages[1].sentences, document.metadata)
    assert (second.source, second.known_at) == (document.source, day("2024-03-15"))


def test_passages_come_in_the_order_asked_and_only_if_they_may_be_read(store: Store) -> None:
    put(store, report("甲", "一。\n\n二。", "2024-03-15"))
    put(store, report("乙", "三。", "2024-05-15"))
    keys = [passage_key(*place) for place in (("乙", 1, 0), ("甲", 1, 1), ("甲", 1, 0))]
    assert [p.text for p in store.passages([*keys, 77], as_of=day("2024-06-15"))] == ["三。", "二。", "一。"]
    assert [p.text for p in store.passages(keys, as_of=day("2024-04-15"))] == ["二。", "一。"]


def test_what_was_committed_is_there_when_the_workspace_is_opened_again(open_store: Open) -> None:
    first = open_store()
    put(first, report("甲", "蓝山酒业增长。", "2024-03-15"), WINE)
    first.close()
    assert entities(open_store(), "2024-06-15") == {"600001.SH": 1}


# identity and versions


def test_the_same_content_again_changes_nothing(store: Store) -> None:
    document = report("甲", "增长。", "2024-03-15")
    put(store, document)
    before = store.status()
    again = replace(document, metadata=replace(document.metadata, crawled_at=day("2024-04-01")))
    assert put(store, again).status == "unchanged"
    assert store.status() == before


def test_a_changed_text_is_a_new_version_known_from_its_own_later_date(store: Store) -> None:
    put(store, report("甲", "旧。", "2024-03-15"))
    result = put(store, report("甲", "新。", "2024-05-15"))
    assert (result.status, result.version, result.known_at) == ("new_version", 2, day("2024-05-15"))
    assert [texts(store, date) for date in ("2024-03-14", "2024-05-14", "2024-05-15")] == [[], ["旧。"], ["新。"]]
    assert store.passages([passage_key("甲", 1, 0)], as_of=day("2024-05-15")) == []


def test_a_changed_text_without_a_later_date_is_known_from_when_it_was_seen(store: Store) -> None:
    put(store, report("甲", "旧。", "2024-03-15"))
    assert put(store, report("甲", "新。", "2024-03-15"), ingested_at=day("2024-07-01")).known_at == day("2024-07-01")
    assert put(store, report("甲", "再新。", "2024-03-15"), ingested_at=day("2024-06-01")).known_at == day("2024-07-01")
    assert [texts(store, date) for date in ("2024-06-30", "2024-07-01")] == [["旧。"], ["再新。"]]


def test_a_changed_rating_is_a_new_version_of_the_same_text(store: Store) -> None:
    put(store, report("甲", "维持。", "2024-03-15", rating="买入"))
    put(store, report("甲", "维持。", "2024-05-15", rating="增持"))
    ratings = [[d.rating for d in store.documents(as_of=day(date))] for date in ("2024-04-15", "2024-06-15")]
    assert (ratings, texts(store, "2024-06-15")) == ([["买入"], ["增持"]], ["维持。"])


@pytest.mark.parametrize(
    ("published", "crawled", "known"),
    [
        ("2024-03-15", None, day("2024-03-15")),
        ("2024-03-15", "2024-02-01", day("2024-03-15")),
        ("2024-03-15", "2024-04-01", day("2024-04-01")),
        (None, None, INGESTED),
    ],
)
def test_a_document_is_known_from_its_date_or_a_later_crawl_else_from_ingestion(
    open_store: Open, published: str | None, crawled: str | None, known: int
) -> None:
    document = report("甲", "文。", published, crawled_at=None if crawled is None else day(crawled))
    assert put(open_store(), document).known_at == known


def test_the_strict_reading_trusts_no_printed_date(open_store: Open) -> None:
    store = open_store(known_by="ingestion")
    assert put(store, report("甲", "文。", "2024-03-15")).known_at == INGESTED


# copies of one text


def test_a_text_is_read_once_under_the_copy_known_earliest_whichever_came_first(open_store: Open) -> None:
    store = open_store()
    assert put(store, report("乙", "同文。", "2024-05-15")).status == "added"
    assert put(store, report("丙", "同文。", "2024-06-15")).reason == "乙"
    assert put(store, report("甲", "同文。", "2024-03-15")).status == "added"
    shown = {
        date: [(d.id, d.duplicate_of, d.n_passages) for d in store.documents(as_of=day(date))]
        for date in ("2024-04-15", "2024-05-16", "2024-06-16")
    }
    assert shown == {
        "2024-04-15": [("甲", None, 1)],
        "2024-05-16": [("甲", None, 1), ("乙", "甲", 0)],
        "2024-06-16": [("甲", None, 1), ("乙", "甲", 0), ("丙", "甲", 0)],
    }
    assert [texts(store, date) for date in ("2024-03-14", *shown)] == [[], ["同文。"], ["同文。"], ["同文。"]]


def test_when_the_copy_that_is_read_gets_a_new_version_another_takes_over(store: Store) -> None:
    put(store, report("甲", "同文。", "2024-03-15"))
    put(store, report("乙", "同文。", "2024-04-15"))
    put(store, report("甲", "改了。", "2024-05-15"))
    view = store.view(day("2024-05-15"))
    passages = store.passages(view.keys[view.alive].tolist(), as_of=view.as_of)
    assert sorted((p.document, p.text, p.known_at) for p in passages) == [
        ("乙", "同文。", day("2024-05-15")),
        ("甲", "改了。", day("2024-05-15")),
    ]
    assert texts(store, "2024-05-14") == ["同文。"]


def test_texts_that_say_the_same_are_copies_however_they_are_spaced(store: Store) -> None:
    put(store, replace(report("甲", "同 文。", "2024-03-15"), text_hash="5a"))
    assert put(store, replace(report("乙", "同文。", "2024-04-15"), text_hash="5a")).status == "duplicate"
    assert texts(store, "2024-06-15") == ["同 文。"]
    store.forget("甲")
    assert texts(store, "2024-06-15") == ["同文。"]


def test_documents_without_text_are_no_copies_of_each_other(store: Store) -> None:
    assert [put(store, replace(report(id_, "", "2024-03-15"), n_pages=3)).status for id_ in "甲乙"] == ["added"] * 2
    assert [d.duplicate_of for d in store.documents(as_of=LATE)] == [None, None]


# names


def test_a_shipped_name_is_known_from_its_listing_and_a_taught_one_from_its_document(store: Store) -> None:
    put(store, report("甲", "蓝山酒业增长。", "2024-03-15"), shipped("蓝山酒业", "600001.SH", day("2024-04-15")))
    put(store, report("乙", "简称蓝山。", "2024-05-15"), SHORT)
    known = [dict(store.surfaces(as_of=day(date))) for date in ("2024-04-14", "2024-04-15", "2024-05-15")]
    assert known == [{}, {"蓝山酒业": "600001.SH"}, {"蓝山酒业": "600001.SH", "蓝山": "600001.SH"}]


def test_a_name_that_needs_two_documents_is_known_from_the_second(store: Store) -> None:
    for id_, date in (("甲", "2024-03-15"), ("乙", "2024-05-15"), ("丙", "2024-04-15")):
        put(store, report(id_, f"简称蓝山，{id_}。", date), taught("蓝山", "600001.SH", needs=2))
    assert [len(store.surfaces(as_of=day(date))) for date in ("2024-04-14", "2024-04-15")] == [0, 1]


def test_a_new_name_reaches_older_text_from_when_both_are_known(store: Store) -> None:
    put(store, report("甲", "蓝山没有产能。", "2024-03-15"))
    put(store, report("乙", "简称蓝山。", "2024-05-15"), SHORT)
    assert back_fill(store) == 1
    assert [entities(store, date) for date in ("2024-05-14", "2024-05-15")] == [{}, {"600001.SH": 2}]


def test_a_new_document_is_searched_for_names_learnt_before_it(store: Store) -> None:
    put(store, report("乙", "简称蓝山。", "2024-03-15"), SHORT)
    back_fill(store)
    put(store, report("甲", "蓝山没有产能。", "2024-05-15"))
    assert back_fill(store) == 1
    assert entities(store, "2024-05-15") == {"600001.SH": 2}


def test_names_are_searched_for_in_contexts_and_through_mark_up(store: Store) -> None:
    text = "蓝**山没有产能。"
    marked = replace(report("甲", text, "2024-03-15", title="谈蓝山"), markup=(Span(1, 3, "markup"),))
    put(store, marked)
    put(store, report("乙", "简称蓝山。", "2024-03-15"), SHORT)
    assert back_fill(store) == 2
    view = store.view(day("2024-06-15"))
    sentences, counts, _ = view.entity_sentences(np.array([list(view.entity_ids).index("600001.SH")]))
    assert sorted(zip(view.sentence_ordinals[sentences].tolist(), counts.tolist(), strict=True)) == [
        (0, 1),
        (1, 1),
        (1, 1),
    ]
    assert entities(store, "2024-06-15") == {"600001.SH": 2}


def test_only_surfaces_that_documents_or_links_give_a_meaning_are_searched_for(store: Store) -> None:
    put(store, report("甲", "蓝山酒业与行业。", "2024-03-15"), WINE, guesses=["行业"])
    assert list(store.name_scans()) == []
    store.relate([SameName("蓝山股份", "蓝山酒业", 60)])
    assert [scan.surfaces for scan in store.name_scans()] == [("蓝山股份",)]


def test_an_interrupted_search_goes_on_where_it_stopped(open_store: Open) -> None:
    store = open_store()
    for number in range(3):
        put(store, report(f"甲{number}", "\n\n".join(["蓝山没有产能。"] * 900) + str(number), "2024-03-15"))
    put(store, report("乙", "简称蓝山。", "2024-03-15"), SHORT)
    done = next(store.name_scans())
    n_found = store.add_mentions(searched(done))
    again = open_store()
    rest = list(again.name_scans())
    assert {t.version_row for t in done.texts}.isdisjoint({t.version_row for scan in rest for t in scan.texts})
    assert n_found + sum(again.add_mentions(searched(scan)) for scan in rest) == 3 * 900
    assert list(again.name_scans()) == []


def test_a_search_of_what_was_forgotten_meanwhile_adds_nothing(store: Store) -> None:
    put(store, report("甲", "蓝山没有产能。", "2024-03-15"))
    put(store, report("乙", "简称蓝山。", "2024-03-15"), SHORT)
    late = [searched(scan) for scan in store.name_scans()]
    store.forget("甲")
    store.forget("乙")
    assert [store.add_mentions(scanned) for scanned in late] == [0] * len(late)
    assert entities(store, "2024-06-15") == {}


def test_the_same_name_under_another_form_is_the_same_entity(store: Store) -> None:
    legal = taught("蓝山股份有限公司", "company:蓝山股份有限公司", strength=20)
    put(store, report("甲", "蓝山股份有限公司公告。", "2024-03-15"), legal)
    put(store, report("乙", "蓝山酒业增长。", "2024-05-15"), WINE)
    assert store.relate([SameName("蓝山股份有限公司", "蓝山酒业", 80)]) == 1
    assert store.relate([SameName("蓝山股份有限公司", "蓝山酒业", 80)]) == 0
    assert [entities(store, date) for date in ("2024-05-14", "2024-05-15")] == [
        {"company:蓝山股份有限公司": 1},
        {"600001.SH": 2},
    ]


def test_a_merge_holds_at_every_date_until_it_is_taken_back(store: Store) -> None:
    put(store, report("甲", "蓝山酒业与北溪。", "2024-03-15"), WINE, taught("北溪", "company:北溪"))
    store.merge("company:北溪", "600001.SH")
    assert entities(store, "2024-06-15") == {"600001.SH": 1}
    with pytest.raises(UsageError):
        store.merge("600001.SH", "company:北溪")
    assert (store.split("company:北溪"), store.split("company:北溪")) == (True, False)
    assert entities(store, "2024-06-15") == {"600001.SH": 1, "company:北溪": 1}


def test_a_document_owns_its_subject(store: Store) -> None:
    put(store, report("甲", "蓝山酒业增长。", "2024-03-15"), WINE, subject="600001.SH")
    view = store.view(day("2024-06-15"))
    assert view.entity_ids[int(view.owners(np.array([0]))[0])] == "600001.SH"


# forgetting


def test_forgetting_leaves_what_a_store_holds_that_never_had_the_document(open_store: Open, tmp_path: Path) -> None:
    kept = [report("甲", "蓝山没有产能，蓝山酒业有。", "2024-03-15"), report("丙", "行业回升。", "2024-04-15")]
    gone = report("乙", "简称蓝山。北溪供货。", "2024-02-15")
    store = open_store()
    put(store, kept[0], WINE)
    put(store, gone, SHORT, taught("北溪", "300002.SZ"))
    put(store, replace(gone, text=gone.text + "补充。"), SHORT)
    put(store, kept[1])
    back_fill(store)
    embed(store)
    assert (store.forget("乙"), store.forget("乙")) == (2, 0)
    pure = type(store)(tmp_path / "pure")
    put(pure, kept[0], WINE)
    put(pure, kept[1])
    embed(pure)
    assert store.status().digest == pure.status().digest
    assert store.status().counts == pure.status().counts
    assert store.integrity() == []
    for date in ("2024-03-14", "2024-03-15", "2024-06-15"):
        read = everything(store, day(date), terms=["产能", "供货"], surfaces=["蓝山", "蓝山酒业", "北溪"])
        assert read == everything(pure, day(date), terms=["产能", "供货"], surfaces=["蓝山", "蓝山酒业", "北溪"])


def test_when_the_copy_that_is_read_is_forgotten_another_takes_its_place(store: Store) -> None:
    put(store, report("甲", "同文。", "2024-03-15"))
    put(store, report("乙", "同文。", "2024-05-15"))
    store.refresh()
    store.forget("甲")
    assert [texts(store, date) for date in ("2024-05-14", "2024-05-15")] == [[], ["同文。"]]


def test_a_forgotten_document_may_come_back(store: Store) -> None:
    put(store, report("甲", "旧。", "2024-03-15"))
    embed(store)
    store.forget("甲")
    assert put(store, report("甲", "新。", "2024-04-15")).version == 1
    assert (texts(store, "2024-06-15"), store.view(day("2024-06-15")).vectors(MODEL)) == (["新。"], None)


# vectors


def test_vectors_belong_to_visible_passages_and_are_asked_for_once(store: Store) -> None:
    put(store, report("甲", "一。\n\n二。", "2024-03-15"))
    put(store, report("乙", "三。", "2024-05-15"))
    put(store, report("丙", "三。", "2024-06-15"))
    assert sorted(text for _, text in store.without_vectors(MODEL, limit=9)) == ["一。", "三。", "二。"]
    assert store.n_without_vectors(MODEL) == 3
    assert (embed(store, limit=2), embed(store), embed(store)) == (2, 1, 0)
    for _ in range(2):
        held = store.view(day("2024-04-15")).vectors(MODEL)
        assert held is not None
        keys = store.view(day("2024-04-15")).keys[held[0]].tolist()
        assert sorted(keys) == sorted(passage_key("甲", 1, n) for n in (0, 1))
        assert [value.tobytes() for value in held[1]] == [vector_of(key).tobytes() for key in keys]
        store.refresh()


def test_vectors_of_unknown_passages_and_of_another_length_are_not_stored(store: Store) -> None:
    put(store, report("甲", "一。", "2024-03-15"))
    assert store.put_vectors(MODEL, {77: vector_of(77)}) == 0
    embed(store)
    with pytest.raises(UsageError):
        store.put_vectors(MODEL, {passage_key("甲", 1, 0): np.zeros(3, np.int8)})


# order, replay, locking


def test_the_digest_does_not_depend_on_the_order_of_arrival_or_the_time_of_ingestion(tmp_path: Path) -> None:
    store_type = registry.load("stores", registry.names("stores")[0])
    documents = [
        (report("甲", "蓝山没有产能。", "2024-03-15"), ()),
        (report("乙", "简称蓝山。", None), (SHORT,)),
        (report("丙", "蓝山没有产能。", "2024-02-15"), (WINE,)),
    ]
    digests = set()
    for number, order in enumerate(permutations(documents)):
        store = store_type(tmp_path / str(number))
        for document, aliases in order:
            put(store, document, *aliases, ingested_at=INGESTED + number)
            if number % 2:
                back_fill(store)
        back_fill(store)
        digests.add(store.status().digest)
        store.close()
    assert len(digests) == 1


def test_a_replay_reads_the_rows_of_its_sequence_number(store: Store) -> None:
    history = [
        lambda: put(store, report("乙", "蓝山没有产能。", "2024-04-15"), guesses=["产能"]),
        store.refresh,
        lambda: put(store, report("丙", "行业回升。", "2024-05-15"), subject="600001.SH"),
        lambda: put(store, report("乙", "蓝山有产能。", "2024-05-15")),
        lambda: embed(store),
        lambda: put(store, report("甲", "行业回升。", "2024-03-15"), WINE),
        lambda: put(store, report("丁", "简称蓝山。", "2024-03-15"), SHORT),
        lambda: back_fill(store),
        store.refresh,
        lambda: store.merge("600001.SH", "company:蓝山"),
        lambda: put(store, report("甲", "行业下行。", "2024-06-01"), taught("行业", "industry:行业")),
        lambda: back_fill(store),
        lambda: store.split("600001.SH"),
        lambda: put(store, report("戊", "行业回升。", "2024-01-15")),
        lambda: store.relate([SameName("行业", "蓝山", 90)]),
        store.refresh,
    ]
    read = {"terms": ["产能", "行业", "蓝山"], "surfaces": ["蓝山", "产能", "行业"]}
    seen = {}
    for step in history:
        step()
        for date in ("2024-04-20", "2024-07-15"):
            seen[store.view(day(date)).sequence, date] = of_view(store.view(day(date)), **read)
    for (sequence, date), expected in random.Random(5).sample(sorted(seen.items(), key=lambda s: s[0]), len(seen)):
        assert of_view(store.view(day(date), sequence=sequence), **read) == expected, (sequence, date)


def test_a_second_writer_is_refused_at_once_and_readers_are_not(open_store: Open) -> None:
    first, second = open_store(), open_store()
    put(first, report("甲", "一。", "2024-03-15"))
    with first.writing():
        put(first, report("乙", "二。", "2024-03-15"))
        with pytest.raises(StoreBusy):
            put(second, report("丙", "三。", "2024-03-15"))
        assert texts(second, "2024-06-15") == ["一。", "二。"]
    put(second, report("丙", "三。", "2024-03-15"))
    assert texts(first, "2024-06-15") == ["一。", "三。", "二。"]


def test_a_document_that_cannot_be_stored_leaves_nothing_behind(store: Store) -> None:
    put(store, report("甲", "一。", "2024-03-15"))
    before = store.status()
    broken = Document(**{**_fields(report("乙", "二。", "2024-03-15")), "n_pages": object()})
    with pytest.raises(Exception, match=r"type|bind"):
        store.put(broken, FoundNames((Mention(0, 1, 0, 1, "二"),), (SHORT,)), ingested_at=INGESTED)
    assert store.status() == before
    assert store.integrity() == []


def test_a_scan_may_find_nothing(store: Store) -> None:
    put(store, report("甲", "一。", "2024-03-15"))
    put(store, report("乙", "简称蓝山。", "2024-03-15"), SHORT)
    assert [store.add_mentions(ScannedMentions(scan, ())) for scan in store.name_scans()] == [0]
    assert list(store.name_scans()) == []


def test_a_mention_that_came_with_the_document_is_not_counted_again(store: Store) -> None:
    document = report("甲", "简称蓝山。蓝山没有产能。", "2024-03-15")
    put(store, document, SHORT)
    assert len(found(document, SHORT).mentions) == 2
    assert back_fill(store) == 0
    assert dict(store.status().counts)["mentions"] == 2


def _fields(document: Document) -> dict[str, object]:
    return {name: getattr(document, name) for name in Document.__dataclass_fields__}


def test_what_is_done_together_is_there_as_a_whole_or_not_at_all(store: Store, open_store: Open) -> None:
    put(store, report("甲", "蓝山酒业增长。", "2024-03-15"), WINE)
    before = store.status()

    def interrupted() -> None:
        with store.together():
            put(store, report("乙", "行业回升。", "2024-03-16"))
            assert len(store.documents(as_of=LATE)) == 2  # whoever writes sees it
            assert len(open_store().documents(as_of=LATE)) == 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.status() == before
    with store.together():
        put(store, report("乙", "行业回升。", "2024-03-16"))
        put(store, report("丙", "产能回升。", "2024-03-17"))
    assert texts(open_store(), "2024-03-17") == ["产能回升。", "蓝山酒业增长。", "行业回升。"]
