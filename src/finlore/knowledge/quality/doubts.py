"""Step 4 of quality control: doubts become questions to people. Nothing waits for the answers.

An item is told by what it is about and by what it proposes, so that a doubt that comes up again is the same item.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from finlore.intake.tables.read import read_tables
from finlore.knowledge.quality.normalise import COMPANIES, MergeProposal, entity_of
from finlore.records.document import Document
from finlore.records.fact import Source, StoredEvent, StoredFact
from finlore.records.instant import Instant
from finlore.records.review import ReviewItem, ReviewKind
from finlore.records.schema import Schema

LOW_CONFIDENCE: Final = 0.5
CLAIMS: Final = "claims_"
"""With a number behind it the key under which a question lists the ids of facts that say the same."""
NEEDS_REVIEW: Final = "needs review"
"""What intake says of a document with tables that fail their checks."""
_SHOWN: Final = 3
_LONGEST_QUOTE: Final = 160


def merges(proposals: Iterable[MergeProposal], *, known: Mapping[str, str], asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each proposed merge, the same one under whichever kind the name was read."""
    for proposal in proposals:
        entity, into = _as_company(entity_of(proposal.a, known)), entity_of(proposal.b, known)
        if entity != into:
            yield merge(entity, into, _doubt(proposal), confidence=proposal.score, asked_at=asked_at)


def merge(entity: str, into: str, why: str = "", *, confidence: float, asked_at: Instant) -> ReviewItem:
    """The question whether two entities are one."""
    return _item(
        "merge",
        (entity, into),
        f"Is {entity.partition(':')[2] or entity} the same as {into}?{why and f' ({why})'}",
        f"count {entity} as {into}",
        payload={"entity": entity, "into": into},
        confidence=confidence,
        asked_at=asked_at,
    )


def _doubt(proposal: MergeProposal) -> str:
    return f"{proposal.b.name}: {proposal.reason}"


def _as_company(entity: str) -> str:
    kind, colon, surface = entity.partition(":")
    return f"company:{surface}" if colon and kind in COMPANIES else entity


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
    """A question for each printed number that the market gave its unit. What is not printed at all and comes from the
    market as a whole says so itself, and is no doubt."""
    for stored in facts:
        if stored.fact.status == "completed" and stored.fact.text in stored.source.quote:
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
    """A question for each matter of which settled facts say different things, however many say each. Accepting keeps
    all; an edit that names one of them in `keep` drops what does not say the same."""
    by_id = {stored.id: stored for stored in facts}
    asked: set[str] = set()
    for stored in facts:
        if stored.id in asked or not stored.contradicts:
            continue
        matter = _connected(stored, by_id)
        asked.update(found.id for found in matter)
        sayings: dict[str, list[StoredFact]] = {}
        for found in matter:
            sayings.setdefault(_said(found), []).append(found)
        if len(sayings) > 1:
            yield _contradiction(sayings, asked_at)


def _connected(stored: StoredFact, by_id: Mapping[str, StoredFact]) -> list[StoredFact]:
    """All facts of the matter of one: what it contradicts, what that contradicts, and so on; in order of their ids."""
    found, waiting = {stored.id}, [stored]
    while waiting:
        new = (set(waiting.pop().contradicts) & by_id.keys()) - found
        found |= new
        waiting += [by_id[id_] for id_ in new]
    return [by_id[id_] for id_ in sorted(found)]


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
        f"Which is right of {first.fact.subject.name} {first.fact.relation}: {' or '.join(told)}?",
        "keep all",
        payload={"keep": "", **each},
        confidence=min(fact.fact.confidence for found in sayings.values() for fact in found),
        asked_at=asked_at,
        told=(first.subject, first.fact.relation, first.fact.period, first.fact.part, *sorted(sayings)),
    )


def failed_checks(document: Document, version: int, *, asked_at: Instant) -> Iterator[ReviewItem]:
    """A question for each table whose numbers do not add up."""
    if not any(NEEDS_REVIEW in issue.message for issue in document.issues):
        return
    for table in read_tables(document):
        if table.doubts:
            place = f"{document.id}:{version}:{table.start}-{table.end}"
            where = f" on page {table.page}" if table.page else ""
            what = f"{document.text[table.caption.start : table.caption.end]!r} " if table.caption else ""
            more = f" (and {len(table.doubts) - _SHOWN} more)" if len(table.doubts) > _SHOWN else ""
            yield _item(
                "failed_check",
                (place,),
                f"Is the table {what}in {document.metadata.title or document.id}{where} read right?"
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
    """A question for a document with passages that speak to a model: what these say was not read as facts."""
    numbers = sorted({number for number in passages if number < len(document.passages)})
    if not numbers:
        return
    places = tuple(f"{document.id}:{version}:{number}" for number in numbers)
    first = document.passages[numbers[0]]
    yield _item(
        "instruction",
        places,
        f"{document.metadata.title or document.id} seems to speak to a machine in {len(numbers)} passages: is it"
        f" harmless? {_quoted(document.text[first.start : first.end])}",
        "consider it harmless",
        payload={"passages": " ".join(map(str, numbers))},
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
    told: Sequence[str] = (),
) -> ReviewItem:
    """`told`: what makes it the same question when it comes up again; by default all of it."""
    same = "\0".join((kind, *(told or (*about, *(f"{key}={value}" for key, value in sorted(payload.items()))))))
    id_ = f"review:{sha256(same.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return ReviewItem(id_, kind, about, question, proposal, tuple(sorted(payload.items())), confidence, asked_at)


def _said(stored: StoredFact | StoredEvent) -> str:
    if isinstance(stored, StoredEvent):
        return stored.object or stored.event.subtype
    fact = stored.fact
    number = "" if fact.value is None else f"{fact.value:.10g} {fact.unit}".strip()
    return f"{stored.object or number or fact.text}{f' ({fact.period})' if fact.period else ''}"


def _where(source: Source) -> str:
    return source.title or source.document


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
