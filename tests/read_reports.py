"""Documents of a text, prepared and named as ingest does, for tests of what is read out of them."""

from finlore.formats.markdown import read_markdown
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.names import find_names
from finlore.intake.prepare import prepare
from finlore.knowledge.lexicon.extract import extract_facts
from finlore.knowledge.schema import load_schema
from finlore.records.document import Document, ParsedDocument
from finlore.records.fact import Extracted, Fact
from finlore.records.instant import MARKET_ZONE, now
from finlore.records.names import FoundNames

STATED = {"title": "深度报告", "security": "300750", "published_at": "2025-03-14", "broker": "青松证券"}
_GAZETTEER = Gazetteer.load()
SCHEMA = load_schema()


def read(text: str, **stated: str) -> tuple[Document, FoundNames]:
    """A Markdown text about one company; `stated` wins over what is stated else."""
    outline = read_markdown(text)
    fields = tuple((name, value) for name, value in {**STATED, **stated}.items() if value)
    parsed = ParsedDocument("a.md", text, outline.blocks, "markdown", markup=outline.markup, stated=fields)
    document, _ = prepare(parsed, zone=MARKET_ZONE, received_at=now())
    assert document is not None
    return document, find_names(document, _GAZETTEER)


def extracted(text: str, **stated: str) -> Extracted:
    return extract_facts(*read(text, **stated), SCHEMA)


def facts(text: str, relation: str, **stated: str) -> list[Fact]:
    """The facts of one relation."""
    return [fact for fact in extracted(text, **stated).facts if fact.relation == relation]
