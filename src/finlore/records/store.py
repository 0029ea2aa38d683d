"""What goes into and comes out of a store besides documents and names."""

from dataclasses import dataclass
from typing import Literal

from finlore.records.instant import Instant
from finlore.records.mapped import MappedText
from finlore.records.names import Mention

PutStatus = Literal["added", "new_version", "unchanged", "duplicate"]
InputOutcome = Literal["read", "waiting", "rejected", "partial"]


@dataclass(frozen=True, slots=True)
class PutResult:
    """What became of one document. `duplicate`: the same text is already there under `reason`."""

    id: str
    status: PutStatus
    version: int
    n_passages: int
    known_at: Instant
    reason: str = ""


@dataclass(frozen=True, slots=True)
class InputRecord:
    """What became of one source (a file, or a member of an archive) when it was last read.

    `read`: all of it is in the store; `waiting`: it is, but for pages that a missing part (OCR) could read; `rejected`:
    nothing is; `partial`: only some of its rows are, until it is imported again. `rules` identify the reading software:
    another version reads again. `reason` is for a person.
    """

    source: str
    raw_hash: str
    rules: str
    outcome: InputOutcome
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ScanText:
    """A stored passage that has not yet been read for some names: `sentences` are (ordinal, as a person reads it), the
    lines of its context among them with ordinal 0 and offsets into the context."""

    version_row: int
    passage: int
    sentences: tuple[tuple[int, MappedText], ...]


@dataclass(frozen=True, slots=True)
class NameScan:
    """Back-filling work: these texts must be searched for these surfaces, and for no others. `traces` are the store's
    own notes about the texts, by version row."""

    surfaces: tuple[str, ...]
    texts: tuple[ScanText, ...]
    through: int  # the name sequence that the texts will have been read up to
    traces: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class ScannedMentions:
    """The result of a `NameScan`: mentions by version row (`Mention.passage` is the ordinal within it)."""

    scan: NameScan
    mentions: tuple[tuple[int, Mention], ...]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """One document version as known at a date."""

    id: str
    version: int
    title: str
    kind: str
    source: str
    published_at: Instant | None
    known_at: Instant
    until: Instant
    n_passages: int
    security: str | None
    broker: str | None
    rating: str | None
    duplicate_of: str | None = None
    n_pages: int | None = None


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """Counts, sizes in bytes, and how far the derived index is behind (in sequence numbers).

    `digest` covers content alone (texts, known times of dated documents, names, mentions): it leaves out ingestion
    instants, row numbers and the order of ingest.
    """

    schema_version: int
    sequence: int
    digest: str
    counts: tuple[tuple[str, int], ...]
    sizes: tuple[tuple[str, int], ...]
    indexed_sequence: int
    problems: tuple[str, ...] = ()
