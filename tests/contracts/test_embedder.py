"""What every embedder promises, checked on each that is installed and on the one the other tests use."""

from collections.abc import Iterator

import numpy as np
import pytest

from finlore import registry
from finlore.ports import Embedder
from tests.adapters.embedding_server import serve
from tests.fakes import HashEmbedder

TEXTS = ["青禾电池上半年收入增长两成。", "Larkfield raised its dividend.", "a", ""]


@pytest.fixture(scope="module", params=["hash", *registry.load_available("embedders")])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "hash":
        yield HashEmbedder()
    elif request.param == "openai":
        with serve() as endpoint:
            yield registry.load("embedders", "openai")(model="m", base_url=endpoint.base_url)
    else:
        yield registry.load("embedders", request.param)()


def test_vectors_are_unit_float32_rows_of_the_stated_dimension(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    embedder.embed_passages(["learn the dimension"])
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)


def test_a_query_is_one_unit_vector_of_the_same_dimension(embedder: Embedder) -> None:
    vector = embedder.embed_query("青禾电池的收入")
    assert vector.dtype == np.float32
    assert vector.shape == (embedder.dimension,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_vector_does_not_depend_on_the_texts_beside_it(embedder: Embedder) -> None:
    together = embedder.embed_passages(TEXTS)
    alone = np.concatenate([embedder.embed_passages([text]) for text in TEXTS])
    assert (together == alone).all()


def test_the_same_text_gives_the_same_vector_twice(embedder: Embedder) -> None:
    assert (embedder.embed_passages(TEXTS) == embedder.embed_passages(TEXTS)).all()


def test_a_query_is_nearest_to_the_passage_that_answers_it(embedder: Embedder) -> None:
    passages = [
        "青禾电池上半年收入增长两成。",
        "白鹭航运的三艘散货船进坞检修。",
        "Larkfield raised its dividend in May.",
    ]
    for row, query in enumerate(["青禾电池收入增长", "白鹭航运散货船", "Larkfield dividend"]):
        assert int(np.argmax(embedder.embed_passages(passages) @ embedder.embed_query(query))) == row


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "长" * 200, "🏦" * 50])
def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed_passages([text])).all()


def test_a_name_says_which_model_it_is(embedder: Embedder) -> None:
    assert embedder.name.strip()
