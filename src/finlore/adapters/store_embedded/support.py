"""From when a name is known, given the documents that state it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from finlore.records.instant import NEVER, Instant


@dataclass(frozen=True, slots=True)
class Statement:
    """One document version that states an alias. `says` is the same for all copies of its text."""

    known: Instant
    document: int
    says: str


def known_from(statements: Iterable[Statement], *, needs: int, listed: Instant | None) -> Instant:
    """The instant from which an alias may be used; NEVER while too few documents state it.

    Only statements that differ in both document and text count: neither a new version of a report nor a copy of it
    confirms what the report says. `statements` ascend by `known`. A shipped name (`listed`) needs one, and is not known
    before it is listed: that a store has a name at all is something that its documents teach.
    """
    documents: set[int] = set()
    said: set[str] = set()
    for statement in statements:
        if statement.document in documents or statement.says in said:
            continue
        documents.add(statement.document)
        said.add(statement.says)
        if listed is not None:
            return max(listed, statement.known)
        if len(said) >= needs:
            return statement.known
    return NEVER
