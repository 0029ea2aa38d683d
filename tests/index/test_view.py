from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.index.names import NameTable
from finlore.index.segment import Segment
from finlore.index.vectors import RowVectors
from finlore.index.view import IndexView
from finlore.ports import View
from finlore.records.index import DIRECT, OWNED, IndexedSentence, IndexRow, KnownName, name_list
from finlore.records.instant import ALWAYS, NEVER, Instant
from finlore.records.names import Entity

MAO, TAI = name_list("mao", "", ()), name_list("tai", "", ("mao tai",))


def row(key: int, *names: Mapping[str, int], known: int = 0, until: int = NEVER, words: Iterable[str] = ()) -> IndexRow:
    """A passage with an empty context sentence and one sentence for each count of name lists."""
    counts = dict.fromkeys(words, 1)
    sentences = (IndexedSentence(counts, {}), *(IndexedSentence(counts, held) for held in names))
    return IndexRow(key, Instant(known), sentences, Instant(until))


def name(surface: str, entity: str, strength: int = 80, known: int = ALWAYS) -> KnownName:
    return KnownName(surface, entity, "company", entity.upper(), strength, Instant(known))


def view(
    *parts: Sequence[IndexRow],
    names: Sequence[KnownName] = (),
    at: int = 9,
    until: Mapping[int, Instant] | None = None,
    replaced: frozenset[int] = frozenset(),
    merges: Mapping[str, str] | None = None,
    vectors: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
) -> IndexView:
    """`parts` are rows of segments: those of the last one alone stand in spite of `replaced`."""
    segments = [Segment.from_rows(rows) for rows in parts]
    return IndexView(
        segments,
        NameTable(names, [], merges or {}),
        as_of=Instant(at),
        sequence=3,
        until=until or {},
        replaced=replaced,
        vectors={
            model: [[RowVectors.of(segment, *held)] for segment in segments] for model, held in (vectors or {}).items()
        },
    )


def counts(found: View) -> dict[str, int]:
    return dict(zip(found.entity_ids, found.entity_counts.tolist(), strict=True))


def mentions(found: View) -> dict[tuple[int, str], int]:
    """(key, entity) -> mentions of every row."""
    entities, how_often, rows = found.row_entities(np.arange(len(found.keys)))
    return {
        (int(found.keys[row]), found.entity_ids[entity]): count
        for entity, count, row in zip(entities.tolist(), how_often.tolist(), rows.tolist(), strict=True)
    }


def test_rows_say_when_they_became_known_whichever_segment_holds_them() -> None:
    found = view([row(1, known=4), row(2, known=10)], [row(3, known=2)])
    assert dict(zip(found.keys.tolist(), found.known.tolist(), strict=True)) == {1: 4, 3: 2}


def test_it_is_a_view() -> None:
    found: View = view([row(1)])
    assert (found.as_of, found.sequence, found.n_passages) == (9, 3, 1)


def test_rows_count_from_their_known_time_until_their_end() -> None:
    rows = [row(1, known=2, until=5, words=["铜"])]
    assert [view(rows, at=at).n_passages for at in (1, 2, 4, 5)] == [0, 1, 1, 0]
    assert [len(view(rows, at=at).words("铜")[0]) for at in (1, 2, 4, 5)] == [0, 1, 1, 0]


def test_an_end_that_the_segment_was_not_told_counts_and_may_be_later_than_its_own() -> None:
    rows = [row(1, until=5), row(2)]
    assert view(rows, until={2: ALWAYS}, at=4).n_passages == 1
    assert view(rows, until={1: NEVER, 7: ALWAYS}).n_passages == 2


def test_a_row_written_anew_counts_once() -> None:
    found = view([row(1, words=["old"])], [row(1, words=["new"])], replaced=frozenset({1}))
    assert (found.n_passages, len(found.words("old")[0]), len(found.words("new")[0])) == (1, 0, 1)


def test_words_come_with_sentence_and_count_over_all_segments() -> None:
    first = IndexRow(5, Instant(0), (IndexedSentence({}, {}), IndexedSentence({"铜": 3}, {})))
    found = view([first], [row(4, known=-1, words=["铜"])])
    sentences, how_often = found.words("铜")
    assert found.keys[found.sentence_rows[sentences]].tolist() == [5, 4]
    assert (found.sentence_ordinals[sentences].tolist(), how_often.tolist()) == ([1, 0], [3, 1])
    assert found.words("锂")[0].tolist() == []


