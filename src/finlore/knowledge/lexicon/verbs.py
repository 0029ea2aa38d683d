"""Relations that a verb states: a doer before it, and what is done to before or behind it, as prepositions tell."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from finlore.knowledge.lexicon.roles import HARD, Pair, Place, before, behind, clause_of, topics
from finlore.knowledge.lexicon.shape import P, Shape

_SHARES = re.compile(r"^(?:了|其|的|约|共|合计|剩余|为|是|达到?|超过?|\d|[\s.,%％万亿和与、及])*(?:股|权益|$)")

_ATTRIBUTE = re.compile("[股益权]的$")
_HELD = re.compile(rf"[^{P[1:-1]}，,；;。]{{0,16}}(?:股权|股份|权益|股)的(?:[^{P[1:-1]}，,；;。]{{0,4}})(?P<head>{P})")
_HOLDER = re.compile(
    rf"(?:有|了)?(?P<held>{P})[^{P[1:-1]}，,；;。]{{0,16}}(?:股权|股份|股票|权益|股)的(?:[^{P[1:-1]}，,；;。]{{0,4}})(?P<head>{P})"
)
"""Relative clauses: A持有30%股权的B is held, 持有A股权的B holds."""
_DATIVES: Final = (("for",), ("to", "from"), ("at",))
"""Which marks go before which: 为A在B的贷款提供担保."""
_SHARE_OF = re.compile(rf"[，,](?:约|合计|共)?占(?P<x>{P})")
_AND_SHARES = re.compile(r"(?:约|的|股权|股份|权益|[\d.%％\s])+[、和及与以，,]+(?:持有)?")
_SIDE_BY_SIDE: Final = 8
_REPORTED: Final = 3  # clauses behind a verb of saying
_TEMPORAL = re.compile("[后时前]$|[之以]来$|^(?:为|经|经过|通过)|(?:after|before|by|on|upon)\\b")
_GOES_ON = re.compile("、|以及|及其|，以及")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a verb takes its parties. `dative`: what is marked by to, for, from goes before what stands behind;
    `mutual`: it holds both ways; `reports`: what is said may follow in the next clause; `shares`: what it is about may
    have been named before (X ..., Y holds 35% of the shares); `lists`: those of a mere list do it to each other;
    `near`: both stand in its clause."""

    dative: bool = False
    mutual: bool = False
    reports: bool = False
    shares: bool = False
    lists: bool = False
    near: bool = False


def by_verb(shape: Shape, start: int, end: int, verbs: Sequence[int], manner: Manner) -> Iterator[Pair]:
    """The pair of a verb at [start, end); `verbs` are the places of all verbs of the sentence."""
    text = shape.text
    first, last = clause_of(text, start, end)
    left, right = _before(text, first, start, verbs, manner), _behind(text, end, last, verbs, manner)
    agent = next((p for p in reversed(left) if p.mark == "agent" and _acts(p.at, start, verbs)), None) or next(
        (p for p in right[:1] if p.mark == "agent" and "by" in text[end : p.at].lower()), None
    )
    plain = [p for p in left if not p.mark and not _GOES_ON.match(text, p.at + 1)]
    others = _others(left, right, [p for p in right if _adjoins(text[end : p.at])], manner)
    earlier = [] if manner.near else list(topics(text, first, verbs))
    if agent is not None and not (manner.mutual and text[agent.at - 1] == "由"):  # 由A与B共同 ...
        done_to = [*(p for p in left if p.mark == "patient"), *reversed(plain), *others, *earlier]
        yield from _pair(agent, done_to, 0.9)
        return
    if manner.mutual and not plain:
        plain = [p for p in left if len(shape.at(p.letter)) > 1][-1:]
    if manner.shares and (pair := _relative(text, end, last, plain)):
        yield pair
        return
    doer = plain[-1] if plain else next(iter(earlier), None) or (None if manner.near else _later(text, last, verbs))
    if doer is None:
        return
    if manner.mutual:
        yield from _mutual(shape, doer, plain, others, manner)
        return
    if not others and manner.shares and plain:
        others = list(reversed(earlier)) if _SHARES.match(text[end:last]) else _of_which(text, last)
    yield from _pair(doer, others, 0.85)
    if manner.shares and others:  # 持有A30%股权、B20%股权
        yield from (Pair(doer.letter, p.letter, 0.8) for p in _shares_too(text, right))


