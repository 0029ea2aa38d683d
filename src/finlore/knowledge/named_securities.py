"""The listed companies that the names in a document mean, as far as the document alone can tell."""

from finlore.intake.tables.companies import FindSecurity
from finlore.language.normal import fold
from finlore.records.document import Metadata
from finlore.records.instant import ALWAYS, NEVER
from finlore.records.names import FoundNames


def security_finder(found: FoundNames, metadata: Metadata) -> FindSecurity:
    """Name -> canonical id, by the names that are mentioned or explained in the document; a name counts from the day of
    its listing on, so that nothing is read out of a text which could not be known then."""
    published = NEVER if metadata.published_at is None else metadata.published_at
    named = {
        alias.surface: alias.entity
        for alias in sorted(found.aliases, key=lambda alias: (alias.strength, alias.entity))
        if alias.kind == "security" and alias.needs == 1 and (alias.known_at or ALWAYS) <= published
    }
    return lambda name: named.get(fold(name))
