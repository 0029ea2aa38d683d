"""Sentences with the parties in them: what extractors read."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from finlore.language.reading import read, readable_spans
from finlore.records.document import Document, Role
from finlore.records.fact import Evidence, Party
from finlore.records.mapped import MappedText
from finlore.records.names import FoundNames, Mention


@dataclass(frozen=True, slots=True)
class Named:
    """A party at [start, end) of the text of its reading."""

    start: int
    end: int
    party: Party


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence as a person reads it. `names` are the longest ones, from left to right, none inside another."""

    passage: int
    ordinal: int
    mapped: MappedText
    names: tuple[Named, ...]
    heading: str
    role: Role

    @property
    def text(self) -> str:
        return self.mapped.text

    def evidence(self, start: int = 0, end: int | None = None) -> Evidence:
        """The place in the document of a part of the text."""
        return Evidence(*self.mapped.span(start, len(self.text) if end is None else end), self.passage)


def subject_party(document: Document, found: FoundNames) -> Party | None:
    """Who the document is about; None where nobody says."""
    if found.subject is None:
        return None
    named = next((alias for alias in found.aliases if alias.entity == found.subject), None)
    kind, _, surface = found.subject.rpartition(":")
    name = named.name if named else document.metadata.title if kind == "name" else found.subject
    return Party(name, surface, kind or "security", entity=found.subject)


def readings(document: Document, found: FoundNames) -> Iterator[Reading]:
    """Every sentence of every passage, in order."""
    spans = readable_spans(document.markup)
    kinds = _kinds(found)
    by_place: dict[tuple[int, int], list[Mention]] = {}
    for mention in found.mentions:
        by_place.setdefault((mention.passage, mention.sentence), []).append(mention)
    for number, passage in enumerate(document.passages):
        for ordinal, sentence in enumerate(passage.sentences, 1):
            mapped = read(document.text, spans, sentence.start, sentence.end)
            names = _named(mapped, by_place.get((number, ordinal), ()), kinds)
            yield Reading(number, ordinal, mapped, names, passage.heading, passage.role)


def _named(mapped: MappedText, mentions: Iterable[Mention], kinds: Mapping[str, Party]) -> tuple[Named, ...]:
    """The longest mentions, placed in the text as it is read; a known name goes before a guess of the same length."""
    chosen: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, m.surface not in kinds, m.start, m.surface)):
        if all(mention.end <= other.start or other.end <= mention.start for other in chosen):
            chosen.append(mention)
    named = []
    for mention in sorted(chosen, key=lambda m: m.start):
        start, end = _within(mapped, mention.start), _within(mapped, mention.end - 1) + 1
        printed = mapped.text[start:end]
        known = kinds.get(mention.surface)
        party = Party(printed, mention.surface, known.kind if known else mention.kind or "name")
        named.append(Named(start, end, party))
    return tuple(named)


def _within(mapped: MappedText, origin: int) -> int:
    """The offset in the reading of a character of the source; of one that reads as nothing, where it would stand."""
    return bisect_left(range(len(mapped.text)), origin, key=mapped.origin)


def _kinds(found: FoundNames) -> dict[str, Party]:
    """Surface -> kind, by its strongest alias in the document."""
    kinds: dict[str, Party] = {}
    for alias in sorted(found.aliases, key=lambda alias: (-alias.strength, alias.entity)):
        kinds.setdefault(alias.surface, Party(alias.name, alias.surface, alias.kind))
    return kinds
