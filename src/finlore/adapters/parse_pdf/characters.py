"""The characters of a page as pdfium gives them: content-stream order, each with its place, size and face.

Knows nothing of lines or columns. Everything is measured in the *reading frame* of its direction: points from the top
left of the page turned so that the text runs to the right.
"""

import ctypes
import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_double, c_int, c_uint, c_ulong, c_void_p
from functools import cache
from math import isfinite
from typing import Any, Literal, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdf

from finlore.records.document import Box

Space = Literal["", "implied", "printed"]
_Untyped = Any  # what ctypes and pdfium hand out
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

    def of_displayed(self, box: Box) -> Box:
        """Where a box of the page as displayed lies in this frame."""
        size = (self.height, self.width) if self.shown % 2 else (self.width, self.height)
        return _turned_box(box, size, (self.turns - self.shown) % 4)

    def displayed(self, box: Box) -> Box:
        """A box of this frame on the page as displayed."""
        return _turned_box(box, self.size, (self.shown - self.turns) % 4)

    @property
    def is_upright(self) -> bool:
        return self.turns == self.shown


class PageCharacters(NamedTuple):
    """Glyphs in stream order: by reading frame, and the slanted ones, which are measured as displayed. `n_lost` are
    printed, but nothing in the file says which characters they are."""

    displayed: Frame
    directions: dict[Frame, list[Glyph]]
    slanted: list[Glyph]
    n_lost: int = 0


def frames_of(page: pdfium.PdfPage) -> list[Frame]:
    """The four reading frames of a page by their turns."""
    left, bottom, right, top = page.get_bbox()
    shown = page.get_rotation() // 90
    return [Frame(right - left, top - bottom, turns, shown) for turns in range(4)]


def read_characters(page: pdfium.PdfPage) -> PageCharacters:
    """All printed characters of a page."""
    frames = frames_of(page)
    shown = frames[0].shown
    read = _read(page, frames)
    main = max(read.directions, key=lambda frame: len(read.directions[frame]), default=read.displayed)
    if main.turns == shown:
        return read
    page.set_rotation(90 * main.turns)  # pdfium reorders text that is not upright on the page
    read = _read(page, frames)
    page.set_rotation(90 * shown)
    return read


def _read(page: pdfium.PdfPage, frames: Sequence[Frame]) -> PageCharacters:
    left, _, _, top = page.get_bbox()
    shown = frames[0].shown
    directions: dict[Frame, list[Glyph]] = {}
    slanted: list[Glyph] = []
    lost: list[int] = []
    textpage = page.get_textpage()
    last: _Look | None = None
    for text, look, rectangle, space in _characters(textpage, lost):
        if look is not last:  # computed once for all characters of a text object
            if not last or look.turns != last.turns:
                frame = frames[shown if look.turns is None else look.turns]
                glyphs = slanted if look.turns is None else directions.setdefault(frame, [])
            last, size, is_bold = look, look.size, look.is_bold
            _, run_baseline = frame.enter(look.x - left, top - look.y)
        x0, y0 = rectangle.left - left, top - rectangle.top
        x1, y1 = rectangle.right - left, top - rectangle.bottom
        if frame.turns:
            (x0, y0), (x1, y1) = frame.enter(x0, y0), frame.enter(x1, y1)
        if not isfinite(x0 + x1 + y0 + y1 + run_baseline + size):
            continue
        x0, x1 = (x0, x1) if x0 <= x1 else (x1, x0)
        y0, y1 = (y0, y1) if y0 <= y1 else (y1, y0)
        baseline = run_baseline if y0 - size <= run_baseline <= y1 + size else y1  # vertical writing: the run's start
        glyphs.append(Glyph(text, x0, x1, baseline, size, is_bold, space))
    textpage.close()
    written = {frame: glyphs for frame, glyphs in directions.items() if glyphs}
    return PageCharacters(frames[shown], written, slanted, len(lost))


class _Look(NamedTuple):
    """What the characters of one text object share: size (font size x text matrix), face, direction, and where their
    run starts on the stored page."""

    size: float
    is_bold: bool
    turns: int | None
    x: float
    y: float


