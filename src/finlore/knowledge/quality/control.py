"""Algorithm 1 over one document: placeholders corrected, then gaps filled from the market of the report's day.

Names are normalised over the whole graph, after documents are stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from finlore.knowledge.quality.complete import Reported, complete
from finlore.knowledge.quality.correct import Reader, Reread, correct, readings_of
from finlore.knowledge.sentences import subject_party
from finlore.ports import LanguageModel, Market
from finlore.records.document import Document
from finlore.records.fact import Evidence, Extracted, Fact
from finlore.records.instant import as_datetime
from finlore.records.names import FoundNames
from finlore.records.schema import Schema


@dataclass(frozen=True, slots=True)
class Control:
    """What quality control goes by. Without a `market` nothing is completed; `model` reads placeholders again."""

    schema: Schema
    zone: str
    market: Market | None = None
    model: LanguageModel | None = None


def controlled(
    extracted: Extracted, document: Document, found: FoundNames, control: Control, *, reread: Reread | None = None
) -> Extracted:
    """What was read out of a document, corrected and completed, with a note for each change. `reread`: what other rules
    read in the place of a placeholder; by default the other facts of the extractor itself."""
    reader = Reader(document, control.schema, reread or readings_of(extracted.facts), control.model)
    facts, notes = correct(extracted.facts, reader)
    n_dropped = len(extracted.facts) - len(facts)
    reported = _reported(document, found, control)
    if reported and control.market:
        facts, filled = complete(facts, reported, control.market)
        facts, notes = _allowed(facts, control.schema), [*notes, *filled]
    pruned = {**dict(extracted.pruned), **({"a placeholder": n_dropped} if n_dropped else {})}
    notes = [*extracted.notes, *notes]
    return replace(extracted, facts=tuple(facts), pruned=tuple(sorted(pruned.items())), notes=tuple(notes))


def _reported(document: Document, found: FoundNames, control: Control) -> Reported | None:
    """The security that a dated document is about."""
    subject, published = subject_party(document, found), document.metadata.published_at
    if subject is None or published is None:
        return None
    end = document.passages[0].end if document.passages else 0
    start = document.passages[0].start if document.passages else 0
    place = Evidence(start, end, 0 if document.passages else -1)
    return Reported(subject, as_datetime(published, control.zone).date(), published, place)


def _allowed(facts: list[Fact], schema: Schema) -> list[Fact]:
    """Without what the schema of the graph has no attribute for."""
    attributes: Mapping[str, object] = {attribute.id: attribute for attribute in schema.attributes}
    return [fact for fact in facts if fact.status != "completed" or fact.relation in attributes]
