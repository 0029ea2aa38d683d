"""Parquet tables of the context graph: entities, passages and the mentions that join them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars

from finlore.ports import View
from finlore.records.document import StoredPassage
from finlore.records.instant import isoformat


def export(view: View, passages: Sequence[StoredPassage], out: Path) -> list[Path]:
    """``entities``, ``passages`` and ``mentions.parquet`` in the folder `out`, as known at the view's date."""
    out.mkdir(parents=True, exist_ok=True)
    tables = {"entities": _entities(view), "passages": _passages(passages), "mentions": _mentions(view, passages)}
    written = []
    for name, table in tables.items():
        table.write_parquet(out / f"{name}.parquet")
        written.append(out / f"{name}.parquet")
    return written


def _entities(view: View) -> polars.DataFrame:
    found = [view.entity(number) for number in range(len(view.entity_ids))]
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


def _storable(text: str) -> str:
    """Parquet strings are UTF-8, which has no lone surrogates."""
    return text.encode("utf-8", "replace").decode()
