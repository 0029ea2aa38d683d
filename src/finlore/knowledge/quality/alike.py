"""Whether two names of companies can be one company's, from their letters alone.

A Chinese short name is what is left of a legal name when letters are taken out; so it can be its name only if it stands
in it, in order. What the longer name says beside it decides: the trade and the place tell little, an own word much, a
group's or a branch's word tells another company.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from finlore.knowledge.quality.name_parts import (
    NameParts,
    Word,
    brand_from,
    has_region,
    read_name,
    word_list,
    words_of,
)

MergeDecision = Literal["merge", "review", "never"]
LONGEST: Final = 60
"""Letters of a company's name; what is longer is something else, and costs time."""
MERGE_FROM: Final = 0.45
REVIEW_FROM: Final = 0.35
_SAME: Final = 0.98
_DESCRIBED: Final = 0.9
_MISSPELT: Final = 0.9


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much of what a name says the other one says as well, from 0 to 1; `decision` before rivals are looked at."""

    score: float
    decision: MergeDecision
    reason: str


_APART: Final = Likeness(0.0, "never", "each says what the other does not")


def likeness(one: str, other: str) -> Likeness:
    """Of two names as printed; the order does not matter."""
    a, b = sorted((read_name(one), read_name(other)), key=lambda p: (len(p.core), p.core, p.form))
    if a.code or b.code:
        same = a.code == b.code
        return Likeness(float(same), "merge" if same else "never", "same code" if same else "a code is no name")
    if len(b.core) > LONGEST or a.numbers != b.numbers:
        return Likeness(0.0, "never", "too long for a name" if len(b.core) > LONGEST else "other numbers")
    if a.share_class and b.share_class and a.share_class != b.share_class:
        return Likeness(0.0, "never", f"shares of class {a.share_class} and {b.share_class}")
    if a.language != b.language:
        return Likeness(0.0, "never", "different scripts")
    if a.core == b.core:
        return _same_core(a, b)
    return _chinese(a, b) if a.language == "zh" else _latin(a, b)


def _same_core(a: NameParts, b: NameParts) -> Likeness:
    is_group = {a.form.startswith("集团"), b.form.startswith("集团")}
    if len(is_group) == 2 and not (a.is_stock_company or b.is_stock_company):
        return Likeness(MERGE_FROM, "review", "a group may be another company")
    return Likeness(_SAME, "merge", "same name but for the legal form or class of share")


def _chinese(a: NameParts, b: NameParts) -> Likeness:
    """`a` is the shorter core."""
    if a.form and b.form:
        return Likeness(0.0, "never", "legal names differ")
    short, long = (b, a) if a.form else (a, b)
    if LCSseq.similarity(short.core, long.whole) < len(short.core):
        return _APART
    words = words_of(long.whole)
    kept = _aligned(short.core, long.whole, words)
    if not kept:
        return _APART
    left = "".join(letter for at, letter in enumerate(long.whole) if at not in kept)
    if (other := _other_company(long, left, kept)) is not None:
        return other
    told = sum(word.weight for word in words if word.start in kept) / sum(word.weight for word in words)
    if not long.form or not {word.start for word in words if word.is_brand} <= set(kept):
        return _by_score(min(told, MERGE_FROM), f"may be short for it, without {left}", merged="review")
    return _by_score(told, f"short for it, without {left}" if left else "short for it")


def _other_company(long: NameParts, left: str, kept: Sequence[int]) -> Likeness | None:
    """What the longer name says of belonging to the shorter one, rather than being it."""
    begin = brand_from(long.core)
    if begin and left and max(kept) < begin:
        return Likeness(REVIEW_FROM, "review", "a member of the group of that name")
    tail = long.core[max(kept, default=-1) + 1 :]
    if tail and not long.is_stock_company:
        if any(tail.endswith(unit) or unit in tail for unit in word_list("units", "zh")) or has_region(tail):
            return Likeness(0.0, "never", f"{tail} is a part of it or another company")
        if not long.form and tail in word_list("descriptions", "zh"):
            return Likeness(_DESCRIBED, "review", f"{tail} describes it")
        if any(tail.endswith(group) for group in word_list("groups", "zh")):
            return Likeness(MERGE_FROM, "review", "a group may be another company")
    if long.form and not long.is_stock_company and left:
        return Likeness(REVIEW_FROM, "review", f"{long.form}: not the listed company itself, or not under this name")
    return None


def _by_score(score: float, reason: str, *, merged: MergeDecision = "merge") -> Likeness:
    decision: MergeDecision = merged if score >= MERGE_FROM else "review" if score >= REVIEW_FROM else "never"
    return Likeness(round(score, 3), decision, reason)


def _aligned(short: str, long: str, words: Sequence[Word]) -> tuple[int, ...]:
    """The places in `long` of the letters of `short`, in order, that tell most of what the long name tells. Of a
    word for a place or a trade the first letter is enough (能投: 能源投资). () where a letter would come out of the
    midst of a place."""
    weight = [0.0 if at > word.start else word.weight for word in words for at in range(word.start, word.end)]
    inside = {at for word in words if word.is_place for at in range(word.start + 1, word.end)}
    best: list[tuple[float, tuple[int, ...]] | None] = [(0.0, ())] + [None] * len(short)
    for at, letter in enumerate(long):
        for done in range(len(short), 0, -1):
            before = best[done - 1]
            if letter != short[done - 1] or before is None or (at in inside and at - 1 not in before[1][-1:]):
                continue
            found = (before[0] + weight[at], (*before[1], at))
            best[done] = max(found, best[done] or found, key=itemgetter(0))
    last = best[len(short)]
    return last[1] if last else ()


def _latin(a: NameParts, b: NameParts) -> Likeness:
    """`a` is the shorter core. Words are compared; a single short word (ROE, ROA) has no misspellings."""
    shorter, longer = sorted((a.core.split(), b.core.split()), key=len)
    if shorter and longer[: len(shorter)] == shorter:
        return _latin_rest(longer[len(shorter) :], is_company=bool(a.form and b.form))
    score = fuzz.ratio(a.core, b.core) / 100
    if score >= _MISSPELT and len(a.core) >= 8 and len(shorter) == len(longer):
        return Likeness(round(score, 3), "review", "spelt nearly alike")
    return Likeness(0.0, "never", "different words")


def _latin_rest(rest: Sequence[str], *, is_company: bool) -> Likeness:
    if any(word in word_list("units", "en") for word in rest) or has_region(" ".join(rest)):
        return Likeness(0.0, "never", f"{' '.join(rest)} is a part of it or another company")
    if any(word in word_list("groups", "en") for word in rest):
        return Likeness(MERGE_FROM, "review", "a group may be another company")
    if all(word in word_list("descriptions", "en") for word in rest):
        return Likeness(_DESCRIBED, "review", f"{' '.join(rest)} describes it")
    return Likeness(REVIEW_FROM, "review", f"goes on with {' '.join(rest)}")
