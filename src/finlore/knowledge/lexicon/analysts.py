"""Who signs a report, with the number of the certificate where it is printed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from finlore.knowledge.lexicon.metrics import evidence_at
from finlore.language.normal import HAN, fold
from finlore.records.document import Document
from finlore.records.fact import Fact, Party
from finlore.resources import load_toml, load_words

_ENDS: Final = 12_000  # characters at either end of a document: who signs stands there
_BEFORE: Final = 140  # characters between a name and the certificate
_NAME: Final = re.compile(rf"(?<![{HAN}])[{HAN}]{{2,4}}(?![{HAN}])")
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
    for first, last in _both_ends(text):
        at = first
        for match in _words().certificate.finditer(text, first, last):
            start = max(at, match.start() - _BEFORE)
            names = [*_NAME.finditer(_words().around.sub(_blank, text[start : match.start()]))]
            person = next((name for name in reversed(names) if _is_person(name.group())), None)
            if person is not None:
                yield Signature(person.group(), start + person.start(), start + person.end(), match["number"])
            at = match.end()


def _both_ends(text: str) -> Iterable[tuple[int, int]]:
    return [(0, len(text))] if len(text) <= 2 * _ENDS else [(0, _ENDS), (len(text) - _ENDS, len(text))]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _is_person(name: str) -> bool:
    surnames = _words().surnames
    return (name[0] in surnames and len(name) < 4) or (name[:2] in surnames and len(name) > 2)


@dataclass(frozen=True, slots=True)
class _Words:
    certificate: re.Pattern[str]
    around: re.Pattern[str]
    surnames: frozenset[str]


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = load_toml("lexicon/advice.toml")["analysts"]
    labels, around = (
        "|".join(re.escape(word).replace(r"\ ", r"\s?") for word in sorted(table[name], key=len, reverse=True))
        for name in ("certificates", "around")
    )
    return _Words(
        certificate=re.compile(
            rf"(?:{labels})[\s:：.|]{{0,4}}(?P<number>S\d{{13}}|[FZ]\d{{7,8}}|[A-Z]{{3}}\d{{3}})", re.IGNORECASE
        ),
        around=re.compile(around),
        surnames=load_words("names/surnames.txt"),
    )
