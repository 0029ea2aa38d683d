from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.errors import StoreDamaged
from finlore.index.arrays import counts_of, numbers_of
from finlore.index.merge import ROWS_AT_A_TIME, few, joined, merged
from finlore.index.segment import Segment
from finlore.index.strings import Strings
from finlore.records.index import IndexedSentence, IndexRow
from finlore.records.instant import ALWAYS, NEVER, Instant

COUNTS = st.dictionaries(st.sampled_from(["铜", "锂", "a", "ab", "~supply", "長"]), st.integers(1, 20), max_size=4)
SENTENCES = st.builds(IndexedSentence, COUNTS, COUNTS)
ROWS = st.lists(
    st.builds(
        IndexRow,
        st.integers(0, 2**62),
        st.integers(-3, 3).map(Instant),
        st.lists(SENTENCES, min_size=1, max_size=3).map(tuple),
        st.sampled_from([NEVER, Instant(2)]),
        st.integers(0, 1),
    ),
    max_size=8,
    unique_by=lambda row: row.key,
)


def contents(segment: Segment) -> list[tuple[str, bytes]]:
    """Type and bytes of every array."""
    columns = ("keys", "known", "until", "languages", "lengths", "sizes", "name_sizes", "names_in")
    arrays = [getattr(segment, name) for name in columns]
    for held in (segment.words, segment.names):
        arrays += [held.strings.blob, held.strings.sizes, held.sizes, held.posts]
    return [(str(array.dtype), array.tobytes()) for array in arrays]


@settings(deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_rows_are_sorted_by_known_time_and_key(rows: list[IndexRow], random) -> None:
    segment = Segment.from_rows(random.sample(rows, len(rows)))
    expected = sorted(rows, key=lambda row: (row.known, row.key))
    assert segment.keys.tolist() == [row.key for row in expected]
    assert segment.known.tolist() == [row.known for row in expected]
    assert segment.until.tolist() == [row.until for row in expected]
    assert segment.sizes.tolist() == [len(row.sentences) for row in expected]


@settings(deadline=None)
@given(ROWS)
def test_every_list_holds_its_sentences_in_order_and_both_directions_agree(rows: list[IndexRow]) -> None:
    segment = Segment.from_rows(rows)
    ordered = sorted(rows, key=lambda row: (row.known, row.key))
    sentences = [sentence for row in ordered for sentence in row.sentences]
    for kind, held in (("words", segment.words), ("names", segment.names)):
        lists = {
            string: list(zip(numbers_of(held.of(at)).tolist(), counts_of(held.of(at)).tolist(), strict=True))
            for at, string in enumerate(held.strings)
        }
        expected: dict[str, list[tuple[int, int]]] = {}
        for number, sentence in enumerate(sentences):
            for string, count in getattr(sentence, kind).items():
                expected.setdefault(string, []).append((number, min(count, 15)))
        assert lists == expected
    for number, sentence in enumerate(sentences):
        posts = segment.names_in[segment.name_starts[number] : segment.name_starts[number + 1]]
        found = dict(zip(numbers_of(posts).tolist(), counts_of(posts).tolist(), strict=True))
        assert {segment.names.strings[at]: count for at, count in found.items()} == {
            string: min(count, 15) for string, count in sentence.names.items()
        }


def test_lengths_count_words_and_no_relation_marks() -> None:
    row = IndexRow(1, Instant(0), (IndexedSentence({"铜": 2}, {}), IndexedSentence({"锂": 1, "~supply": 3}, {"x": 9})))
    assert Segment.from_rows([row]).lengths.tolist() == [3]


@settings(deadline=None)
@given(ROWS, st.data())
def test_segments_merged_are_the_bytes_of_one_build(rows: list[IndexRow], data) -> None:
    cut = data.draw(st.integers(0, len(rows)))
    whole = merged([Segment.from_rows(rows[:cut]), Segment.from_rows(rows[cut:])])
    assert contents(whole) == contents(Segment.from_rows(rows))


@settings(deadline=None)
@given(ROWS, st.data())
def test_dropped_rows_leave_nothing_behind(rows: list[IndexRow], data) -> None:
    dropped = {row.key: ALWAYS for row in rows if data.draw(st.booleans())}
    cut = data.draw(st.integers(0, len(rows)))
    parts = [Segment.from_rows(part).ending(dropped) for part in (rows[:cut], rows[cut:])]
    rest = Segment.from_rows(row for row in rows if row.key not in dropped)
    assert contents(merged(parts, chunk=3)) == contents(rest)


@settings(deadline=None)  # it writes files
@given(ROWS, st.data())
def test_of_a_segment_that_is_thinned_out_it_is_told_which_name_lists_stay(rows: list[IndexRow], data) -> None:
    whole = Segment.from_rows(rows)
    dropped = {row.key: ALWAYS for row in rows if data.draw(st.booleans())}
    with TemporaryDirectory() as folder:
        thin, (lists,) = joined([whole.ending(dropped)], folder=Path(folder), chunk=data.draw(st.integers(1, 9)))
        assert contents(thin) == contents(Segment.from_rows(row for row in rows if row.key not in dropped))
    assert [whole.names.strings[at] for at in np.flatnonzero(lists >= 0)] == list(thin.names.strings)


@settings(deadline=None)  # it writes files
@given(ROWS, st.data())
def test_a_merge_into_a_folder_in_small_ranges_writes_the_same_bytes(rows: list[IndexRow], data) -> None:
    n_parts, chunk = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 9))
    parts = [Segment.from_rows(rows[at::n_parts]) for at in range(n_parts)]
    with TemporaryDirectory() as folder:
        assert contents(merged(parts, folder=Path(folder), chunk=chunk)) == contents(Segment.from_rows(rows))


