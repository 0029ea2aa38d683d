"""What may be stated: the attributes, drivers and links that a graph is filled with. Read from TOML by `resources`."""

from dataclasses import dataclass
from typing import Literal

from finlore.records.fact import Direction
from finlore.records.names import EntityKind

ValueType = Literal["number", "text", "entity", "date"]
Quantity = Literal["", "money", "price", "percent", "multiple", "count", "shares"]


@dataclass(frozen=True, slots=True)
class Labels:
    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Cue:
    """A wording that announces something, Chinese anywhere, else whole words (``word*``: beginnings). `direction` is
    for the subject; `swaps`: what stands before it is the object (被收购, is supplied by)."""

    text: str
    direction: Direction = "neutral"
    swaps: bool = False


@dataclass(frozen=True, slots=True)
class AttributeType:
    """A property of a security or company. `single`: a later statement supersedes an earlier one; `opinion`: only one
    of the same source does, and another source's does not contradict it."""

    id: str
    labels: Labels
    description: str
    value: ValueType
    quantity: Quantity
    single: bool
    domain: tuple[EntityKind, ...]
    range: tuple[EntityKind, ...]  # of values that are entities
    fibo: str  # the term's IRI
    cues: tuple[Cue, ...] = ()
    opinion: bool = False


@dataclass(frozen=True, slots=True)
class EventType:
    """A subtype of a driver."""

    id: str
    driver: str
    labels: Labels
    description: str
    fibo: str
    cues: tuple[Cue, ...] = ()


@dataclass(frozen=True, slots=True)
class DriverType:
    """One of the categories of what moves a company."""

    id: str
    labels: Labels
    description: str
    fibo: str
    events: tuple[EventType, ...]


@dataclass(frozen=True, slots=True)
class LinkType:
    """A relation between two entities; `inverse` words it from the object's side. `symmetric`: it has no direction."""

    id: str
    labels: Labels
    inverse: Labels
    description: str
    domain: tuple[EntityKind, ...]
    range: tuple[EntityKind, ...]
    single: bool
    symmetric: bool
    fibo: str
    cues: tuple[Cue, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """`version` is a hash of the content: facts remember which one they were read by."""

    name: str
    version: str
    attributes: tuple[AttributeType, ...]
    drivers: tuple[DriverType, ...]
    links: tuple[LinkType, ...]

    def __hash__(self) -> int:
        return hash(self.version)  # what is compiled from a schema is looked up for every document
