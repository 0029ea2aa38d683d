"""What stands beside a name: passages that mention it, names that it shares passages with, chains between two names.

The edge of two names is the set of passages in which both occur; nothing else is stored about it.
"""

import math
from itertools import pairwise

import numpy as np

from finlore.ports import Ints, View
from finlore.records.report import NamePath, Neighbour
from finlore.retrieve.question import leads, rarity

MOST_PASSAGES = 2000
"""Passages of one name that are read; the ones that mention it most come first."""
MOST_NAMES = 5000
"""Names that a search for chains may reach."""


def passages_of(view: View, entity: int, *, top: int) -> list[int]:
    """Keys of the passages about an entity: those of its own documents first, then by how often they mention it."""
    return [int(view.keys[row]) for row in _rows_of(view, entity)[:top]]


def neighbours(view: View, entity: int, *, top: int = 30, passages: int = 5) -> list[Neighbour]:
    """Names that share passages with `entity`, by the number of shared passages times the rarity of the name."""
    rows = _rows_of(view, entity)[:MOST_PASSAGES]
    others, _, positions = view.row_entities(rows)
    found = np.flatnonzero(others != entity)
    numbers, shared = np.unique(others[found], return_counts=True)
    weights = {n: c * rarity(view, n) for n, c in zip(numbers.tolist(), shared.tolist(), strict=True)}
    best = sorted(weights, key=lambda n: (-weights[n], view.entity_ids[n]))[:top]
    return [
        Neighbour(
            view.entity_ids[number],
            view.entity(number).name,
            weights[number],
            tuple(view.keys[rows[np.sort(positions[others == number])[:passages]]].tolist()),
        )
        for number in best
    ]


def edge(view: View, a: int, b: int) -> list[int]:
    """Keys of all passages in which both occur: first with both in one sentence, then by how often both are named."""
    rows_a, counts_a, _ = view.entity_rows(np.array([a]))
    rows_b, counts_b, _ = view.entity_rows(np.array([b]))
    rows, at_a, at_b = np.intersect1d(rows_a, rows_b, return_indices=True)
    sentences = np.intersect1d(view.entity_sentences(np.array([a]))[0], view.entity_sentences(np.array([b]))[0])
    together = np.isin(rows, view.sentence_rows[sentences[view.sentence_ordinals[sentences] > 0]])
    often = np.minimum(counts_a[at_a], counts_b[at_b])
    order = np.lexsort((view.keys[rows], -often, ~together))
    return [int(key) for key in view.keys[rows[order]]]


def paths(view: View, a: int, b: int, *, hops: int = 3, most: int = 20) -> list[NamePath]:
    """The shortest chains from `a` to `b` over shared passages, at most `hops` long and `most` of them.

    Breadth first, through names that lead somewhere: a measure or a broker that two reports share connects nobody.
    Among chains of one length those through rarer names come first. Empty when `MOST_NAMES` names do not reach `b`.
    """
    if a == b:
        return []
    before: dict[int, list[int]] = {a: []}
    front = [a]
    for _ in range(hops):
        reached: dict[int, list[int]] = {}
        for entity in front:
            for other in _beside(view, entity):
                if other not in before and (other == b or _connects(view.entity_ids[other])):
                    reached.setdefault(other, []).append(entity)
        before |= reached
        if b in reached or not reached or len(before) > MOST_NAMES:
            break
        front = sorted(reached, key=lambda n: view.entity_ids[n])
    if b not in before:
        return []
    chains = sorted(_chains(before, a, b, most), key=lambda chain: _cost(view, chain))[:most]
    return [_path(view, chain) for chain in chains]


def _connects(entity: str) -> bool:
    return leads(entity) and not entity.startswith("broker:")


def _rows_of(view: View, entity: int) -> Ints:
    rows, counts, _ = view.entity_rows(np.array([entity]))
    elsewhere = view.owners(rows) != entity
    return rows[np.lexsort((view.keys[rows], -counts, elsewhere))]


def _beside(view: View, entity: int) -> list[int]:
    found = view.row_entities(_rows_of(view, entity)[:MOST_PASSAGES])[0]
    return sorted(set(found.tolist()) - {entity}, key=lambda n: view.entity_ids[n])


def _chains(before: dict[int, list[int]], a: int, b: int, most: int) -> list[list[int]]:
    """Chains read backwards from `b`; bounded, since their number may grow with every step."""
    chains = [[b]]
    while chains and chains[0][0] != a:
        chains = [[entity, *chain] for chain in chains for entity in before[chain[0]]][: most * 50]
    return chains


def _cost(view: View, chain: list[int]) -> tuple[float, list[str]]:
    return -math.fsum(rarity(view, entity) for entity in chain[1:-1]), [view.entity_ids[entity] for entity in chain]


def _path(view: View, chain: list[int]) -> NamePath:
    steps = tuple(tuple(edge(view, x, y)[:5]) for x, y in pairwise(chain))
    return NamePath(tuple(view.entity_ids[entity] for entity in chain), steps)
