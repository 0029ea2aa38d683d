import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from finlore.retrieve.dense import dense_scores, quantised
from tests.retrieve.fake_view import FakeView, passage


def rows(*vectors: tuple[float, ...] | None, languages: tuple[int, ...] = ()) -> FakeView:
    return FakeView(
        [passage(n, "x", names={}, vector=v, language=languages[n] if languages else 0) for n, v in enumerate(vectors)],
        {},
    )


def test_the_nearest_vector_scores_highest() -> None:
    found = dense_scores(rows((1, 0), (0, 1), (0.8, 0.6)), "m", quantised(np.array([1, 0], np.float32)))
    assert found is not None
    assert np.argsort(-found).tolist() == [0, 2, 1]


def test_without_vectors_there_is_no_dense_score() -> None:
    assert dense_scores(rows(None, None), "m", quantised(np.array([1, 0], np.float32))) is None


def test_a_row_without_a_vector_is_infinitely_far() -> None:
    found = dense_scores(rows((1, 0), None), "m", quantised(np.array([1, 0], np.float32)))
    assert found is not None
    assert found[1] == -np.inf


def test_a_language_that_is_near_as_a_whole_has_no_advantage() -> None:
    chinese, english = [(0.9, 0.44, 0.0), (0.96, 0.28, 0.0)], [(0.3, 0.0, 0.95), (0.6, 0.0, 0.8)]
    found = dense_scores(
        rows(*chinese, *english, languages=(0, 0, 1, 1)), "m", quantised(np.array([1, 0, 0], np.float32))
    )
    assert found is not None
    assert int(np.argmax(found)) == 3


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_scores_are_exact_whatever_the_blocks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(40, 384))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = quantised(rng.normal(size=384).astype(np.float32))
    found = dense_scores(rows(*map(tuple, vectors)), "m", query)
    whole = np.rint(127 * vectors).astype(np.int64) @ query.astype(np.int64)
    assert found is not None
    assert np.array_equal(found, whole - int(whole.sum()) / len(whole))
