"""Records to bytes and back, exactly: compressed JSON in UTF-8 with lone surrogates passed through."""

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from itertools import accumulate, pairwise

from finlore.records.document import Block, Box, Document, Issue, Line, Metadata, PageVerdict, Sentence, Span
from finlore.records.names import Mention

Place = tuple[int, int, int, int]
"""Where a mention stands: passage, sentence, start, end."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What only a reader of a whole document needs."""

    blocks: tuple[Block, ...]
    lines: tuple[Line, ...]
    issues: tuple[Issue, ...]
    pages: tuple[PageVerdict, ...]


def to_bytes(string: str) -> bytes:
    return string.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def pack_text(text: str) -> bytes:
    return zlib.compress(to_bytes(text))


def unpack_text(data: bytes) -> str:
    return from_bytes(zlib.decompress(data))


def pack_metadata(metadata: Metadata) -> bytes:
    return _json(asdict(metadata))


def unpack_metadata(data: bytes) -> Metadata:
    stated = json.loads(data)
    return Metadata(**{**stated, "analysts": tuple(stated["analysts"])})


def pack_layout(document: Document) -> bytes:
    """`Line.edges` as differences: they compress to a third."""
    lines = [
        [line.start, line.end, line.page, _corners(line.box), line.edges[:1], [b - a for a, b in pairwise(line.edges)]]
        for line in document.lines
    ]
    blocks = [[b.start, b.end, b.role, b.level, b.page, _corners(b.box)] for b in document.blocks]
    issues = [[issue.source, issue.message, issue.severity, issue.line] for issue in document.issues]
    pages = [[page.page, page.status, page.reason, page.is_ocr] for page in document.pages]
    return zlib.compress(_json([blocks, lines, issues, pages]))


def unpack_layout(data: bytes) -> Layout:
    blocks, lines, issues, *pages = json.loads(zlib.decompress(data))
    return Layout(
        tuple(Block(start, end, role, level, page, _box(box)) for start, end, role, level, page, box in blocks),
        tuple(
            Line(start, end, page, Box(*box), tuple(accumulate(first + steps)))
            for start, end, page, box, first, steps in lines
        ),
        tuple(Issue(*issue) for issue in issues),
        tuple(PageVerdict(*page) for page in (pages[0] if pages else ())),  # stores of schema 1 have none
    )


def pack_spans(spans: Iterable[Span]) -> bytes:
    return zlib.compress(_json([[span.start, span.end, span.kind] for span in spans]))


def unpack_spans(data: bytes) -> tuple[Span, ...]:
    return tuple(Span(*span) for span in json.loads(zlib.decompress(data)))


def pack_sentences(sentences: Iterable[Sentence], origin: int) -> bytes:
    """`origin`: where the passage starts; offsets are kept relative to it."""
    packed = [
        [s.start - origin, s.end - s.start, s.page, _corners(s.box), _context(s.context, origin)] for s in sentences
    ]
    return zlib.compress(_json(packed), 1)


def unpack_sentences(data: bytes, origin: int) -> tuple[Sentence, ...]:
    return tuple(
        Sentence(
            start + origin,
            start + origin + length,
            page,
            _box(box),
            None if context is None else Span(context[0] + origin, context[1] + origin, context[2]),
        )
        for start, length, page, box, context in json.loads(zlib.decompress(data))
    )


def pack_mentions(mentions: Sequence[Mention]) -> bytes:
    """Column by column, each distinct surface once."""
    surfaces = sorted({mention.surface for mention in mentions})
    number = {surface: i for i, surface in enumerate(surfaces)}
    rows = [(m.passage, m.sentence, m.start, m.end - m.start, number[m.surface], m.kind) for m in mentions]
    return zlib.compress(_json([surfaces, [[row[i] for row in rows] for i in range(6)]]))


def unpack_mentions(data: bytes) -> list[Mention]:
    surfaces, columns = json.loads(zlib.decompress(data))
    return [
        Mention(passage, sentence, start, start + length, surfaces[surface], kind)
        for passage, sentence, start, length, surface, kind in zip(*columns, strict=True)
    ]


def mentioned_surfaces(data: bytes) -> list[str]:
    """The distinct surfaces of packed mentions, sorted."""
    surfaces: list[str] = json.loads(zlib.decompress(data))[0]
    return surfaces


def pack_places(places: Iterable[Place]) -> bytes:
    return _json(sorted(places))


def unpack_places(data: bytes) -> list[Place]:
    return [(passage, sentence, start, end) for passage, sentence, start, end in json.loads(data)]


def fingerprint(*parts: object) -> bytes:
    """16 bytes that differ when any of the parts (plain values, nested lists of them) differs."""
    return blake2b(_json(parts), digest_size=16).digest()


def text_fingerprint(text: str) -> bytes:
    return blake2b(to_bytes(text), digest_size=16).digest()


def content_fingerprint(document: Document) -> bytes:
    """Of the text and of the metadata whose change makes a new version: all but the time of the crawl."""
    stated = [getattr(document.metadata, f.name) for f in fields(Metadata) if f.name != "crawled_at"]
    return fingerprint(text_fingerprint(document.text).hex(), stated)


def _json(value: object) -> bytes:
    return to_bytes(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def _corners(box: Box | None) -> list[float] | None:
    return None if box is None else [box.x0, box.y0, box.x1, box.y1]


def _box(corners: list[float] | None) -> Box | None:
    return None if corners is None else Box(*corners)


def _context(span: Span | None, origin: int) -> list[object] | None:
    return None if span is None else [span.start - origin, span.end - origin, span.kind]
