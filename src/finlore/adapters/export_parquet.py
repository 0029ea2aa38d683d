"""Parquet tables of the graph: entities, passages and the mentions that join them, facts and events."""

from collections.abc import Iterable, Sequence
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
    rows = [(storable(e.id), storable(e.name), e.kind, [*map(storable, e.aliases)], e.n_passages) for e in found]
    types = _texts(("id", "name", "kind")) | {"aliases": polars.List(polars.String), "n_passages": polars.Int64()}
    return polars.DataFrame(rows, schema=types, orient="row")


def _passages(passages: Sequence[StoredPassage]) -> polars.DataFrame:
    rows = [
        (
            *map(storable, (p.id, p.document, p.metadata.title, p.text)),
            *(p.metadata.security, p.metadata.broker, isoformat(p.metadata.published_at), isoformat(p.known_at)),
        )
        for p in passages
    ]
    names = ("id", "document", "title", "text", "security", "broker", "published_at", "known_at")
    return polars.DataFrame(rows, schema=_texts(names), orient="row")


def _mentions(view: View, passages: Sequence[StoredPassage]) -> polars.DataFrame:
    rows = np.flatnonzero(np.isin(view.keys, [p.key for p in passages]))
    ids = {p.key: p.id for p in passages}
    entities, counts, owners = view.row_entities(rows)
    columns = {
        "passage": [storable(ids[int(view.keys[rows[owner]])]) for owner in owners.tolist()],
        "entity": [storable(view.entity_ids[entity]) for entity in entities.tolist()],
        "count": counts.tolist(),
    }
    return polars.DataFrame(columns, schema=_texts(("passage", "entity")) | {"count": polars.Int64()})


def _told(stored: Sequence[StoredFact | StoredEvent], columns: Sequence[str]) -> polars.DataFrame:
    types = _texts(columns) | dict.fromkeys(NUMBERS & set(columns), polars.Float64())
    return polars.DataFrame(list(map(told, stored)), schema=types)


def _texts(names: Iterable[str]) -> dict[str, polars.DataType]:
    return dict.fromkeys(names, polars.String())