def _relative(text: str, end: int, last: int, plain: list[Place]) -> Pair | None:
    """The pair of a relative clause about a holding."""
    if plain and (held := _HELD.match(text, end, last)):
        return Pair(plain[-1].letter, held["head"], 0.85)
    if not plain and (holder := _HOLDER.match(text, end, last)):
        return Pair(holder["head"], holder["held"], 0.85)
    return None


def _shares_too(text: str, right: list[Place]) -> Iterator[Place]:
    for one, other in pairwise(right):
        if not _AND_SHARES.fullmatch(text, one.at + 1, other.at):
            return
        yield other


def _before(text: str, first: int, start: int, verbs: Sequence[int], manner: Manner) -> list[Place]:
    left = before(text, first, start, verbs)
    if manner.dative:
        return left
    return [replace(p, mark="") if p.mark == "for" else p for p in left]  # 为 is then the copula


def _behind(text: str, end: int, last: int, verbs: Sequence[int], manner: Manner) -> list[Place]:
    right = behind(text, end, last, verbs)
    if manner.shares and right and _ATTRIBUTE.search(text[end : right[0].at]):
        return right if text.startswith("股", right[0].at + 1) else []  # 持有8万股的A: A is the holder
    return _reported(text, last, verbs) if manner.reports and not right else right


def _reported(text: str, end: int, verbs: Sequence[int]) -> list[Place]:
    """Who a report is about: the first who is named in the clauses that follow the verb."""
    for _ in range(_REPORTED):
        if end >= len(text) or HARD.match(text[end]):
            return []
        start, end = clause_of(text, end + 1, end + 1)
        if found := before(text, start, end, verbs):
            return found[:1]
    return []


def _pair(doer: Place, others: Iterable[Place], best: float) -> Iterator[Pair]:
    """The doer with the first of the others; farther clauses are trusted less."""
    other = next((p for p in others if p.letter != doer.letter), None)
    if other is not None:
        yield Pair(doer.letter, other.letter, best * 0.85 ** max(doer.clauses, other.clauses))


def _mutual(shape: Shape, doer: Place, plain: list[Place], others: list[Place], manner: Manner) -> Iterator[Pair]:
    """Those of a list, or two that stand side by side, where nobody is with them; else the doer and who is."""
    if len(shape.at(doer.letter)) > 1 and not any(p.mark == "with" for p in others):
        if manner.lists or doer.letter in shape.joined:
            yield Pair(doer.letter, "", 0.8 * 0.85**doer.clauses)
    elif not others and len(plain) > 1 and plain[-1].at - plain[-2].at < _SIDE_BY_SIDE:
        yield from _pair(plain[-2], plain[-1:], 0.7)
    else:
        yield from _pair(doer, others, 0.85)


def _of_which(text: str, end: int) -> list[Place]:
    """Whose shares, where the next clause says it (买入800万股，占A总股本8%)."""
    found = _SHARE_OF.match(text, end)
    return [Place(found["x"], found.start("x"), clauses=1)] if found else []


def _later(text: str, end: int, verbs: Sequence[int]) -> Place | None:
    """Who is named behind a clause of time or manner without a doer (收购B后，A ...)."""
    if not _TEMPORAL.search(text[clause_of(text, end, end)[0] : end]):
        return None
    for clauses in (1, 2):
        if end >= len(text) or HARD.match(text[end]):
            return None
        start, end = clause_of(text, end + 1, end + 1)
        if found := before(text, start, end, verbs, clauses + 1):
            return found[0]
    return None


def _acts(agent: int, cue: int, verbs: Sequence[int]) -> bool:
    """Whether an agent is that of the cue, and not of a verb before it (被A合并的B收购了C)."""
    return not any(agent < verb < cue for verb in verbs)


def _adjoins(gap: str) -> bool:
    """Whether so little stands between a verb and a party that it can only be its object."""
    if gap.isascii():
        return len(gap) <= 12 or gap.rstrip().endswith(" of")
    return len(gap) <= 4 and gap[0] not in "是系的为"


def _others(left: list[Place], right: list[Place], close: list[Place], manner: Manner) -> list[Place]:
    object_ = [p for p in right[:1] if not p.mark or p.mark == "to"]
    marked = [p for marks in _DATIVES for p in (*reversed(left), *right) if p.mark in marks]
    together = [p for p in (*reversed(left), *right) if p.mark == "with"]
    patient = [p for p in left if p.mark == "patient"]
    if manner.mutual:
        return [*together, *(p for p in object_ if p in close), *marked]
    if manner.dative:
        return [*marked, *(p for p in object_ if p in close)]
    return [*patient, *object_, *marked]