def test_a_name_without_alias_is_no_entity_until_the_alias_is_known() -> None:
    assert counts(view([row(1, {MAO: 1})])) == {}
    assert counts(view([row(1, {MAO: 1})], names=[name("mao", "x", known=5)], at=4)) == {}
    assert counts(view([row(1, {MAO: 1})], names=[name("mao", "x", known=5)], at=5)) == {"x": 1}


def test_a_guess_is_always_visible_and_means_itself_until_an_alias_knows_better() -> None:
    rows = [row(1, {name_list("mao", "person", ()): 2})]
    assert counts(view(rows)) == {"person:mao": 1}
    assert counts(view(rows, names=[name("mao", "x")])) == {"x": 1}


def test_a_nested_name_counts_while_no_longer_name_around_it_is_known() -> None:
    rows = [row(1, {TAI: 1, name_list("mao tai", "", ()): 1})]
    late = [name("tai", "short"), name("mao tai", "long", known=5)]
    assert counts(view(rows, names=late, at=4)) == {"short": 1}
    assert counts(view(rows, names=late, at=5)) == {"long": 1}


def test_a_guess_around_a_known_name_does_not_hide_it() -> None:
    rows = [row(1, {TAI: 1, name_list("mao tai", "organisation", ()): 1})]
    assert counts(view(rows, names=[name("tai", "short")])) == {"organisation:mao tai": 1, "short": 1}


def test_an_entity_is_the_union_of_its_lists_and_a_passage_counts_once() -> None:
    rows = [row(1, {MAO: 2, DIRECT + "x": 1}, {MAO: 1}), row(2, {OWNED + "x": 1}), row(3)]
    found = view(rows, names=[name("mao", "x")])
    assert counts(found) == {"x": 2}
    assert mentions(found) == {(1, "x"): 4, (2, "x"): 1}
    sentences, how_often, owners = found.entity_sentences(np.array([0, 0]))
    assert found.sentence_ordinals[sentences].tolist() == [1, 2, 1, 1, 2, 1]
    assert (how_often.tolist(), owners.tolist()) == ([3, 1, 1, 3, 1, 1], [0, 0, 0, 1, 1, 1])
    places, how_often, owners = found.entity_rows(np.array([0]))
    assert (found.keys[places].tolist(), how_often.tolist(), owners.tolist()) == ([1, 2], [4, 1], [0, 0])


def test_entities_of_sentences_come_in_the_order_asked() -> None:
    found = view([row(1, {DIRECT + "a": 1}, {DIRECT + "b": 2})])
    entities, how_often, places = found.sentence_entities(np.array([2, 0, 1, 2]))
    assert [found.entity_ids[entity] for entity in entities] == ["b", "a", "b"]
    assert (how_often.tolist(), places.tolist()) == ([2, 1, 2], [0, 2, 3])


def test_mentions_in_ended_rows_do_not_count() -> None:
    rows = [row(1, {DIRECT + "a": 1, DIRECT + "b": 1}), row(2, {DIRECT + "b": 1})]
    found = view(rows, until={1: Instant(5)})
    assert counts(found) == {"b": 1}
    assert mentions(found) == {(2, "b"): 1}
    assert found.sentence_entities(np.arange(4))[0].tolist() == [0]


def test_documents_own_their_subject() -> None:
    found = view([row(1, {DIRECT + "x": 1})], [IndexRow(2, Instant(0), (IndexedSentence({}, {OWNED + "x": 1}),))])
    assert found.owners(np.array([1, 0])).tolist() == [0, -1]
    rows, owners = found.owned_rows(np.array([0]))
    assert (found.keys[rows].tolist(), owners.tolist()) == ([2], [0])


def test_merged_entities_are_one_and_can_be_taken_apart() -> None:
    rows = [row(1, {DIRECT + "a": 1}), row(2, {name_list("mao", "person", ()): 1})]
    assert counts(view(rows, merges={"person:mao": "a"})) == {"a": 2}
    assert counts(view(rows)) == {"a": 1, "person:mao": 1}


def test_lookup_finds_aliases_and_guesses_that_are_mentioned() -> None:
    names = [name("mao", "x"), name("600000", "x"), name("absent", "y"), name("late", "x", known=20)]
    guesses = {name_list("li", "person", ()): 1, name_list("li", "company", ()): 1}
    found = view([row(1, {MAO: 1}), row(2, guesses), row(3, {name_list("li", "person", ()): 1})], names=names)
    assert {surface: found.entity_ids[entity] for surface, entity in found.lookup(
        ["mao", "600000", "absent", "late", "li", "nobody"]
    ).items()} == {"mao": "x", "600000": "x", "li": "person:li"}  # fmt: skip


