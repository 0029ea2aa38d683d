"""OCR: lines with their place, whichever way a page lies, and nothing is ever fetched."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from finlore import registry
from finlore.adapters.parse_pdf import PdfRenderer
from finlore.errors import ConfigurationError
from finlore.ports import Pixels, RecognisedLine, Source
from finlore.records.document import Box
from tests.hostile_files import latin

INSTALLED = importlib.util.find_spec("rapidocr") is not None
pytestmark = pytest.mark.skipif(not INSTALLED, reason="rapidocr is not installed")

WIDTH, HEIGHT = 60, 80
UPRIGHT = Box(10, 20, 50, 26)


def page() -> Pixels:
    """An image with a mark in its top left corner, and a line of text at `UPRIGHT`."""
    image: Pixels = np.full((HEIGHT, WIDTH, 3), 255, dtype=np.uint8)
    image[:5, :5] = 0
    return image


class Reader:
    """Reads pages well when they are upright, backwards when they lie on their side, and hardly on their head."""

    def __init__(self) -> None:
        self.n_read = 0

    def __call__(self, image: Pixels) -> list[RecognisedLine]:
        self.n_read += 1
        height, width = image.shape[:2]
        corners = (image[0, 0], image[0, -1], image[-1, -1], image[-1, 0])
        turns = next(at for at, corner in enumerate(corners) if not corner.any())  # clockwise, of the page
        box = UPRIGHT
        for turned in range(turns):
            edge = HEIGHT if turned % 2 == 0 else WIDTH
            box = Box(edge - box.y1, box.x0, edge - box.y0, box.x1)
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.y0 < box.y1 <= height
        return [RecognisedLine("Larkfield", box, (0.99, 0.6, 0.3, 0.6)[turns])]


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_a_page_is_read_upright_however_it_lies_and_boxes_stay_where_they_were(turns: int) -> None:
    from finlore.adapters.read_rapidocr import best_reading

    reader = Reader()
    image = np.ascontiguousarray(np.rot90(page(), -turns))
    (as_it_lies,) = Reader()(image)
    (line,) = best_reading(reader, image)
    assert (line.turns, line.score, line.box) == (-turns % 4, 0.99, as_it_lies.box)
    assert reader.n_read == (1, 3, 2, 3)[turns]


def test_an_empty_page_has_no_lines() -> None:
    from finlore.adapters.read_rapidocr import best_reading

    assert best_reading(lambda image: [], page()) == []


def test_a_missing_model_is_a_matter_of_the_installation_and_not_fetched(tmp_path: Path) -> None:
    from finlore.adapters.read_rapidocr import model

    with pytest.raises(ConfigurationError, match="lacks its model"):
        model(tmp_path, "*.onnx")


def test_the_models_read_what_a_page_shows(capfd: pytest.CaptureFixture[str]) -> None:
    source = Source("report.pdf", ".pdf", latin("Larkfield Storage 3,615.20"))
    image, scale = PdfRenderer().render(source, 1, dpi=72, most_pixels=10**6)
    (line,) = registry.load("page_readers", "rapidocr")().read(image[50:150, :300])
    assert line.text.replace(" ", "") == "LarkfieldStorage3,615.20"
    assert line.score > 0.8
    assert line.turns == 0
    assert scale == 1.0
    assert 40 < line.box.x0 < 60 < 170 < line.box.x1 < 260
    assert capfd.readouterr() == ("", "")
