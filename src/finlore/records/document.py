"""What a document is made of: one immutable canonical text, and spans that point into it.

All offsets are code points into `Document.text` (NFC), half open. Boxes are points from the top left of the page as
shown. Nothing here removes text: blocks that must not be indexed carry a role that says so.
"""

from dataclasses import dataclass, field
from typing import Literal

from finlore.records.instant import Instant

Role = Literal["heading", "body", "list", "table", "caption", "side", "header_footer", "disclaimer"]
DocumentKind = Literal["report", "news", "announcement", "transcript", "filing"]
Language = Literal["zh", "en"]
Severity = Literal["note", "warning", "rejected"]
PageStatus = Literal["ok", "needs_ocr", "garbled", "failed"]
NOT_INDEXED: frozenset[Role] = frozenset({"header_footer", "disclaimer"})


@dataclass(frozen=True, slots=True)
class Issue:
    """Something a person should know about an input; `rejected` means that the input changed nothing."""

    source: str
    message: str
    severity: Severity = "warning"
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points, origin at the top left of the page as displayed."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code points; `kind` says what it is (markup, latex, html_table, heading_context …)."""

    start: int
    end: int
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """The character map: one printed line. `edges` are the x positions of its characters in tenths of a point
    (`end - start + 1` numbers), so that the box of any span comes from here and never from a search."""

    start: int
    end: int
    page: int
    box: Box
    edges: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text with one role. `page` counts from 1; None where the format has no pages."""

    start: int
    end: int
    role: Role = "body"
    level: int = 0
    page: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """Never crosses a block. `context` is the span of the heading or table header it is read with."""

    start: int
    end: int
    page: int | None = None
    box: Box | None = None
    context: Span | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive prose under one heading and role: the unit of retrieval."""

    start: int
    end: int
    sentences: tuple[Sentence, ...]
    heading: str = ""
    role: Role = "body"


@dataclass(frozen=True, slots=True)
class PageVerdict:
    """Whether a page could be read, and why not. `needs_ocr`: it holds images only; `garbled`: its text is noise, and
    left out; `failed`: it cannot be opened. `is_ocr`: its text was recognised in an image."""

    page: int
    status: PageStatus
    reason: str = ""
    is_ocr: bool = False


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is known about a document besides its text; None and () where nobody said.

    `security` is a canonical id (300750.SZ). `published_at` follows the rule of bare dates; `crawled_at` is when a
    collector fetched it, if that is stated.
    """

    title: str = ""
    kind: DocumentKind = "report"
    language: Language = "zh"
    published_at: Instant | None = None
    crawled_at: Instant | None = None
    broker: str | None = None
    analysts: tuple[str, ...] = ()
    security: str | None = None
    rating: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What a parser returns: the text, its blocks and lines, and the fields that the source itself stated.

    `given_id` is the id inside a collection (`.jsonl`, `.csv`), else None; `stated` holds raw field values by name
    (title, published_at, crawled_at, kind, security, broker, analysts, rating, language), unparsed.
    """

    source: str
    text: str
    blocks: tuple[Block, ...]
    format: str
    given_id: str | None = None
    lines: tuple[Line, ...] = ()
    markup: tuple[Span, ...] = ()
    n_pages: int | None = None
    stated: tuple[tuple[str, str], ...] = ()
    raw_hash: str = ""
    issues: tuple[Issue, ...] = ()
    pages: tuple[PageVerdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document ready for the store. `id` is the given id, else the resolved source path."""

    id: str
    source: str
    format: str
    text: str
    metadata: Metadata
    blocks: tuple[Block, ...]
    passages: tuple[Passage, ...]
    lines: tuple[Line, ...] = ()
    markup: tuple[Span, ...] = ()
    n_pages: int | None = None
    raw_hash: str = ""
    text_hash: str = ""
    issues: tuple[Issue, ...] = field(default=())
    pages: tuple[PageVerdict, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage as read back: everything that an answer needs to cite it.

    `id` is ``document:version:ordinal``; `known_at` the instant from which it may be read; `markup` holds the flagged
    spans that touch the passage.
    """

    id: str
    key: int
    document: str
    version: int
    ordinal: int
    start: int
    end: int
    text: str
    sentences: tuple[Sentence, ...]
    heading: str
    role: Role
    metadata: Metadata
    source: str
    known_at: Instant
    markup: tuple[Span, ...] = ()