def test_an_entity_tells_its_aliases_strongest_first() -> None:
    names = [name("mao", "x", 20), name("600000", "x", 100, known=3), name("late", "x", known=20), name("mt", "y")]
    found = view([row(1, {MAO: 1})], names=names)
    assert found.entity(0) == Entity("x", "X", "company", ("600000", "mao"), ALWAYS, 1)


def test_a_guess_is_known_from_the_first_passage_that_makes_it() -> None:
    guess = {name_list("li", "person", ()): 1}
    found = view([row(1, guess, known=4)], [row(2, guess, known=2), row(3, guess, known=1, until=2)])
    assert found.entity(0) == Entity("person:li", "li", "person", ("li",), Instant(2), 2)


def test_vectors_are_those_of_visible_rows() -> None:
    keys, values = np.array([3, 1, 2, 8]), np.arange(8, dtype=np.int8).reshape(4, 2)
    found = view([row(1), row(2, known=20)], [row(3)], vectors={"m": (keys, values)})
    vectors = found.vectors("m")
    assert vectors is not None
    found_keys = found.keys[vectors[0]].tolist()
    assert dict(zip(found_keys, map(np.ndarray.tolist, vectors[1]), strict=True)) == {3: [0, 1], 1: [2, 3]}
    assert found.vectors("other") is None


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=9), st.data())
def test_any_range_of_vectors_is_read_from_wherever_they_lie(places: list[tuple[int, bool]], data) -> None:
    parts = [[row(key, until=0 if ended else NEVER) for key, (at, ended) in enumerate(places) if at == part]
             for part in range(3)]  # fmt: skip
    keys = np.arange(len(places))
    found = view(*parts, vectors={"m": (keys, keys[:, None].astype(np.int8))}).vectors("m")
    if found is None:
        assert all(ended for _, ended in places)
        return
    whole = [int(vector[0]) for vector in found[1]]
    low, high = sorted(data.draw(st.integers(0, len(whole))) for _ in range(2))
    assert found[1][low:high].ravel().tolist() == whole[low:high]
    assert sorted(whole) == [key for key, (_, ended) in enumerate(places) if not ended]


def test_vectors_in_the_order_of_rows_are_not_copied() -> None:
    values = np.zeros((3, 2), np.int8)
    segment = Segment.from_rows([row(1, known=1), row(2, known=2), row(3, known=20)])
    held = RowVectors(np.arange(3), values)
    vectors = IndexView(
        [segment], NameTable([], [], {}), as_of=Instant(9), sequence=1, until={}, replaced=frozenset(),
        vectors={"m": [[held]]},
    ).vectors("m")  # fmt: skip
    assert vectors is not None
    assert (len(vectors[1]), np.shares_memory(vectors[1][:2], values)) == (2, True)


def test_a_row_that_stands_for_nothing_is_not_revived_by_an_end_of_its_key() -> None:
    dead = Segment.from_rows([row(1, words=["old"])]).ending({1: ALWAYS})
    segments = [dead, Segment.from_rows([row(1, words=["new"])]), Segment.from_rows([])]
    found = IndexView(
        segments, NameTable([], [], {}), as_of=Instant(9), sequence=1, until={1: NEVER}, replaced=frozenset()
    )
    assert (found.n_passages, len(found.words("old")[0])) == (1, 0)
    assert dead.ending({1: NEVER}) is dead


def test_an_empty_view_answers_everything_with_nothing() -> None:
    found = view([])
    nothing = np.zeros(0, np.int64)
    assert (found.n_passages, list(found.entity_ids), found.lookup(["mao"])) == (0, [], {})
    for answer in (
        found.words("铜"),
        found.row_entities(nothing),
        found.entity_rows(nothing),
        found.owned_rows(nothing),
    ):
        assert [len(column) for column in answer] == [0] * len(answer)


def test_views_of_one_table_over_growing_segments_agree() -> None:
    """The table numbers what segments speak of as they come; no view sees the difference."""
    names = NameTable([name("mao", "x")], [], {})
    first, second = (Segment.from_rows([row(key, {DIRECT + f"e{key}": 1, MAO: 1})]) for key in (1, 2))
    options = {"as_of": Instant(9), "sequence": 1, "until": {}, "replaced": frozenset()}
    early = IndexView([second], names, **options)
    IndexView([first, second], names, **options)
    assert counts(early) == counts(IndexView([second], names, **options)) == {"e2": 1, "x": 1}
