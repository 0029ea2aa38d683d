"""Chains of sentences: name -> a sentence that says what the question still wants -> its names -> the next one.

What a sentence covers is not wanted again, so the second step looks for the second relation. All gains are whole
numbers (`UNIT` is 1), so that no chain depends on the order in which something was added.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np

from finlore.index.arrays import Numbers, distinct, slices
from finlore.index.cues import MARK
from finlore.ports import Bools, Floats, Ints, View
from finlore.resources import load_toml
from finlore.retrieve.fuse import best
from finlore.retrieve.question import Question, leads, rarity

UNIT = 1 << 20
_LINK_BITS = 10
_LINK = 1 << _LINK_BITS
_MOST_WANTED = 48  # bits of a whole number, with room
_TOGETHER = 12  # wanted terms that are looked up at once
_NONE = -1  # the value of what is no step
_GROUPS = 2_048
_COMMON = 1_000  # passages of a name that is looked up by itself
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
    said = ((term, view.words(term)[0]) for term in sorted(question.wanted))
    wanted = dict(islice(((term, sentences) for term, sentences in said if len(sentences)), _MOST_WANTED))
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
class _Link:
    """Sentences (distinct) that one name leads to with the same strength."""

    entity: int
    strength: int
    sentences: Ints


@dataclass(frozen=True, slots=True)
class _Reached:
    """Sentences that a chain leads to, each once: how strong the strongest link is, by which entity (-1: none), and
    whether a name that was found on the way from a name of the question links to it as well."""

    sentences: Ints
    links: Ints
    through: Ints
    met: Bools


@dataclass(frozen=True, slots=True)
class _Step:
    """A chain and one more sentence. Sorts best first; ties by what the store calls the sentences."""

    order: tuple[int, tuple[Place, ...]]
    chain: Chain
    sentence: int
    through: int


class _Search:
    """What one question needs again and again: which sentences hold what it wants, and where each name leads.

    Only sentences with a bit in `has` (terms that are wanted) or in `named` (names of the question) are ever a step.
    """

    def __init__(
        self, view: View, question: Question, wanted: Mapping[str, Ints], base: Floats, settings: BeamSettings
    ) -> None:
        self.view, self.base, self.settings = view, base, settings
        n_sentences = len(view.sentence_rows)
        self.between = sum(1 << bit for bit, term in enumerate(wanted) if term in _relations("between"))
        self.need = tuple(question.wanted[term] for term in wanted)
        self.has = np.zeros(n_sentences, _bits(len(wanted)))
        self.firsts = np.append(
            np.flatnonzero(view.sentence_ordinals == 0), n_sentences
        )  # a row begins with its context
        self.worth = self._mark_wanted(wanted)
        self.value = _together(self.worth)
        self.near = np.rint(UNIT * settings.nearness * base).astype(np.int32)
        self.commonest = math.log1p(view.n_passages)
        self.ids: dict[int, str] = {}
        self.leading: dict[int, bool] = {}
        rarest = sorted(question.anchors, key=lambda e: (-question.anchors[e], view.entity_ids[e]))
        self.asked = frozenset(rarest[:_MOST_WANTED])
        self.named = np.zeros(n_sentences, _bits(len(self.asked)))
        self.sentences: dict[int, Ints | None] = {}  # None: too many to be kept
        self.links: dict[int, tuple[_Link, ...]] = {}
        self.entities_in: dict[int, frozenset[int]] = {}
        self.titles: set[int] = set()
        self.cleared = np.zeros(n_sentences if self.between else 0, np.bool_)
        self.found = np.zeros(n_sentences if self.between else 0, np.bool_)  # False but within `_reach`
        self.last = np.empty(n_sentences, np.int32)  # written before it is read
        for bit, entity in enumerate(self.asked):
            for mentioned in self._lists_of(entity):
                self.named[mentioned] |= self.named.dtype.type(1 << bit)
        self.named[self.firsts[:-1]] = 0
        self.values = self._values(slice(None))
        self.values[~self._is_step(slice(None))] = _NONE
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
        reached, settings = self._reach(chain, free=free), self.settings
        rows, value = self.view.sentence_rows[reached.sentences], _together(self.worth * (np.array(chain.need) > 0))
        gains = (self.near[rows] + _looked_up(self.has[reached.sentences], value)).astype(np.int64)
        gains = (gains * reached.links >> _LINK_BITS) - round(UNIT * settings.step_cost)
        new_names = self._new_names(reached.sentences, chain)
        for share, counts in ((settings.new_name, new_names), (settings.meeting, new_names * reached.met)):
            gains += round(UNIT * share / max(len(self.asked), 1)) * counts
        chosen = self._best(gains, reached.sentences, settings.fan)
        sentences = reached.sentences[chosen]
        columns = gains[chosen], self._keys(sentences), self.view.sentence_ordinals[sentences], sentences
        return [
            _Step((-chain.score - gain, (*chain.places, (key, ordinal))), chain, sentence, entity)
            for gain, key, ordinal, sentence, entity in zip(
                *(column.tolist() for column in (*columns, reached.through[chosen])), strict=True
            )
        ]

    def _reach(self, chain: Chain, *, free: bool) -> _Reached:
        """Every sentence that the chain leads to, in any order."""
        links = self._chain_links(chain, free=free)
        entities = [link.entity for _, link in links]
        sizes = [len(link.sentences) for _, link in links]
        sentences = np.concatenate([np.zeros(0, np.int64), *(link.sentences for _, link in links)])
        at = np.arange(len(sentences), dtype=np.int32)
        self.last[sentences] = at  # of several links the last one stays
        self.last[[*chain.sentences]] = -1
        won = self.last[sentences] == at
        link = np.repeat(np.arange(len(links)), sizes)
        met = np.zeros(int(won.sum()), np.bool_)
        if self.between:
            way = [bool(chain.covered) and entity >= 0 and entity not in self.asked for entity in entities]
            on_the_way = sentences[np.repeat(np.array(way, np.bool_), sizes)]
            self.found[on_the_way] = True
            met = self.found[sentences[won]] & (self.has[sentences[won]] & self.between != 0)
            self.found[on_the_way] = False
        strengths, link = np.array([strength for strength, _ in links], np.int64), link[won]
        return _Reached(sentences[won], strengths[link], np.array(entities, np.int64)[link], met)

    def _chain_links(self, chain: Chain, *, free: bool) -> list[tuple[int, _Link]]:
        """The links of all names of a chain and how strong they are there, weakest first; of equal ones that of the
        smallest id comes last."""
        again = round(_LINK * self.settings.reuse)
        links = [
            (link.strength * (again if entity in chain.covered else _LINK) >> _LINK_BITS, link)
            for entity in sorted(chain.front, key=self._id, reverse=True)
            for link in self._links_of(entity)
        ]
        if free:
            share = self.settings.free_start if self.asked else self.settings.unnamed_start
            links.insert(0, (round(_LINK * share), _Link(-1, _LINK, self.starts)))
        links.sort(key=itemgetter(0))
        return links

    def _links_of(self, entity: int) -> tuple[_Link, ...]:
        """Where a name leads: the most valuable sentences that hold something wanted, and how strong the links are."""
        if entity not in self.links:
            sentences = self._most_valuable(self._lists_of(entity))
            strength = round(_LINK * rarity(self.view, entity) / self.commonest)
            links = [_Link(entity, strength, sentences)]
            if entity in self.titles:
                away = self.view.owners(self.view.sentence_rows[sentences]) != entity
                weaker = strength * round(_LINK * self.settings.away) >> _LINK_BITS
                links = [_Link(entity, strength, sentences[~away]), _Link(entity, weaker, sentences[away])]
            self.links[entity] = tuple(links)
        return self.links[entity]

    def _most_valuable(self, lists: Sequence[Ints]) -> Ints:
        """The best sentences of all lists, in any order. A mark that must still be cleared makes a value too high,
        never too low: the best are cleared until nothing among them changes, so that most are never read."""
        while True:
            together = np.concatenate([self._enough(own) for own in lists])
            at = np.arange(len(together), dtype=np.int32)
            self.last[together] = at
            chosen: Ints = self._enough(together[self.last[together] == at])
            if len(chosen) > self.settings.most:
                chosen = chosen[self._best(self.values[chosen], chosen, self.settings.most)]
            if not self._clear_lonely(chosen):
                return chosen

    def _enough(self, sentences: Ints) -> Ints:
        """Those that may be a step; of many only at least the most valuable, and none that is worth much less."""
        values, most = self.values[sentences], self.settings.most
        groups = max(most, _GROUPS)
        least = 0
        if len(values) >= groups:  # the highest of each group: as many sentences are worth as much as the last of them
            highest = values[: len(values) // groups * groups].reshape(-1, groups).max(axis=0)
            least = max(int(np.partition(highest, -most)[-most]), 0)
        enough: Ints = sentences[values >= least]
        return enough

    def _find(self, entities: Sequence[int]) -> None:
        """Looks up sentences that mention each entity or stand in a document about it, all of rare ones at once."""
        if not entities:
            return
        common = self.view.entity_counts[entities] > _COMMON
        self.sentences.update((entities[at], None) for at in np.flatnonzero(common).tolist())
        rare = np.array(entities, np.int64)[~common]
        mentioned, _, mentions = self.view.entity_sentences(rare)
        rows, owned = self.view.owned_rows(rare)
        inside, row = self._sentences_of(rows)
        sentences, owners = np.concatenate([mentioned, inside]), np.concatenate([mentions, owned[row]])
        may = self.values[sentences] >= 0
        width = max(len(self.view.sentence_rows), 1)
        pairs = distinct(owners[may] * width + sentences[may])
        split = np.split(pairs % width, np.searchsorted(pairs, np.arange(1, len(rare)) * width))
        self.sentences.update(zip(rare.tolist(), split, strict=True) if len(rare) else ())
        self.titles |= {entity for entity in rare[distinct(owned)].tolist() if self._is_title(entity)}

    def _lists_of(self, entity: int) -> list[Ints]:
        """The sentences that mention a name, and those in documents about it, each list distinct."""
        found = self.sentences.get(entity)
        if found is not None:
            return [found]
        rows, _ = self.view.owned_rows(np.array([entity]))
        if len(rows) and self._is_title(entity):
            self.titles.add(entity)
        return [self._sentences_of(rows)[0], *self.view.mention_lists(entity)]

    def _is_title(self, entity: int) -> bool:
        """Whether what a name owns is a page of its own; a security (its id has no kind) is the subject of many."""
        return ":" in self._id(entity)

    def _sentences_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """The sentences of rows, and the position in `rows` of each."""
        return slices(self.firsts[rows], self.firsts[rows + 1] - self.firsts[rows])

    def _free_starts(self) -> Ints:
        """The best sentences of the best passages whatever they name: where a question without known names starts."""
        rows = np.sort(best(self.base, self.view.keys, self.settings.start_rows))
        sentences, _ = self._sentences_of(rows)
        sentences = sentences[self.view.sentence_ordinals[sentences] > 0]
        self._clear_lonely(sentences)
        return sentences[self._best(self._values(sentences), sentences, self.settings.starts)]

    def _clear_lonely(self, sentences: Ints) -> bool:
        """A relation between two names is not stated where one alone is named: such sentences lose its mark. Whether
        any did."""
        if not self.between:
            return False
        marked = sentences[(self.has[sentences] & self.between != 0) & ~self.cleared[sentences]]
        self.cleared[marked] = True
        lonely = marked[self._n_named(marked) < 2]
        self.has[lonely] &= ~self.has.dtype.type(self.between)
        self.values[lonely] = np.where(self._is_step(lonely), self._values(lonely), _NONE)
        return len(lonely) > 0

    def _is_step(self, sentences: Ints | slice) -> Bools:
        may: Bools = (self.has[sentences] != 0) | (self.named[sentences] != 0)
        return may

    def _n_named(self, sentences: Ints) -> Ints:
        """How many names that lead somewhere each sentence has, with the subject of the document."""
        subjects = self.view.owners(self.view.sentence_rows[sentences])
        entities, _, at = self.view.sentence_entities(sentences)
        names = distinct(entities)
        leading = np.array([self._leads(entity) for entity in names.tolist()], np.bool_)
        lead = leading[np.searchsorted(names, entities)] & (entities != subjects[at])
        return np.bincount(at[lead], minlength=len(sentences)) + (subjects >= 0)

    def _values(self, sentences: Ints | slice) -> Numbers:
        """What each sentence is worth by what it holds, of all that is wanted, and by its passage."""
        values: Numbers = self.near[self.view.sentence_rows[sentences]]
        values += _looked_up(self.has[sentences], self.value)
        return values

    def _keys(self, sentences: Ints) -> Ints:
        keys: Ints = self.view.keys[self.view.sentence_rows[sentences]]
        return keys

    def _mark_wanted(self, wanted: Mapping[str, Ints]) -> Ints:
        """Sets the bit of each term in its sentences, but for contexts; returns the share of each in the value of
        everything wanted."""
        worth, view = [], self.view
        n_sentences = len(view.sentence_rows) if view.alive.all() else int(view.alive[view.sentence_rows].sum())
        for bit, (term, sentences) in enumerate(wanted.items()):
            self.has[sentences] |= self.has.dtype.type(1 << bit)
            weight = self._weight(term)
            worth.append(weight * math.log1p(n_sentences / len(sentences)))
        self.has[self.firsts[:-1]] = 0
        total = math.fsum(value * need for value, need in zip(worth, self.need, strict=True))
        return np.array([round(UNIT * value / total) for value in worth], np.int64)

    def _weight(self, term: str) -> float:
        if not term.startswith(MARK):
            return 1.0
        return self.settings.link_weight if term in _relations("links") else self.settings.attribute_weight

    def _new_names(self, sentences: Ints, chain: Chain) -> Ints:
        still_open = np.array([entity not in chain.covered for entity in self.asked], np.int64)
        counts: Ints = _looked_up(self.named[sentences], _together(still_open)).astype(np.int64)
        return counts

    def _read(self, sentences: Iterable[int]) -> None:
        """Remembers the entities of sentences: those mentioned, and the subject of the document."""
        new = np.array([s for s in sentences if s not in self.entities_in], np.int64)
        found: list[set[int]] = [{owner} - {-1} for owner in self.view.owners(self.view.sentence_rows[new]).tolist()]
        entities, _, positions = self.view.sentence_entities(new)
        for entity, position in zip(entities.tolist(), positions.tolist(), strict=True):
            if self._leads(entity):
                found[position].add(entity)
        self.entities_in.update(zip(new.tolist(), map(frozenset, found), strict=True))

    def _id(self, entity: int) -> str:
        if entity not in self.ids:
            self.ids[entity] = self.view.entity_ids[entity]
        return self.ids[entity]

    def _leads(self, entity: int) -> bool:
        if entity not in self.leading:
            self.leading[entity] = leads(self._id(entity))
        return self.leading[entity]

    def _best(self, gains: Ints, sentences: Ints, count: int) -> Ints:
        """The places of the `count` highest gains, ties by what the store calls the sentences."""
        view, among = self.view, np.arange(len(gains))
        if count < len(gains):
            among = np.flatnonzero(gains >= np.partition(gains, -count)[-count])
        at = sentences[among]
        order = np.lexsort((view.sentence_ordinals[at], self._keys(at), -gains[among]))
        return among[order[:count]]


def _bits(n: int) -> np.dtype[Any]:
    """The smallest type with this many bits."""
    return np.min_scalar_type((1 << n) - 1)


def _together(worth: Ints) -> list[Numbers]:
    """What each combination of terms is worth, for so many terms at a time as one table can hold."""
    tables = []
    for start in range(0, len(worth), _TOGETHER):
        table = np.zeros(1, np.int32)
        for value in worth[start : start + _TOGETHER].astype(np.int32):
            table = np.concatenate([table, table + value])
        tables.append(table)
    return tables


def _looked_up(bits: Numbers, tables: Sequence[Numbers]) -> Numbers:
    """The worth of each combination of bits, by the tables of `_together`."""
    if len(tables) == 1:
        return tables[0][bits]
    values = np.zeros(len(bits), np.int32)
    for place, table in enumerate(tables):
        values += table[bits >> bits.dtype.type(place * _TOGETHER) & bits.dtype.type(len(table) - 1)]
    return values
