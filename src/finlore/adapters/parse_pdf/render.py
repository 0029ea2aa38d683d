"""Pages of PDF files as images, for those who recognise text in them."""

from math import sqrt

import numpy as np

from finlore.adapters.parse_pdf.opening import opened
from finlore.adapters.parse_pdf.verdicts import MOST_PIXELS, cover_of
from finlore.errors import LimitExceeded
from finlore.ports import Pixels, Source

_POINTS_PER_INCH = 72


class PdfRenderer:
    """PageRenderer port."""

    def render(self, source: Source, page: int, *, dpi: int, most_pixels: int) -> tuple[Pixels, float]:
        """The page (counted from 1) as displayed, RGB, and the pixels of one point: fewer than `dpi` asks for where
        the page is large. ValueError where the file cannot be opened, LimitExceeded where the page holds an image
        that is too large to be unpacked."""
        with opened(source.content) as file:
            shown = file.document[page - 1]
            if (n_pixels := cover_of(shown).most_pixels) > MOST_PIXELS:
                raise LimitExceeded(f"{source.name}: page {page} holds an image of {n_pixels:,} pixels")
            width, height = shown.get_size()
            scale = min(dpi / _POINTS_PER_INCH, sqrt(most_pixels / (width * height)))
            bitmap = shown.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
            image: Pixels = np.ascontiguousarray(bitmap.to_numpy()[:, :, :3])
            bitmap.close()
            shown.close()
        return image, scale
