"""First-stage scores on one scale, and the best of an array with ties broken by key."""

from collections.abc import Sequence

import numpy as np

from finlore.ports import Bools, Floats, Ints

_BLOCK = 256


def from_zero(scores: Floats) -> Floats:
    """Scores that have a natural zero, as BM25 has, as shares of the highest: one passage alone keeps its score."""
    highest = float(scores.max(initial=0.0))
    return scores / highest if highest > 0 else np.zeros(len(scores))


def between(scores: Floats, alive: Bools) -> Floats:
    """0 .. 1 between the lowest and the highest finite score of visible rows; 0 elsewhere, 1 where all are equal."""
    usable = alive & np.isfinite(scores)
    if not usable.any():
        return np.zeros(len(scores))
    low, high = float(scores[usable].min()), float(scores[usable].max())
    return np.where(usable, (scores - low) / (high - low) if high > low else 1.0, 0.0)


def mixed(parts: Sequence[Floats], alive: Bools) -> Floats:
    """The mean of parts of one scale. Scores are mixed, not ranks: a rank forgets how much better the first one is."""
    total = np.zeros(len(alive))
    for part in parts:
        total += part
    return np.where(alive, total / max(len(parts), 1), 0.0)


def best(scores: Floats, keys: Ints, count: int) -> Ints:
    """Rows of the `count` highest positive scores, ties by key. Maxima of blocks bound the last of them from below."""
    blocks = scores[: len(scores) // _BLOCK * _BLOCK].reshape(-1, _BLOCK).max(axis=1, initial=-np.inf)
    floor = np.partition(blocks, -count)[-count] if len(blocks) > count else 0.0
    rows = np.flatnonzero(scores >= max(float(floor), 1e-300))
    return rows[np.lexsort((keys[rows], -scores[rows]))][:count]
