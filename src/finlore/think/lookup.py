"""A second look: where ranked passages leave a need open, those in which all of it stands, straight from the index."""

from collections.abc import Iterable

import numpy as np

from finlore.ports import Ints, View
from finlore.think.needs import Need

MOST_PASSAGES = 8  # of each need, those known last


def passages_holding(view: View, needs: Iterable[Need]) -> list[int]:
    """Keys of passages that hold the names and terms of a need, by need, the last known first.

    For two names this is the edge of the context graph between them.
    """
    keys: dict[int, None] = {}
    for need in needs:
        rows = _rows(view, need)
        latest = rows[np.lexsort((view.keys[rows], view.known[rows]))][::-1][:MOST_PASSAGES]
        keys |= dict.fromkeys(view.keys[latest].tolist())
    return list(keys)


def _rows(view: View, need: Need) -> Ints:
    """Rows where everything that the need requires occurs somewhere; none for a need that requires nothing."""
    parts = [_rows_of_entity(view, entity) for entity in sorted(need.names | need.sources)]
    parts += [_rows_of_term(view, term) for term in sorted(need.terms)]
    if need.either:
        parts.append(np.unique(np.concatenate([_rows_of_term(view, term) for term in sorted(need.either)])))
    if len(parts) < 2:
        return np.zeros(0, np.int64)
    rows = parts[0]
    for part in parts[1:]:
        rows = np.intersect1d(rows, part)
    return rows[view.alive[rows]]


def _rows_of_entity(view: View, entity: int) -> Ints:
    one = np.array([entity])
    return np.union1d(view.entity_rows(one)[0], view.owned_rows(one)[0])


def _rows_of_term(view: View, term: str) -> Ints:
    return np.unique(view.sentence_rows[view.words(term)[0]])
