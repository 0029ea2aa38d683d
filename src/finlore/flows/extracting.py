"""Reading facts and events out of documents by rules: at ingest, and again when the schema changes."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from finlore.flows.ingest import Progress
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.names import find_names
from finlore.knowledge.lexicon.extract import EXTRACTOR, extract_facts
from finlore.knowledge.named_securities import security_finder
from finlore.knowledge.quality.control import Control, controlled
from finlore.records.document import Document
from finlore.records.fact import Extracted
from finlore.records.instant import NEVER
from finlore.records.llm import Usage
from finlore.records.names import FoundNames
from finlore.records.report import ExtractReport
from finlore.records.schema import Schema
from finlore.wiring import Adapters

ALL = 1 << 31  # documents
_FREE = Usage(cost=0.0)


class Extracting:
    """The offline extractor over the store of `adapters`. `schema` gives the schema in force, `gazetteer` the shipped
    names and those that people decided about."""

    def __init__(
        self, adapters: Adapters, *, schema: Callable[[], Schema], zone: str, gazetteer: Callable[[], Gazetteer]
    ) -> None:
        self._adapters, self._schema, self._zone, self._gazetteer = adapters, schema, zone, gazetteer

    @property
    def schema(self) -> Schema:
        return self._schema()

    def by_lexicon(self, document: Document, found: FoundNames) -> Extracted:
        """What the offline extractor reads out of a document, after quality control; its version names the schema's."""
        schema = self._schema()
        control = Control(schema, self._zone, market=self._adapters.market)
        checked = controlled(self._read(document, found, schema), document, found, control)
        return replace(checked, extractor=f"{EXTRACTOR}+{schema.version}")

    def unchecked(self, document: Document, found: FoundNames) -> Extracted:
        """The same before quality control."""
        return self._read(document, found, self._schema())

    def _read(self, document: Document, found: FoundNames, schema: Schema) -> Extracted:
        finder = security_finder(found, document.metadata)
        return extract_facts(document, found, schema, find_security=finder)

    def named(self, waiting: Sequence[tuple[str, int]]) -> Iterator[tuple[int, Document, FoundNames]]:
        """(version, document, its names) of those that are still there."""
        gazetteer = self._gazetteer()
        for version, document in self.documents(waiting):
            yield version, document, find_names(document, gazetteer, self._adapters.recognisers)

    def documents(self, waiting: Sequence[tuple[str, int]]) -> Iterator[tuple[int, Document]]:
        """(version, document) of those that are still there."""
        for name, version in waiting:
            if document := self._adapters.store.document(name, version, as_of=NEVER):
                yield version, document

    def run(self, *, progress: Progress) -> ExtractReport:
        """Read what the offline extractor has not read under this schema, each document in one transaction."""
        store, tally = self._adapters.store, Tally(self._schema())
        extractor = f"{EXTRACTOR}+{self._schema().version}"
        with store.writing():
            waiting = store.unextracted(extractor, limit=ALL)
            for version, document, names in self.named(waiting):
                extracted = self.by_lexicon(document, names)
                store.put_extracted(document.id, version, extracted)
                tally.add(extracted)
                progress(tally.documents, len(waiting), document.id)
            store.refresh()
        return tally.report(extractor, remaining=len(store.unextracted(extractor, limit=ALL)))


class Tally:
    """Counts what extractors read under a schema."""

    def __init__(self, schema: Schema) -> None:
        self._links = frozenset(link.id for link in schema.links)
        self._pruned: Counter[str] = Counter()
        self.documents = self._facts = self._events = self._linked = self._failed = 0

    def add(self, extracted: Extracted) -> None:
        linked = sum(fact.relation in self._links for fact in extracted.facts)
        self.documents += 1
        self._linked += linked
        self._facts += len(extracted.facts) - linked
        self._events += len(extracted.events)
        self._failed += len(extracted.failed)
        self._pruned.update(dict(extracted.pruned))

    def report(self, extractor: str, *, remaining: int, estimate: Usage = _FREE, usage: Usage = _FREE) -> ExtractReport:
        return ExtractReport(
            extractor=extractor,
            extracted=self.documents,
            facts=self._facts,
            events=self._events,
            links=self._linked,
            failed=self._failed,
            pruned=tuple(sorted(self._pruned.items())),
            estimate=estimate,
            usage=usage,
            remaining=remaining,
        )
