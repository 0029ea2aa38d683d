import numpy as np
import pytest

from finlore.adapters.embed_openai import OpenAIEmbedder
from finlore.errors import ConfigurationError, FinloreError, LimitExceeded
from tests.adapters.embedding_server import Endpoint, Reply, failure, rows, serve

KEY = "sk-very-secret"


def embedder_at(endpoint: Endpoint, *, retries: int = 0) -> OpenAIEmbedder:
    return OpenAIEmbedder(model="m", base_url=endpoint.base_url, api_key=KEY, retries=retries)


def error_from(reply: Reply) -> FinloreError:
    with serve(reply) as endpoint, pytest.raises(FinloreError) as caught:
        embedder_at(endpoint).embed_passages(["one", "two"])
    assert KEY not in f"{caught.value}{caught.value.__cause__}"
    return caught.value


def test_the_dimension_is_learnt_from_the_first_reply() -> None:
    with serve(lambda texts: rows([[3.0, 4.0]] * len(texts))) as endpoint:
        embedder = embedder_at(endpoint)
        assert embedder.dimension == 0
        np.testing.assert_allclose(embedder.embed_query("q"), [0.6, 0.8])
        assert embedder.dimension == 2


def test_texts_travel_in_batches_and_come_back_in_order() -> None:
    texts = [str(number) for number in range(150)]
    with serve(lambda batch: rows([[float(text), 1.0] for text in batch])) as endpoint:
        vectors = embedder_at(endpoint).embed_passages(texts)
        assert [len(batch) for batch in endpoint.inputs] == [64, 64, 22]
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], np.arange(150), rtol=1e-4)


def test_the_key_goes_to_the_endpoint_and_nowhere_else() -> None:
    with serve() as endpoint:
        embedder = embedder_at(endpoint)
        embedder.embed_query("q")
        assert endpoint.keys == [f"Bearer {KEY}"]
        assert KEY not in embedder.name


def test_a_key_of_the_environment_is_not_sent_to_an_endpoint_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serve() as endpoint:
        OpenAIEmbedder(model="m", base_url=endpoint.base_url).embed_query("q")
        assert endpoint.keys == ["Bearer none"]


def test_without_key_and_endpoint_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="FINLORE_EMBEDDER_API_KEY"):
        OpenAIEmbedder(model="m")


def test_a_server_that_stumbles_once_is_asked_again() -> None:
    with serve(failure(503, "warming up")) as endpoint:
        well = rows([[1.0, 0.0]])

        def recover(texts: list[str]) -> tuple[int, object]:
            return well if len(endpoint.inputs) > 1 else (503, {"error": {"message": "warming up"}})

        endpoint.reply = recover
        assert embedder_at(endpoint, retries=1).embed_query("q").tolist() == [1.0, 0.0]


def test_nobody_listening_is_a_matter_of_configuration() -> None:
    with serve() as endpoint:
        gone = embedder_at(endpoint)
    with pytest.raises(ConfigurationError, match=r"127\.0\.0\.1:\d+/v1/ cannot be reached"):
        gone.embed_query("q")


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_named_but_not_shown(status: int) -> None:
    error = error_from(failure(status, f"Incorrect API key provided: {KEY}"))
    assert isinstance(error, ConfigurationError)
    assert "refuses the key" in str(error)


def test_an_unknown_model_is_named() -> None:
    assert "'m'" in str(error_from(failure(404, "no such model")))


def test_a_used_up_allowance_is_a_limit() -> None:
    assert isinstance(error_from(failure(429, "slow down")), LimitExceeded)


def test_any_other_refusal_keeps_the_reason_without_the_key() -> None:
    assert "input too long for ***" in str(error_from(failure(400, f"input too long for {KEY}")))


@pytest.mark.parametrize(
    "vectors",
    [
        [[1.0, 0.0]],  # one row for two texts
        [[1.0, 0.0], [1.0]],
        [[], []],
        [[0.0, 0.0], [1.0, 0.0]],
        [[float("nan"), 0.0], [1.0, 0.0]],
    ],
)
def test_vectors_of_the_wrong_shape_are_refused(vectors: list[list[float]]) -> None:
    assert "returned" in str(error_from(lambda texts: rows(vectors)))


def test_a_dimension_that_changes_is_refused() -> None:
    with serve(lambda texts: rows([[1.0] * len(texts[0])] * len(texts))) as endpoint:
        embedder = embedder_at(endpoint)
        embedder.embed_query("ab")
        with pytest.raises(ConfigurationError, match=r"\[3\] instead of 2"):
            embedder.embed_query("abc")


def test_a_reply_that_is_no_embedding_is_refused() -> None:
    assert "returned" in str(error_from(lambda texts: (200, {"data": None})))


def test_a_password_in_the_address_is_not_shown() -> None:
    embedder = OpenAIEmbedder(model="m", base_url=f"http://user:{KEY}@127.0.0.1:1/v1", retries=0)
    with pytest.raises(ConfigurationError) as caught:
        embedder.embed_query("q")
    assert KEY not in str(caught.value)
