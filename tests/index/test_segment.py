from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.errors import StoreDamaged
from finlore.index import postings
from finlore.index.arrays import counts_of, numbers_of
from finlore.index.segment import Segment
from finlore.index.strings import Strings
from finlore.records.index import IndexedSentence, IndexRow
from finlore.records.instant import NEVER, Instant

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


@given(ROWS, st.randoms(use_true_random=False))
def test_rows_are_sorted_by_known_time_and_key(rows: list[IndexRow], random) -> None:
    segment = Segment.from_rows(random.sample(rows, len(rows)))
    expected = sorted(rows, key=lambda row: (row.known, row.key))
    assert segment.keys.tolist() == [row.key for row in expected]
    assert segment.known.tolist() == [row.known for row in expected]
    assert segment.until.tolist() == [row.until for row in expected]
    assert segment.sizes.tolist() == [len(row.sentences) for row in expected]


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


@given(ROWS, st.data())
def test_segments_merged_are_the_bytes_of_one_build(rows: list[IndexRow], data) -> None:
    cut = data.draw(st.integers(0, len(rows)))
    merged = Segment.merged([Segment.from_rows(rows[:cut]), Segment.from_rows(rows[cut:])])
    assert contents(merged) == contents(Segment.from_rows(rows))


@given(ROWS, st.data())
def test_dropped_rows_leave_nothing_behind(rows: list[IndexRow], data) -> None:
    dropped = {row.key for row in rows if data.draw(st.booleans())}
    merged = Segment.merged([Segment.from_rows(rows)], drop=dropped)
    rest = Segment.from_rows(row for row in rows if row.key not in dropped)
    assert contents(merged) == contents(rest)


def test_a_merge_in_many_ranges_of_strings_is_the_same() -> None:
    rows = [
        IndexRow(key, Instant(key % 5), (IndexedSentence({f"w{key * n % 13}": 1 for n in range(1, 6)}, {}),))
        for key in range(60)
    ]
    parts = [Segment.from_rows(rows[::2]), Segment.from_rows(rows[1::2])]
    numbering = [np.arange(30) * 2, np.arange(30) * 2 + 1]
    whole = postings.merged_postings([part.words for part in parts], numbering)
    ranges = postings.merged_postings([part.words for part in parts], numbering, chunk=7)
    assert whole.posts.tolist() == ranges.posts.tolist()


def test_a_row_written_anew_takes_the_place_of_the_old_one() -> None:
    old, new = (IndexRow(1, Instant(0), (IndexedSentence({word: 1}, {}),)) for word in ("old", "new"))
    merged = Segment.merged([Segment.from_rows([old]), Segment.from_rows([new])], drop={1})
    assert (merged.keys.tolist(), list(merged.words.strings)) == ([1], ["new"])


def test_ends_are_written_into_rows_and_unknown_keys_passed_over() -> None:
    row = IndexRow(1, Instant(0), (IndexedSentence({}, {}),))
    assert Segment.merged([Segment.from_rows([row])], until={1: Instant(5), 2: Instant(6)}).until.tolist() == [5]


def test_a_saved_segment_reads_back_from_its_files(tmp_path: Path) -> None:
    rows = [IndexRow(key, Instant(-key), (IndexedSentence({"铜": key}, {"x": 1, "y": 2}),)) for key in (1, 5, 9)]
    Segment.from_rows(rows).save(tmp_path)
    loaded = Segment.load(tmp_path)
    assert contents(loaded) == contents(Segment.from_rows(rows))
    assert loaded.rows_of(np.array([1, 5, 9, 4])).tolist() == [2, 1, 0, -1]


def test_no_rows_are_a_segment_too(tmp_path: Path) -> None:
    Segment.from_rows([]).save(tmp_path)
    assert contents(Segment.load(tmp_path)) == contents(Segment.merged([]))


def test_an_incomplete_or_foreign_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreDamaged, match="not a complete index"):
        Segment.load(tmp_path)
    Segment.from_rows([]).save(tmp_path)
    (tmp_path / "format.json").write_text('{"format": 0}')
    with pytest.raises(StoreDamaged, match="another format"):
        Segment.load(tmp_path)


@given(st.sets(st.text(max_size=4)), st.text(max_size=3))
def test_strings_are_found_by_bisection_and_by_prefix(held: set[str], prefix: str) -> None:
    ascending = sorted(held)
    strings = Strings.of(ascending)
    assert list(strings) == ascending
    assert [strings.find(string) for string in ascending] == list(range(len(ascending)))
    assert prefix in held or strings.find(prefix) == -1
    assert strings[:] == ascending
    assert [strings[at] for at in strings.starting(prefix)] == [s for s in ascending if s.startswith(prefix)]
