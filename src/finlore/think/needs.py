"""What would answer a question: a few needs, each of which one sentence must meet alone.

A measure must stand with its year, and with the company when no relation leads elsewhere; a name must stand with a
relation that is asked of it. Word overlap alone answers nothing, since a report says many things about one company.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from finlore.index.cues import MARK, shipped_cues
from finlore.language.words import words as words_of
from finlore.ports import View
from finlore.resources import load_toml
from finlore.retrieve.question import Question
from finlore.think.asking import YEAR, Asking, asking_of, asks_for_several, holds
from finlore.think.evidence import Evidence

_ENOUGH_WORDS = 0.5  # of the words that narrow a question whose names or measures do not


@dataclass(frozen=True, slots=True)
class Need:
    """What one sentence must hold: all of `names` (numbers of entities that it speaks of itself), all of `sources` (it
    or its context names them), all of `terms`, one of `either` if any, at least `n_words` of `words`, and the kind of
    thing that `answers` it.

    A relation may be one of whom the document is about, whoever else the sentence names; a measure may not.
    `revised`: what it asks for is stated again and again, and the last statement counts; `several`: it asks for all
    that there are. A need that is not `required` chooses sentences and refuses none.
    """

    names: frozenset[int]
    sources: frozenset[int] = frozenset()
    terms: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    n_words: int = 0
    answers: Asking | None = None
    revised: bool = False
    several: bool = False
    required: bool = True

    def met_by(self, sentence: Evidence) -> bool:
        spoken_of = sentence.near if not self.either else sentence.names | frozenset({sentence.subject})
        return (
            self.names <= spoken_of
            and self.sources <= sentence.names
            and self.terms <= sentence.covers | sentence.context
            and (not self.either or bool(self.either & sentence.covers))
            and self.n_said_by(sentence) >= self.n_words
            and (self.answers is None or holds(sentence.text, self.answers))
        )

    def n_said_by(self, sentence: Evidence) -> int:
        """How many of the words that narrow the question the sentence or its context holds."""
        return len(self.words & (sentence.covers | sentence.context))


def needs(question: Question, view: View) -> list[Need]:
    """The needs of a question, in the order in which their answers are told."""
    kinds = {entity: view.entity(entity).kind for entity in question.entities}
    brokers = frozenset(e for e, kind in kinds.items() if kind == "broker")
    parties = _ordered((e for e in question.anchors if kinds[e] not in ("broker", "metric")), view)
    about = parties or _ordered((e for e in question.topics if kinds[e] != "metric"), view)
    narrow = details(question)
    n_words = 0 if about else len(narrow)  # who is meant is not known: the words must all be there
    measures = _measures(question, _ordered((e for e, kind in kinds.items() if kind == "metric"), view), view)
    measures = [replace(measure, words=narrow, n_words=n_words) for measure in measures]
    if hops := _relations(question) & _marks("leads"):
        return _along(hops, about, question, measures) + measures
    each = [frozenset({entity}) for entity in about] or [frozenset[int]()]
    if measures:
        return [replace(m, names=m.names | names, sources=brokers) for m in measures for names in each]
    plain = Need(frozenset(), brokers, _years(question), words=narrow, answers=asking_of(question.text))
    plain = replace(plain, n_words=math.ceil(_ENOUGH_WORDS * len(narrow)), revised=plain.answers == "moment")
    return [replace(plain, names=names) for names in each]


def together(wanted: Sequence[Need]) -> list[Need]:
    """The same needs with all names at once: what one sentence says of all of them is better than one about each."""
    joint: dict[Need, frozenset[int]] = {}
    for need in wanted:
        unnamed = replace(need, names=frozenset())
        joint[unnamed] = joint.get(unnamed, frozenset()) | need.names
    return [replace(need, names=names) for need, names in joint.items()]


def details(question: Question) -> frozenset[str]:
    """The plain words that narrow a question: neither names, nor wordings of a relation, nor words that only ask."""
    cues = shipped_cues()
    related = {word for wording in cues.wordings(question.text) for word in words_of(wording)}
    plain = (term for term in question.wanted if not term.startswith(MARK) and not term.isdigit() and len(term) > 1)
    return frozenset(word for word in plain if not cues.marks(word)) - related - _filler()


def _along(hops: frozenset[str], about: Sequence[int], question: Question, measures: Sequence[Need]) -> list[Need]:
    """Each name with one of the relations, and each relation somewhere."""
    revised = hops <= _marks("revised")
    one = Need(frozenset(), words=details(question), revised=revised)
    one = replace(one, n_words=0 if about else len(one.words))
    asking = None if measures else asking_of(question.text)
    several = len(about) == 1 and asks_for_several(question.text)
    told = [replace(one, names=frozenset({e}), either=hops, several=several) for e in about]
    if told and len(hops) == 1:
        return [replace(need, answers=asking) for need in told]
    return told + [replace(one, terms=frozenset({mark}), answers=asking) for mark in sorted(hops)]


def _measures(question: Question, metrics: Sequence[int], view: View) -> list[Need]:
    """What is asked of whoever is meant: named measures by any of their wordings, else the marks that lead nowhere.

    Beside a relation, a mark without a figure is a circumstance: good to show, not required.
    """
    years, asking = _years(question), asking_of(question.text, of_measure=bool(metrics))
    named = []
    for metric in metrics:
        marks = frozenset(shipped_cues().marks(view.entity(metric).name)) & question.wanted.keys()
        names = frozenset[int]() if marks else frozenset({metric})
        named.append(Need(names, terms=years | marks, answers=asking, revised=True))
    if named:
        return named
    relations = _relations(question)
    hops = relations & _marks("leads")
    required = bool(asking or not hops)
    return [
        Need(frozenset(), terms=years | {mark}, answers=asking, revised=mark in _marks("revised"), required=required)
        for mark in sorted(relations - hops)
    ]


def _relations(question: Question) -> frozenset[str]:
    return frozenset(term for term in question.wanted if term.startswith(MARK)) - _marks("vague")


def _years(question: Question) -> frozenset[str]:
    return frozenset(term for term in question.wanted if YEAR.fullmatch(term))


def _ordered(entities: Iterable[int], view: View) -> list[int]:
    return sorted(entities, key=lambda entity: view.entity_ids[entity])


@cache
def _marks(reading: str) -> frozenset[str]:
    return frozenset(MARK + name for name in load_toml("lexicon/questions.toml")[reading])


@cache
def _filler() -> frozenset[str]:
    return frozenset(word for phrase in load_toml("lexicon/questions.toml")["filler"] for word in words_of(phrase))
