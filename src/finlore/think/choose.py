"""Which sentences meet the needs of a question, in groups that belong together, and which needs stay open."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from finlore.language.words import is_dictionary_word
from finlore.ports import View
from finlore.records.answer import SentencePath
from finlore.retrieve.question import Question
from finlore.think.evidence import Evidence
from finlore.think.needs import Need, details

MOST_SENTENCES = 5
_NEARLY_AS_GOOD = 0.6  # of the best sentence: among these, what was said last counts
_CURRENT = 365 * 86_400 * 1_000_000  # microseconds: what a source said longer ago than that stands no longer beside


@dataclass(frozen=True, slots=True)
class Chosen:
    """Sentences that belong together; `entities` are the numbers of the names that lead through them."""

    entities: tuple[int, ...]
    evidence: tuple[Evidence, ...]


def choose(
    wanted: Sequence[Need], evidence: Sequence[Evidence], paths: Sequence[SentencePath], view: View
) -> list[Chosen]:
    """Sentences that share what several names have in common, else those of the path that meets more than any sentence
    alone; then the best for each need still open."""
    groups = _in_common(wanted, evidence, view) or _along_a_path(wanted, evidence, paths, view)
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

    Where relations are followed, words that narrow the question and stand nowhere in the documents leave it open,
    unless most of the others do.
    """
    chosen = [sentence for group in groups for sentence in group.evidence]
    open_needs = [need for need in wanted if need.required and not any(need.met_by(sentence) for sentence in chosen)]
    if not any(need.either for need in wanted):
        return open_needs
    narrow = details(question)
    nowhere = frozenset(word for word in narrow if is_dictionary_word(word) and not len(view.words(word)[0]))
    return (
        [*open_needs, Need(frozenset(), terms=nowhere)] if nowhere and 2 * len(nowhere) >= len(narrow) else open_needs
    )


def _in_common(wanted: Sequence[Need], evidence: Sequence[Evidence], view: View) -> list[Chosen]:
    """For relations asked of two names or more: one sentence about each, all of which name the same further entity."""
    of_names = [need for need in wanted if need.names and need.either]
    if len(of_names) < 2:
        return []
    asked = frozenset[int]().union(*(need.names for need in of_names))
    meeting = [[sentence for sentence in evidence if need.met_by(sentence)] for need in of_names]
    linked = [frozenset[int]().union(*(sentence.links for sentence in sentences)) for sentences in meeting]
    shared = frozenset.intersection(*linked) - asked
    if not shared:
        return []

    def best_about(entity: int) -> list[Evidence]:
        return [max((s for s in sentences if entity in s.links), key=_rank) for sentences in meeting]

    def worth(entity: int) -> tuple[float, str]:
        return -math.fsum(sentence.score for sentence in best_about(entity)), view.entity_ids[entity]

    entity = min(shared, key=worth)
    return [
        Chosen((*sorted(asked, key=lambda e: view.entity_ids[e]), entity), tuple(dict.fromkeys(best_about(entity))))
    ]


def _along_a_path(
    wanted: Sequence[Need], evidence: Sequence[Evidence], paths: Sequence[SentencePath], view: View
) -> list[Chosen]:
    """The sentences of the best path that meet a need, in its order; nothing where one sentence meets as many."""
    by_place = {(sentence.passage.key, sentence.ordinal): sentence for sentence in evidence}
    most = max((sum(need.met_by(sentence) for need in wanted) for sentence in evidence), default=0)
    best: tuple[list[Evidence], SentencePath] | None = None
    for path in paths:
        steps = [by_place[place] for place in path.sentences if place in by_place]
        useful = [step for step in steps if any(need.met_by(step) for need in wanted)]
        n_met = sum(any(need.met_by(step) for step in useful) for need in wanted)
        if n_met > most:
            most, best = n_met, (useful, path)
    if best is None:
        return []
    through = tuple(view.entity_ids.index(entity) for entity in best[1].entities if entity in view.entity_ids)
    return [Chosen(through, tuple(best[0][:MOST_SENTENCES]))]


def _met_on_the_way(taken: Iterable[Evidence], wanted: Iterable[Need]) -> frozenset[int]:
    """The names that the chosen sentences bring and the question does not have: where a next relation starts from."""
    asked = frozenset[int]().union(*(need.names | need.sources for need in wanted))
    return frozenset[int]().union(*(sentence.links for sentence in taken)) - asked


def _best(need: Need, meeting: Sequence[Evidence], way: frozenset[int]) -> list[Evidence]:
    """The best sentence, if possible one that goes on from a name met on the way, and that says most of the details.

    Of what reports revise, the last statement of each broker among the good ones: sources that differ are both shown.
    """
    on_the_way = [sentence for sentence in meeting if sentence.links & way] if not need.names else []
    meeting = _fullest(need, on_the_way or meeting)
    if not meeting:
        return []
    if need.several:
        return _all_different(meeting)
    if not need.revised:
        return [max(meeting, key=_rank)]
    enough = _NEARLY_AS_GOOD * max(sentence.score for sentence in meeting)
    last: dict[str | None, Evidence] = {}
    for sentence in sorted((s for s in meeting if s.score >= enough), key=_recency):
        last[sentence.passage.metadata.broker] = sentence
    newest_first = sorted(last.values(), key=_recency, reverse=True)
    newest = newest_first[0].passage.known_at
    return [sentence for sentence in newest_first if newest - sentence.passage.known_at <= _CURRENT]


def _all_different(meeting: Sequence[Evidence]) -> list[Evidence]:
    """The best sentences of which each names somebody whom those before it do not."""
    named: set[int] = set()
    kept = []
    for sentence in sorted(meeting, key=_rank, reverse=True):
        if sentence.links - named:
            kept.append(sentence)
            named |= sentence.links
    return kept


def _fullest(need: Need, meeting: Sequence[Evidence]) -> list[Evidence]:
    most = max(map(need.n_said_by, meeting), default=0)
    return [sentence for sentence in meeting if need.n_said_by(sentence) == most]


def _rank(sentence: Evidence) -> tuple[float, int, int, int]:
    return sentence.score, sentence.passage.known_at, -sentence.passage.key, -sentence.ordinal


def _recency(sentence: Evidence) -> tuple[int, float, int, int]:
    return sentence.passage.known_at, sentence.score, -sentence.passage.key, -sentence.ordinal


def _alone(sentence: Evidence, view: View) -> Chosen:
    """A sentence under the names of the question that it holds, and the subject of its document if it is another."""
    names = sorted(sentence.names, key=lambda entity: view.entity_ids[entity])
    subject = [] if sentence.subject is None or sentence.subject in sentence.names else [sentence.subject]
    return Chosen((*names, *subject), (sentence,))
