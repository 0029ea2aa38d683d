"""Similarity of passage vectors to a question vector, exact: int8 products are whole numbers below 2**24."""

import numpy as np
from numpy.typing import NDArray

from finlore.ports import Bytes8, Floats, Ints, Vectors, View

_BLOCK = 512  # rows whose vectors stay in the cache of a core while they are widened and multiplied
_LANGUAGES = (0, 1)


def quantised(vector: NDArray[np.float32]) -> Bytes8:
    """int8 (dimension,) = round(127 x unit vector)."""
    unit = vector / max(float(np.sqrt((vector.astype(np.float64) ** 2).sum())), 1e-12)
    whole: Bytes8 = np.rint(127 * unit).astype(np.int8)
    return whole


def dense_scores(view: View, model: str, query: Bytes8) -> Floats | None:
    """(n_rows,) similarity less the mean of the row's language, -inf where a row has no vector; None without vectors.

    A model ranks passages of the question's language first; the means, taken over what is visible, cancel that.
    """
    found = view.vectors(model)
    if found is None or not len(found[0]):
        return None
    rows, vectors = found
    products = _products(vectors, query)
    scores = np.full(len(view.keys), -np.inf)
    languages = view.languages[rows]
    for language in _LANGUAGES:
        mine = np.flatnonzero(languages == language)
        if len(mine):
            own = products[mine]
            scores[rows[mine]] = own - int(own.sum()) / len(mine)
    return scores


def _products(vectors: Vectors, query: Bytes8) -> Ints:
    """Every partial sum is a whole number that float32 holds exactly, so neither blocks nor threads change a bit."""
    asked, out = query.astype(np.float32), np.empty(len(vectors), np.int64)
    for start in range(0, len(vectors), _BLOCK):
        out[start : start + _BLOCK] = vectors[start : start + _BLOCK].astype(np.float32) @ asked
    return out
