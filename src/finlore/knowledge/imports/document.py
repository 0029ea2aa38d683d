"""What was imported from one file, as documents that facts point into."""

from hashlib import sha256

from finlore.knowledge.imports.read import Imported
from finlore.language.normal import has_han
from finlore.records.document import Document, Metadata
from finlore.records.store import StoredDocument

EXTRACTOR = "import/2"


def whole_id(source: str, what: str) -> str:
    """The name of all that is imported from a file as one thing; one file may be imported as several."""
    return f"{source}#{what}"


def part_id(whole: str, number: int) -> str:
    """The name of the n-th document of it, from 1."""
    return whole if number == 1 else f"{whole}#{number}"


def part_number(whole: str, document: str) -> int:
    """Which of its documents one is; 0 where it is none of them."""
    if document == whole:
        return 1
    start, _, number = document.rpartition("#")
    return int(number) if start == whole and number.isdecimal() else 0


def as_document(
    imported: Imported, *, whole: str, number: int, title: str, before: StoredDocument | None = None
) -> Document:
    """Rows as a text without passages: they are quoted, not searched.

    Published when its earliest row was known; each fact says from when it is known itself. A later version is not
    published at another date than the one `before` it, whatever its rows say: so the store knows it from when it is
    imported, and what it withdraws stands until then.
    """
    digest = sha256(imported.text.encode("utf-8", "surrogatepass")).hexdigest()
    metadata = Metadata(
        title=title,
        kind="filing",
        language="zh" if has_han(imported.text[:10_000]) else "en",
        published_at=before.published_at if before else imported.known_at,
    )
    return Document(
        id=part_id(whole, number),
        source=whole,
        format="table",
        text=imported.text,
        metadata=metadata,
        blocks=(),
        passages=(),
        raw_hash=digest,
        text_hash=digest,
    )
