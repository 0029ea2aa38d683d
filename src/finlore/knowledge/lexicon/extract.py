"""All that the offline extractor reads out of a document: attributes, figures, events and links, by the schema."""

from collections.abc import Hashable
from typing import Final

from finlore.intake.tables.companies import FindSecurity
from finlore.intake.tables.read import no_security, read_tables, table_values
from finlore.knowledge.agreement import surest
from finlore.knowledge.lexicon.analysts import analyst_facts
from finlore.knowledge.lexicon.attributes import find_attributes
from finlore.knowledge.lexicon.events import find_events
from finlore.knowledge.lexicon.labelled import Source
from finlore.knowledge.lexicon.links import find_links
from finlore.knowledge.lexicon.metrics import sentence_facts, table_facts
from finlore.knowledge.lexicon.products import segment_products
from finlore.knowledge.lexicon.withheld import for_people
from finlore.knowledge.prune import prune
from finlore.knowledge.sentences import subject_party
from finlore.records.document import Document
from finlore.records.fact import Extracted, Fact
from finlore.records.names import FoundNames
from finlore.records.schema import Schema

EXTRACTOR: Final = "lexicon/1"


def extract_facts(
    document: Document, found: FoundNames, schema: Schema, *, find_security: FindSecurity = no_security
) -> Extracted:
    """The facts and events of a document that the schema allows, and how many it does not.

    What speaks to a language model is read by nobody (`for_people`): its passages are told, and everything else is
    what it would be without it. `find_security` knows the companies that comparison tables name.
    """
    subject = subject_party(document, found)
    told = for_people(document, found)
    document, sentences = told.document, told.sentences
    tables = read_tables(document, find_security=find_security)
    values = table_values(document, tables, find_security=find_security) if tables else ()
    own_surfaces = frozenset(alias.surface for alias in found.aliases if alias.entity == found.subject)
    source = Source(document, subject, sentences, tables, values, own_surfaces)
    figures = [*table_facts(document, values, subject), *sentence_facts(sentences, document, found, subject)]
    attributes = find_attributes(source, schema)
    facts = [
        *attributes,
        *segment_products(figures, attributes),
        *analyst_facts(document, subject),
        *surest(figures, matter=_figure),
        *find_links(sentences, subject, document.metadata, schema),
    ]
    events = find_events(sentences, subject, document.metadata, schema)
    return prune(Extracted(EXTRACTOR, tuple(facts), tuple(events), instruction_like=told.instructed), schema)


def _figure(fact: Fact) -> Hashable:
    """What makes two statements of a figure one; of another value, period, part or note it is another figure."""
    return fact.subject, fact.relation, fact.period, fact.value, fact.unit, fact.part, fact.bound, fact.note
