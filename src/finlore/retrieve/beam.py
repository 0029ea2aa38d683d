"""Chains of sentences: name -> a sentence that says what the question still wants -> its names -> the next one.

What a sentence covers is not wanted again, so the second step looks for the second relation. All gains are whole
numbers (`UNIT` is 1), so that no chain depends on the order in which something was added.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from finlore.index.arrays import distinct, slices
from finlore.index.cues import MARK
from finlore.ports import Bools, Floats, Ints, View
from finlore.resources import load_toml
from finlore.retrieve.fuse import best
from finlore.retrieve.question import Question, leads, rarity

UNIT = 1 << 20
_LINK_BITS = 10
_LINK = 1 << _LINK_BITS
_MOST_WANTED = 48  # bits of a whole number, with room
_EMPTY = np.zeros(0, np.int64)
Place = tuple[int, int]
"""A sentence as every store calls it: (passage key, ordinal)."""


@lru_cache
def _relations(table: str) -> frozenset[str]:
    """`links`: relations that lead from one name to another; `between`: those that take two names to be stated."""
    return frozenset(MARK + name for name in load_toml("lexicon/relations.toml")[table])


@dataclass(frozen=True, slots=True)
class BeamSettings:
    """One set of constants for every corpus. Shares are of the value of everything wanted."""

    hops: int = 4
    width: int = 12
    fan: int = 30
    link_weight: float = 4.0  # a relation between names counts as this many words of the same rarity
    attribute_weight: float = 2.0  # any other wording in the list of relations
    nearness: float = 0.1  # share of the first-stage score of the passage
    step_cost: float = 0.15
    new_name: float = 0.15  # for a sentence with names of the question that the chain did not have
    meeting: float = 0.5  # for such names where a sentence relates them to a name that the chain has found
    reuse: float = 0.3  # of going back to a name of the question that is already covered
    away: float = 0.7  # of a sentence outside the page of a name that has a page of its own
    free_start: float = 0.2  # of a sentence that is reached from no name, where the question has names
    unnamed_start: float = 0.8  # the same where it has none
    starts: int = 5
    start_rows: int = 50
    most: int = 400  # sentences considered of one name


@dataclass(frozen=True, slots=True)
class Chain:
    """Sentences in the order found, the entity that led to each (-1: none), and what is still wanted after them."""

    score: int
    places: tuple[Place, ...]
    sentences: tuple[int, ...]
    links: tuple[int, ...]
    front: frozenset[int]
    covered: frozenset[int]
    need: tuple[int, ...]


STANDARD = BeamSettings()


def best_chains(view: View, question: Question, base: Floats, settings: BeamSettings = STANDARD) -> list[Chain]:
    """The chains kept at any depth, best first; none when the view knows no word that the question wants."""
    wanted = [term for term in sorted(question.wanted) if len(view.words(term)[0])][:_MOST_WANTED]
    if not wanted:
        return []
    search = _Search(view, question, wanted, base, settings)
    beam = [Chain(0, (), (), (), frozenset(question.anchors), frozenset(), search.need)]
    pool: dict[frozenset[int], Chain] = {}
    for hop in range(settings.hops):
        beam = search.longer(beam, free=not hop)
        pool |= {frozenset(chain.sentences): chain for chain in beam}
    return sorted(pool.values(), key=lambda chain: (-chain.score, chain.places))


@dataclass(frozen=True, slots=True)
class _Step:
    """A chain and one more sentence. Sorts best first; ties by what the store calls the sentences."""

    order: tuple[int, tuple[Place, ...]]
    chain: Chain
    sentence: int
    through: int


class _Search:
    """What one question needs again and again: which sentences hold what it wants, and where each name leads."""

    def __init__(
        self, view: View, question: Question, wanted: Sequence[str], base: Floats, settings: BeamSettings
    ) -> None:
        self.view, self.base, self.settings = view, base, settings
        self.between = sum(1 << bit for bit, term in enumerate(wanted) if term in _relations("between"))
        self.need = tuple(question.wanted[term] for term in wanted)
        self.has = np.zeros(len(view.sentence_rows), np.int64)
        self.value = self._mark_wanted(wanted)
        self.near = np.rint(UNIT * settings.nearness * base).astype(np.int64)
        self.commonest = math.log1p(view.n_passages)
        rarest = sorted(question.anchors, key=lambda e: (-question.anchors[e], view.entity_ids[e]))
        self.asked = frozenset(rarest[:_MOST_WANTED])
        self.named = np.zeros(len(view.sentence_rows), np.int64)
        self.sentences: dict[int, Ints] = {}
        self.links: dict[int, tuple[Ints, Ints]] = {}
        self.entities_in: dict[int, frozenset[int]] = {}
        self.titles: set[int] = set()
        self.useful = view.sentence_ordinals > 0  # sentences that may ever be a step; contexts are none
        self._find(sorted(self.asked))
        for bit, entity in enumerate(self.asked):
            self.named[self.sentences[entity]] |= 1 << bit
        self.useful &= (self.has | self.named) != 0
        self.starts = self._free_starts()

    def longer(self, beam: Sequence[Chain], *, free: bool) -> list[Chain]:
        """The best chains that are one sentence longer; of those with the same sentences only the best."""
        self._find(sorted({entity for chain in beam for entity in chain.front} - self.sentences.keys()))
        steps = [step for chain in beam for step in self._steps(chain, free=free or not chain.front)]
        steps.sort(key=lambda step: step.order)
        kept: dict[frozenset[int], _Step] = {}
        for step in steps:
            kept.setdefault(frozenset((*step.chain.sentences, step.sentence)), step)
            if len(kept) == self.settings.width:
                break
        self._read([step.sentence for step in kept.values()])
        return [self._taken(step) for step in kept.values()]

    def _taken(self, step: _Step) -> Chain:
        chain, found = step.chain, self.entities_in[step.sentence]
        has = int(self.has[step.sentence])
        return Chain(
            -step.order[0],
            step.order[1],
            (*chain.sentences, step.sentence),
            (*chain.links, step.through),
            chain.front | found,
            chain.covered | found & self.asked,
            tuple(max(0, need - (has >> bit & 1)) for bit, need in enumerate(chain.need)),
        )

    def _steps(self, chain: Chain, *, free: bool) -> list[_Step]:
        """The best next sentences of one chain."""
        sentences, links, through, met = self._reach(chain, free=free)
        settings, need = self.settings, np.array(chain.need)
        gains = self._values(sentences, self.value * (need > 0))
        gains = (gains * links >> _LINK_BITS) - round(UNIT * settings.step_cost)
        new_names = self._new_names(sentences, chain)
        met &= self.has[sentences] & self.between != 0
        for share, counts in ((settings.new_name, new_names), (settings.meeting, new_names * met)):
            gains += round(UNIT * share / max(len(self.asked), 1)) * counts
        chosen = self._best(gains, sentences, settings.fan)
        return [
            _Step((-chain.score - gain, (*chain.places, self._place(sentence))), chain, sentence, entity)
            for gain, sentence, entity in zip(
                gains[chosen].tolist(), sentences[chosen].tolist(), through[chosen].tolist(), strict=True
            )
        ]

    def _reach(self, chain: Chain, *, free: bool) -> tuple[Ints, Ints, Ints, Bools]:
        """(sentence, strength of the link, entity that links, whether a name that was found on the way from a name of
        the question links) of every sentence that the chain leads to, ascending."""
        parts = [(_EMPTY, _EMPTY, _EMPTY, _EMPTY)]
        for entity in sorted(chain.front, key=lambda e: self.view.entity_ids[e]):
            sentences, links = self._links_of(entity)
            again = round(_LINK * self.settings.reuse) if entity in chain.covered else _LINK
            on_the_way = int(bool(chain.covered) and entity not in self.asked)
            flat = np.full((2, len(sentences)), ((entity,), (on_the_way,)))
            parts.append((sentences, links * again >> _LINK_BITS, flat[0], flat[1]))
        if free:
            share = self.settings.free_start if self.asked else self.settings.unnamed_start
            flat = np.full((2, len(self.starts)), ((-1,), (0,)))
            parts.append((self.starts, np.full(len(self.starts), round(_LINK * share)), flat[0], flat[1]))
        sentences, links, through, found = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort((sentences << _LINK_BITS + 1) + _LINK - links, kind="stable")  # the strongest link first
        first = np.flatnonzero(np.diff(sentences[order], prepend=-1) > 0)
        met = np.logical_or.reduceat(found[order] > 0, first) if len(first) else np.zeros(0, np.bool_)
        order = order[first]
        new = np.ones(len(order), np.bool_)
        for taken in chain.sentences:
            new &= sentences[order] != taken
        order = order[new]
        return sentences[order], links[order], through[order], met[new]

    def _links_of(self, entity: int) -> tuple[Ints, Ints]:
        """Where a name leads: the most valuable sentences that hold something wanted, and how strong each link is."""
        if entity not in self.links:
            sentences = self.sentences[entity]
            sentences = sentences[(self.has[sentences] | self.named[sentences]) != 0]
            if len(sentences) > self.settings.most:
                values = self._values(sentences, self.value)
                sentences = np.sort(sentences[self._best(values, sentences, self.settings.most)])
            strength = np.full(len(sentences), round(_LINK * rarity(self.view, entity) / self.commonest))
            if entity in self.titles:
                away = self.view.owners(self.view.sentence_rows[sentences]) != entity
                strength[away] = strength[away] * round(_LINK * self.settings.away) >> _LINK_BITS
            self.links[entity] = sentences, strength
        return self.links[entity]

    def _find(self, entities: Sequence[int]) -> None:
        """Looks up all entities at once: useful sentences that mention each or stand in a document about it."""
        if not entities:
            return
        view, asked = self.view, np.array(entities, np.int64)
        mentioned, _, mentions = view.entity_sentences(asked)
        rows, owned = view.owned_rows(asked)
        inside, row = self._sentences_of(rows)
        sentences, owners = np.concatenate([mentioned, inside]), np.concatenate([mentions, owned[row]])
        useful = self.useful[sentences]
        width = max(len(view.sentence_rows), 1)
        pairs = distinct(owners[useful] * width + sentences[useful])
        sentences = pairs % width
        self._clear_lonely(distinct(sentences))
        cuts = np.searchsorted(pairs, np.arange(1, len(asked)) * width)
        self.sentences.update(zip(entities, np.split(sentences, cuts), strict=True))
        # a title has a page of its own; a security (its id has no kind) is the subject of many documents
        self.titles |= {entities[at] for at in distinct(owned).tolist() if ":" in view.entity_ids[entities[at]]}

    def _sentences_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """The sentences of rows, and the position in `rows` of each."""
        of_sentences = self.view.sentence_rows
        rows = rows.astype(of_sentences.dtype, copy=False)  # of another type all of them would be converted
        first = np.searchsorted(of_sentences, rows)
        return slices(first, np.searchsorted(of_sentences, rows, "right") - first)

    def _free_starts(self) -> Ints:
        """The best sentences of the best passages whatever they name: where a question without known names starts."""
        rows = np.sort(best(self.base, self.view.keys, self.settings.start_rows))
        sentences, _ = self._sentences_of(rows)
        sentences = sentences[self.view.sentence_ordinals[sentences] > 0]
        self._clear_lonely(sentences)
        return sentences[self._best(self._values(sentences, self.value), sentences, self.settings.starts)]

    def _clear_lonely(self, sentences: Ints) -> None:
        """A relation between two names is not stated where one alone is named: such sentences lose its mark."""
        marked = sentences[self.has[sentences] & self.between != 0]
        self._read(marked.tolist())
        lonely = np.array([s for s in marked.tolist() if len(self.entities_in[s]) < 2], np.int64)
        self.has[lonely] &= ~self.between

    def _values(self, sentences: Ints, worth: Ints) -> Ints:
        """What each sentence is worth by what it holds and by its passage."""
        has, values = self.has[sentences], self.near[self.view.sentence_rows[sentences]]
        for start in range(0, len(worth), 8):  # a table of what eight terms are worth together
            bits = np.arange(256)[:, None] >> np.arange(len(worth[start : start + 8])) & 1
            values += (bits @ worth[start : start + 8])[has >> start & 255]
        return values

    def _place(self, sentence: int) -> Place:
        return int(self.view.keys[self.view.sentence_rows[sentence]]), int(self.view.sentence_ordinals[sentence])

    def _mark_wanted(self, wanted: Sequence[str]) -> Ints:
        """Sets the bit of each term in its sentences; returns the share of each in the value of everything wanted."""
        worth, view = [], self.view
        n_sentences = len(view.sentence_rows) if view.alive.all() else int(view.alive[view.sentence_rows].sum())
        for bit, term in enumerate(wanted):
            sentences, _ = self.view.words(term)
            self.has[sentences] |= 1 << bit
            weight = self._weight(term)
            worth.append(weight * math.log1p(n_sentences / len(sentences)))
        total = math.fsum(value * need for value, need in zip(worth, self.need, strict=True))
        return np.array([round(UNIT * value / total) for value in worth], np.int64)

    def _weight(self, term: str) -> float:
        if not term.startswith(MARK):
            return 1.0
        return self.settings.link_weight if term in _relations("links") else self.settings.attribute_weight

    def _new_names(self, sentences: Ints, chain: Chain) -> Ints:
        open_bits = [bit for bit, entity in enumerate(self.asked) if entity not in chain.covered]
        return sum((self.named[sentences] >> bit & 1 for bit in open_bits), start=np.zeros(len(sentences), np.int64))

    def _read(self, sentences: Iterable[int]) -> None:
        """Remembers the entities of sentences: those mentioned, and the subject of the document."""
        new = np.array([s for s in sentences if s not in self.entities_in], np.int64)
        found: list[set[int]] = [{owner} - {-1} for owner in self.view.owners(self.view.sentence_rows[new]).tolist()]
        entities, _, positions = self.view.sentence_entities(new)
        for entity, position in zip(entities.tolist(), positions.tolist(), strict=True):
            if leads(self.view.entity_ids[entity]):
                found[position].add(entity)
        self.entities_in.update(zip(new.tolist(), map(frozenset, found), strict=True))

    def _best(self, gains: Ints, sentences: Ints, count: int) -> Ints:
        """The places of the `count` highest gains, ties by what the store calls the sentences."""
        view, among = self.view, np.arange(len(gains))
        if count < len(gains):
            among = np.flatnonzero(gains >= np.partition(gains, -count)[-count])
        at = sentences[among]
        order = np.lexsort((view.sentence_ordinals[at], view.keys[view.sentence_rows[at]], -gains[among]))
        return among[order[:count]]
