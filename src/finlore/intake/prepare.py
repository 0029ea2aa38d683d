"""A parsed document -> a document ready for the store. Pure: the same input gives the same document to the last bit."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256

from finlore.intake.clean import flag_boilerplate
from finlore.intake.metadata import read_metadata
from finlore.intake.passages import make_passages
from finlore.intake.tables.read import read_tables
from finlore.language.reading import readable_spans
from finlore.records.document import Document, Issue, ParsedDocument
from finlore.records.instant import Instant

_SPACE = re.compile(r"\s+")


def prepare(parsed: ParsedDocument, *, zone: str, received_at: Instant) -> tuple[Document | None, list[Issue]]:
    """The document with cleaned blocks, passages and metadata; None, and an issue that says why, when it has no text.

    A document with pages but without text is kept: its pages wait for OCR. `zone` gives bare dates their end of day;
    dates after the day of `received_at` are not believed.
    """
    if parsed.n_pages is None and not parsed.text.strip():
        return None, [Issue(parsed.source, "there is no text in it", "rejected")]
    spans = readable_spans(parsed.markup)
    rows = [span for span in parsed.markup if span.kind == "table_row"]
    blocks = flag_boilerplate(parsed.text, parsed.blocks, spans=spans)
    metadata, doubts = read_metadata(parsed, blocks, spans=spans, zone=zone, received_at=received_at)
    issues = [*parsed.issues, *doubts]
    document = Document(
        id=parsed.given_id or parsed.source,
        source=parsed.source,
        format=parsed.format,
        text=parsed.text,
        metadata=metadata,
        blocks=blocks,
        passages=make_passages(parsed.text, blocks, spans=spans, rows=rows, lines=parsed.lines, title=metadata.title),
        lines=parsed.lines,
        markup=parsed.markup,
        n_pages=parsed.n_pages,
        raw_hash=parsed.raw_hash,
        text_hash=text_hash(parsed.text),
        pages=parsed.pages,
    )
    issues += _doubtful_tables(document)
    return replace(document, issues=tuple(issues)), issues


def _doubtful_tables(document: Document) -> Iterator[Issue]:
    """What a person should look at in the tables: the first doubt about each, and how many more there are."""
    for n, table in enumerate(read_tables(document), start=1):
        if table.doubts:
            where = f"table on page {table.page}" if table.page else f"table {n}"
            more = f" (and {len(table.doubts) - 1} more)" if len(table.doubts) > 1 else ""
            yield Issue(document.source, f"{where}: {table.doubts[0]}{more}, needs review")


def text_hash(text: str) -> str:
    """Hash of what the text says, whatever its width, case and white space."""
    folded = _SPACE.sub("", unicodedata.normalize("NFKC", text).casefold())
    return sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()
