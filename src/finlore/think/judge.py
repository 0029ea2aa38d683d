"""What would answer a question, which sentences show it, and what remains open.

A question becomes a few needs; a need is met by one sentence that holds all of it. A measure must stand with its year,
and with the company when no relation leads elsewhere; a name must stand with a relation that is asked of it. Word
overlap alone answers nothing, since a report says many things about the same company.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from finlore.index.cues import MARK, shipped_cues
from finlore.language.words import is_dictionary_word
from finlore.language.words import words as words_of
from finlore.ports import View
from finlore.records.answer import SentencePath
from finlore.resources import load_toml
from finlore.retrieve.question import Question
from finlore.think.asking import Asking, asking_of, holds
from finlore.think.evidence import Evidence

MOST_SENTENCES = 5
_NEARLY_AS_GOOD = 0.6  # of the best sentence: among these, what was said last counts
_ENOUGH_WORDS = 0.5  # of the plain words, where a question names neither relation nor measure
_CURRENT = 365 * 86_400 * 1_000_000  # microseconds: what a source said longer ago than that stands no longer beside
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Need:
    """What one sentence must hold: all of `names` (numbers of entities), all of `terms`, one of `either` if any, at
    least `n_words` of `words`, and the kind of thing that `answers` it.

    `revised`: what it asks for is stated again and again, and the last statement counts. A need that is not `required`
    chooses sentences and refuses none.
    """

    names: frozenset[int]
    terms: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    n_words: int = 0
    answers: Asking | None = None
    revised: bool = False
    required: bool = True

    def met_by(self, sentence: Evidence) -> bool:
        held = sentence.covers | sentence.context
        return (
            self.names <= sentence.names
            and self.terms <= held
            and (not self.either or bool(self.either & sentence.covers))
            and len(self.words & held) >= self.n_words
            and (self.answers is None or holds(sentence.text, self.answers))
        )


@dataclass(frozen=True, slots=True)
class Chosen:
    """Sentences that belong together; `entities` are the numbers of the names that lead through them."""

    entities: tuple[int, ...]
    evidence: tuple[Evidence, ...]


def needs(question: Question, view: View) -> list[Need]:
    """The needs of a question, in the order in which their answers are told."""
    kinds = {entity: view.entity(entity).kind for entity in question.entities}
    brokers = frozenset(e for e, kind in kinds.items() if kind == "broker")
    parties = _ordered((e for e in question.anchors if kinds[e] not in ("broker", "metric")), view)
    about = parties or _ordered((e for e in question.topics if kinds[e] != "metric"), view)
    hops = _relations(question) & _marks("leads")
    measures = _measures(question, _ordered((e for e, kind in kinds.items() if kind == "metric"), view))
    if hops:
        told = [Need(frozenset({e}), either=hops) for e in about]
        asking = None if measures else asking_of(question.text)
        return told + [Need(frozenset(), frozenset({mark}), answers=asking) for mark in sorted(hops)] + measures
    details = _details(question)
    n_words = math.ceil(_ENOUGH_WORDS * len(details))
    if not measures:
        plain = Need(frozenset(), _years(question), words=details, n_words=n_words, answers=asking_of(question.text))
        return [replace(plain, names=brokers | {e}) for e in about] or [replace(plain, names=brokers)]
    if not about:
        return [replace(m, names=m.names | brokers, n_words=n_words) for m in measures]
    return [replace(m, names=m.names | brokers | {e}) for m in measures for e in about]


def _measures(question: Question, metrics: Sequence[int]) -> list[Need]:
    """What is asked of whoever is meant: named measures, else the marks that lead nowhere (a rating, an accident).

    Beside a relation, a mark without a figure is a circumstance: good to show, not required.
    """
    years, asking, details = _years(question), asking_of(question.text), _details(question)
    if metrics:
        return [Need(frozenset({e}), years, words=details, answers=asking, revised=True) for e in metrics]
    relations = _relations(question)
    hops = relations & _marks("leads")
    required = bool(asking or not hops)
    return [
        Need(
            frozenset(),
            years | {mark},
            words=details,
            answers=asking,
            revised=mark in _marks("revised"),
            required=required,
        )
        for mark in sorted(relations - hops)
    ]


def _relations(question: Question) -> frozenset[str]:
    return frozenset(term for term in question.wanted if term.startswith(MARK)) - _marks("vague")


def _years(question: Question) -> frozenset[str]:
    return frozenset(term for term in question.wanted if _YEAR.fullmatch(term))


def choose(
    wanted: Sequence[Need], evidence: Sequence[Evidence], paths: Sequence[SentencePath], view: View
) -> list[Chosen]:
    """Groups of sentences: those of the path that meets most needs, then for each open need the best that meets it."""
    groups = _along_a_path(wanted, evidence, paths, view)
    taken = [sentence for group in groups for sentence in group.evidence]
    for need in wanted:
        if any(need.met_by(sentence) for sentence in taken):
            continue
        meeting = [sentence for sentence in evidence if need.met_by(sentence)]
        for sentence in _best(need, meeting, _met_on_the_way(taken, wanted))[: MOST_SENTENCES - len(taken)]:
            groups.append(_alone(sentence, view))
            taken.append(sentence)
    return groups or [_alone(sentence, view) for sentence in evidence[:1]]


def unmet(wanted: Sequence[Need], question: Question, groups: Iterable[Chosen], view: View) -> list[Need]:
    """The required needs that no chosen sentence meets; none: the evidence is there.

    Where relations are followed, a word that narrows the question and stands nowhere in the documents leaves it open.
    """
    chosen = [sentence for group in groups for sentence in group.evidence]
    open_needs = [need for need in wanted if need.required and not any(need.met_by(sentence) for sentence in chosen)]
    if not any(need.either for need in wanted):
        return open_needs
    nowhere = frozenset(w for w in _details(question) if is_dictionary_word(w) and not len(view.words(w)[0]))
    return [*open_needs, Need(frozenset(), nowhere)] if nowhere else open_needs


def _details(question: Question) -> frozenset[str]:
    """The plain words that narrow a question: neither names, nor wordings of a relation, nor words that only ask."""
    cues = shipped_cues()
    related = {word for wording in cues.wordings(question.text) for word in words_of(wording)}
    plain = (term for term in question.wanted if not term.startswith(MARK) and not term.isdigit() and len(term) > 1)
    return frozenset(word for word in plain if not cues.marks(word)) - related - _filler()


def _along_a_path(
    wanted: Sequence[Need], evidence: Sequence[Evidence], paths: Sequence[SentencePath], view: View
) -> list[Chosen]:
    """The sentences of the best path that meet a need, in its order; nothing when fewer than two of them do."""
    by_place = {(sentence.passage.key, sentence.ordinal): sentence for sentence in evidence}
    best: tuple[int, list[Evidence], SentencePath] | None = None
    for path in paths:
        steps = [by_place[place] for place in path.sentences if place in by_place]
        useful = [step for step in steps if any(need.met_by(step) for need in wanted)]
        n_met = sum(any(need.met_by(step) for step in useful) for need in wanted)
        if len(useful) > 1 and n_met > 1 and (best is None or n_met > best[0]):
            best = n_met, useful, path
    if best is None:
        return []
    numbers = {entity: number for number, entity in enumerate(view.entity_ids)}
    through = tuple(numbers[entity] for entity in best[2].entities if entity in numbers)
    return [Chosen(through, tuple(best[1][:MOST_SENTENCES]))]


def _met_on_the_way(taken: Iterable[Evidence], wanted: Iterable[Need]) -> frozenset[int]:
    """The names that the chosen sentences bring and the question does not have: where a next relation starts from."""
    asked = frozenset[int]().union(*(need.names for need in wanted))
    return frozenset[int]().union(*(sentence.links for sentence in taken)) - asked


def _best(need: Need, meeting: Sequence[Evidence], way: frozenset[int]) -> list[Evidence]:
    """The best sentence, if possible one that goes on from a name met on the way, and that says most of the details.

    Of what reports revise, the last statement of each broker among the good ones: sources that differ are both shown.
    """
    on_the_way = [sentence for sentence in meeting if sentence.links & way] if not need.names else []
    meeting = _fullest(need, on_the_way or meeting)
    if not meeting:
        return []
    if not need.revised:
        return [max(meeting, key=_rank)]
    enough = _NEARLY_AS_GOOD * max(sentence.score for sentence in meeting)
    last: dict[str | None, Evidence] = {}
    for sentence in sorted((s for s in meeting if s.score >= enough), key=_recency):
        last[sentence.passage.metadata.broker] = sentence
    newest_first = sorted(last.values(), key=_recency, reverse=True)
    newest = newest_first[0].passage.known_at
    return [sentence for sentence in newest_first if newest - sentence.passage.known_at <= _CURRENT]


def _fullest(need: Need, meeting: Sequence[Evidence]) -> list[Evidence]:
    said = [len(need.words & (sentence.covers | sentence.context)) for sentence in meeting]
    return [sentence for sentence, n_words in zip(meeting, said, strict=True) if n_words == max(said)]


def _rank(sentence: Evidence) -> tuple[float, int, int, int]:
    return sentence.score, sentence.passage.known_at, -sentence.passage.key, -sentence.ordinal


def _recency(sentence: Evidence) -> tuple[int, float, int, int]:
    return sentence.passage.known_at, sentence.score, -sentence.passage.key, -sentence.ordinal


def _alone(sentence: Evidence, view: View) -> Chosen:
    return Chosen(tuple(_ordered(sentence.names, view)), (sentence,))


def _ordered(entities: Iterable[int], view: View) -> list[int]:
    return sorted(entities, key=lambda entity: view.entity_ids[entity])


@cache
def _marks(reading: str) -> frozenset[str]:
    return frozenset(MARK + name for name in load_toml("lexicon/questions.toml")[reading])


@cache
def _filler() -> frozenset[str]:
    return frozenset(word for phrase in load_toml("lexicon/questions.toml")["filler"] for word in words_of(phrase))
