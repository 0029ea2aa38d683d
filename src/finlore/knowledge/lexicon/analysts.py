"""Who signs a report, with the number of the certificate where it is printed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from finlore.graph.shipped import word_list
from finlore.knowledge.lexicon.metrics import evidence_at
from finlore.knowledge.lexicon.patterns import Patterns
from finlore.language.normal import HAN, fold
from finlore.records.document import Document
from finlore.records.fact import Fact, Party

_BEFORE: Final = 140  # characters between a name and the certificate
_NAME: Final = re.compile(rf"(?<![{HAN}])[{HAN}]{{2,4}}(?![{HAN}])")
_PATTERNS: Final = Patterns("lexicon/advice.toml")
_SIGNED, _LISTED = 0.95, 0.9


@dataclass(frozen=True, slots=True)
class Signature:
    """The name at [start, end) of the text; `end == start` where it is not printed. `certificate` as printed, or ""."""

    name: str
    start: int
    end: int
    certificate: str = ""


def analyst_facts(document: Document, covered: Party | None) -> list[Fact]:
    """Who covers whom: a fact for each that signs, noted with the certificate; none where nobody is covered."""
    if covered is None:
        return []
    return [
        Fact(
            Party(signed.name, fold(signed.name), "person"), "covers",
            evidence_at(document, signed.start, signed.end),
            document.text[signed.start : signed.end] or signed.name, covered,
            confidence=_SIGNED if signed.certificate else _LISTED, note=signed.certificate,
        )
        for signed in find_signatures(document)
    ]  # fmt: skip


def find_signatures(document: Document) -> list[Signature]:
    """Those whom the metadata lists, then those whose certificate is printed, each once."""
    text = document.text
    certified = {signed.name: signed for signed in _certified(text)}
    listed = [_listed(text, name, certified) for name in document.metadata.analysts]
    return list({signed.name: signed for signed in (*listed, *certified.values())}.values())


def _listed(text: str, name: str, certified: dict[str, Signature]) -> Signature:
    at = text.find(name)
    place = Signature(name, at, at + len(name)) if at >= 0 else Signature(name, 0, 0)
    return certified.get(name, place)


def _certified(text: str) -> Iterator[Signature]:
    """The names that stand before certificates, up to the certificate before."""
    at = 0
    for match in _PATTERNS["certificate"].finditer(text):
        start = max(at, match.start() - _BEFORE)
        names = [*_NAME.finditer(_PATTERNS["around_analysts"].sub(_blank, text[start : match.start()]))]
        person = next((name for name in reversed(names) if _is_person(name.group())), None)
        if person is not None:
            yield Signature(person.group(), start + person.start(), start + person.end(), match["number"])
        at = match.end()


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _is_person(name: str) -> bool:
    surnames = word_list("surnames")
    return (name[0] in surnames and len(name) < 4) or (name[:2] in surnames and len(name) > 2)
