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
    whole = view.n_passages == len(lengths)
    mean = int((lengths if whole else lengths[view.alive]).sum()) / max(view.n_passages, 1)
    damp = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * lengths / max(mean, 1.0))
    beside = np.empty_like(scores)
    for term in sorted(set(terms)):
        sentences, counts = view.words(term)
        if not len(sentences):
            continue
        in_rows = view.sentence_rows[sentences]
        if len(sentences) > len(scores) // _OFTEN:
            totals = np.bincount(in_rows, counts, len(scores)).astype(np.float64, copy=False)  # whole numbers: exact
            np.add(totals, damp, out=beside)
            np.multiply(totals, _weight(view, int(np.count_nonzero(totals))), out=totals)
            np.divide(totals, beside, out=totals)
            scores += totals
        else:
            starts = np.flatnonzero(np.append(True, in_rows[1:] != in_rows[:-1]))
            rows, often = in_rows[starts], np.add.reduceat(counts, starts)
            scores[rows] += _weight(view, len(rows)) * often / (often + damp[rows])
    return scores


def _weight(view: View, n_rows: int) -> float:
    return (_SATURATION + 1) * math.log(1 + (view.n_passages - n_rows + 0.5) / (n_rows + 0.5))
