"""Reading facts and events out of documents: at ingest by the rules of the lexicon, later by whichever extractor."""

from collections.abc import Callable
from dataclasses import replace

from finlore.knowledge.lexicon.extract import extract_facts
from finlore.knowledge.named_securities import security_finder
from finlore.knowledge.quality.control import Control, controlled
from finlore.records.document import Document
from finlore.records.fact import Extracted
from finlore.records.names import FoundNames
from finlore.records.schema import Schema
from finlore.wiring import Adapters


class Extracting:
    """Extractors over the store of `adapters`, under the schema that `schema` gives when it is first needed."""

    def __init__(self, adapters: Adapters, *, schema: Callable[[], Schema], zone: str) -> None:
        self._adapters, self._schema, self._zone = adapters, schema, zone

    def by_lexicon(self, document: Document, found: FoundNames) -> Extracted:
        """What the offline extractor reads out of a document, after quality control; its version names the schema's."""
        schema = self._schema()
        finder = security_finder(found, document.metadata)
        extracted = extract_facts(document, found, schema, find_security=finder)
        control = Control(schema, self._zone, market=self._adapters.market)
        checked, _ = controlled(extracted, document, found, control)
        return replace(checked, extractor=f"{extracted.extractor}+{schema.version}")
