"""What a workspace reports about its own work."""

from dataclasses import dataclass
from typing import Literal

from finlore.records.document import PageVerdict
from finlore.records.instant import Instant
from finlore.records.llm import Usage


@dataclass(frozen=True, slots=True)
class DocumentOutcome:
    """One input as a person sees it: `status` is added, new_version, unchanged, duplicate or rejected; `quality` tells
    what of its facts was corrected and completed, and what could not be."""

    id: str
    source: str
    status: str
    reason: str = ""
    pages: int | None = None
    passages: int = 0
    published_at: Instant | None = None
    known_at: Instant | None = None
    notes: tuple[str, ...] = ()
    page_verdicts: tuple[PageVerdict, ...] = ()  # of pages that are not simply read
    quality: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """`skipped` counts files of unknown kind in folders; indexing makes no LLM call, so there is no cost to report."""

    documents: tuple[DocumentOutcome, ...]
    skipped: int
    seconds: float
    cpu_seconds: float

    def count(self, status: str) -> int:
        return sum(outcome.status == status for outcome in self.documents)


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """Passages embedded in this call, and those that still have no vector."""

    model: str
    embedded: int
    remaining: int


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """What one extractor read in this call: documents, facts, links (no facts here) and events; passages that `failed`,
    and what was `pruned`, by reason. `estimate` is what it would take at most, `usage` what it took; `remaining` are
    documents that wait to be read, `stopped` says why."""

    extractor: str
    extracted: int
    facts: int
    events: int
    links: int
    failed: int
    pruned: tuple[tuple[str, int], ...]
    estimate: Usage
    usage: Usage
    remaining: int
    stopped: Literal["", "budget", "endpoint", "replay"] = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What one backup file holds: the store as it was copied, and how many run records."""

    file: str
    n_bytes: int
    created_at: Instant
    schema_version: int
    sequence: int
    digest: str
    documents: int
    runs: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `doctor`: what was looked at, whether it is fine, and what to do if not."""

    subject: str
    fine: bool
    message: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity that shares passages with another; `passages` are the keys of those shared, best first."""

    entity: str
    name: str
    weight: float
    passages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NamePath:
    """A chain of entities, and what they are called; between each two, the keys of passages in which both occur."""

    entities: tuple[str, ...]
    passages: tuple[tuple[int, ...], ...]
    names: tuple[str, ...] = ()
