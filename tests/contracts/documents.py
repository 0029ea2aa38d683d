"""Documents for tests of stores, written as text: a blank line ends a passage, 。 and line ends end a sentence."""

import re
from collections.abc import Iterable

import numpy as np

from finlore.ports import Bytes8, Store
from finlore.records.document import Block, Document, Metadata, Passage, Sentence
from finlore.records.instant import ALWAYS, Instant, parse_instant
from finlore.records.names import STRENGTH_DEFINITION, STRENGTH_IDENTIFIER, Alias, FoundNames, Mention
from finlore.records.store import NameScan, PutResult, ScannedMentions

INGESTED = parse_instant("2026-01-05T09:30:00")
MODEL = "hash-8"


def day(date: str) -> Instant:
    return parse_instant(date)


def report(id_: str, text: str, published: str | None = None, **stated: object) -> Document:
    """A document whose passages are the paragraphs of `text`; `stated` goes into its metadata."""
    passages = tuple(
        Passage(paragraph.start(), paragraph.end(), tuple(_sentences(text, paragraph.start(), paragraph.end())))
        for paragraph in re.finditer(r"(?s)\S.*?(?=\n\n|$(?!\n))", text)
    )
    metadata = Metadata(published_at=None if published is None else parse_instant(published), **stated)  # type: ignore[arg-type]
    blocks = tuple(Block(p.start, p.end) for p in passages)
    return Document(id_, f"/reports/{id_}.md", "markdown", text, metadata, blocks, passages)


def _sentences(text: str, start: int, end: int) -> Iterable[Sentence]:
    return (Sentence(start + s.start(), start + s.end()) for s in re.finditer(r"[^。\n]+[。\n]?", text[start:end]))


def shipped(surface: str, entity: str, listed: Instant = ALWAYS) -> Alias:
    return Alias(surface, entity, "security", surface, STRENGTH_IDENTIFIER, listed)


def taught(surface: str, entity: str, *, needs: int = 1, strength: int = STRENGTH_DEFINITION) -> Alias:
    return Alias(surface, entity, "company", surface, strength, needs=needs)


def occurrences(text: str, surface: str) -> Iterable[int]:
    return (match.start() for match in re.finditer(f"(?={re.escape(surface)})", text))


def found(document: Document, *aliases: Alias, guesses: Iterable[str] = (), subject: str | None = None) -> FoundNames:
    """Mentions of everything that `aliases` name and of `guesses`, by plain search; aliases as given."""
    kinds = {guess: "organisation" for guess in guesses} | {alias.surface: "" for alias in aliases}
    mentions = tuple(
        Mention(number, ordinal, sentence.start + at, sentence.start + at + len(surface), surface, kind)
        for number, passage in enumerate(document.passages)
        for ordinal, sentence in enumerate(passage.sentences, start=1)
        for surface, kind in sorted(kinds.items())
        for at in occurrences(document.text[sentence.start : sentence.end], surface)
    )
    return FoundNames(mentions, aliases, subject)


def searched(scan: NameScan) -> ScannedMentions:
    """What a plain search for the surfaces of a scan finds in its texts."""
    mentions = tuple(
        (text.version_row, Mention(text.passage, ordinal, *reading.span(at, at + len(surface)), surface))
        for text in scan.texts
        for ordinal, reading in text.sentences
        for surface in scan.surfaces
        for at in occurrences(reading.text, surface)
    )
    return ScannedMentions(scan, mentions)


def put(store: Store, document: Document, *aliases: Alias, **options: object) -> PutResult:
    ingested_at = options.pop("ingested_at", INGESTED)
    names = found(document, *aliases, **options)  # type: ignore[arg-type]
    return store.put(document, names, ingested_at=ingested_at)  # type: ignore[arg-type]


def back_fill(store: Store) -> int:
    return sum(store.add_mentions(searched(scan)) for scan in store.name_scans())


def vector_of(key: int) -> Bytes8:
    """A vector that depends on the passage alone."""
    return np.frombuffer(key.to_bytes(8, "big"), np.int8)


def embed(store: Store, *, limit: int = 1_000) -> int:
    return store.put_vectors(MODEL, {key: vector_of(key) for key, _ in store.without_vectors(MODEL, limit=limit)})
