"""What people are asked, and what they said. Nothing waits for an answer; a decision can always be taken back."""

from dataclasses import dataclass
from typing import Literal

from finlore.records.instant import Instant

ReviewKind = Literal["merge", "low_confidence", "failed_check", "schema", "contradiction", "completion", "instruction"]
ReviewStatus = Literal["open", "accepted", "rejected", "edited"]


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A question about one thing. `id` is a hash of what it is about, so that the same doubt is asked once.

    `about`: ids of the facts, events, entities or tables concerned; `proposal` what accepting would do, in words;
    `payload` the same for machines, as sorted pairs.
    """

    id: str
    kind: ReviewKind
    about: tuple[str, ...]
    question: str
    proposal: str
    payload: tuple[tuple[str, str], ...]
    confidence: float
    asked_at: Instant
    status: ReviewStatus = "open"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said of an item, and when; `undone_at` when it was taken back. `edits`: pairs that replace those of
    the payload."""

    item: str
    status: ReviewStatus
    made_at: Instant
    edits: tuple[tuple[str, str], ...] = ()
    note: str = ""
    undone_at: Instant | None = None
