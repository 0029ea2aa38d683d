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
class Reviewed:
    """A question with all that was ever decided of it, in that order. `is_void`: what is decided does nothing, since it
    does not fit what the question is about now."""

    item: ReviewItem
    decisions: tuple["Decision", ...] = ()
    is_void: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What was said of an item, when and `by` whom; when and by whom it was taken back (`undone_at`, `undone_by`).
    `edits`: pairs that replace those of the payload."""

    item: str
    status: ReviewStatus
    made_at: Instant
    edits: tuple[tuple[str, str], ...] = ()
    note: str = ""
    undone_at: Instant | None = None
    by: str = ""
    undone_by: str = ""
