"""Who is spoken of: words for a party -> the party, and whether a quote is about whom a model says it is."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from finlore.knowledge.lexicon.roles import leading_mark
from finlore.knowledge.lexicon.wordings import wordings_of
from finlore.knowledge.prompted.excerpts import Excerpt, Place
from finlore.knowledge.sentences import Named, subject_party
from finlore.language.normal import fold
from finlore.records.document import Document
from finlore.records.fact import Party
from finlore.records.names import EntityKind, FoundNames
from finlore.records.schema import Schema
from finlore.resources import load_toml

_COMPANIES: Final = frozenset({"security", "company"})
_LONGEST: Final = 80
_JOINT: Final = re.compile(r"\s?(?:[、,，/&及和与]|以及|and)*\s?")
_ASIDE: Final = re.compile(r"[（(][^（）()]{0,40}[)）]")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A party as an excerpt names it; `at` is None where only the document says who is meant."""

    party: Party
    at: Place | None


class Cast:
    """The subject of a document, by whatever words, and everybody else that its excerpts name."""

    def __init__(self, document: Document, found: FoundNames, schema: Schema) -> None:
        self.subject = subject_party(document, found)
        self._wordings = wordings_of(schema)
        self._broker = fold(document.metadata.broker or "")
        self._own = frozenset(self._surfaces(document, found))

    def _surfaces(self, document: Document, found: FoundNames) -> Iterator[str]:
        if self.subject is None:
            return
        code = (document.metadata.security or "").partition(".")[0]
        aliases = (alias.surface for alias in found.aliases if alias.entity == found.subject)
        yield from filter(None, (self.subject.surface, fold(self.subject.name), fold(code), *aliases))

    def party(self, words: str, excerpt: Excerpt, at: Place | None, kinds: Collection[EntityKind]) -> Spoken | None:
        """Who the words mean that stand at a place: the document's subject, wherever they stand, or whoever is named
        there; None for anybody else. `kinds`: what one may be of whom nothing is known."""
        surface = fold(words)
        if not surface or surface in _spoken() or surface in self._own:
            return Spoken(self.subject, at) if self.subject else None
        if at is None or len(words) > _LONGEST:
            return None
        named = next((n for n in excerpt.names if (n.start, n.end) == (at.start, at.end)), None)
        named = named or next((n for n in excerpt.names if n.party.surface == surface), None)
        if named and named.party.surface in self._own and self.subject:
            return Spoken(self.subject, at)
        if named and named.party.kind not in ("", "name"):
            return Spoken(named.party, at)
        printed = " ".join(excerpt.text[at.start : at.end].split())
        return Spoken(Party(printed, fold(printed), _kind(kinds)), at)

    def is_of_another(self, excerpt: Excerpt, quote: Place, object_: Place | None, *, said: int) -> bool:
        """Whether a quote that is said to be about the document's subject is about another company that it names
        before `said`, where its statement stands, or that is the last to be named before it in its line."""
        first, _ = excerpt.lines(quote.start, quote.end)
        others = [n for n in excerpt.names if n.start < said and self._is_other(excerpt, n, object_)]
        if self._names_subject(excerpt, quote.start, quote.end):
            return False
        if any(quote.start <= name.start < quote.end for name in others):
            return True
        before = any(first <= name.start < quote.start for name in others)
        return before and not self._names_subject(excerpt, first, quote.start)

    def involved(self, excerpt: Excerpt, quote: Place, but: Collection[Party]) -> list[Party]:
        """Whom else the lines of a quote name."""
        first, last = excerpt.lines(quote.start, quote.end)
        surfaces = {party.surface for party in but}
        inside = (n.party for n in excerpt.names if first <= n.start and n.end <= last and n.party.kind != "metric")
        return list(dict.fromkeys(party for party in inside if party.surface not in surfaces))

    def _is_other(self, excerpt: Excerpt, name: Named, object_: Place | None) -> bool:
        """Whether a name is that of a company that may be the one who acts: not the object or listed with it, not
        behind a preposition, not in brackets."""
        if name.party.kind not in _COMPANIES or name.party.surface in {*self._own, self._broker}:
            return False
        if (
            object_
            and name.start < object_.end
            and _JOINT.fullmatch(excerpt.text, name.end, max(name.end, object_.start))
        ):
            return False
        first, last = excerpt.lines(name.start, name.end)
        is_aside = any(m.start() < name.start < m.end() for m in _ASIDE.finditer(excerpt.text, first, last))
        return not is_aside and leading_mark(excerpt.text[first : name.start]) in ("", "agent")

    def _names_subject(self, excerpt: Excerpt, start: int, end: int) -> bool:
        if any(start <= n.start and n.end <= end and n.party.surface in self._own for n in excerpt.names):
            return True
        return bool(self._wordings.find(excerpt.text[start:end]).get("company"))


@cache
def _spoken() -> frozenset[str]:
    """Words for the company that a document is about (公司, the company)."""
    return frozenset(map(fold, load_toml("lexicon/events.toml")["context"]["company"]))


def _kind(kinds: Collection[EntityKind]) -> EntityKind:
    """Of whom only is known what the schema allows there: a company where it may be one, else what it must be."""
    if len(kinds) == 1:
        return next(iter(kinds))
    return "company" if "company" in kinds and "product" not in kinds and "person" not in kinds else "name"
