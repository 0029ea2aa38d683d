"""First-stage scores on one scale, and the best of an array with ties broken by key."""

from collections.abc import Sequence

import numpy as np

from finlore.ports import Bools, Floats, Ints

_BLOCK = 256


def scaled(scores: Floats, alive: Bools) -> Floats:
    """0 .. 1 between the lowest and the highest finite score of visible rows; 0 elsewhere and where all are equal."""
    usable = alive & np.isfinite(scores)
    if not usable.any():
        return np.zeros(len(scores))
    low, high = float(scores[usable].min()), float(scores[usable].max())
    return np.where(usable, (scores - low) / (high - low), 0.0) if high > low else np.zeros(len(scores))


def mixed(parts: Sequence[Floats], alive: Bools) -> Floats:
    """The mean of the scaled parts. Scores are mixed, not ranks: a rank forgets how much better the first one is."""
    total = np.zeros(len(alive))
    for part in parts:
        total += scaled(part, alive)
    return total / max(len(parts), 1)


def best(scores: Floats, keys: Ints, count: int) -> Ints:
    """Rows of the `count` highest positive scores, ties by key. Maxima of blocks bound the last of them from below."""
    blocks = scores[: len(scores) // _BLOCK * _BLOCK].reshape(-1, _BLOCK).max(axis=1, initial=-np.inf)
    floor = np.partition(blocks, -count)[-count] if len(blocks) > count else 0.0
    rows = np.flatnonzero(scores >= max(float(floor), 1e-300))
    return rows[np.lexsort((keys[rows], -scores[rows]))][:count]
