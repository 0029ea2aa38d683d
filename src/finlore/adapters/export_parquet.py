"""Parquet tables of the graph: entities, passages and the mentions that join them, facts and events."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars

from finlore.formats.exported import entities_of
from finlore.ports import View
from finlore.records.document import StoredPassage
from finlore.records.fact import StoredEvent, StoredFact
from finlore.records.instant import isoformat
from finlore.records.names import Entity
from finlore.records.schema import Schema


def export(
    view: View,
    passages: Sequence[StoredPassage],
    out: Path,
    *,
    facts: Sequence[StoredFact],
    events: Sequence[StoredEvent],
    schema: Schema,
) -> list[Path]:
    """``entities``, ``passages``, ``mentions``, ``facts`` and ``events.parquet`` in the folder `out`, as known at the
    view's date."""
    out.mkdir(parents=True, exist_ok=True)
    tables = {
        "entities": _entities(entities_of(view, facts, events)),
        "passages": _passages(passages),
        "mentions": _mentions(view, passages),
        "facts": _facts(facts),
        "events": _events(events),
    }
    written = []
    for name, table in tables.items():
        table.write_parquet(out / f"{name}.parquet")
        written.append(out / f"{name}.parquet")
    return written


def _entities(found: Sequence[Entity]) -> polars.DataFrame:
    return polars.DataFrame(
        {
            "id": [_storable(e.id) for e in found],
            "name": [_storable(e.name) for e in found],
            "kind": [e.kind for e in found],
            "aliases": [[_storable(alias) for alias in e.aliases] for e in found],
            "n_passages": [e.n_passages for e in found],
        },
        schema_overrides={"aliases": polars.List(polars.String), "n_passages": polars.Int64},
    )


def _passages(passages: Sequence[StoredPassage]) -> polars.DataFrame:
    return polars.DataFrame(
        {
            "id": [_storable(p.id) for p in passages],
            "document": [_storable(p.document) for p in passages],
            "title": [_storable(p.metadata.title) for p in passages],
            "text": [_storable(p.text) for p in passages],
            "security": [p.metadata.security for p in passages],
            "broker": [p.metadata.broker for p in passages],
            "published_at": [isoformat(p.metadata.published_at) for p in passages],
            "known_at": [isoformat(p.known_at) for p in passages],
        },
        schema_overrides=dict.fromkeys(("security", "broker", "published_at", "known_at"), polars.String),
    )


def _mentions(view: View, passages: Sequence[StoredPassage]) -> polars.DataFrame:
    rows = np.flatnonzero(np.isin(view.keys, [p.key for p in passages]))
    ids = {p.key: p.id for p in passages}
    entities, counts, owners = view.row_entities(rows)
    return polars.DataFrame(
        {
            "passage": [_storable(ids[int(view.keys[rows[owner]])]) for owner in owners.tolist()],
            "entity": [_storable(view.entity_ids[entity]) for entity in entities.tolist()],
            "count": counts.tolist(),
        },
        schema_overrides={"passage": polars.String, "entity": polars.String, "count": polars.Int64},
    )


def _facts(facts: Sequence[StoredFact]) -> polars.DataFrame:
    texts: dict[str, Sequence[str | None]] = {
        "id": [stored.id for stored in facts],
        "subject": [stored.subject for stored in facts],
        "relation": [stored.fact.relation for stored in facts],
        "object": [stored.object for stored in facts],
        "text": [stored.fact.text for stored in facts],
        "unit": [stored.fact.unit for stored in facts],
        "period": [stored.fact.period for stored in facts],
        "basis": [stored.fact.basis for stored in facts],
        "part": [stored.fact.part for stored in facts],
        "bound": [stored.fact.bound for stored in facts],
        "valid_from": [isoformat(stored.fact.valid_from) for stored in facts],
        "valid_to": [isoformat(stored.fact.valid_to) for stored in facts],
        "known_at": [isoformat(stored.known_at) for stored in facts],
        "until": [isoformat(stored.until) for stored in facts],
        "status": [stored.fact.status for stored in facts],
        "extractor": [stored.extractor for stored in facts],
        "document": [stored.source.document for stored in facts],
        "quote": [stored.source.quote for stored in facts],
    }
    return _table(texts).with_columns(
        polars.Series("value", [stored.fact.value for stored in facts], polars.Float64),
        polars.Series("confidence", [stored.fact.confidence for stored in facts], polars.Float64),
    )


def _events(events: Sequence[StoredEvent]) -> polars.DataFrame:
    texts: dict[str, Sequence[str | None]] = {
        "id": [stored.id for stored in events],
        "subject": [stored.subject for stored in events],
        "object": [stored.object for stored in events],
        "driver": [stored.event.driver for stored in events],
        "subtype": [stored.event.subtype for stored in events],
        "direction": [stored.event.direction for stored in events],
        "relation": [stored.event.relation for stored in events],
        "cause": [stored.event.cause for stored in events],
        "metric": [stored.event.metric for stored in events],
        "reasoning": [stored.event.reasoning for stored in events],
        "valid_from": [isoformat(stored.event.valid_from) for stored in events],
        "valid_to": [isoformat(stored.event.valid_to) for stored in events],
        "known_at": [isoformat(stored.known_at) for stored in events],
        "extractor": [stored.extractor for stored in events],
        "document": [stored.source.document for stored in events],
        "quote": [stored.source.quote for stored in events],
    }
    involved = [[_storable(entity) for entity in stored.involved] for stored in events]
    return _table(texts).with_columns(polars.Series("involved", involved, polars.List(polars.String)))


def _table(texts: Mapping[str, Sequence[str | None]]) -> polars.DataFrame:
    columns = {name: [None if text is None else _storable(text) for text in held] for name, held in texts.items()}
    return polars.DataFrame(columns, schema_overrides=dict.fromkeys(columns, polars.String))


def _storable(text: str) -> str:
    """Parquet strings are UTF-8, which has no lone surrogates."""
    return text.encode("utf-8", "replace").decode()
