"""What the derived index is told about a passage: counts of words and names by sentence, and when it is visible."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from finlore.records.instant import ALWAYS, NEVER, Instant

NESTED = "\x1f"
"""Separates the parts of a name-list string: ``surface␟kind␟cover␟cover…`` (see `name_list`)."""
DIRECT = "@"
"""A name-list string that starts with this is an entity id itself: the subject that a document owns."""
OWNED = "="
"""As DIRECT, once per passage in its context sentence: the document of this passage is about that entity."""


def passage_id(document: str, version: int, ordinal: int) -> str:
    """The public id of a passage."""
    return f"{document}:{version}:{ordinal}"


def passage_key(document: str, version: int, ordinal: int) -> int:
    """63 bits of a hash: the same in every store, whatever the order of ingest."""
    digest = blake2b(f"{document}\0{version}\0{ordinal}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def name_list(surface: str, kind: str, covers: tuple[str, ...]) -> str:
    """The posting list that a mention belongs to.

    Occurrences of a surface inside longer names get a list of their own, which is visible only while none of the longer
    names (`covers`) is known: so "known first, longest match second" is decided per list, at the date of the question.
    """
    return NESTED.join((surface, kind, *covers))


@dataclass(frozen=True, slots=True)
class IndexedSentence:
    """`words`: term -> count, relation marks (``~supply``) included; `names`: name-list string -> count.

    Ordinal 0 of every row is the context sentence (title, broker, heading); it carries words, names and the owned
    subject.
    """

    words: Mapping[str, int]
    names: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One passage. Visible at D iff ``known <= D < until``."""

    key: int
    known: Instant
    sentences: tuple[IndexedSentence, ...]
    until: Instant = NEVER
    language: int = 0  # 0 zh, 1 en


@dataclass(frozen=True, slots=True)
class KnownName:
    """A direct alias as the view sees it (support already counted)."""

    surface: str
    entity: str
    kind: str
    name: str
    strength: int
    known: Instant = ALWAYS