def _characters(textpage: pdfium.PdfTextPage, lost: list[int]) -> Iterator[tuple[str, _Look, pdf.FS_RECTF, Space]]:
    """Printed characters in stream order; the rectangle is overwritten by the next. `lost` gets the indices of those
    that no character map and no encoding name: pdfium's guess at them would be noise."""
    handle, rectangle = _address(textpage.raw), pdf.FS_RECTF()
    place = ctypes.addressof(rectangle)
    looks = _Looks(handle)
    space: Space = ""
    last = 0
    for index in range(pdf.FPDFText_CountChars(textpage)):
        text = _printed(_code(handle, index))
        text_object = _text_object(handle, index)
        if not text_object or not text:
            space = "printed" if text_object and text is None else space or "implied"
            if text_object and text == "":
                lost.append(index)
            continue
        if _is_unmapped(handle, index) == 1:
            lost.append(index)
            continue
        if text_object != last:
            last, look = text_object, looks.of(index, text_object)
        _loose_box(handle, index, place)
        yield text, look, rectangle, space
        space = ""


def _direct(function: _Untyped, result: _Untyped, *arguments: _Untyped) -> Callable[..., Any]:
    """A function of pdfium on plain addresses: with a pointer object for every character a call costs twice as much."""
    return ctypes.PYFUNCTYPE(result, *arguments)(_address(function))


def _address(pointer: _Untyped) -> int:
    return ctypes.cast(pointer, c_void_p).value or 0


_code = _direct(pdf.FPDFText_GetUnicode, c_uint, c_void_p, c_int)
_is_unmapped = _direct(pdf.FPDFText_HasUnicodeMapError, c_int, c_void_p, c_int)
_text_object = _direct(pdf.FPDFText_GetTextObject, c_void_p, c_void_p, c_int)
_loose_box = _direct(pdf.FPDFText_GetLooseCharBox, c_int, c_void_p, c_int, c_void_p)
_matrix = _direct(pdf.FPDFText_GetMatrix, c_int, c_void_p, c_int, c_void_p)
_font_size = _direct(pdf.FPDFText_GetFontSize, c_double, c_void_p, c_int)
_render_mode = _direct(pdf.FPDFTextObj_GetTextRenderMode, c_int, c_void_p)
_face = _direct(pdf.FPDFTextObj_GetFont, c_void_p, c_void_p)
_face_name = _direct(pdf.FPDFFont_GetBaseFontName, c_ulong, c_void_p, c_void_p, c_ulong)


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


class _Looks:
    """Looks of text objects; faces are asked for their names once."""

    def __init__(self, textpage: int) -> None:
        self._textpage = textpage
        self._matrix = pdf.FS_MATRIX()
        self._bold_faces: dict[int | None, bool] = {None: False}

    def of(self, index: int, text_object: int) -> _Look:
        matrix = self._matrix
        _matrix(self._textpage, index, ctypes.addressof(matrix))
        size = _font_size(self._textpage, index) * math.hypot(matrix.c, matrix.d)
        is_bold = _render_mode(text_object) == _STROKED or self._is_bold(_face(text_object))
        return _Look(size, is_bold, _quarter_turns(matrix), matrix.e, matrix.f)

    def _is_bold(self, face: int | None) -> bool:
        if face not in self._bold_faces:
            buffer = ctypes.create_string_buffer(128)
            _face_name(face, ctypes.addressof(buffer), len(buffer))
            name = buffer.value.decode("ascii", "replace").lower()
            self._bold_faces[face] = any(word in name for word in _BOLD)
        return self._bold_faces[face]


def _quarter_turns(matrix: pdf.FS_MATRIX) -> int | None:
    """Quarter turns clockwise that make this text upright, None when it is slanted."""
    if not matrix.b and matrix.a > 0:
        return 0
    degrees = math.degrees(math.atan2(matrix.b, matrix.a))
    turns = round(degrees / 90)
    return None if abs(degrees - 90 * turns) > _SLANTED_DEGREES else turns % 4


def _turned_box(box: Box, size: tuple[float, float], turns: int) -> Box:
    xs, ys = zip(*(_turned(x, y, *size, turns) for x, y in ((box.x0, box.y0), (box.x1, box.y1))), strict=True)
    return Box(*(round(value, 2) for value in (min(xs), min(ys), max(xs), max(ys))))


def _turned(x: float, y: float, width: float, height: float, turns: int) -> tuple[float, float]:
    if turns == 1:
        return height - y, x
    if turns == 2:
        return width - x, height - y
    if turns == 3:
        return y, width - x
    return x, y
