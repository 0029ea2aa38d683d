"""What keeps the cost of a document the same in a large store changes nothing of what is found."""

from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.adapters.store_embedded import backfill
from finlore.adapters.store_embedded.store import EmbeddedStore
from finlore.adapters.store_embedded.traces import RULES, may_hold, trace
from finlore.graph.learn import same_names
from finlore.graph.spread import searched_as, spread_names
from finlore.records.instant import NEVER, Instant
from finlore.records.names import SameName
from tests.contracts.documents import put, report, shipped, taught

TEXT = st.text(alphabet="骊阡新材公司ab1 .\ud800", max_size=30)
LEGAL, SHORT = "临江骊阡新材料股份有限公司", "骊阡新材"
SURFACES = [
    LEGAL,
    SHORT,
    "骊阡新",
    "骊阡（临江）新材料有限公司",
    "青禾骊阡新材料有限公司",
    "骊阡材料",
    "临江骊阡",
    "ltd",
]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore(tmp_path / "workspace")
    yield opened
    opened.close()


def links(store: EmbeddedStore) -> set[SameName]:
    with store._database.snapshot() as db:
        rows = db.execute(
            "SELECT a.string, b.string, l.strength, l.unlisted_only FROM link l JOIN surface a ON a.id = l.surface"
            " JOIN surface b ON b.id = l.via"
        ).fetchall()
    return {SameName(a.decode(), b.decode(), strength, bool(only)) for a, b, strength, only in rows}


def teach(store: EmbeddedStore, number: int, *surfaces: str) -> None:
    """A document that teaches these names; every second one is shipped."""
    aliases = [
        taught(s, f"company:{s}") if SURFACES.index(s) % 2 else shipped(s, f"60000{number}.SH") for s in surfaces
    ]
    put(store, report(f"文{number}", f"{'，'.join(surfaces)}。第{number}篇。", "2024-03-15"), *aliases)


@given(TEXT, TEXT, TEXT)
def test_a_trace_never_rules_out_what_stands_in_the_text(before: str, surface: str, after: str) -> None:
    traces = [(1, trace([before, f"{after}{surface}{before}"])), (2, trace([])), (3, trace([surface]))]
    assert set(may_hold(traces, [surface])) == {1, 2, 3}


def test_a_trace_rules_out_nearly_all_else() -> None:
    traces = [(at, trace([f"公司第{at}期产能{at * 7919}吨，毛利率上升。"])) for at in range(1_000)]
    assert len(list(may_hold(traces, ["骊阡新材", "larkfield mills"]))) < 20


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(alphabet="骊阡新材ab", min_size=1, max_size=4), unique=True), TEXT)
def test_what_stands_in_a_text_is_found_without_reading_all_names(
    tmp_path_factory: pytest.TempPathFactory, surfaces: list[str], text: str
) -> None:
    store = EmbeddedStore(tmp_path_factory.mktemp("store"))
    put(store, report("文", "一。", "2024-03-15"), *[taught(surface, "company:x") for surface in surfaces])
    with store._database.snapshot() as db:
        assert backfill.standing_in(db, [text]) == tuple(sorted(s for s in surfaces if s in text))
    store.close()


@settings(deadline=None, max_examples=25)
@given(st.permutations(SURFACES), st.lists(st.integers(1, 3), min_size=8, max_size=8), st.booleans())
def test_names_related_as_they_come_are_linked_as_if_they_had_come_together(
    tmp_path_factory: pytest.TempPathFactory, order: list[str], sizes: list[int], is_forgetful: bool
) -> None:
    store = EmbeddedStore(tmp_path_factory.mktemp("store"))
    rest = iter(order)
    for number, size in enumerate(sizes):
        if batch := [surface for surface, _ in zip(rest, range(size), strict=False)]:
            teach(store, number, *batch)
        if number % 2:
            list(spread_names(store))
        if number == 3 and is_forgetful:
            store.forget("文1")
    list(spread_names(store))
    assert links(store) == set(same_names(store.surfaces(as_of=Instant(NEVER - 1))))
    assert store.unrelated() == ([], [])
    store.close()


def test_only_names_with_the_same_brand_are_looked_at_again(store: EmbeddedStore) -> None:
    for number, surface in enumerate([LEGAL, "青禾骊阡新材料有限公司", "北岭电池有限公司", "北岭电池"]):
        put(store, report(f"文{number}", f"{surface}。", "2024-03-15"), taught(surface, f"company:{surface}"))
    store.relate([], seen=store.unrelated()[0])
    put(store, report("新", f"{SHORT}。", "2024-03-15"), taught(SHORT, "company:new"))
    assert store.unrelated() == ([SHORT], [LEGAL, "青禾骊阡新材料有限公司"])


def test_older_texts_that_cannot_hold_a_new_name_are_not_read_again(store: EmbeddedStore) -> None:
    put(store, report("甲", "蓝山没有产能。", "2024-03-15"))
    put(store, report("乙", "北溪扩产，毛利率上升。", "2024-03-15"), taught("北溪", "company:北溪"))
    list(spread_names(store))
    put(store, report("丙", "简称蓝山。", "2024-03-15"), taught("蓝山", "company:蓝山"))
    rows = [text.version_row for scan in store.name_scans() for text in scan.texts]
    assert sorted(rows) == [1, 3]
    assert store.status().problems != ()
    list(spread_names(store))
    assert (list(store.name_scans()), store.status().problems) == ([], ())


def test_a_new_text_is_searched_for_the_names_that_stand_in_it(store: EmbeddedStore) -> None:
    names = [taught(f"名{chr(0x4E00 + at)}", f"company:{at}") for at in range(100)]
    put(store, report("甲", "一。", "2024-03-15"), *names)
    list(spread_names(store))
    put(store, report("乙", "问名丁。", "2024-03-15"))
    assert [scan.surfaces for scan in store.name_scans()] == [("名丁",)]
    assert [scan.surfaces for scan in store.name_scans(lambda sentence: ["名一", "名水"])] == [("名一",)]


def test_a_trace_made_by_other_rules_rules_nothing_out() -> None:
    made = trace(["毛利率上升。"])
    older = [made[1:], bytes([made[0] ^ 1]) + made[1:], b"\xff" * 15]
    assert list(may_hold([(0, made), *enumerate(older, 1)], ["骊阡新材"])) == [1, 2, 3]


def test_the_rules_of_traces_change_when_a_text_leaves_another_trace() -> None:
    """Then what stands in a store would rule out what it must not: change `RULES` with the expected hash."""
    sentences = ["骊阡（３０１９９９）的ＡＩ芯片", "Larkfield's “Mills”, straße 12.5%", "𠮷野家、Ｃａｆé ｱ", "ﬁnance"]
    left = trace([form for sentence in sentences for form in searched_as(sentence)])
    assert (RULES, crc32(left)) == (2, 4242289268)
