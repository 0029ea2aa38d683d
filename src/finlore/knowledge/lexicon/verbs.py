"""Relations that a verb states: a doer before it, and what is done to before or behind it, as prepositions tell."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finlore.knowledge.lexicon.roles import HARD, Pair, Place, before, behind, clause_of, topics
from finlore.knowledge.lexicon.shape import Shape

_SHARES = re.compile(r"^(?:了|其|的|约|共|合计|剩余|为|是|达到?|超过?|\d|[\s.,%％万亿和与、及])*(?:股|权益|$)")

_ATTRIBUTE = re.compile("[股益权]的$")
_DATIVES: Final = (("for",), ("to", "from"), ("at",))
"""Which marks go before which: 为A在B的贷款提供担保."""
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
    left, right = before(text, first, start, verbs), behind(text, end, last, verbs)
    if not manner.dative:  # 为 is then the copula
        left = [replace(p, mark="") if p.mark == "for" else p for p in left]
    if (
        manner.shares
        and right
        and _ATTRIBUTE.search(text[end : right[0].at])
        and not text.startswith("股", right[0].at + 1)
    ):
        right = []  # 持有8万股的A: A is the holder
    if manner.reports and not right and last < len(text) and not HARD.match(text[last]):
        right = before(text, last + 1, clause_of(text, last + 1, last + 1)[1], verbs)[:1]
    agent = next((p for p in reversed(left) if p.mark == "agent" and not manner.mutual), None) or next(
        (p for p in right[:1] if p.mark == "agent" and "by" in text[end : p.at].lower()), None
    )
    plain = [p for p in left if not p.mark and not _GOES_ON.match(text, p.at + 1)]
    others = _others(left, right, [p for p in right if _adjoins(text[end : p.at])], manner)
    earlier = [] if manner.near else list(topics(text, first, verbs))
    if agent is not None:
        done_to = [*(p for p in left if p.mark == "patient"), *reversed(plain), *others, *earlier]
        yield from (
            Pair(agent.letter, p.letter, _sure(0.9, p)) for p in [p for p in done_to if p.letter != agent.letter][:1]
        )
        return
    if manner.mutual and not plain:
        plain = [p for p in left if len(shape.at(p.letter)) > 1][-1:]
    doer = plain[-1] if plain else next(iter(earlier), None) or (None if manner.near else _later(text, last, verbs))
    if doer is None:
        return
    if manner.mutual and len(shape.at(doer.letter)) > 1 and not any(p.mark == "with" for p in others):
        if not manner.lists and doer.letter not in shape.joined:
            return
        yield Pair(doer.letter, "", _sure(0.8, doer))
        return
    if not others and manner.mutual and len(plain) > 1:
        doer, others = plain[-2], plain[-1:]
    if not others and manner.shares and plain and _SHARES.match(text[end:last]):
        others = list(reversed(earlier))
    other = next((p for p in others if p.letter != doer.letter), None)
    if other is not None:
        yield Pair(doer.letter, other.letter, _sure(0.85, doer if doer.clauses else other))


def _later(text: str, end: int, verbs: Sequence[int]) -> Place | None:
    """Who is named behind a clause without a doer (收购B后，A ...)."""
    for clauses in (1, 2):
        if end >= len(text) or HARD.match(text[end]):
            return None
        start, end = clause_of(text, end + 1, end + 1)
        if found := before(text, start, end, verbs, clauses + 1):
            return found[0]
    return None


def _adjoins(gap: str) -> bool:
    """Whether so little stands between a verb and a party that it can only be its object."""
    return len(gap) <= 4 or (gap.isascii() and (len(gap) <= 12 or gap.rstrip().endswith(" of")))


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


def _sure(best: float, place: Place) -> float:
    return best * 0.85**place.clauses
