"""Results of retrieval and answering."""

from dataclasses import dataclass
from typing import Literal

from finlore.records.document import Box, StoredPassage
from finlore.records.instant import Instant

Method = Literal["text", "dense", "graph", "auto"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved passage. `score` is comparable within one result only; `parts` names what it is made of."""

    passage: StoredPassage
    score: float
    parts: tuple[tuple[str, float], ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SentencePath:
    """A chain of sentences found by the beam: entities that link them, and where each sentence stands."""

    entities: tuple[str, ...]
    sentences: tuple[tuple[int, int], ...]  # (passage key, sentence ordinal counted from 1)
    score: float


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Everything one retrieval found; the same question on the same rows gives the same record."""

    question: str
    as_of: Instant
    method: Method
    hits: tuple[Hit, ...]
    entities: tuple[str, ...] = ()
    unknown_names: tuple[str, ...] = ()
    paths: tuple[SentencePath, ...] = ()
    timing_ms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote and where it stands; `verified` means that the slice of the stored text is the quote."""

    n: int
    document: str
    version: int
    title: str
    page: int | None
    box: Box | None
    quote: str
    start: int
    end: int
    verified: bool
    passage: str = ""
    known_at: Instant | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """`text` cites by [n]. `flags` say what is missing or doubtful; `found` is False when the evidence is not there."""

    question: str
    as_of: Instant
    mode: Literal["extractive", "llm"]
    text: str
    citations: tuple[Citation, ...]
    flags: tuple[str, ...]
    paths: tuple[SentencePath, ...]
    found: bool
    entities: tuple[str, ...] = ()
