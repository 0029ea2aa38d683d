"""Chains of sentences: name -> a sentence that says what the question still wants -> its names -> the next one.

What a sentence covers is not wanted again, so the second step looks for the second relation. All gains are whole
numbers (`UNIT` is 1), so that no chain depends on the order in which something was added.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from finlore.index.arrays import slices
from finlore.index.cues import MARK
from finlore.ports import Floats, Ints, View
from finlore.resources import load_toml
from finlore.retrieve.fuse import best
from finlore.retrieve.question import Question, rarity

UNIT = 1 << 20
_LINK_BITS = 10
_LINK = 1 << _LINK_BITS
_MOST_WANTED = 48  # bits of a whole number, with room
_EMPTY = np.zeros(0, np.int64)


@lru_cache
def _links() -> frozenset[str]:
    """Relations that lead from one name to another."""
    return frozenset(load_toml("lexicon/relations.toml")["links"])


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
    reuse: float = 0.5  # of going back to a name of the question that is already covered
    away: float = 0.7  # of a sentence outside the page of a name that has a page of its own
    free_start: float = 0.3  # of a sentence that is reached from no name, where the question has names
    unnamed_start: float = 0.8  # the same where it has none
    starts: int = 5
    start_rows: int = 50
    most: int = 400  # sentences considered of one name


@dataclass(frozen=True, slots=True)
class Chain:
    """Sentences in the order found, the entity that led to each (-1: none), and what is still wanted after them."""

    score: int
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
    beam = [Chain(0, (), (), frozenset(question.entities), frozenset(), search.need)]
    pool: dict[frozenset[int], Chain] = {}
    for hop in range(settings.hops):
        longer: dict[frozenset[int], Chain] = {}
        for chain in beam:
            for extended in search.extended(chain, free=not hop):
                same = longer.get(frozenset(extended.sentences))
                if same is None or search.order(extended) < search.order(same):
                    longer[frozenset(extended.sentences)] = extended
        beam = sorted(longer.values(), key=search.order)[: settings.width]
        pool |= {frozenset(chain.sentences): chain for chain in beam}
    return sorted(pool.values(), key=search.order)


class _Search:
    """What one question needs again and again: which sentences hold what it wants, and where each name leads."""

    def __init__(
        self, view: View, question: Question, wanted: Sequence[str], base: Floats, settings: BeamSettings
    ) -> None:
        self.view, self.base, self.settings = view, base, settings
        self.need = tuple(question.wanted[term] for term in wanted)
        self.has = np.zeros(len(view.sentence_rows), np.int64)
        self.value = self._mark_wanted(wanted)
        self.near = np.rint(UNIT * settings.nearness * base).astype(np.int64)
        self.commonest = math.log1p(view.n_passages)
        self.asked = frozenset(question.entities)
        self.names = {e: self._sentences_of(e) for e in question.entities}
        self.named = np.zeros(len(view.sentence_rows), np.int64)
        for bit, found in enumerate(self.names.values()):
            self.named[found] |= 1 << bit
        self.places: dict[int, tuple[Ints, Ints]] = {}
        self.entities_in: dict[int, frozenset[int]] = {}
        self.starts = self._free_starts()

    def order(self, chain: Chain) -> tuple[int, list[tuple[int, int]]]:
        """Best first; ties by what the store calls the sentences, never by their number here."""
        view = self.view
        return -chain.score, [
            (int(view.keys[view.sentence_rows[s]]), int(view.sentence_ordinals[s])) for s in chain.sentences
        ]

    def extended(self, chain: Chain, *, free: bool) -> list[Chain]:
        """The chain with each of the best next sentences, all of them at once."""
        sentences, links, through = self._reach(chain, free=free or not chain.front)
        if not len(sentences):
            return []
        need, worth = np.array(chain.need), self.settings
        bits = self.has[sentences][:, None] >> np.arange(len(need)) & 1
        gains = bits @ (self.value * (need > 0)) + self.near[self.view.sentence_rows[sentences]]
        gains = (gains * links >> _LINK_BITS) - round(UNIT * worth.step_cost)
        gains += round(UNIT * worth.new_name / max(len(self.asked), 1)) * self._new_names(sentences, chain)
        first = self._best(gains, sentences)[: worth.fan]
        self._read(sentences[first])
        return [
            self._with(chain, int(sentences[at]), int(through[at]), int(gains[at]), need - bits[at]) for at in first
        ]

    def _with(self, chain: Chain, sentence: int, through: int, gain: int, need: Ints) -> Chain:
        found = self.entities_in[sentence]
        return Chain(
            chain.score + gain,
            (*chain.sentences, sentence),
            (*chain.links, through),
            chain.front | found,
            chain.covered | found & self.asked,
            tuple(np.maximum(need, 0).tolist()),
        )

    def _reach(self, chain: Chain, *, free: bool) -> tuple[Ints, Ints, Ints]:
        """(sentence, strength of the link, entity that links) of every sentence that the chain leads to."""
        parts = []
        for entity in sorted(chain.front, key=lambda e: self.view.entity_ids[e]):
            sentences, links = self._places_of(entity)
            again = round(_LINK * self.settings.reuse) if entity in chain.covered else _LINK
            parts.append((sentences, links * again >> _LINK_BITS, np.full(len(sentences), entity)))
        if free:
            share = self.settings.free_start if self.asked else self.settings.unnamed_start
            parts.append((self.starts, np.full(len(self.starts), round(_LINK * share)), np.full(len(self.starts), -1)))
        if not parts:
            return _EMPTY, _EMPTY, _EMPTY
        sentences, links, through = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((np.arange(len(links)), -links, sentences))
        order = order[np.diff(sentences[order], prepend=-1) > 0]
        order = order[~np.isin(sentences[order], chain.sentences)]
        return sentences[order], links[order], through[order]

    def _places_of(self, entity: int) -> tuple[Ints, Ints]:
        """Where a name leads: the most valuable sentences that hold something wanted, and how strong each link is."""
        if entity not in self.places:
            sentences = self.names[entity] if entity in self.names else self._sentences_of(entity)
            sentences = sentences[(self.has[sentences] | self.named[sentences]) != 0]
            if len(sentences) > self.settings.most:
                sentences = sentences[self._best(self._values(sentences), sentences)[: self.settings.most]]
            self.places[entity] = sentences, self._strengths(entity, sentences)
        return self.places[entity]

    def _strengths(self, entity: int, sentences: Ints) -> Ints:
        links = np.full(len(sentences), round(_LINK * rarity(self.view, entity) / self.commonest))
        if self._has_a_page(entity):
            away = self.view.owners(self.view.sentence_rows[sentences]) != entity
            links[away] = links[away] * round(_LINK * self.settings.away) >> _LINK_BITS
        return links

    def _has_a_page(self, entity: int) -> bool:
        """A title has a page of its own; a security is the subject of many documents."""
        return self.view.entity(entity).kind != "security" and len(self.view.owned_rows(np.array([entity]))[0]) > 0

    def _sentences_of(self, entity: int) -> Ints:
        """Sentences that mention the entity or stand in a document about it; contexts are no sentences."""
        view, one = self.view, np.array([entity])
        mentioned = view.entity_sentences(one)[0]
        rows = np.sort(view.owned_rows(one)[0])
        first = np.searchsorted(view.sentence_rows, rows)
        owned, _ = slices(first, np.searchsorted(view.sentence_rows, rows, "right") - first)
        found = np.union1d(mentioned, owned)
        return found[view.sentence_ordinals[found] > 0]

    def _free_starts(self) -> Ints:
        """The best sentences whatever they name: where a question without known names starts."""
        rows = best(self.base, self.view.keys, self.settings.start_rows)
        first = np.searchsorted(self.view.sentence_rows, np.sort(rows))
        sentences, _ = slices(first, np.searchsorted(self.view.sentence_rows, np.sort(rows), "right") - first)
        sentences = sentences[self.view.sentence_ordinals[sentences] > 0]
        return sentences[self._best(self._values(sentences), sentences)[: self.settings.starts]]

    def _values(self, sentences: Ints) -> Ints:
        """What each sentence is worth before anything is covered."""
        bits = self.has[sentences][:, None] >> np.arange(len(self.need)) & 1
        return np.asarray(bits @ self.value + self.near[self.view.sentence_rows[sentences]])

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
        return self.settings.link_weight if term[len(MARK) :] in _links() else self.settings.attribute_weight

    def _new_names(self, sentences: Ints, chain: Chain) -> Ints:
        open_bits = [bit for bit, entity in enumerate(self.names) if entity not in chain.covered]
        return sum((self.named[sentences] >> bit & 1 for bit in open_bits), start=np.zeros(len(sentences), np.int64))

    def _read(self, sentences: Ints) -> None:
        """Remembers the entities of sentences: those mentioned, and the subject of the document."""
        new = np.array([s for s in sentences.tolist() if s not in self.entities_in], np.int64)
        found: list[set[int]] = [{owner} - {-1} for owner in self.view.owners(self.view.sentence_rows[new]).tolist()]
        entities, _, positions = self.view.sentence_entities(new)
        for entity, position in zip(entities.tolist(), positions.tolist(), strict=True):
            found[position].add(entity)
        self.entities_in.update(zip(new.tolist(), map(frozenset, found), strict=True))

    def _best(self, gains: Ints, sentences: Ints) -> Ints:
        view = self.view
        return np.lexsort((view.sentence_ordinals[sentences], view.keys[view.sentence_rows[sentences]], -gains))
