"""What would answer a question, which sentences show it, and what remains open.

A question becomes a few needs; a need is met by one sentence that holds all of it. A measure must stand with its year,
and with the company when no relation leads elsewhere; a name must stand with a relation that is asked of it. Word
overlap alone answers nothing, since a report says many things about the same company.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from finlore.index.cues import MARK, shipped_cues
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
_YEAR = re.compile(r"(?:19|20)\d\d")
_TOPICS = frozenset({"industry", "concept", "region", "product", "material", "index"})


@dataclass(frozen=True, slots=True)
class Need:
    """What one sentence must hold: all of `names` (numbers of entities), all of `terms`, one of `either` if any, at
    least `n_words` plain words of the question, and the kind of thing that `answers` it. A need that is not `required`
    chooses sentences and refuses none."""

    names: frozenset[int]
    terms: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()
    n_words: int = 0
    answers: Asking | None = None
    required: bool = True

    def met_by(self, sentence: Evidence) -> bool:
        held = sentence.covers | sentence.context
        return (
            self.names <= sentence.names
            and self.terms <= held
            and (not self.either or bool(self.either & sentence.covers))
            and sum(not term.startswith(MARK) and not _YEAR.fullmatch(term) for term in held) >= self.n_words
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
    about = _ordered((e for e, kind in kinds.items() if kind not in _TOPICS | {"metric", "broker"}), view)
    brokers = frozenset(e for e, kind in kinds.items() if kind == "broker")
    marks = frozenset(term for term in question.wanted if term.startswith(MARK)) - _marks("vague")
    years = frozenset(term for term in question.wanted if _YEAR.fullmatch(term))
    asking = asking_of(question.text)
    hops = marks & _marks("leads")
    measures = [Need(frozenset({e}), years, answers=asking) for e in _ordered(kinds, view) if kinds[e] == "metric"]
    if not measures:  # beside a relation, what is no figure is a circumstance: good to show, not required
        required = bool(asking or not hops)
        shown = (Need(frozenset(), years | {mark}, answers=asking, required=required) for mark in sorted(marks - hops))
        measures = list(shown)
    if hops:
        told = [Need(frozenset({e}), either=hops) for e in about]
        led = [Need(frozenset(), frozenset({mark}), answers=None if measures else asking) for mark in sorted(hops)]
        return told + led + measures
    if measures:
        each = [frozenset({e}) | brokers for e in about] or [brokers]
        return [replace(measure, names=measure.names | names) for measure in measures for names in each]
    n_words = len(_details(question))
    plain = Need(brokers, years, n_words=round(_ENOUGH_WORDS * n_words + 0.5) if n_words else 0, answers=asking)
    return [replace(plain, names=brokers | {e}) for e in about] or [plain]


def choose(
    wanted: Sequence[Need], evidence: Sequence[Evidence], paths: Sequence[SentencePath], view: View
) -> list[Chosen]:
    """Groups of sentences: those of the path that meets most needs, then for each open need the best that meets it."""
    groups = _along_a_path(wanted, evidence, paths, view)
    taken = [sentence for group in groups for sentence in group.evidence]
    for need in wanted:
        if len(taken) < MOST_SENTENCES and not any(need.met_by(sentence) for sentence in taken):
            meeting = [sentence for sentence in evidence if need.met_by(sentence)]
            if meeting:
                groups.append(_alone(_latest_of_the_best(meeting), view))
                taken += groups[-1].evidence
    return groups or [_alone(sentence, view) for sentence in evidence[:1]]


def unmet(wanted: Sequence[Need], question: Question, groups: Iterable[Chosen], view: View) -> list[Need]:
    """The required needs that no chosen sentence meets; none: the evidence is there.

    Where relations are followed, a word that narrows the question and stands nowhere in the documents leaves it open.
    """
    chosen = [sentence for group in groups for sentence in group.evidence]
    open_needs = [need for need in wanted if need.required and not any(need.met_by(sentence) for sentence in chosen)]
    if not any(need.either for need in wanted):
        return open_needs
    nowhere = frozenset(word for word in _details(question) if not len(view.words(word)[0]))
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


def _latest_of_the_best(meeting: Sequence[Evidence]) -> Evidence:
    """Reports revise one another: among sentences that are about as good, the one that became known last."""
    best = max(sentence.score for sentence in meeting)
    good = [sentence for sentence in meeting if sentence.score >= _NEARLY_AS_GOOD * best]
    return max(good, key=lambda e: (e.passage.known_at, e.score, -e.passage.key, -e.ordinal))


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
