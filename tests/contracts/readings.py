"""All that a store tells at a date, in plain values that do not depend on how it numbers things."""

from collections.abc import Iterable

import numpy as np

from finlore.ports import Store, View
from finlore.records.instant import Instant
from tests.contracts.documents import MODEL


def everything(
    store: Store, as_of: Instant, *, terms: Iterable[str], surfaces: Iterable[str], keys: Iterable[int] = ()
) -> dict[str, object]:
    """By verb; two stores tell the same iff these are equal. `keys`: passages to ask for beside the visible ones."""
    view = store.view(as_of)
    keys = sorted({*keys, *view.keys[view.alive].tolist()})
    return {
        **of_view(view, terms=terms, surfaces=surfaces),
        "passages": store.passages(keys, as_of=as_of),
        "documents": store.documents(as_of=as_of),
        "surfaces": dict(store.surfaces(as_of=as_of)),
        "facts": store.facts(as_of=as_of),
        "facts of": {entity: store.facts(as_of=as_of, entities=[entity]) for entity in view.entity_ids},
        "events": store.events(as_of=as_of),
        "events of": {entity: store.events(as_of=as_of, entities=[entity]) for entity in view.entity_ids},
    }


def of_view(view: View, *, terms: Iterable[str], surfaces: Iterable[str]) -> dict[str, object]:
    keys, ids = view.keys.tolist(), list(view.entity_ids)
    rows = np.flatnonzero(view.alive)
    sentences = np.flatnonzero(view.alive[view.sentence_rows])
    entities = np.arange(len(ids))
    place = [
        (keys[row], ordinal)
        for row, ordinal in zip(view.sentence_rows.tolist(), view.sentence_ordinals.tolist(), strict=True)
    ]
    held = view.vectors(MODEL)
    owned, owned_by = view.owned_rows(entities)
    return {
        "n_passages": view.n_passages,
        "rows": sorted((keys[row], int(view.lengths[row]), int(view.languages[row])) for row in rows),
        "sentences": sorted(place[sentence] for sentence in sentences),
        "words": {
            term: sorted((place[sentence], count) for sentence, count in _pairs(view.words(term))) for term in terms
        },
        "entities": {ids[at]: (int(view.entity_counts[at]), view.entity(at)) for at in entities},
        "sentence_entities": sorted(
            (place[sentences[at]], ids[entity], count)
            for entity, count, at in _triples(view.sentence_entities(sentences))
        ),
        "entity_sentences": sorted(
            (place[sentence], ids[entities[at]], count)
            for sentence, count, at in _triples(view.entity_sentences(entities))
        ),
        "row_entities": sorted(
            (keys[rows[at]], ids[entity], count) for entity, count, at in _triples(view.row_entities(rows))
        ),
        "entity_rows": sorted(
            (keys[row], ids[entities[at]], count) for row, count, at in _triples(view.entity_rows(entities))
        ),
        "owners": {
            keys[row]: ids[owner] if owner >= 0 else None
            for row, owner in zip(rows.tolist(), view.owners(rows).tolist(), strict=True)
        },
        "owned_rows": sorted((keys[row], ids[at]) for row, at in zip(owned.tolist(), owned_by.tolist(), strict=True)),
        "lookup": {surface: ids[number] for surface, number in view.lookup(surfaces).items()},
        "vectors": sorted((keys[row], value.tobytes()) for row, value in zip(*held, strict=True)) if held else [],
    }


def _pairs(columns: tuple[np.ndarray, np.ndarray]) -> Iterable[tuple[int, int]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def _triples(columns: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Iterable[tuple[int, int, int]]:
    return zip(*(column.tolist() for column in columns), strict=True)
