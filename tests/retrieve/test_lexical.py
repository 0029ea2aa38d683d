import numpy as np

from finlore.retrieve.fuse import best, between, from_zero, mixed
from finlore.retrieve.lexical import lexical_scores
from tests.retrieve.fake_view import FakeView, passage


def view(*texts: str) -> FakeView:
    return FakeView([passage(key, text, names={}) for key, text in enumerate(texts)], {})


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    found = lexical_scores(view("copper price", "copper output", "tin price price"), ["copper", "tin"])
    assert found[2] > found[0] > 0


def test_a_long_passage_needs_more_of_a_word() -> None:
    found = lexical_scores(view("copper", "copper " + "padding filler stuffing " * 9), ["copper"])
    assert found[0] > found[1] > 0


def test_all_sentences_of_a_passage_count_together() -> None:
    split = FakeView(
        [passage(1, "copper rose", "copper fell", names={}), passage(2, "copper rose", "tin fell", names={})], {}
    )
    found = lexical_scores(split, ["copper"])
    assert found[0] > found[1]


def test_unknown_words_score_nothing() -> None:
    assert not lexical_scores(view("copper"), ["zinc"]).any()


def test_scaling_between_extremes_looks_at_visible_rows_alone() -> None:
    scores = np.array([1.0, 3.0, 9.0, -np.inf])
    alive = np.array([True, True, False, True])
    assert between(scores, alive).tolist() == [0.0, 1.0, 0.0, 0.0]


def test_equal_scores_are_all_the_highest() -> None:
    assert between(np.full(3, -2.0), np.ones(3, bool)).tolist() == [1.0, 1.0, 1.0]
    assert from_zero(np.full(3, 2.0)).tolist() == [1.0, 1.0, 1.0]


def test_scores_with_a_natural_zero_keep_it() -> None:
    assert from_zero(np.array([2.0, 4.0, 0.0])).tolist() == [0.5, 1.0, 0.0]
    assert not from_zero(np.zeros(3)).any()
    assert not len(from_zero(np.zeros(0)))


def test_a_mix_is_the_mean_of_its_parts() -> None:
    alive = np.array([True, True, False])
    assert mixed([np.array([0.0, 1.0, 1.0]), np.array([1.0, 0.0, 1.0])], alive).tolist() == [0.5, 0.5, 0.0]


def test_the_best_are_all_found_and_ties_go_by_key() -> None:
    scores = np.zeros(2000)
    scores[[3, 700, 1999]] = [1.0, 2.0, 1.0]
    keys = np.arange(2000)[::-1].copy()
    assert best(scores, keys, 3).tolist() == [700, 1999, 3]
    assert best(scores, keys, 2).tolist() == [700, 1999]
    assert not len(best(np.zeros(5), np.arange(5), 3))
