"""Names in text and the entities they stand for.

A *surface* is a folded string (`language.fold`). A mention says only that a surface stands in a sentence. Which entity
a surface means is decided at the date of the question: the entity of its strongest alias known by then.
"""

from dataclasses import dataclass
from typing import Literal

from finlore.records.instant import ALWAYS, Instant

EntityKind = Literal[
    "security", "company", "person", "broker", "rating_agency", "regulator", "exchange", "policy", "industry",
    "concept", "index", "product", "material", "region", "metric", "organisation", "work", "name",
]  # fmt: skip

STRENGTH_IDENTIFIER = 100  # a code, or a name that the shipped list gives to a code
STRENGTH_DEFINITION = 80  # "name（code）", "…有限公司（以下简称 name）"
STRENGTH_LIST = 60  # shipped brokers, industries, concepts; the title of a titled page
STRENGTH_TABLE = 50  # a name that an imported table gives
STRENGTH_PATTERN = 20  # a legal name or a group name that stands for itself


@dataclass(frozen=True, slots=True)
class Mention:
    """One occurrence. `surface` is folded; `passage` counts from 0, `sentence` from 1 within it, `start` and `end` are
    offsets into the document's text. Sentence 0 is the context (`reading.context_text`) and has offsets of its own.

    `kind` is empty when a name list or an alias decides what it is; a recogniser that stands on its own (statistical,
    capitalised span, pattern) gives its kind, and the entity is then ``kind:surface`` unless an alias knows better.
    Nested mentions are all kept.
    """

    passage: int
    sentence: int
    start: int
    end: int
    surface: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Alias:
    """A statement that `surface` means `entity`, made by a document or by the shipped lists.

    `known_at` is set for shipped names (the listing date, else ALWAYS) and None for what a document teaches: then it is
    the instant of the `needs`-th smallest known time among the documents that state it.
    """

    surface: str
    entity: str
    kind: str
    name: str
    strength: int
    known_at: Instant | None = None
    needs: int = 1

    @property
    def is_taught(self) -> bool:
        """Whether texts must be searched for it: shipped names are found when a text is read. Rows of a table say
        themselves since when their names are known."""
        return self.known_at is None or self.strength == STRENGTH_TABLE


@dataclass(frozen=True, slots=True)
class SameName:
    """`surface` is another form of `via` (legal name -> short name); holds from when both are known.

    It counts as an alias of `surface` to whatever `via` means directly at that date; `unlisted_only`: unless that is a
    security then.
    """

    surface: str
    via: str
    strength: int
    unlisted_only: bool = False


@dataclass(frozen=True, slots=True)
class FoundNames:
    """All that naming found in one document. `subject` is the entity that the document is about and therefore owns: the
    covered security, else the title where the title is a name."""

    mentions: tuple[Mention, ...]
    aliases: tuple[Alias, ...]
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity as known at a date: `aliases` are surfaces, strongest first."""

    id: str
    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    known_at: Instant = ALWAYS
    n_passages: int = 0
