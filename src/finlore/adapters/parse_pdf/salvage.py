"""A PDF that was cut off or lost its index -> one with a new index over the objects that are still there."""

import re
from itertools import pairwise

from finlore.adapters.parse_pdf.filters import DEFLATED, TooLarge, unpacked

_OBJECT = re.compile(rb"(?<!\d)(\d{1,7})\s+\d{1,5}\s+obj\b")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_KIDS, _KID = re.compile(rb"/Kids\s*\[([^\]]*)\]"), re.compile(rb"(\d{1,7})\s+\d{1,5}\s+R\b")
_FIRST = re.compile(rb"/First\s+(\d{1,7})\b")
_END = re.compile(rb"\b(?:endobj|stream)\b")
_DATA = re.compile(rb"stream\r?\n")
_LONGEST_DICTIONARY = 1 << 16
_MOST_INDEX = 16 << 20


def salvaged(content: bytes) -> bytes | None:
    """The file with its pages as its page tree orders them, else as they stand in it; None where none is left, or it is
    encrypted."""
    if b"/Encrypt" in content:
        return None
    places = {int(found.group(1)): found.start() for found in _OBJECT.finditer(content)}
    bodies = {number: _dictionary(content, place) for number, place in places.items()}
    packed: dict[int, bytes] = {}
    for number, body in bodies.items():
        if b"/ObjStm" in body:
            packed |= _unpacked_objects(body, content, places[number])
    bodies |= (packed := {number: body for number, body in packed.items() if number not in places})
    named = (int(kid) for body in bodies.values() for kids in _KIDS.findall(body) for kid in _KID.findall(kids))
    order = dict.fromkeys([*named, *sorted(places, key=places.__getitem__), *packed])
    pages = [number for number in order if _PAGE.search(bodies.get(number, b""))]
    return _with_index(content, places, packed, pages) if pages else None


def _dictionary(content: bytes, place: int) -> bytes:
    """What stands in an object before its end or its data."""
    found = _END.search(content, place, place + _LONGEST_DICTIONARY)
    return content[place : found.start() if found else place + _LONGEST_DICTIONARY]


def _unpacked_objects(dictionary: bytes, content: bytes, place: int) -> dict[int, bytes]:
    """The objects of an object stream by number, in their order; none where it is damaged."""
    first, data = _FIRST.search(dictionary), _DATA.search(content, place)
    if not first or not data:
        return {}
    try:
        text = b"".join(unpacked(memoryview(content)[data.end() :], DEFLATED[:1], _MOST_INDEX))
    except TooLarge:
        return {}
    start = int(first.group(1))
    numbers = [int(number) for number in re.findall(rb"\d{1,9}", text[:start])]
    ends = [*(start + offset for offset in numbers[1::2]), len(text)]
    return {number: text[at:end] for number, (at, end) in zip(numbers[::2], pairwise(ends), strict=False)}


def _with_index(content: bytes, places: dict[int, int], packed: dict[int, bytes], pages: list[int]) -> bytes:
    catalogue = max([*places, *packed]) + 1
    kids = b" ".join(b"%d 0 R" % page for page in pages)
    added = packed | {
        catalogue: b"<< /Type /Catalog /Pages %d 0 R >>" % (catalogue + 1),
        catalogue + 1: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
    }
    parts, length, places = [content, b"\n"], len(content) + 1, dict(places)
    for number, body in added.items():
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        places[number] = length
        length += len(parts[-1])
    entries = b"".join(b"%d 1\n%010d 00000 n \n" % (number, place) for number, place in sorted(places.items()))
    trailer = b"xref\n0 1\n0000000000 65535 f \n%strailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return b"".join([*parts, trailer % (entries, catalogue + 2, catalogue, length)])
