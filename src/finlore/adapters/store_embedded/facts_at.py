"""Facts and events as known at a date, each with its source. Wants one consistent snapshot."""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from finlore.adapters.store_embedded.facts import claim_id, claim_key, read_event, read_fact
from finlore.adapters.store_embedded.packing import from_bytes, to_bytes, unpack_metadata, unpack_text
from finlore.adapters.store_embedded.parties import Parties
from finlore.records.document import Metadata
from finlore.records.fact import Event, Evidence, Fact, Source, StoredEvent, StoredFact
from finlore.records.index import passage_id
from finlore.records.instant import Instant

_MOST_AT_ONCE = 5_000
Said = TypeVar("Said", Fact, Event)

_CLAIMS = (
    "SELECT c.key, c.content, max(c.known, coalesce(r.shown, v.shown)) AS known_at, c.page, e.release, v.id, d.name,"
    " v.number FROM {chosen} CROSS JOIN extraction e ON e.id = c.extraction CROSS JOIN version v ON v.id = e.version"
    " CROSS JOIN document d ON d.id = v.document LEFT JOIN retired r ON r.version = v.id AND r.sequence ="
    " (SELECT min(sequence) FROM retired WHERE version = v.id AND sequence > :sequence)"
    " WHERE c.is_event = :is_event AND e.added <= :sequence AND (e.replaced IS NULL OR e.replaced > :sequence)"
    " AND known_at <= :as_of AND coalesce(r.hidden, v.hidden) > :as_of{of_types}"
)
"""A version carries its text from `shown` to `hidden`; what these were before a later change, `retired` knows."""
_OF_TYPES = " AND c.type IN (SELECT value FROM json_each(:types))"
_OF_DOCUMENTS = (
    "SELECT c.id FROM document d JOIN version v ON v.document = d.id JOIN extraction e ON e.version = v.id"
    " JOIN claim c ON c.extraction = e.id WHERE d.name IN"
)
_LISTED = "json_each(:claims) listed CROSS JOIN claim c ON c.id = listed.value"


@dataclass(frozen=True, slots=True)
class Asked:
    """Which facts or events: of which parties, types (relations or drivers), ids and documents; None: of whichever.
    `sequence`: of what the store held after that transaction."""

    as_of: Instant
    sequence: int
    entities: Collection[str] | None = None
    types: Collection[str] | None = None
    ids: Collection[str] | None = None
    documents: Collection[str] | None = None


class _Row(NamedTuple):
    key: int
    content: bytes
    known_at: Instant
    page: int | None
    release: str
    version: int
    document: bytes
    number: int


def facts(db: sqlite3.Connection, parties: Parties, asked: Asked) -> list[StoredFact]:
    """By known time, then document and place."""
    found = (StoredFact(fact=fact, **told) for fact, told in _told(db, parties, asked, read_fact))
    return sorted(filter(_taking_part(parties, asked), found), key=_order)


def events(db: sqlite3.Connection, parties: Parties, asked: Asked) -> list[StoredEvent]:
    """By known time, then document and place."""
    found = (
        StoredEvent(event=event, involved=tuple(map(parties.entity, event.involved)), **told)
        for event, told in _told(db, parties, asked, read_event)
    )
    return sorted(filter(_taking_part(parties, asked), found), key=_order)


def _told(
    db: sqlite3.Connection, parties: Parties, asked: Asked, read: Callable[[bytes], Said]
) -> Iterator[tuple[Said, dict[str, Any]]]:
    """Facts or events, and what is told of either."""
    sources, is_event = _Sources(db), read is read_event
    for row in _rows(db, parties, asked, is_event=is_event):
        said = read(row.content)
        yield (
            said,
            {
                "id": claim_id(row.key, is_event=is_event),
                "subject": parties.entity(said.subject),
                "object": None if said.object is None else parties.entity(said.object),
                "known_at": row.known_at,
                "extractor": row.release,
                "source": sources.of(row, said.evidence),
            },
        )


def _taking_part(parties: Parties, asked: Asked) -> Callable[[StoredFact | StoredEvent], bool]:
    """Whether one of the parties takes part that are asked for; all do where none is."""
    wanted = None if asked.entities is None else parties.merged(asked.entities)
    return lambda one: wanted is None or bool(wanted & {one.subject, one.object, *getattr(one, "involved", ())})


def _order(stored: StoredFact | StoredEvent) -> tuple[Instant, str, int, int, str]:
    return stored.known_at, stored.source.document, stored.source.version, stored.said.evidence.start, stored.id


def _rows(db: sqlite3.Connection, parties: Parties, asked: Asked, *, is_event: bool) -> Iterator[_Row]:
    values: dict[str, int | str] = {"sequence": asked.sequence, "as_of": asked.as_of, "is_event": is_event}
    of_types = ""
    if asked.types is not None:
        of_types, values["types"] = _OF_TYPES, json.dumps(sorted(asked.types))
    claims = _chosen(db, parties, asked)
    if claims is None:
        query = _CLAIMS.format(chosen="claim c", of_types=of_types)
    else:
        query, values["claims"] = _CLAIMS.format(chosen=_LISTED, of_types=of_types), json.dumps(sorted(claims))
    yield from map(_Row._make, db.execute(query, values).fetchall())


def _chosen(db: sqlite3.Connection, parties: Parties, asked: Asked) -> set[int] | None:
    """Rows that may be asked for by entity, id or document; None where none of them is asked for."""
    each = []
    if asked.entities is not None:
        strings = [to_bytes(string) for string in parties.strings(asked.entities)]
        each.append(_claims(db, "SELECT claim FROM party WHERE string IN", strings))
    if asked.ids is not None:
        each.append(_claims(db, "SELECT id FROM claim WHERE key IN", [claim_key(claim) for claim in asked.ids]))
    if asked.documents is not None:
        each.append(_claims(db, _OF_DOCUMENTS, [to_bytes(document) for document in asked.documents]))
    return set.intersection(*each) if each else None


def _claims(db: sqlite3.Connection, query: str, values: Sequence[object]) -> set[int]:
    found: set[int] = set()
    for start in range(0, len(values), _MOST_AT_ONCE):
        part = values[start : start + _MOST_AT_ONCE]
        found.update(row for (row,) in db.execute(f"{query} ({', '.join('?' * len(part))})", part))
    return found


class _Sources:
    """Where facts come from; each text is unpacked once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._texts: dict[int, tuple[str, Metadata]] = {}

    def of(self, row: _Row, evidence: Evidence) -> Source:
        text, metadata = self._read(row.version)
        document = from_bytes(row.document)
        return Source(
            document=document,
            version=row.number,
            title=metadata.title,
            page=row.page,
            passage="" if evidence.passage < 0 else passage_id(document, row.number, evidence.passage),
            quote=text[evidence.start : evidence.end],
            broker=metadata.broker,
            published_at=metadata.published_at,
        )

    def _read(self, version: int) -> tuple[str, Metadata]:
        if version not in self._texts:
            content, metadata = self._db.execute(
                "SELECT t.content, v.metadata FROM version v JOIN text t ON t.id = v.text WHERE v.id = ?", (version,)
            ).fetchone()
            self._texts[version] = unpack_text(content), unpack_metadata(metadata)
        return self._texts[version]
