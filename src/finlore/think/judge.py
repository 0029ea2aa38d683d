"""Which sentences answer a question, and what they leave open.

A question is answered when, together, the chosen sentences name everything that it names, cover every relation, measure
and year that it asks for, and hang together: each name stands with something that is asked of it. Word overlap alone is
not enough, since a report says many things about the same company.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from finlore.index.cues import MARK
from finlore.ports import View
from finlore.records.answer import SentencePath
from finlore.retrieve.question import Question
from finlore.think.evidence import Evidence

MOST_SENTENCES = 5
_NEARLY_AS_GOOD = 0.8  # of the best sentence: what else is worth a reader's time
_ENOUGH_WORDS = 0.5  # of the plain words of a question that names neither relation nor measure
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The sentences of one path, in its order; `entities` are the numbers of the names that the path leads through."""

    entities: tuple[int, ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """What the chosen sentences leave open: entity numbers, and terms of the question."""

    entities: tuple[int, ...]
    terms: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.entities or self.terms)


def choose(question: Question, evidence: Sequence[Evidence], paths: Sequence[SentencePath], view: View) -> list[Chosen]:
    """A few groups: the path that covers more than any one sentence, else the best sentence; then what adds to it."""
    if not evidence:
        return []
    groups = [_first(evidence, paths, view)]
    taken = list(groups[0].evidence)
    for sentence in evidence:
        if len(taken) >= MOST_SENTENCES:
            break
        if sentence in taken or any(sentence.text == other.text for other in taken):
            continue
        if _adds(sentence, taken) or sentence.score >= _NEARLY_AS_GOOD * evidence[0].score:
            groups.append(Chosen(tuple(sorted(sentence.names, key=lambda e: view.entity_ids[e])), (sentence,)))
            taken.append(sentence)
    return groups


def gap(question: Question, chosen: Iterable[Chosen], view: View) -> Gap:
    """What is asked and not shown. Empty: the evidence is there."""
    evidence = [sentence for group in chosen for sentence in group.evidence]
    needed = frozenset(required_terms(question))
    related = [sentence for sentence in evidence if sentence.covers & needed] if needed else evidence
    entities = [e for e in question.entities if not any(e in sentence.names for sentence in related)]
    shown = frozenset().union(*(sentence.covers for sentence in evidence)) if evidence else frozenset()
    terms = [term for term in sorted(needed) if term not in shown]
    if not needed and not entities:
        words = [term for term in question.wanted if not term.startswith(MARK)]
        if words and len(shown.intersection(words)) < _ENOUGH_WORDS * len(words):
            terms = sorted(set(words) - shown)
    return Gap(tuple(sorted(entities, key=lambda e: view.entity_ids[e])), tuple(terms))


def required_terms(question: Question) -> list[str]:
    """The relations, measures and years of a question, without which nothing answers it."""
    return [term for term in question.wanted if term.startswith(MARK) or _YEAR.fullmatch(term)]


def _first(evidence: Sequence[Evidence], paths: Sequence[SentencePath], view: View) -> Chosen:
    best = evidence[0]
    by_place = {(e.passage.key, e.ordinal): e for e in evidence}
    numbers = {entity: number for number, entity in enumerate(view.entity_ids)} if paths else {}
    for path in paths[:3]:
        steps = tuple(by_place[place] for place in path.sentences if place in by_place)
        if len(steps) < 2 or len(steps) < len(path.sentences):
            continue
        if len(frozenset().union(*(s.covers | s.names for s in steps))) > len(best.covers | best.names):
            return Chosen(tuple(numbers[entity] for entity in path.entities if entity in numbers), steps)
    return Chosen(tuple(sorted(best.names, key=lambda e: view.entity_ids[e])), (best,))


def _adds(sentence: Evidence, taken: Sequence[Evidence]) -> bool:
    """Whether the sentence brings a pairing of a name with something asked that none of the taken ones has."""
    pairs = {(name, term) for other in taken for name in other.names for term in other.covers}
    return any(
        (name, term) not in pairs for name in sentence.names for term in sentence.covers if term.startswith(MARK)
    )
