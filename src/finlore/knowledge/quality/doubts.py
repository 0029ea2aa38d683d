"""Step 4 of quality control: doubts become questions to people. Nothing waits for the answers.

An item is told by what it is about and by what it proposes, so that a doubt that comes up again is the same item.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from itertools import combinations
from typing import Final

from finlore.intake.tables.read import read_tables
from finlore.knowledge.agreement import scaled
from finlore.knowledge.lexicon.instructions import hides_text, speaks_to_model
from finlore.knowledge.quality.complete import UNIT
from finlore.knowledge.quality.normalise import COMPANIES, MergeProposal, entity_of, kind_of
from finlore.knowledge.vocabulary import spoken
from finlore.records.document import Document
from finlore.records.fact import Event, Fact, Source, StoredEvent, StoredFact
from finlore.records.instant import Instant
from finlore.records.review import ReviewItem, ReviewKind
from finlore.records.schema import Schema

LOW_CONFIDENCE: Final = 0.5
CONTESTED: Final = 0.6
"""How sure a fact must be to be worth contradicting."""
CLAIMS: Final = "claims_"
"""With a number behind it the key under which a question lists the ids of facts that say the same."""
NEEDS_REVIEW: Final = "needs review"
"""What intake says of a document with tables that fail their checks."""
_ROUNDING: Final = Decimal("0.01")
_SHOWN: Final = 3
_LONGEST_TITLE: Final = 60
_NO_CODE: Final = ":"
_LONGEST_QUOTE: Final = 160
_CLAUSE: Final = re.compile(r"[^，,、;；:：|]+")


def merges(proposals: Iterable[MergeProposal], *, known: Mapping[str, str], asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each proposed merge, the same one under whichever kind the name was read."""
    for proposal in proposals:
        entity, into = _as_company(entity_of(proposal.a, known)), entity_of(proposal.b, known)
        if entity != into:
            called = f"{proposal.b.name}, {into}" if proposal.b.name != into else into
            yield merge(entity, into, called, proposal.reason, confidence=proposal.score, asked_at=asked_at)


def merge(
    entity: str, into: str, called: str = "", why: str = "", *, confidence: float, asked_at: Instant
) -> ReviewItem:
    """The question whether two entities are one; `called`: what to call the second."""
    return _item(
        "merge",
        (entity, into),
        f"Is {_short(entity.partition(':')[2] or entity, _LONGEST_TITLE)} the same as"
        f" {_short(called or into, _LONGEST_TITLE)}?{why and f' ({why})'}",
        f"count {entity} as {into}",
        payload={"entity": entity, "into": into},
        confidence=confidence,
        asked_at=asked_at,
    )


def _as_company(entity: str) -> str:
    kind, colon, surface = entity.partition(":")
    return f"company:{surface}" if colon and kind in COMPANIES else entity


def low_confidence(found: Iterable[StoredFact | StoredEvent], *, asked_at: Instant) -> Iterator[ReviewItem]:
    """Questions about facts and events of which the extractor is not sure, if somebody known takes part in them. What
    is said several times, or of one relation in one sentence, is one question. Nobody is asked about an event in which
    one company alone takes part: its confidence tells all there is to know."""
    sentences: dict[tuple[str, str], list[StoredFact | StoredEvent]] = {}
    first_said: dict[tuple[str, str, str], tuple[str, str]] = {}
    for stored in found:
        is_known = _NO_CODE not in stored.subject or _NO_CODE not in (stored.object or _NO_CODE)
        is_lone = isinstance(stored, StoredEvent) and stored.object is None
        if stored.said.confidence >= LOW_CONFIDENCE or not is_known or is_lone:
            continue
        what = (stored.subject, stored.said.relation, stored.object or _said(stored))
        place = first_said.setdefault(what, (stored.said.relation, stored.source.quote))
        sentences.setdefault(place, []).append(stored)
    for alike in sentences.values():
        yield _claimed("low_confidence", "Does it say", alike, _quoted(alike[0].source.quote), asked_at)


