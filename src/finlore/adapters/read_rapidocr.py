"""OCR by PP-OCR models, out of the wheel of `rapidocr`: Chinese, Latin letters, digits.

The models are named by their files, so that nothing is ever fetched; one thread, since others work beside it.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from finlore.errors import ConfigurationError
from finlore.ports import Pixels, RecognisedLine
from finlore.records.document import Box

if not find_spec("rapidocr"):  # said when this module is imported, as of other adapters
    raise ModuleNotFoundError("No module named 'rapidocr'", name="rapidocr")

_MODELS = {"Det": "PP-OCR*_det_*.onnx", "Rec": "PP-OCR*_rec_*.onnx"}
_TALL = 1.5  # height of a box over its width: its text runs up or down
_POOR = 0.8  # score below which a page may stand on its head


class RapidOcrReader:
    """PageReader port. MissingExtra where `rapidocr` is not installed, ConfigurationError where it lacks a model."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR  # a second and a hundred megabytes, for the process that recognises alone

        self._engine = RapidOCR(params=_parameters())

    def read(self, image: Pixels) -> list[RecognisedLine]:
        """The lines from top to bottom as the page is best read: one that stands on its side or head is turned."""
        lines = self._lines(image, 0)
        if _lies_on_its_side(lines):
            return max((self._lines(image, turns) for turns in (1, 3)), key=_certainty)
        if lines and _certainty(lines) < _POOR * sum(len(line.text) for line in lines):
            return max(lines, self._lines(image, 2), key=_certainty)
        return lines

    def _lines(self, image: Pixels, turns: int) -> list[RecognisedLine]:
        """What is read after so many quarter turns clockwise, with boxes of the image as it was."""
        turned = np.ascontiguousarray(np.rot90(image, -turns)[:, :, ::-1])  # the models were trained on BGR
        found: Any = self._engine(turned)  # of one of four types, by what was switched on
        if not found.txts:
            return []
        height, width = image.shape[:2]
        return [
            RecognisedLine(text, _box(corners, width, height, turns), float(score), turns)
            for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        ]


def _parameters() -> dict[str, object]:
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    models = {f"{step}.model_path": str(_model(pattern)) for step, pattern in _MODELS.items()}
    return {"Global.log_level": "critical", "Global.use_cls": False, **threads, **models}


def _model(pattern: str) -> Path:
    package = find_spec("rapidocr")
    folder = Path(package.origin or "").parent / "models" if package else Path()
    found = sorted(folder.glob(pattern))
    if not found:
        raise ConfigurationError(
            f"the installed rapidocr lacks its model {pattern}", hint="pip install --force-reinstall rapidocr"
        )
    return found[-1]


def _lies_on_its_side(lines: list[RecognisedLine]) -> bool:
    n_tall = sum(len(line.text) for line in lines if line.box.y1 - line.box.y0 > _TALL * (line.box.x1 - line.box.x0))
    return n_tall > sum(len(line.text) for line in lines) / 2


def _certainty(lines: list[RecognisedLine]) -> float:
    """How many characters are right, as far as the models know."""
    return sum(len(line.text) * line.score for line in lines)


def _box(corners: np.ndarray, width: int, height: int, turns: int) -> Box:
    """The upright box around the corners of a line, from the turned image back to the image."""
    xs, ys = corners[:, 0], corners[:, 1]
    if turns == 1:
        xs, ys = ys, height - xs
    elif turns == 2:
        xs, ys = width - xs, height - ys
    elif turns == 3:
        xs, ys = width - ys, xs
    return Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))