def test_many_rows_merge_range_by_range() -> None:
    rows = [
        IndexRow(key, Instant(key % 5), (IndexedSentence({f"w{key * n % 13}": 1 for n in range(1, 6)}, {"x": 1}),))
        for key in range(2 * ROWS_AT_A_TIME + 5)
    ]
    parts = [Segment.from_rows(rows[at::3]).ending({rows[0].key: ALWAYS}) for at in range(3)]
    assert contents(merged(parts, chunk=5_000)) == contents(Segment.from_rows(rows[1:]))


def test_many_segments_become_few_and_no_row_moves_often() -> None:
    def join(several: Sequence[tuple[int, int]]) -> tuple[int, int]:
        return sum(size for size, _ in several), 1 + max(moves for _, moves in several)

    found = few([(1, 0)] * 1000, join)
    assert (sum(size for size, _ in found), max(moves for _, moves in found)) == (1000, 2)
    assert len(found) == 1000 // 256 + 1000 % 256 // 16 + 1000 % 16


def test_a_row_written_anew_takes_the_place_of_the_old_one() -> None:
    old, new = (IndexRow(1, Instant(0), (IndexedSentence({word: 1}, {}),)) for word in ("old", "new"))
    whole = merged([Segment.from_rows([old]).ending({1: ALWAYS}), Segment.from_rows([new])])
    assert (whole.keys.tolist(), list(whole.words.strings)) == ([1], ["new"])


def test_ends_are_written_into_rows_and_unknown_keys_passed_over() -> None:
    segment = Segment.from_rows([IndexRow(1, Instant(0), (IndexedSentence({}, {}),))])
    ended = segment.ending({1: Instant(5), 2: Instant(6)})
    assert (ended.until.tolist(), segment.until.tolist()) == ([5], [NEVER])
    assert segment.ending({2: Instant(6)}) is segment


@settings(deadline=None)
@given(st.sets(st.integers(0, 300), max_size=200), st.lists(st.integers(0, 300), max_size=4, unique=True))
def test_few_and_many_keys_are_found_alike(held: set[int], asked: list[int]) -> None:
    segment = Segment.from_rows(IndexRow(key, Instant(-key % 7), (IndexedSentence({}, {}),)) for key in held)
    rows = {key: row for row, key in enumerate(segment.keys.tolist())}
    for keys in (asked, asked + [key + 1_000 for key in range(200)]):
        assert segment.rows_of(np.array(keys, np.int64)).tolist() == [rows.get(key, -1) for key in keys]


def test_a_saved_segment_reads_back_from_its_files(tmp_path: Path) -> None:
    rows = [IndexRow(key, Instant(-key), (IndexedSentence({"铜": key}, {"x": 1, "y": 2}),)) for key in (1, 5, 9)]
    Segment.from_rows(rows).save(tmp_path)
    loaded = Segment.load(tmp_path)
    assert contents(loaded) == contents(Segment.from_rows(rows))
    assert loaded.rows_of(np.array([1, 5, 9, 4])).tolist() == [2, 1, 0, -1]


def test_no_rows_are_a_segment_too(tmp_path: Path) -> None:
    Segment.from_rows([]).save(tmp_path)
    assert contents(Segment.load(tmp_path)) == contents(merged([]))


def test_an_incomplete_or_foreign_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreDamaged, match="not a complete index"):
        Segment.load(tmp_path)
    Segment.from_rows([]).save(tmp_path)
    (tmp_path / "format.json").write_text('{"format": 0}')
    with pytest.raises(StoreDamaged, match="another format"):
        Segment.load(tmp_path)


@settings(deadline=None)
@given(st.sets(st.text(max_size=4)), st.text(max_size=3))
def test_strings_are_found_by_bisection_and_by_prefix(held: set[str], prefix: str) -> None:
    ascending = sorted(held)
    strings = Strings.of(ascending)
    assert list(strings) == ascending
    assert [strings.find(string) for string in ascending] == list(range(len(ascending)))
    assert prefix in held or strings.find(prefix) == -1
    assert strings[:] == ascending
    assert [strings[at] for at in strings.starting(prefix)] == [s for s in ascending if s.startswith(prefix)]
