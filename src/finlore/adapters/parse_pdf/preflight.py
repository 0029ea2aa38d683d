"""What a PDF file would unpack to, before any engine opens it, and what it carries that is never run.

The bytes are searched for streams rather than walked from the cross-reference table: a damaged table hides nothing, no
other object is read, and the whole costs little more than unpacking. Only encrypted files need the walk. An image is
not unpacked (no engine unpacks it to read text; the renderer looks at its width and height), so that a stream which
lies about being one is left to the limits of the worker.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import IndirectObject, PdfObject, StreamObject

from finlore.adapters.parse_pdf.filters import DEFLATED, TooLarge, is_deflated, unpacked

MOST_OF_A_STREAM = 64 << 20
MOST_IN_ALL = 512 << 20
_MOST_FILTERS = 8
_LONGEST_DICTIONARY = 1 << 14
_LONGEST_NAMES = 512
_OBJECT = re.compile(rb"(?<!\d)(\d{1,7})\s+\d{1,5}\s+obj\b")
_NAME = rb"/[^\s/\[\]<>(){}%]+"
_FILTER = re.compile(rb"/Filter\s*(\[[^\]]*\]|" + _NAME + rb"|\d+\s+\d+\s+R\b)")
_ESCAPED = re.compile(rb"#([0-9A-Fa-f]{2})")
_KEYWORD = re.compile(rb"(?<!end)stream[ \t]*(?:\r\n|\n|\r)?")
_IMAGE = re.compile(rb"/Subtype\s*/Image\b")
_ACTIVE = {
    b"/JavaScript": "JavaScript",
    b"/Launch": "actions that launch programs",
    b"/EmbeddedFile": "embedded files",
}
_UNREADABLE = (PyPdfError, DependencyError, ValueError, TypeError, KeyError, IndexError, AttributeError,
               RecursionError, OverflowError, AssertionError, NotImplementedError)  # fmt: skip
"""What pypdf raises on damaged files, by trial; pdfium may still read them."""

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is wrong with a file is said once, in its issue


class Refused(ValueError):
    """The file must not be opened; the message is for a person."""


@dataclass(frozen=True, slots=True)
class _Stream:
    dictionary: bytes
    filters: tuple[bytes, ...]
    data: memoryview


def inspect(content: bytes) -> list[str]:
    """What the file carries that is never read or run, in words. Refused where it is a trap, or locked."""
    found = {name for name in _ACTIVE if name in content}
    left = MOST_IN_ALL
    for stream in _decrypted(content) if b"/Encrypt" in content else _streams(content):
        is_index = b"ObjStm" in stream.dictionary
        try:
            for piece in unpacked(stream.data, stream.filters, min(left, MOST_OF_A_STREAM)):
                left -= len(piece)
                if is_index:
                    found |= {name for name in _ACTIVE if name in piece}
        except TooLarge as error:
            raise Refused(_words(left)) from error
    return [words for name, words in _ACTIVE.items() if name in found]


def _words(left: int) -> str:
    if left < MOST_OF_A_STREAM:
        return f"this PDF unpacks to more than {MOST_IN_ALL >> 20} MB, and is not opened"
    return f"a part of this PDF unpacks to more than {MOST_OF_A_STREAM >> 20} MB, and it is not opened"


def _streams(content: bytes) -> Iterator[_Stream]:
    """All streams but images and those that are not packed, in the order of the file."""
    view, names, last = memoryview(content), _Names(content), 0
    for keyword in _KEYWORD.finditer(content):
        at, data = keyword.start(), view[keyword.end() :]
        start = content.rfind(b"obj", max(last, at - _LONGEST_DICTIONARY), at)
        last = at
        if start < 0 and not is_deflated(data):
            continue  # the word in a text
        dictionary = content[start:at] if start >= 0 else b""
        if not _IMAGE.search(dictionary) and (filters := _filters(dictionary, data, names)):
            end = content.find(b"endstream", at + 6) if filters[0] not in DEFLATED else -1
            yield _Stream(dictionary, filters, data[: end - len(content)] if end >= 0 else data)


def _filters(dictionary: bytes, data: memoryview, names: "_Names") -> tuple[bytes, ...]:
    """The names of the filters in turn; deflated data are unpacked whatever the dictionary says."""
    declared = _FILTER.search(_ESCAPED.sub(_unescaped, dictionary) if b"#" in dictionary else dictionary)
    named = declared.group(1) if declared else b""
    if named.endswith(b"R"):
        named = names.of_object(int(named.split()[0]))
    filters = tuple(name[1:] for name in re.findall(_NAME, named))
    if len(filters) > _MOST_FILTERS:
        raise Refused(f"a part of this PDF is packed {len(filters)} times over, and it is not opened")
    return DEFLATED[:1] if len(filters) < 2 and is_deflated(data) else filters


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes([int(escape.group(1), 16)])


class _Names:
    """Lists of names that are objects of their own; where these are is found out once, when one is asked for."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._ends: dict[int, int] | None = None

    def of_object(self, number: int) -> bytes:
        """The first bytes of an object, empty where there is none of that number."""
        if self._ends is None:
            self._ends = {int(found.group(1)): found.end() for found in _OBJECT.finditer(self._content)}
        end = self._ends.get(number)
        return b"" if end is None else self._content[end : end + _LONGEST_NAMES].partition(b"endobj")[0]


def _decrypted(content: bytes) -> Iterator[_Stream]:
    """The same of an encrypted file that opens without a password."""
    try:
        reader = PdfReader(BytesIO(content), strict=False)
        is_encrypted, is_locked = reader.is_encrypted, reader.is_encrypted and not reader.decrypt("")
    except _UNREADABLE:
        is_encrypted = is_locked = False
    if not is_encrypted:
        yield from _streams(content)
        return
    if is_locked:
        raise Refused("a password is needed to open this PDF; save a copy without one")
    for generation, offsets in reader.xref.items():
        for number, offset in offsets.items():
            end = content.find(b"endobj", offset)
            if offset > 0 and content.find(b"stream", offset, end if end >= 0 else None) >= 0:
                yield from _packed(_read(reader, number, generation))


def _read(reader: PdfReader, number: int, generation: int) -> PdfObject | None:
    try:
        return reader.get_object(IndirectObject(number, generation, reader))
    except _UNREADABLE:
        return None


def _packed(found: PdfObject | None) -> Iterator[_Stream]:
    if not isinstance(found, StreamObject) or found.get("/Subtype") == "/Image" or "/Filter" not in found:
        return
    named = found["/Filter"]
    names = named if isinstance(named, list) else [named]
    dictionary = str(found.get("/Type", "")).encode()
    yield _Stream(dictionary, tuple(str(name)[1:].encode() for name in names), memoryview(found._data))
