"""A `View` in plain Python, built from readable rows: what the tests of retrieval stand on."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from finlore.language.normal import fold
from finlore.language.words import words
from finlore.ports import Bools, Bytes8, Ints
from finlore.records.instant import NEVER, Instant
from finlore.records.names import Entity


@dataclass(frozen=True, slots=True)
class FakeSentence:
    """`words` as the index counts them (marks included), `entities` by id."""

    words: Mapping[str, int]
    entities: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FakeRow:
    """A passage; `context` is its title line, `owner` the entity that its document is about."""

    key: int
    sentences: tuple[FakeSentence, ...]
    context: FakeSentence = FakeSentence({})
    owner: str | None = None
    alive: bool = True
    language: int = 0
    vector: tuple[float, ...] | None = None


def passage(key: int, *sentences: str, names: Mapping[str, str], owner: str | None = None, title: str = "",
            marks: Mapping[str, str] | None = None, alive: bool = True, language: int = 0,
            vector: tuple[float, ...] | None = None) -> FakeRow:  # fmt: skip
    """A row whose sentences mention every name of `names` (spelling -> entity) that they contain, and are marked with
    ``~relation`` for every cue of `marks` (cue -> relation) that they contain."""

    def sentence(text: str) -> FakeSentence:
        found = Counter(entity for name, entity in names.items() if name in text)
        marked = {"~" + relation: 1 for cue, relation in (marks or {}).items() if cue in text}
        return FakeSentence({**Counter(words(text)), **marked}, found)

    return FakeRow(
        key, tuple(map(sentence, sentences)), FakeSentence(Counter(words(title))), owner, alive, language, vector
    )


class FakeView:
    """Numbers rows and entities in the order given, so that tests can show that the order does not matter."""

    def __init__(self, rows: Sequence[FakeRow], names: Mapping[str, str], *, kinds: Mapping[str, str] | None = None,
                 as_of: Instant = NEVER) -> None:  # fmt: skip
        self.as_of, self.sequence, self._source = as_of, 0, rows
        self._kinds, self._spellings = kinds or {}, names
        cells = [(row, ordinal, sentence) for row, source in enumerate(rows)
                 for ordinal, sentence in enumerate((source.context, *source.sentences))]  # fmt: skip
        self.keys: Ints = np.array([row.key for row in rows], np.int64)
        self.alive: Bools = np.array([row.alive for row in rows], np.bool_)
        self.languages: Ints = np.array([row.language for row in rows], np.int64)
        self.n_passages = int(self.alive.sum())
        self.sentence_rows: Ints = np.array([row for row, _, _ in cells], np.int64)
        self.sentence_ordinals: Ints = np.array([ordinal for _, ordinal, _ in cells], np.int64)
        totals = [sum(sum(s.words.values()) for s in (row.context, *row.sentences)) for row in rows]
        self.lengths: Ints = np.array(totals, np.int64)
        self.entity_ids: Sequence[str] = list(dict.fromkeys(
            [e for _, _, s in cells for e in s.entities] + [row.owner for row in rows if row.owner]))  # fmt: skip
        self._numbers = {entity: number for number, entity in enumerate(self.entity_ids)}
        self._words: dict[str, list[tuple[int, int]]] = {}
        self._by_sentence: list[list[tuple[int, int]]] = []
        self._by_entity: list[list[tuple[int, int]]] = [[] for _ in self.entity_ids]
        for at, (row, ordinal, sentence) in enumerate(cells):
            entities = Counter({self._numbers[e]: n for e, n in sentence.entities.items()})
            if ordinal == 0 and (owner := rows[row].owner) is not None:
                entities[self._numbers[owner]] += 1
            self._by_sentence.append(sorted(entities.items()))
            if rows[row].alive:
                for word, count in sentence.words.items():
                    self._words.setdefault(word, []).append((at, count))
                for entity, count in entities.items():
                    self._by_entity[entity].append((at, count))
        counts = [len({int(self.sentence_rows[s]) for s, _ in found}) for found in self._by_entity]
        self.entity_counts: Ints = np.array(counts, np.int64)

    def words(self, term: str) -> tuple[Ints, Ints]:
        found = np.array(self._words.get(term, ()), np.int64).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def sentence_entities(self, sentences: Ints) -> tuple[Ints, Ints, Ints]:
        return self._lists([self._by_sentence[s] for s in sentences.tolist()])

    def entity_sentences(self, entities: Ints) -> tuple[Ints, Ints, Ints]:
        return self._lists([self._by_entity[e] for e in entities.tolist()])

    def mention_lists(self, entity: int) -> Iterator[Ints]:
        yield np.array([sentence for sentence, _ in self._by_entity[entity]], np.int64)

    def row_entities(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        totals = {row: Counter[int]() for row in rows.tolist()}
        for at, row in enumerate(self.sentence_rows.tolist()):
            if row in totals:
                totals[row].update(dict(self._by_sentence[at]))
        return self._lists([sorted(totals[row].items()) for row in rows.tolist()])

    def entity_rows(self, entities: Ints) -> tuple[Ints, Ints, Ints]:
        totals: list[Counter[int]] = []
        for entity in entities.tolist():
            totals.append(Counter())
            for sentence, count in self._by_entity[entity]:
                totals[-1][int(self.sentence_rows[sentence])] += count
        return self._lists([sorted(total.items()) for total in totals])

    def owners(self, rows: Ints) -> Ints:
        owners = [self._source[row].owner for row in rows.tolist()]
        return np.array([-1 if owner is None else self._numbers[owner] for owner in owners], np.int64)

    def owned_rows(self, entities: Ints) -> tuple[Ints, Ints]:
        found = [(row, at) for at, entity in enumerate(entities.tolist()) for row, source in enumerate(self._source)
                 if source.alive and source.owner == self.entity_ids[entity]]  # fmt: skip
        pairs = np.array(found, np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def lookup(self, surfaces: Iterable[str]) -> dict[str, int]:
        known = {fold(name): self._numbers[e] for name, e in self._spellings.items() if e in self._numbers}
        return {s: known[s] for s in surfaces if s in known and self.entity_counts[known[s]]}

    def entity(self, number: int) -> Entity:
        entity = self.entity_ids[number]
        aliases = tuple(fold(name) for name, e in self._spellings.items() if e == entity)
        return Entity(
            entity, entity, self._kinds.get(entity, "company"), aliases, n_passages=int(self.entity_counts[number])
        )

    def vectors(self, model: str) -> tuple[Ints, Bytes8] | None:
        found = [(row, source.vector) for row, source in enumerate(self._source) if source.alive and source.vector]
        if not found:
            return None
        rows, vectors = zip(*found, strict=True)
        return np.array(rows, np.int64), np.rint(127 * np.array(vectors)).astype(np.int8)

    @staticmethod
    def _lists(found: Sequence[Sequence[tuple[int, int]]]) -> tuple[Ints, Ints, Ints]:
        flat = np.array([(a, n, at) for at, pairs in enumerate(found) for a, n in pairs], np.int64).reshape(-1, 3)
        return flat[:, 0], flat[:, 1], flat[:, 2]