def completions(facts: Iterable[StoredFact], *, asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each printed number whose unit was concluded from the market. A value that is the market's
    altogether is marked as such, and is no doubt."""
    for stored in facts:
        if stored.fact.status == "completed" and UNIT in stored.fact.note:
            yield _claimed("completion", "Is it right", [stored], f"({stored.fact.note})", asked_at)


def _claimed(
    kind: ReviewKind, asked: str, alike: Sequence[StoredFact | StoredEvent], why: str, asked_at: Instant
) -> ReviewItem:
    """A question about facts and events that are kept or dropped together; the values of one alone can be edited."""
    said = list(dict.fromkeys(map(_what, alike)))
    what = f"{'; '.join(said[:_SHOWN])}{' …' if len(said) > _SHOWN else ''}"
    claims = tuple(sorted(stored.id for stored in alike))
    values = _values(alike[0]) if len(claims) == 1 else {}
    return _item(
        kind,
        claims,
        f"{asked}: {what}? {why}",
        f"keep {what}",
        payload={"claims": " ".join(claims), **values},
        confidence=min(stored.said.confidence for stored in alike),
        asked_at=asked_at,
    )


def contradictions(facts: Sequence[StoredFact], *, asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each matter of a company of which settled facts say different things, however many say each, if
    at least two of these were read surely and differ by more than rounding: what was hardly read is more likely misread
    than contested. Accepting keeps all; an edit that names one of them in `keep` drops what does not say the same."""
    by_id = {stored.id: stored for stored in facts}
    asked: set[str] = set()
    for stored in facts:
        if stored.id in asked or not stored.contradicts or kind_of(stored.subject) not in COMPANIES:
            continue
        matter = _connected(stored, by_id)
        asked.update(found.id for found in matter)
        sayings: dict[str, list[StoredFact]] = {}
        for found in matter:
            sayings.setdefault(_said(found), []).append(found)
        sure = [found[0] for found in sayings.values() if max(of.fact.confidence for of in found) >= CONTESTED]
        if any(_differ(one, other) for one, other in combinations(sure, 2)):
            yield _contradiction(sayings, asked_at)


def _connected(stored: StoredFact, by_id: Mapping[str, StoredFact]) -> list[StoredFact]:
    """All facts of the matter of one: what it contradicts, what that contradicts, and so on; in order of their ids."""
    found, waiting = {stored.id}, [stored]
    while waiting:
        new = (set(waiting.pop().contradicts) & by_id.keys()) - found
        found |= new
        waiting += [by_id[id_] for id_ in new]
    return [by_id[id_] for id_ in sorted(found)]


def _differ(one: StoredFact, other: StoredFact) -> bool:
    """Whether it is more than a matter of rounding: numbers that are not within a hundredth of one another."""
    if one.fact.value is None or other.fact.value is None:
        return True
    (value, _, unit), (other_value, _, other_unit) = scaled(one.fact), scaled(other.fact)
    return unit != other_unit or abs(value - other_value) > _ROUNDING * max(abs(value), abs(other_value))


def _contradiction(sayings: Mapping[str, Sequence[StoredFact]], asked_at: Instant) -> ReviewItem:
    first = next(iter(sayings.values()))[0]
    told = [
        f"{said} ({_where(found[0].source)}{f' and {len(found) - 1} more' if len(found) > 1 else ''})"
        for said, found in sayings.items()
    ]
    each = {f"{CLAIMS}{n}": " ".join(fact.id for fact in found) for n, found in enumerate(sayings.values(), 1)}
    return _item(
        "contradiction",
        tuple(fact.id for found in sayings.values() for fact in found),
        f"Which is right of {_short(first.fact.subject.name, _LONGEST_TITLE)} {spoken(first.fact.relation)}:"
        f" {' or '.join(told[:_SHOWN])}{' or …' if len(told) > _SHOWN else ''}?",
        "keep all",
        payload={"keep": "", **each},
        confidence=min(fact.fact.confidence for found in sayings.values() for fact in found),
        asked_at=asked_at,
        told=(first.subject, first.fact.relation, first.fact.period, first.fact.part, *sorted(sayings)),
    )


def failed_checks(
    document: Document, version: int, facts: Iterable[Fact], *, asked_at: Instant
) -> Iterator[ReviewItem]:
    """A question for each table whose numbers do not add up and are among the `facts` of the document."""
    if not any(NEEDS_REVIEW in issue.message for issue in document.issues):
        return
    places = [fact.evidence.start for fact in facts]
    for table in read_tables(document):
        if table.doubts and any(table.start <= place < table.end for place in places):
            place = f"{document.id}:{version}:{table.start}-{table.end}"
            where = f" on page {table.page}" if table.page else ""
            what = f"{document.text[table.caption.start : table.caption.end]!r} " if table.caption else ""
            more = f" (and {len(table.doubts) - _SHOWN} more)" if len(table.doubts) > _SHOWN else ""
            yield _item(
                "failed_check",
                (place,),
                f"Is the table {what}in {_titled(document)}{where} read right?"
                f" {'; '.join(table.doubts[:_SHOWN])}{more}",
                "trust its numbers",
                payload={"table": place},
                confidence=round(1 - len(table.doubts) / max(table.n_checks, len(table.doubts)), 3),
                asked_at=asked_at,
            )


def induced_schema(schema: Schema, *, asked_at: Instant) -> ReviewItem:
    """The question whether a schema that was derived from templates is what people want."""
    counts = f"{len(schema.attributes)} attributes, {len(schema.drivers)} drivers, {len(schema.links)} links"
    return _item(
        "schema",
        (f"schema:{schema.version}",),
        f"Is the induced schema {schema.name} right? ({counts})",
        f"keep using schema {schema.name}",
        payload={"schema": schema.name, "version": schema.version},
        confidence=0.5,
        asked_at=asked_at,
    )


def instructions(
    document: Document, version: int, passages: Iterable[int], *, asked_at: Instant
) -> Iterator[ReviewItem]:
    """A question for a document with passages that speak to a model: what these say was not read as facts. It
    quotes the words that gave it away."""
    numbers = sorted({number for number in passages if number < len(document.passages)})
    if not numbers:
        return
    places = tuple(f"{document.id}:{version}:{number}" for number in numbers)
    yield _item(
        "instruction",
        places,
        f"{_titled(document)} seems to speak to a machine in {len(numbers)} passages: is it"
        f" harmless? {_quoted(_ordered(document, numbers))}",
        "consider it harmless",
        payload={"passages": " ".join(map(str, numbers))},
        confidence=0.5,
        asked_at=asked_at,
    )


def _ordered(document: Document, passages: Sequence[int]) -> str:
    """From the words on by which the first of these passages speaks to a model or hides something; else its begin."""
    sentences = (sentence for number in passages for sentence in document.passages[number].sentences)
    said = (document.text[sentence.start : sentence.end] for sentence in sentences)
    sentence = next((text for text in said if speaks_to_model(text) or hides_text(text)), None)
    if sentence is None:
        return document.text[document.passages[passages[0]].start : document.passages[passages[0]].end]
    clauses = [clause.start() for clause in _CLAUSE.finditer(sentence)] if len(sentence) > _LONGEST_QUOTE else []
    return next((cut for at in reversed(clauses) if speaks_to_model(cut := sentence[at:])), sentence)


def _item(
    kind: ReviewKind,
    about: tuple[str, ...],
    question: str,
    proposal: str,
    *,
    payload: Mapping[str, str],
    confidence: float,
    asked_at: Instant,
    told: Sequence[str] = (),
) -> ReviewItem:
    """`told`: what makes it the same question when it comes up again; by default all of it."""
    same = "\0".join((kind, *(told or (*about, *(f"{key}={value}" for key, value in sorted(payload.items()))))))
    id_ = f"review:{sha256(same.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return ReviewItem(id_, kind, about, question, proposal, tuple(sorted(payload.items())), confidence, asked_at)


def _what(stored: StoredFact | StoredEvent) -> str:
    return f"{_short(stored.said.subject.name, _LONGEST_TITLE)} {spoken(stored.said.relation)} {_said(stored)}"


def _said(stored: StoredFact | StoredEvent) -> str:
    said: Fact | Event = stored.said
    named = said.object.name if said.object else ""
    if isinstance(said, Event):
        return named or spoken(said.subtype)
    number = "" if said.value is None else f"{said.value:.10g} {said.unit}".strip()
    return f"{_short(named or number or said.text, _LONGEST_QUOTE)}{f' ({said.period})' if said.period else ''}"


def _where(source: Source) -> str:
    return _short(source.title or source.document, _LONGEST_TITLE)


def _values(stored: StoredFact | StoredEvent) -> dict[str, str]:
    """What an edit may change."""
    if isinstance(stored, StoredEvent):
        return {"direction": stored.event.direction}
    fact = stored.fact
    number = {} if fact.value is None else {"value": f"{fact.value!r}", "unit": fact.unit}
    return {"text": fact.text, "period": fact.period, **number}


def _titled(document: Document) -> str:
    return _short(document.metadata.title or document.id, _LONGEST_TITLE)


def _quoted(text: str) -> str:
    """A quotation in one line, cut short: it is shown, and nothing else."""
    return f"“{_short(text, _LONGEST_QUOTE)}”"


def _short(text: str, most: int) -> str:
    line = " ".join(text.split())
    return f"{line[:most]}{'…' if len(line) > most else ''}"
