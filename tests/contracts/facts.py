"""Facts and events for tests of stores: each is said where its quote stands in the text of a document."""

from collections.abc import Iterable
from dataclasses import replace

from finlore.records.document import Document
from finlore.records.fact import Event, Evidence, Extracted, Fact, Party

EXTRACTOR = "fake/1"


def party(name: str, *, entity: str = "", kind: str = "company") -> Party:
    return Party(name, name, kind, entity)


def evidence(document: Document, quote: str) -> Evidence:
    start = document.text.index(quote)
    passage = next((n for n, p in enumerate(document.passages) if p.start <= start < p.end), -1)
    return Evidence(start, start + len(quote), passage)


def fact(document: Document, subject: Party, relation: str, quote: str, **stated: object) -> Fact:
    return replace(Fact(subject, relation, evidence(document, quote), quote), **stated)  # type: ignore[arg-type]


def event(document: Document, subject: Party, driver: str, quote: str, **stated: object) -> Event:
    made = Event(subject, quote, driver, f"{driver}.any", "good", evidence(document, quote))
    return replace(made, **stated)  # type: ignore[arg-type]


def said(*claims: Fact | Event, extractor: str = EXTRACTOR, **notes: object) -> Extracted:
    facts = tuple(claim for claim in claims if isinstance(claim, Fact))
    events = tuple(claim for claim in claims if isinstance(claim, Event))
    return replace(Extracted(extractor, facts, events), **notes)  # type: ignore[arg-type]


def read_out(document: Document, parties: Iterable[Party]) -> Extracted:
    """A small extractor: every party that stands in a text is stated to be in it, and to have gained where it grows."""
    here = [whom for whom in parties if whom.name in document.text]
    facts = [fact(document, whom, "mentioned", whom.name) for whom in here]
    facts += [fact(document, a, "beside", b.name, object=b) for a in here for b in here if a != b]
    events = [event(document, whom, "sales", "增长", involved=tuple(here)) for whom in here if "增长" in document.text]
    return said(*facts, *events)
