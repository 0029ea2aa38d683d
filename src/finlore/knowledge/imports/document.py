"""What was imported from one file, as a document that facts point into."""

from hashlib import sha256

from finlore.knowledge.imports.read import Imported
from finlore.language.normal import has_han
from finlore.records.document import Document, Metadata
from finlore.records.fact import Extracted
from finlore.records.names import FoundNames

_EXTRACTOR = "import/1"


def as_document(imported: Imported, *, source: str, title: str, what: str) -> Document:
    """The rows as a text without passages: they are quoted, not searched. One file may be imported as several
    relations, each is a document of its own, ``source#what``.

    Published when its earliest row was known; each fact says from when it is known itself.
    """
    digest = sha256(imported.text.encode("utf-8", "surrogatepass")).hexdigest()
    metadata = Metadata(
        title=title,
        kind="filing",
        language="zh" if has_han(imported.text[:10_000]) else "en",
        published_at=imported.known_at,
    )
    return Document(
        id=f"{source}#{what}",
        source=source,
        format="table",
        text=imported.text,
        metadata=metadata,
        blocks=(),
        passages=(),
        raw_hash=digest,
        text_hash=digest,
    )


def names_of(imported: Imported) -> FoundNames:
    return FoundNames((), imported.aliases)


def statements_of(imported: Imported) -> Extracted:
    return Extracted(_EXTRACTOR, imported.facts)
