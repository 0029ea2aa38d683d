"""BM25 over everything visible: document frequencies and lengths are those of the view's date."""

import math
from collections.abc import Iterable

import numpy as np

from finlore.ports import Floats, View

_SATURATION = 1.2
_LENGTH_SHARE = 0.75
_OFTEN = 4  # one sentence for so many rows: then every row is gone through, in one pass without a sort


def lexical_scores(view: View, terms: Iterable[str]) -> Floats:
    """(n_rows,) BM25 of every visible row; terms are added in sorted order, so that the sums never differ in a bit."""
    scores = np.zeros(len(view.keys))
    lengths = view.lengths
    mean = int(lengths[view.alive].sum()) / max(view.n_passages, 1)
    damp = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * lengths / max(mean, 1.0))
    for term in sorted(set(terms)):
        sentences, counts = view.words(term)
        if not len(sentences):
            continue
        in_rows = view.sentence_rows[sentences]
        if len(sentences) > len(scores) // _OFTEN:
            totals = np.bincount(in_rows, counts, minlength=len(scores))  # whole numbers: exact
            n_rows = int(np.count_nonzero(totals))
            scores += _weight(view, n_rows) * totals / (totals + damp)
        else:
            starts = np.flatnonzero(np.diff(in_rows, prepend=-1))
            rows, totals = in_rows[starts], np.add.reduceat(counts, starts)
            scores[rows] += _weight(view, len(rows)) * totals / (totals + damp[rows])
    return scores


def _weight(view: View, n_rows: int) -> float:
    return (_SATURATION + 1) * math.log(1 + (view.n_passages - n_rows + 0.5) / (n_rows + 0.5))
