"""The one call of this stage: a question and a view give ranked passages and the chains that lead to them."""

from dataclasses import dataclass

import numpy as np

from finlore.index.cues import RelationCues
from finlore.ports import Bytes8, Floats, View
from finlore.records.answer import Method, SentencePath
from finlore.retrieve.beam import UNIT, Chain, best_chains
from finlore.retrieve.dense import dense_scores
from finlore.retrieve.fuse import best, between, from_zero, mixed
from finlore.retrieve.lexical import lexical_scores
from finlore.retrieve.question import Question, read_question
from finlore.retrieve.walk import walk


@dataclass(frozen=True, slots=True)
class Ranked:
    """A passage by key; `parts` are its first-stage scores, each 0 .. 1."""

    key: int
    score: float
    parts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What one search found: `entities` of the question by id, names it does not know, chains best first."""

    ranked: tuple[Ranked, ...]
    entities: tuple[str, ...]
    unknown_names: tuple[str, ...]
    paths: tuple[SentencePath, ...]


def retrieve(
    view: View,
    question: str,
    *,
    cues: RelationCues,
    method: Method = "auto",
    model: str = "",
    query_vector: Bytes8 | None = None,
    top: int = 10,
    paths: int = 8,
) -> Found:
    """The best `top` passages at the view's date. `query_vector` is the quantised vector of the question by `model`.

    text: BM25. dense: vectors alone. graph: chains and walk over a lexical first stage. auto: the same over lexical and
    dense together, where there are vectors.
    """
    asked = read_question(view, question, cues)
    parts = _first_stage(view, asked, method, model, query_vector)
    base = mixed(list(parts.values()), view.alive)
    chains = best_chains(view, asked, base) if method in ("graph", "auto") else []
    scores = walk(view, asked, base, chains) if method in ("graph", "auto") else base
    rows = best(np.where(view.alive, scores, 0.0), view.keys, top)
    highest = float(scores[rows[0]]) if len(rows) else 1.0
    ranked = [
        Ranked(
            int(view.keys[row]),
            float(scores[row]) / highest,
            tuple((name, float(part[row])) for name, part in parts.items()),
        )
        for row in rows.tolist()
    ]
    named = sorted(asked.entities, key=lambda e: (-asked.entities[e], view.entity_ids[e]))
    return Found(
        tuple(ranked),
        tuple(view.entity_ids[e] for e in named),
        asked.unknown,
        tuple(_path(view, chain) for chain in chains[:paths]),
    )


def _first_stage(
    view: View, question: Question, method: Method, model: str, vector: Bytes8 | None
) -> dict[str, Floats]:
    """The scores of each kind, 0 .. 1."""
    parts: dict[str, Floats] = {}
    if method != "dense":
        parts["text"] = from_zero(np.where(view.alive, lexical_scores(view, question.words), 0.0))
    if vector is not None and method in ("dense", "auto"):
        dense = dense_scores(view, model, vector)
        if dense is not None:
            parts["dense"] = between(dense, view.alive)
    return parts


def _path(view: View, chain: Chain) -> SentencePath:
    places = [(int(view.keys[view.sentence_rows[s]]), int(view.sentence_ordinals[s])) for s in chain.sentences]
    entities = [view.entity_ids[e] for e in chain.links if e >= 0]
    return SentencePath(tuple(entities), tuple(places), chain.score / UNIT)
