"""A small extractor for tests of what is done with facts: it reads three wordings, and every number is an event."""

import re
from collections.abc import Iterator
from pathlib import Path

from finlore.adapters.store_embedded import EmbeddedStore
from finlore.records.document import Document
from finlore.records.fact import Event, Evidence, Extracted, Fact, Party
from finlore.records.instant import Instant, parse_instant

NAME = "fake/1"
_NAMES = "漠川材料|桐远电池|绯屿光学|雁洲化工|漠川"
_TARGET = re.compile(rf"({_NAMES})目标价(?:上调至)?([\d.]+)元")
_SUPPLY = re.compile(rf"({_NAMES}|公司)(?:（\d+）)?向({_NAMES})(?:（\d+）)?(?:独家)?供应")
_GUARANTEE = re.compile(rf"({_NAMES})(?:（\d+）)?为({_NAMES})提供担保，担保额([\d.]+)亿元")


def read_out(document: Document) -> Extracted:
    """What the wordings say; the covered security is named where the text is about it."""
    return Extracted(NAME, tuple(_facts(document)), tuple(_events(document)))


def _facts(document: Document) -> Iterator[Fact]:
    for match in _TARGET.finditer(document.text):
        subject = _covered(document, match[1])
        yield Fact(subject, "target_price", _place(document, match), match[2] + "元", value=float(match[2]), unit="元")
    for match in _SUPPLY.finditer(document.text):
        subject = _covered(document, match[1]) if match[1] == "公司" else _party(match[1])
        yield Fact(subject, "supplies", _place(document, match), match[2], object=_party(match[2]))


def _events(document: Document) -> Iterator[Event]:
    for match in _GUARANTEE.finditer(document.text):
        subject, object_ = _party(match[1]), _party(match[2])
        place = _place(document, match)
        yield Event(
            subject, "提供担保", "supply", "is_provided_by", "bad", place, object_, (subject, object_), cause="x"
        )


def _covered(document: Document, name: str) -> Party:
    return Party(name, name, "security", document.metadata.security or "")


def _party(name: str) -> Party:
    return Party(name, name, "company")


def _place(document: Document, match: re.Match[str]) -> Evidence:
    inside = (n for n, passage in enumerate(document.passages) if passage.start <= match.start() < passage.end)
    return Evidence(match.start(), match.end(), next(inside, -1))


def extract(folder: Path) -> int:
    """Read out of all that a workspace holds; how many facts and events there were."""
    store, late, n = EmbeddedStore(folder), Instant(parse_instant("2100-01-01")), 0
    while waiting := store.unextracted(NAME, limit=50):
        for name, version in waiting:
            document = store.document(name, version, as_of=late)
            assert document is not None
            extracted = read_out(document)
            store.put_extracted(name, version, extracted)
            n += len(extracted.facts) + len(extracted.events)
    store.close()
    return n
