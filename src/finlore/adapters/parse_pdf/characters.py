"""The characters of a page as pdfium gives them: content-stream order, each with its place, size and face.

Knows nothing of lines or columns. Everything is measured in the *reading frame* of its direction: points from the top
left of the page turned so that the text runs to the right.
"""

import ctypes
import math
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdf

from finlore.records.document import Box

Space = Literal["", "implied", "printed"]
_Pointer = Any  # ctypes pointers of pdfium carry no types
_BOLD = ("bold", "black", "heavy", "demi")
_STROKED = 2  # text render mode "fill, then stroke": how word processors embolden a face that has no bold cut
_SLANTED_DEGREES = 8


class Glyph(NamedTuple):
    """`text` is one printed character (NFC, so sometimes several code points); `space` is what stood before it."""

    text: str
    x0: float
    x1: float
    baseline: float
    size: float  # effective: font size x text matrix
    bold: bool
    space: Space


class Frame(NamedTuple):
    """How a page is turned so that text of one direction runs to the right: `turns` quarter turns clockwise from
    the page as stored; `shown` those of the page as displayed. `width` and `height` are those of the stored page."""

    width: float
    height: float
    turns: int
    shown: int

    @property
    def size(self) -> tuple[float, float]:
        return (self.height, self.width) if self.turns % 2 else (self.width, self.height)

    def enter(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the stored page, measured from its top left, lies in this frame."""
        return _turned(x, y, self.width, self.height, self.turns) if self.turns else (x, y)

    def displayed(self, box: Box) -> Box:
        """A box of this frame on the page as displayed."""
        turns = (self.shown - self.turns) % 4
        xs, ys = zip(*(_turned(x, y, *self.size, turns) for x, y in ((box.x0, box.y0), (box.x1, box.y1))), strict=True)
        return Box(*(round(value, 2) for value in (min(xs), min(ys), max(xs), max(ys))))

    @property
    def is_upright(self) -> bool:
        return self.turns == self.shown


class _Style(NamedTuple):
    size: float
    bold: bool


class PageCharacters(NamedTuple):
    """Glyphs in stream order: by reading frame, and the slanted ones, which are measured as displayed."""

    displayed: Frame
    directions: dict[Frame, list[Glyph]]
    slanted: list[Glyph]


def read_characters(page: pdfium.PdfPage) -> PageCharacters:
    """All printed characters of a page."""
    left, bottom, right, top = page.get_bbox()
    shown = page.get_rotation() // 90
    frames = [Frame(right - left, top - bottom, turns, shown) for turns in range(4)]
    read = PageCharacters(frames[shown], {}, [])
    textpage = page.get_textpage()
    for text, style, matrix, rectangle, space in _characters(textpage.raw):
        turns = _quarter_turns(matrix)
        frame = frames[shown if turns is None else turns]
        x0, y0 = frame.enter(rectangle.left - left, top - rectangle.top)
        x1, y1 = frame.enter(rectangle.right - left, top - rectangle.bottom)
        _, baseline = frame.enter(matrix.e - left, top - matrix.f)
        size = style.size * math.hypot(matrix.c, matrix.d)
        if not math.isfinite(x0 + x1 + y0 + y1 + baseline + size):
            continue
        if not min(y0, y1) - size <= baseline <= max(y0, y1) + size:
            baseline = max(y0, y1)  # vertical writing: the matrix tells where its run starts
        glyph = Glyph(text, min(x0, x1), max(x0, x1), baseline, size, style.bold, space)
        (read.slanted if turns is None else read.directions.setdefault(frame, [])).append(glyph)
    textpage.close()
    return read


def _characters(textpage: object) -> Iterator[tuple[str, _Style, pdf.FS_MATRIX, pdf.FS_RECTF, Space]]:
    """Printed characters in stream order; matrix and rectangle are overwritten by the next."""
    matrix, rectangle = pdf.FS_MATRIX(), pdf.FS_RECTF()
    styles = _Styles(textpage)
    space: Space = ""
    for index in range(pdf.FPDFText_CountChars(textpage)):
        text = _printed(pdf.FPDFText_GetUnicode(textpage, index))
        text_object = pdf.FPDFText_GetTextObject(textpage, index)
        if not text_object or not text:
            space = "printed" if text_object and text is None else space or "implied"
            continue
        pdf.FPDFText_GetMatrix(textpage, index, matrix)
        pdf.FPDFText_GetLooseCharBox(textpage, index, rectangle)
        yield text, styles.of(index, text_object), matrix, rectangle, space
        space = ""


@cache
def _printed(code: int) -> str | None:
    """What a code prints: NFC text, None for a space, empty for nothing. pdfium marks a hyphen at a line's end by 2."""
    if code == 2:
        return "-"
    if code > 0x10FFFF or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF):
        return ""
    character = chr(code)
    if character.isspace():
        return None
    return "" if unicodedata.category(character) == "Cc" else unicodedata.normalize("NFC", character)


class _Styles:
    """Styles of text objects; faces are asked for their names once."""

    def __init__(self, textpage: object) -> None:
        self._textpage = textpage
        self._bold_faces: dict[int, bool] = {}
        self._last: tuple[int, _Style] = (0, _Style(0.0, False))

    def of(self, index: int, text_object: _Pointer) -> _Style:
        handle = ctypes.addressof(text_object.contents)
        if self._last[0] != handle:
            stroked = pdf.FPDFTextObj_GetTextRenderMode(text_object) == _STROKED
            bold = stroked or self._is_bold(pdf.FPDFTextObj_GetFont(text_object))
            self._last = (handle, _Style(pdf.FPDFText_GetFontSize(self._textpage, index), bold))
        return self._last[1]

    def _is_bold(self, face: _Pointer) -> bool:
        if not face:
            return False
        handle = ctypes.addressof(face.contents)
        if handle not in self._bold_faces:
            buffer = ctypes.create_string_buffer(128)
            pdf.FPDFFont_GetBaseFontName(face, buffer, len(buffer))
            name = buffer.value.decode("ascii", "replace").lower()
            self._bold_faces[handle] = any(word in name for word in _BOLD)
        return self._bold_faces[handle]


def _quarter_turns(matrix: pdf.FS_MATRIX) -> int | None:
    """Quarter turns clockwise that make this text upright, None when it is slanted."""
    if not matrix.b and matrix.a > 0:
        return 0
    degrees = math.degrees(math.atan2(matrix.b, matrix.a))
    turns = round(degrees / 90)
    return None if abs(degrees - 90 * turns) > _SLANTED_DEGREES else turns % 4


def _turned(x: float, y: float, width: float, height: float, turns: int) -> tuple[float, float]:
    if turns == 1:
        return height - y, x
    if turns == 2:
        return width - x, height - y
    if turns == 3:
        return y, width - x
    return x, y
