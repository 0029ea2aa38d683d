"""Parquet tables of the graph: entities, passages and the mentions that join them, facts and events."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars

from finlore.formats.exported import EVENT_COLUMNS, FACT_COLUMNS, NUMBERS, entities_of, storable, told
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
        "facts": _told(facts, FACT_COLUMNS),
        "events": _told(events, EVENT_COLUMNS).with_columns(
            polars.Series("involved", [list(map(storable, e.involved)) for e in events], polars.List(polars.String))
        ),
    }
    written = []
    for name, table in tables.items():
        table.write_parquet(out / f"{name}.parquet")
        written.append(out / f"{name}.parquet")
    return written


def _entities(found: Sequence[Entity]) -> polars.DataFrame:
    return polars.DataFrame(
        {
            "id": [storable(e.id) for e in found],
            "name": [storable(e.name) for e in found],
            "kind": [e.kind for e in found],
            "aliases": [[storable(alias) for alias in e.aliases] for e in found],
            "n_passages": [e.n_passages for e in found],
        },
        schema_overrides={"aliases": polars.List(polars.String), "n_passages": polars.Int64},
    )


def _passages(passages: Sequence[StoredPassage]) -> polars.DataFrame:
    return polars.DataFrame(
        {
            "id": [storable(p.id) for p in passages],
            "document": [storable(p.document) for p in passages],
            "title": [storable(p.metadata.title) for p in passages],
            "text": [storable(p.text) for p in passages],
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
            "passage": [storable(ids[int(view.keys[rows[owner]])]) for owner in owners.tolist()],
            "entity": [storable(view.entity_ids[entity]) for entity in entities.tolist()],
            "count": counts.tolist(),
        },
        schema_overrides={"passage": polars.String, "entity": polars.String, "count": polars.Int64},
    )


def _told(stored: Sequence[StoredFact | StoredEvent], columns: Sequence[str]) -> polars.DataFrame:
    types = {name: polars.Float64 if name in NUMBERS else polars.String for name in columns}
    return polars.DataFrame(list(map(told, stored)), schema=types)
