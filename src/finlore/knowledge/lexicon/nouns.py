"""Relations that a noun states: X's supplier is Y, Y is a supplier of X, X's supplier Y, Y was made supplier of X."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.lexicon.roles import HARD, Pair, before, clause_of, topics
from finlore.knowledge.lexicon.shape import Shape

_PATTERNS: Final = Patterns("lexicon/links.toml")
Fits = Callable[[str], bool]


def by_noun(shape: Shape, start: int, end: int, is_it: Fits, has_it: Fits) -> Iterator[Pair]:
    """The pair of a noun at [start, end): who is it (the doer), and whose (the other).

    `is_it` and `has_it` say which letters may be the one and the other. The first frame that fits decides.
    """
    text = shape.text
    hard = max((border.end() for border in HARD.finditer(text, 0, start)), default=0)
    left, right = text[hard:start], text[end : end + 90]
    owner, its = _owner(left, has_it)
    upto = left[: owner.start()] if owner else left
    far = _PATTERNS["far_copula"].search(upto)
    if its and far:  # X holds shares of Y and is its 股东
        named = [p.letter for p in before(text, hard, hard + far.start(), ())]
        if len(named) > 1 and is_it(named[0]) and has_it(named[-1]):
            yield Pair(named[0], named[-1], 0.8)
        return
    x = owner["x"] if owner and owner["x"] else ""
    y, x, sure = _who((left, upto, right), x, is_it, has_it)
    if far and x and not y:  # Y is ..., and a 股东 of X
        y, sure = _whose(text, hard, hard + len(upto), x, is_it, its=False), 0.75
    if y and not x:
        x, sure = _whose(text, hard, start, y, has_it, its=its), sure * 0.75
    if y and x and x != y:
        yield Pair(y, x, sure)


def _who(around: tuple[str, str, str], x: str, is_it: Fits, has_it: Fits) -> tuple[str, str, float]:
    """(who is it, whose it is, the trust in the frame), as letters, "" where the frames do not tell; `around`: what
    stands before the noun, before it and its owner, and behind it."""
    left, upto, right = around
    of = _PATTERNS["of"].match(right) if re.match(r"\s?[A-Za-z]", right) and not x else None
    if of and has_it(of["x"]):
        x = of["x"]
        if of["y"] and is_it(of["y"]):
            return of["y"], x, 0.9
    for frame, place, trust in (
        ("succeeded", right, 0.85), ("changed", right, 0.9), ("named", "" if of else right, 0.9),
        ("described", right if x else "", 0.7), ("elected", left, 0.85), ("by", left, 0.85), ("has", left, 0.85),
        ("who_is", upto, 0.9), ("beside", upto if x else "", 0.75),
    ):  # fmt: skip
        found = _PATTERNS[frame].search(place)
        is_anybodys = frame == "who_is" and not x and found is not None and _PATTERNS["ranked"].search(found[0])
        owns = frame == "has" and found is not None and has_it(found["x"])
        if found and is_it(found["y"]) and (owns or found["y"] != x) and not is_anybodys:
            return found["y"], found["x"] if owns else x, trust
    return "", x, 0.0


def _owner(left: str, has_it: Fits) -> tuple[re.Match[str] | None, bool]:
    """Who stands before the noun as its owner, and whether it is only 其."""
    owner = _PATTERNS["owner"].search(left)
    if owner is None or _PATTERNS["no_gap"].search(owner["gap"]) or (owner["x"] and not has_it(owner["x"])):
        return None, False
    return owner, bool(owner["its"])


def _whose(text: str, hard: int, start: int, y: str, has_it: Fits, *, its: bool) -> str:
    """The owner that is named elsewhere: of its, the one named last before; else the topic of the clause or of those
    before it."""
    first, _ = clause_of(text, start, start)
    here = [p for p in before(text, hard if its else first, start, ()) if has_it(p.letter) and p.letter != y]
    if its and here:
        return here[-1].letter
    plain = [p for p in here if not p.mark]
    earlier = [p for p in topics(text, first, ()) if has_it(p.letter) and p.letter != y]
    outermost = [p for p in earlier if p.clauses == earlier[-1].clauses]
    return next((p.letter for p in (*plain, *outermost)), "")
