"""Step 4 of quality control: doubts become questions to people. Nothing waits for the answers.

An item is told by what it is about and by what it proposes, so that a doubt that comes up again is the same item.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from finlore.knowledge.quality.normalise import MergeProposal, entity_of
from finlore.records.fact import Extracted, StoredEvent, StoredFact
from finlore.records.instant import Instant
from finlore.records.review import ReviewItem, ReviewKind
from finlore.records.schema import Schema
from finlore.records.table import Table

LOW_CONFIDENCE: Final = 0.5
_LONGEST_QUOTE: Final = 160


def doubtful_merges(
    proposals: Iterable[MergeProposal], *, known: Mapping[str, str], asked_at: Instant
) -> Iterator[ReviewItem]:
    """A question for each merge that letters alone do not decide."""
    for proposal in proposals:
        if proposal.decision != "review":
            continue
        entity, into = entity_of(proposal.a, known), entity_of(proposal.b, known)
        if entity == into:
            continue
        yield _item(
            "merge",
            (entity, into),
            f"Is {proposal.a.name} the same as {proposal.b.name}? ({proposal.reason})",
            f"count {entity} as {into}",
            payload={"entity": entity, "into": into},
            confidence=proposal.score,
            asked_at=asked_at,
        )


def low_confidence(
    found: Iterable[StoredFact | StoredEvent], *, asked_at: Instant, below: float = LOW_CONFIDENCE
) -> Iterator[ReviewItem]:
    """A question for each fact and event of which the extractor is not sure."""
    for stored in found:
        said = stored.fact if isinstance(stored, StoredFact) else stored.event
        if said.confidence >= below:
            continue
        what = f"{stored.subject} {said.relation} {_said(stored)}"
        yield _item(
            "low_confidence",
            (stored.id,),
            f"Does it say: {what}? {_quoted(stored.source.quote)}",
            f"keep {what}",
            payload={"claim": stored.id, **_values(stored)},
            confidence=said.confidence,
            asked_at=asked_at,
        )


def completions(facts: Iterable[StoredFact], *, asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each value that the market and not the report gave."""
    for stored in facts:
        if stored.fact.status == "completed":
            what = f"{stored.subject} {stored.fact.relation} {_said(stored)}"
            yield _item(
                "completion",
                (stored.id,),
                f"Is it right: {what}? ({stored.fact.note})",
                f"keep {what}",
                payload={"claim": stored.id, **_values(stored)},
                confidence=stored.fact.confidence,
                asked_at=asked_at,
            )


def contradictions(facts: Sequence[StoredFact], *, asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each pair of settled facts that contradict one another. Accepting keeps both; an edit that names
    one of them in `keep` drops the other."""
    by_id = {stored.id: stored for stored in facts}
    for stored in facts:
        for other in (by_id[id_] for id_ in stored.contradicts if id_ > stored.id and id_ in by_id):
            yield _item(
                "contradiction",
                (stored.id, other.id),
                f"Which is right of {stored.subject} {stored.fact.relation}: {_said(stored)} ({stored.source.title})"
                f" or {_said(other)} ({other.source.title})?",
                "keep both",
                payload={"keep": "", "one": stored.id, "other": other.id},
                confidence=min(stored.fact.confidence, other.fact.confidence),
                asked_at=asked_at,
            )


def failed_checks(document: str, version: int, tables: Iterable[Table], *, asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each table whose numbers do not add up."""
    for table in tables:
        if table.doubts:
            place = f"{document}:{version}:{table.start}-{table.end}"
            where = f", page {table.page}" if table.page else ""
            sure = 1 - len(table.doubts) / max(table.n_checks, len(table.doubts))
            yield _item(
                "failed_check",
                (place,),
                f"Is the table in {document}{where} read right? {'; '.join(table.doubts)}",
                "trust its numbers",
                payload={"table": place},
                confidence=round(sure, 3),
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


def instructions(document: str, version: int, extracted: Extracted, *, asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each passage that speaks to a model: what it says was not read as facts."""
    for passage in sorted(set(extracted.instruction_like)):
        place = f"{document}:{version}:{passage}"
        yield _item(
            "instruction",
            (place,),
            f"Passage {passage} of {document} seems to speak to a machine: is it harmless?",
            "consider it harmless",
            payload={"passage": place},
            confidence=0.5,
            asked_at=asked_at,
        )


def _item(
    kind: ReviewKind,
    about: tuple[str, ...],
    question: str,
    proposal: str,
    *,
    payload: Mapping[str, str],
    confidence: float,
    asked_at: Instant,
) -> ReviewItem:
    told = "\0".join((kind, *about, *(f"{key}={value}" for key, value in sorted(payload.items()))))
    id_ = f"review:{sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return ReviewItem(id_, kind, about, question, proposal, tuple(sorted(payload.items())), confidence, asked_at)


def _said(stored: StoredFact | StoredEvent) -> str:
    if isinstance(stored, StoredEvent):
        return stored.object or stored.event.subtype
    fact = stored.fact
    number = "" if fact.value is None else f"{fact.value:.10g} {fact.unit}".strip()
    return f"{stored.object or number or fact.text}{f' ({fact.period})' if fact.period else ''}"


def _values(stored: StoredFact | StoredEvent) -> dict[str, str]:
    """What an edit may change."""
    if isinstance(stored, StoredEvent):
        return {"direction": stored.event.direction}
    fact = stored.fact
    number = {} if fact.value is None else {"value": f"{fact.value!r}", "unit": fact.unit}
    return {"text": fact.text, "period": fact.period, **number}


def _quoted(text: str) -> str:
    """A quotation in one line, cut short: it is shown, and nothing else."""
    line = " ".join(text.split())
    return f"“{line[:_LONGEST_QUOTE]}{'…' if len(line) > _LONGEST_QUOTE else ''}”"
