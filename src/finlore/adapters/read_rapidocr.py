"""OCR by PP-OCR models, out of the wheel of `rapidocr`: Chinese, Latin letters, digits.

The models are named by their files, so that nothing is ever fetched; one thread, since others work beside it. The
package's classifier of lines that stand on their head is not used: it says nothing of pages that lie on their side.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from finlore.errors import ConfigurationError
from finlore.ports import Pixels, RecognisedLine
from finlore.records.document import Box

if not find_spec("rapidocr"):  # said when this module is imported, as of other adapters
    raise ModuleNotFoundError("No module named 'rapidocr'", name="rapidocr")

_MODELS = {"Det": "PP-OCR*_det_*.onnx", "Rec": "PP-OCR*_rec_*.onnx"}
_TALL = 1.5  # height of a box over its width: its text runs up or down
_POOR = 0.8  # score below which a page may stand on its head

ReadUpright = Callable[[Pixels], list[RecognisedLine]]


class RapidOcrReader:
    """PageReader port. ConfigurationError where the package lacks a model."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR  # a second and a hundred megabytes, for the process that recognises alone

        self._engine = RapidOCR(params=_parameters())

    def read(self, image: Pixels) -> list[RecognisedLine]:
        """The lines from top to bottom as the page is best read: one that lies on its side or head is turned."""
        return best_reading(self._read_upright, image)

    def _read_upright(self, image: Pixels) -> list[RecognisedLine]:
        found: Any = self._engine(np.ascontiguousarray(image[:, :, ::-1]))  # the models were trained on BGR
        if not found.txts:
            return []
        return [
            RecognisedLine(text, _around(corners), float(score))
            for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        ]


def best_reading(read: ReadUpright, image: Pixels) -> list[RecognisedLine]:
    """What `read` makes of the image after those quarter turns after which it reads best, with the boxes of the image
    as it is. Only a page that seems to lie on its side or on its head is read more than once."""
    lines = read(image)
    if _lies_on_its_side(lines):
        return max((_read_turned(read, image, turns) for turns in (1, 3)), key=_n_certain)
    if lines and _n_certain(lines) < _POOR * _n_characters(lines):
        return max(lines, _read_turned(read, image, 2), key=_n_certain)
    return lines


def _read_turned(read: ReadUpright, image: Pixels, turns: int) -> list[RecognisedLine]:
    turned: Pixels = np.rot90(image, -turns)
    height, width = image.shape[:2]
    return [replace(line, box=_turned_back(line.box, width, height, turns), turns=turns) for line in read(turned)]


def _turned_back(box: Box, width: int, height: int, turns: int) -> Box:
    """A box of an image that was turned clockwise, in the image as it was (width x height)."""
    if turns == 1:
        return Box(box.y0, height - box.x1, box.y1, height - box.x0)
    if turns == 2:
        return Box(width - box.x1, height - box.y1, width - box.x0, height - box.y0)
    return Box(width - box.y1, box.x0, width - box.y0, box.x1)


def _lies_on_its_side(lines: Sequence[RecognisedLine]) -> bool:
    tall = [line for line in lines if line.box.y1 - line.box.y0 > _TALL * (line.box.x1 - line.box.x0)]
    return 2 * _n_characters(tall) > _n_characters(lines)


def _n_characters(lines: Sequence[RecognisedLine]) -> int:
    return sum(len(line.text) for line in lines)


def _n_certain(lines: Sequence[RecognisedLine]) -> float:
    """How many characters are right, as far as the models know."""
    return sum(len(line.text) * line.score for line in lines)


def _around(corners: NDArray[np.float32]) -> Box:
    """The upright box around four corners (4, 2)."""
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    return Box(float(x0), float(y0), float(x1), float(y1))


def _parameters() -> dict[str, object]:
    threads = {f"EngineConfig.onnxruntime.{kind}_op_num_threads": 1 for kind in ("intra", "inter")}
    package = find_spec("rapidocr")
    folder = Path(package.origin or "").parent / "models" if package else Path()
    models = {f"{step}.model_path": str(model(folder, pattern)) for step, pattern in _MODELS.items()}
    return {"Global.log_level": "critical", "Global.use_cls": False, **threads, **models}


def model(folder: Path, pattern: str) -> Path:
    """The newest model of a kind in the folder of the package; ConfigurationError where there is none."""
    found = sorted(folder.glob(pattern))
    if not found:
        raise ConfigurationError(
            f"the installed rapidocr lacks its model {pattern}", hint="pip install --force-reinstall rapidocr"
        )
    return found[-1]
