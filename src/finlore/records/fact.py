"""What is stated about whom: typed facts and events, each with its place in the text.

A fact says nothing about when it became known: that is the document version's, unless it says later (`known_at`).
"""

from dataclasses import dataclass
from typing import Literal

from finlore.records.instant import Instant
from finlore.records.table import Basis

Direction = Literal["good", "bad", "neutral"]
Bound = Literal["", "low", "high"]
FactStatus = Literal["stated", "completed", "corrected"]
ChangeKind = Literal["added", "superseded", "confirmed", "ended"]


@dataclass(frozen=True, slots=True)
class Party:
    """Who or what a fact speaks of.

    `entity` is set where the document itself says which it is (its covered security, a printed code). Else the folded
    `surface` is, and means what it means at the date of the question; without a meaning then, ``kind:surface``.
    """

    name: str
    surface: str
    kind: str
    entity: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where it is said: offsets into the document's text, and the ordinal of the passage that holds them (-1: none,
    as in a table that is not indexed)."""

    start: int
    end: int
    passage: int = -1


@dataclass(frozen=True, slots=True)
class Fact:
    """Subject - relation - object or value. `relation` is an id of the schema; metrics are ``metric:revenue``.

    `text` is what is printed; `value` the number in `unit`, None where there is none. `period` and `basis` belong to
    metrics; `part` is the segment that a figure is of, as printed, `bound` the end of a range that the value is.
    `valid_from`/`valid_to`: when it holds in the world, None where nobody says. `note` tells what was changed.
    """

    subject: Party
    relation: str
    evidence: Evidence
    text: str
    object: Party | None = None
    value: float | None = None
    unit: str = ""
    period: str = ""
    basis: Basis = ""
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    known_at: Instant | None = None
    confidence: float = 1.0
    status: FactStatus = "stated"
    note: str = ""
    part: str = ""
    bound: Bound = ""


@dataclass(frozen=True, slots=True)
class Role:
    """What plays a part in an event: `name` is trigger, doer, other, target, money, number, proportion, date,
    collateral, office, court or way; `text` as read, offsets into the document's text."""

    name: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Event:
    """Something that drives a company: who did what to whom, which driver it is, and what it moves.

    `driver` and `subtype` are ids of the schema, `relation` the words that say it. `direction` is for the subject.
    `cause` and `metric` (an id of the metric lexicon) where the text states them. `reasoning` explains the link in a
    sentence; of the offline extractor it is made of the schema's words, and empty where the text states neither cause
    nor metric.
    """

    subject: Party
    relation: str
    driver: str
    subtype: str
    direction: Direction
    evidence: Evidence
    object: Party | None = None
    involved: tuple[Party, ...] = ()
    time_frame: str = ""
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    cause: str = ""
    metric: str = ""
    reasoning: str = ""
    known_at: Instant | None = None
    confidence: float = 1.0
    roles: tuple[Role, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """What one extractor read out of one document version. `extractor` is name/version (lexicon/1).

    `pruned` counts what the schema does not allow, by reason; `failed` the passages that gave nothing and should have;
    `notes` tell what quality control did, and what it could not do.
    """

    extractor: str
    facts: tuple[Fact, ...] = ()
    events: tuple[Event, ...] = ()
    pruned: tuple[tuple[str, int], ...] = ()
    failed: tuple[int, ...] = ()
    instruction_like: tuple[int, ...] = ()  # passages that speak to a model
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a stored fact comes from; the quote is the slice of the text that says it. `broker`: who published it."""

    document: str
    version: int
    title: str
    page: int | None
    passage: str
    quote: str
    broker: str | None = None
    published_at: Instant | None = None


@dataclass(frozen=True, slots=True)
class StoredFact:
    """A fact as known at a date. `subject` and `object` are entity ids as of then. `until` is when a later statement
    superseded it (same subject, same single-valued relation), None while it holds; `contradicts` are ids of
    facts known at the date that say otherwise for the same time."""

    id: str
    fact: Fact
    subject: str
    object: str | None
    known_at: Instant
    extractor: str
    source: Source
    until: Instant | None = None
    contradicts: tuple[str, ...] = ()

    @property
    def said(self) -> Fact:
        """What a document says; of an event as well."""
        return self.fact


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as known at a date; `subject`, `object` and `involved` are entity ids as of then."""

    id: str
    event: Event
    subject: str
    object: str | None
    involved: tuple[str, ...]
    known_at: Instant
    extractor: str
    source: Source

    @property
    def said(self) -> Event:
        """What a document says; of a fact as well."""
        return self.event


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of a fact at an instant. `before`: the fact that it supersedes or confirms; of one that ended, None.

    A fact ends when it says so (`valid_to`), or when nothing that is known says it any more.
    """

    kind: ChangeKind
    at: Instant
    fact: StoredFact
    before: StoredFact | None = None
