"""Retrieved passages and chains -> sentences as evidence: what each covers of the question, and what it is worth."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from finlore.index.arrays import slices
from finlore.index.cues import MARK
from finlore.language.normal import fold
from finlore.language.reading import read_stored
from finlore.ports import Ints, View
from finlore.records.answer import SentencePath
from finlore.records.document import StoredPassage
from finlore.retrieve.question import Question, leads
from finlore.think.asking import YEAR, asking_of, holds

_RELATION_WEIGHT = 4.0  # as in the beam: a relation counts as much as this many words of the same rarity
_CONTEXT_SHARE, _NAME_SHARE, _RANK_SHARE, _CHAIN_SHARE, _KIND_SHARE = 0.5, 0.5, 0.2, 0.3, 0.2


@dataclass(frozen=True, slots=True)
class Evidence:
    """One sentence as a person reads it (`text`).

    `covers`: wanted terms it holds, `context`: those of its title, broker and heading. `near`: numbers of the
    question's entities that it speaks of itself, `names`: these and those that its context names. `links`: all
    entities that it names or whose document it stands in; `subject`: the entity of that document.
    """

    passage: StoredPassage
    ordinal: int
    text: str
    covers: frozenset[str]
    context: frozenset[str]
    names: frozenset[int]
    near: frozenset[int]
    links: frozenset[int]
    subject: int | None
    score: float


def gather(
    view: View, question: Question, passages: Sequence[StoredPassage], paths: Sequence[SentencePath]
) -> list[Evidence]:
    """The sentences of the passages (given best first), best first; ties by key and ordinal."""
    rows = {int(view.keys[row]): int(row) for row in np.flatnonzero(np.isin(view.keys, [p.key for p in passages]))}
    sentences, owners = _sentences(view, [rows[p.key] for p in passages])
    covers, weight = _covered(view, question, sentences)
    links, owns = _entities(view, sentences), view.owners(view.sentence_rows[sentences])
    names = [found & question.entities.keys() for found in links]
    contexts = {owner: at for at, owner in enumerate(owners) if not view.sentence_ordinals[sentences[at]]}
    plain, spelt = [term for term in question.wanted if len(term) > 1], _Spelt.of(view, question)
    on_path, asking = _on_paths(paths), asking_of(question.text)
    found, running = [], set[int]()
    for at, sentence in enumerate(sentences.tolist()):
        if at == contexts[owners[at]]:
            running = set[int]()  # whom the passage before spoke of, this one does not
            continue
        passage, ordinal, around = passages[owners[at]], int(view.sentence_ordinals[sentence]), contexts[owners[at]]
        text = read_sentence(passage, ordinal)
        if fold(text) in fold(passage.heading):
            continue  # a heading announces; it says nothing
        owner = int(owns[at]) if owns[at] >= 0 else None
        speaks_alone = not _names_a_party(view, links[at])
        running = running | names[at] if speaks_alone and owners[at] == owners[at - 1] else names[at]
        if owner is not None and speaks_alone:
            running = running | {owner}
        near = frozenset(running & question.entities.keys()) | spelt.found_in(text)
        held = covers[at] | _written(plain, text)
        score = math.fsum(
            (
                math.fsum(weight[term] for term in sorted(held)),
                math.fsum(_CONTEXT_SHARE * weight[term] for term in sorted(covers[around] - held)),
                _NAME_SHARE * len(near | names[around]) / max(len(question.entities), 1),
                _RANK_SHARE * (1 - owners[at] / len(passages)),
                _CHAIN_SHARE * on_path.get((passage.key, ordinal), 0.0),
                _KIND_SHARE * (asking is not None and holds(text, asking)),
            )
        )
        linked = frozenset(links[at] if owner is None else links[at] | {owner})
        found.append(
            Evidence(passage, ordinal, text, held, covers[around], near | names[around], near, linked, owner, score)
        )
    return sorted(found, key=lambda e: (-e.score, e.passage.key, e.ordinal))


@dataclass(frozen=True, slots=True)
class _Spelt:
    """The spellings of the question's names: a recogniser does not find a name everywhere that it stands. Measures are
    left out, since their names are parts of one another (资产收益率 in 净资产收益率)."""

    spellings: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, view: View, question: Question) -> "_Spelt":
        guessed = [entity for entity in question.entities if view.entity(entity).kind != "metric"]
        names = ((entity, alias) for entity in guessed for alias in view.entity(entity).aliases)
        return cls(tuple((entity, alias) for entity, alias in names if len(alias) > 1))

    def found_in(self, text: str) -> set[int]:
        folded = f" {fold(text)} "
        return {
            entity
            for entity, spelling in self.spellings
            if (f" {spelling} " if spelling.isascii() else spelling) in folded
        }


def _names_a_party(view: View, entities: Iterable[int]) -> bool:
    """Whether a sentence has a subject of its own; one that has none goes on speaking of those before it."""
    return any(leads(view.entity_ids[entity]) for entity in entities)


def _written(terms: Iterable[str], text: str) -> set[str]:
    """Years, and Chinese words that the segmenter cut differently here, as they stand in the text."""
    return {
        term
        for term in terms
        if (re.search(rf"(?<!\d){term}(?!\d)", text) if YEAR.fullmatch(term) else not term.isascii() and term in text)
    }


def read_sentence(passage: StoredPassage, ordinal: int) -> str:
    """The sentence as a person reads it: mark-up out; a table row after the header of its columns."""
    sentence = passage.sentences[ordinal - 1]
    row = read_stored(passage, sentence.start, sentence.end)
    header = sentence.context
    if passage.role != "table" or header is None or not passage.start <= header.start <= header.end <= passage.end:
        return row
    return f"{read_stored(passage, header.start, header.end)} ‖ {row}"


def _sentences(view: View, rows: Sequence[int]) -> tuple[Ints, list[int]]:
    """Sentence numbers of rows, contexts included, and the position of the row of each."""
    start = np.searchsorted(view.sentence_rows, np.array(rows, np.int64))
    end = np.searchsorted(view.sentence_rows, np.array(rows, np.int64), "right")
    numbers, owner = slices(start, end - start)
    return numbers, owner.tolist()


def _covered(view: View, question: Question, sentences: Ints) -> tuple[list[frozenset[str]], Mapping[str, float]]:
    """The wanted terms in each sentence, and the share of each term in the worth of all that is wanted."""
    covers: list[set[str]] = [set() for _ in sentences]
    worth: dict[str, float] = {}
    for term in sorted(question.wanted):
        found, _ = view.words(term)
        n_rows = 1 + int(np.count_nonzero(np.diff(view.sentence_rows[found]))) if len(found) else 1
        rarity = math.log1p(view.n_passages / n_rows)
        worth[term] = rarity * (_RELATION_WEIGHT if term.startswith(MARK) else 1.0)
        for at in np.flatnonzero(np.isin(sentences, found)).tolist():
            covers[at].add(term)
    total = math.fsum(worth.values()) or 1.0
    return [frozenset(terms) for terms in covers], {term: value / total for term, value in worth.items()}


def _entities(view: View, sentences: Ints) -> list[set[int]]:
    links: list[set[int]] = [set() for _ in sentences]
    entities, _, owners = view.sentence_entities(sentences)
    for entity, owner in zip(entities.tolist(), owners.tolist(), strict=True):
        links[owner].add(entity)
    return links


def _on_paths(paths: Sequence[SentencePath]) -> dict[tuple[int, int], float]:
    """1 for the sentences of the best path, less for the others."""
    places: dict[tuple[int, int], float] = {}
    for rank, path in enumerate(paths):
        for place in path.sentences:
            places.setdefault(place, 1 / (1 + rank))
    return places
