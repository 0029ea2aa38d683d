"""Images of pages: as displayed, no larger than asked for, and not of everything."""

import zlib

import numpy as np
import pytest

from finlore import registry
from finlore.adapters.parse_pdf import PdfRenderer
from finlore.errors import LimitExceeded
from finlore.ports import Pixels, Source
from tests.hostile_files import PNG, image_page, latin, turned, zeros


def rendered(content: bytes, *, dpi: int = 72, most_pixels: int = 10**6) -> tuple[Pixels, float]:
    return PdfRenderer().render(Source("report.pdf", ".pdf", content), 1, dpi=dpi, most_pixels=most_pixels)


def test_a_page_has_as_many_pixels_as_asked_for() -> None:
    image, scale = rendered(latin("Larkfield"), dpi=36)
    assert (image.shape, image.dtype, scale) == ((400, 300, 3), np.uint8, 0.5)
    assert image.max() == 255 > image.min()  # black on white


def test_a_large_page_has_fewer() -> None:
    image, scale = rendered(latin("Larkfield"), dpi=720, most_pixels=120_000)
    assert image.shape == (400, 300, 3)
    assert scale == pytest.approx(0.5)


def test_a_page_is_shown_as_it_is_displayed() -> None:
    upright, _ = rendered(latin("Larkfield"))
    lying, _ = rendered(turned(latin("Larkfield"), 90))
    assert lying.shape == (600, 800, 3)
    assert np.abs(np.rot90(upright, -1).astype(int) - lying).mean() < 1


def test_an_image_that_is_too_large_is_not_unpacked() -> None:
    with pytest.raises(LimitExceeded, match="3,600,000,000 pixels"):
        rendered(image_page(60_000, packed=zlib.compress(zeros(3_600))))


def test_what_cannot_be_opened_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="a PNG image"):
        rendered(PNG)


def test_the_renderer_is_found_under_the_name_of_its_parser() -> None:
    assert registry.load("renderers", "pdf") is PdfRenderer
    assert "pdf" in registry.names("parsers")
