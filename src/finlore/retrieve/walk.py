"""Personalised PageRank by local forward push over the graph of passages and names, in whole units of mass.

Shares are rounded down to units, so that sums do not depend on the order of additions, and what never arrives is below
`UNIT` per passage. Only what is near the restart is ever touched: the cost does not grow with the store.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from finlore.ports import Floats, Ints, View
from finlore.retrieve.beam import UNIT as GAIN
from finlore.retrieve.beam import Chain
from finlore.retrieve.fuse import best
from finlore.retrieve.question import Question

UNIT = float(1 << 44)
_FINE = 1 << 16
_LOGS = np.rint(_FINE * (1 + np.log(np.maximum(np.arange(4096), 1))))
"""Weight of a count."""


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """One set of constants for every corpus."""

    chains: float = 0.7  # share of the restart that goes to the passages of the chains, where there are any
    sharpness: float = 8.0  # how fast a chain loses against the best one, per unit of gain
    names: float = 0.5  # share of the rest that goes to the question's names, where there are any
    seeds: int = 20
    heat: float = 16.0  # how fast a passage loses against the best of the first stage
    restart: float = 0.5
    own: float = 0.5  # share of a name's mass that goes to the passages it owns
    rounds: int = 8
    least: float = 2e-5  # mass that is not pushed on


STANDARD = WalkSettings()


def walk(
    view: View, question: Question, base: Floats, chains: Sequence[Chain], settings: WalkSettings = STANDARD
) -> Floats:
    """(n_rows,) mass of every visible row in whole units."""
    graph = _Graph(view, settings)
    rest, mass = _restart(graph, question, base, chains, settings), np.zeros(len(view.keys))
    for _ in range(settings.rounds):
        front = np.flatnonzero(rest >= settings.least * UNIT)
        kept = np.floor(rest[front] * settings.restart)
        flow = rest[front] - kept
        mass[front] += kept
        rest[front] = 0
        rows, amounts = graph.to_rows(*graph.to_entities(front, flow))
        rest[rows] += amounts
    return mass + rest


def chain_mass(view: View, chains: Sequence[Chain], sharpness: float) -> dict[int, float]:
    """Row -> share of the chains through it, 1 in all; a chain counts for each of its rows, the better the more."""
    found: dict[int, int] = {}
    for chain in chains:
        share = int(UNIT * math.exp(sharpness * (chain.score - chains[0].score) / GAIN))
        for row in {int(view.sentence_rows[sentence]) for sentence in chain.sentences}:
            found[row] = found.get(row, 0) + share
    return _shares({row: (share / UNIT) ** 1.5 for row, share in found.items()})


def _restart(
    graph: "_Graph", question: Question, base: Floats, chains: Sequence[Chain], settings: WalkSettings
) -> Floats:
    """Where the walk begins again and again: passages of the chains, the best of the first stage, the names."""
    view = graph.view
    others = 1 - settings.chains if chains else 1.0
    named = settings.names if question.anchors else 0.0
    rows = best(base, view.keys, settings.seeds).tolist()
    heat = {row: math.exp(settings.heat * float(base[row] - base[rows[0]])) for row in rows}
    anchors = _shares(question.anchors)
    amounts = np.floor(UNIT * others * named * np.array(list(anchors.values())))
    start = np.zeros(len(view.keys))
    reached, arriving = graph.to_rows(np.array(list(anchors), np.int64), amounts)
    start[reached] += arriving
    for row, share in _shares(heat).items():
        start[row] += math.floor(UNIT * others * (1 - named) * share)
    for row, share in chain_mass(view, chains, settings.sharpness).items():
        start[row] += math.floor(UNIT * (1 - others) * share)
    return start


def _shares(weights: Mapping[int, float]) -> dict[int, float]:
    total = math.fsum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


class _Graph:
    """Where mass goes from passages and from names; only names that join passages carry any."""

    def __init__(self, view: View, settings: WalkSettings) -> None:
        self.view, self.settings = view, settings
        self.counts = np.maximum(view.entity_counts, 1)

    def weight(self, entities: Ints) -> Floats:
        """Rarity of names in whole steps; 0 for a name that joins no passages."""
        counts = self.counts[entities]
        return np.where(counts > 1, np.rint(_FINE * np.log1p(self.view.n_passages / counts)), 0.0)

    def to_entities(self, rows: Ints, flow: Floats) -> tuple[Ints, Floats]:
        """Names and the mass that reaches each: a passage gives to what it names, by how often and how rarely."""
        entities, counts, owner = self.view.row_entities(rows)
        return _summed(entities, _divided(flow, np.rint(_log(counts) * self.weight(entities) / _FINE), owner))

    def to_rows(self, entities: Ints, flow: Floats) -> tuple[Ints, Floats]:
        """Passages and the mass that reaches each: a name gives to those that mention it, and a share to its own."""
        view, settings = self.view, self.settings
        hot = flow >= self.counts[entities] * (settings.least / 4 * UNIT)
        entities, flow = entities[hot], flow[hot]
        rows, counts, owner = view.entity_rows(entities)
        owned, owns = view.owned_rows(entities)
        given = np.floor(flow * np.where(np.bincount(owns, minlength=len(flow)) > 0, settings.own, 0.0))
        shared = _divided(flow - given, _log(counts) * (self.counts[entities] > 1)[owner], owner)
        parts = shared, _divided(given, np.ones(len(owned)), owns)
        return _summed(np.concatenate([rows, owned]), np.concatenate(parts))


def _divided(flow: Floats, weights: Floats, owner: Ints) -> Floats:
    """Each flow divided among its targets in whole units. Weights are whole numbers, so their sums are exact."""
    total = np.maximum(np.bincount(owner, weights, minlength=len(flow)), 1e-9)
    return np.floor(flow[owner] * (weights / total[owner]))


def _summed(targets: Ints, amounts: Floats) -> tuple[Ints, Floats]:
    """Distinct targets, ascending, and what each receives."""
    keyed = targets << 32 | np.arange(len(targets))
    keyed.sort()  # of whole numbers this is many times faster than an order
    ordered, order = keyed >> 32, keyed & 0xFFFFFFFF
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    return ordered[first], np.add.reduceat(amounts[order], first) if len(first) else np.zeros(0)


def _log(counts: Ints) -> Floats:
    logs: Floats = _LOGS[np.minimum(counts, len(_LOGS) - 1)]
    return logs
