import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.index.cues import RelationCues
from finlore.records.answer import Method
from finlore.retrieve.dense import quantised
from finlore.retrieve.search import Found, retrieve
from tests.retrieve.fake_view import FakeView, passage
from tests.retrieve.market import CUES, KINDS, MARKS, NAMES, ROWS, market

CHAIN = "瑚海电池的供应方的控股方的董事长是谁？"


def search(question: str, *, method: Method = "graph", view: FakeView | None = None, top: int = 10) -> Found:
    return retrieve(view or market(), question, cues=CUES, method=method, top=top)


def test_a_question_of_three_steps_finds_all_three_passages() -> None:
    assert {ranked.key for ranked in search(CHAIN, top=4).ranked} >= {11, 12, 13}


def test_words_alone_do_not() -> None:
    assert not {ranked.key for ranked in search(CHAIN, method="text", top=4).ranked} >= {11, 12, 13}


def test_the_path_tells_the_names_and_sentences_that_link() -> None:
    best = search(CHAIN).paths[0]
    assert best.sentences == ((11, 1), (12, 1), (13, 1))
    assert best.entities == ("300001.SZ", "company:岭南锂材", "company:青禾集团")


def test_a_sentence_about_the_company_speaks_of_the_subject_of_its_document() -> None:
    assert search("瑚海电池的毛利率是多少？").ranked[0].key == 14


def test_two_conditions_meet_in_the_name_that_meets_both() -> None:
    names = {name: f"company:{name}" for name in ("瑚海电池", "青禾集团", "岭南锂材", "东湖设备", "西山材料")}
    rows = [
        passage(1, "东湖设备供应瑚海电池。", names=names, marks=MARKS),
        passage(2, "岭南锂材供应瑚海电池。", names=names, marks=MARKS),
        passage(3, "西山材料控股青禾集团。", names=names, marks=MARKS),
        passage(4, "岭南锂材控股青禾集团。", names=names, marks=MARKS),
    ]
    found = retrieve(FakeView(rows, names), "谁既供应瑚海电池，又控股青禾集团？", cues=CUES, method="graph")
    assert {key for key, _ in found.paths[0].sentences} == {2, 4}


def test_a_relation_is_not_stated_where_one_name_stands_alone() -> None:
    first = search("瑚海电池的控股方是谁？").paths[0]
    assert (14, 2) not in first.sentences[:1]


def test_a_sentence_is_not_used_twice_in_one_chain() -> None:
    assert all(len(set(path.sentences)) == len(path.sentences) for path in search(CHAIN).paths)


@pytest.mark.parametrize("method", ["text", "dense", "graph", "auto"])
def test_the_only_passage_of_a_workspace_is_found(method: Method) -> None:
    view = FakeView([passage(1, "瑚海电池扩产。", names=NAMES, vector=(0.6, 0.8))], NAMES)
    vector = quantised(np.array([0.6, 0.8], np.float32))
    found = retrieve(view, "瑚海电池扩产了吗？", cues=CUES, method=method, model="m", query_vector=vector)
    assert [ranked.key for ranked in found.ranked] == [1]


def test_superseded_passages_are_never_returned() -> None:
    rows = [passage(12, "青禾集团控股岭南锂材。", names=NAMES, marks=MARKS, alive=False), *ROWS[2:], ROWS[0]]
    for method in ("text", "graph", "auto"):
        assert 12 not in {ranked.key for ranked in search(CHAIN, method=method, view=market(rows)).ranked}


def test_known_and_unknown_names_are_told() -> None:
    found = search("云岭光学股份有限公司由瑚海电池控股吗？")
    assert found.entities == ("300001.SZ",)
    assert found.unknown_names == ("云岭光学股份有限公司",)


@pytest.mark.parametrize("question", ["", "？", "的", "瑚海电池", "zzzz", "#", "\ud800", "a" * 2000, "瑚" * 500])
@pytest.mark.parametrize("method", ["text", "dense", "graph", "auto"])
def test_any_question_is_answered_with_something_or_nothing(question: str, method: Method) -> None:
    assert len(search(question, method=method).ranked) <= len(ROWS)


def test_an_empty_store_finds_nothing() -> None:
    assert search(CHAIN, view=FakeView([], {})).ranked == ()


def test_vectors_join_the_first_stage_where_they_exist() -> None:
    view = FakeView([passage(1, "alpha", names={}, vector=(1, 0)), passage(2, "beta", names={}, vector=(0, 1))], {})
    query = quantised(np.array([0, 1], np.float32))
    found = retrieve(view, "alpha", cues=RelationCues({}), method="auto", model="m", query_vector=query)
    assert dict(found.ranked[0].parts).keys() == {"text", "dense"}
    dense = retrieve(view, "alpha", cues=RelationCues({}), method="dense", model="m", query_vector=query)
    assert [ranked.key for ranked in dense.ranked][:1] == [2]


@settings(deadline=None)
@given(st.permutations(range(len(ROWS))), st.sampled_from([CHAIN, "供应充足的是谁？", "青禾集团和东湖设备的董事长？"]))
def test_the_order_of_rows_changes_no_bit(order: list[int], question: str) -> None:
    shuffled = FakeView([ROWS[place] for place in order], NAMES, kinds=KINDS)
    assert search(question, view=shuffled) == search(question)
