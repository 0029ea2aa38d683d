"""Causes that a sentence states, and what they bring about."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finlore.knowledge.lexicon.clauses import Clauses
from finlore.knowledge.lexicon.english_phrases import Phrase, phrases_of
from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.lexicon.wordings import Match
from finlore.language.normal import has_han

_SHORTEST: Final = 3
_LONGEST: Final = 80
_GOES_ON: Final = 5  # 受A影响B: more than this behind the end of the cause is its effect
_PATTERNS: Final = Patterns("lexicon/causes.toml")


@dataclass(frozen=True, slots=True)
class Cause:
    """`text[start:end]` brings about what stands in `text[effect_start:effect_end]`."""

    start: int
    end: int
    effect_start: int
    effect_end: int
    is_benefit: bool = False  # 受益于A: nothing bad comes of it

    def holds(self, at: int) -> bool:
        return self.start <= at < self.end

    def brings(self, at: int) -> bool:
        return self.effect_start <= at < self.effect_end and not self.holds(at)


def causes_in(text: str, clauses: Clauses, found: dict[str, list[Match]]) -> list[Cause]:
    """The causes of a sentence from left to right."""
    if not has_han(text):
        return sorted((*_english(phrases_of(text)), *_after(text, clauses, found, ())), key=_place)
    because = found.get("because", ())
    ends = found.get("ends", ())
    before = [
        cause and replace(cause, is_benefit=_PATTERNS["benefit"].search(text, match.start, match.end) is not None)
        for match in because
        for cause in [_following(text, clauses, match, ends)]
    ]
    taken: list[Cause] = []
    for cause in before:
        if cause is not None:  # what an earlier cause brought about is not the effect of a later one
            last = taken[-1].end if taken else 0
            since = max(cause.effect_start, min(last, cause.effect_end))
            taken.append(replace(cause, effect_start=since))
    return sorted((*taken, *_after(text, clauses, found, taken)), key=_place)


def _place(cause: Cause) -> tuple[int, int]:
    return cause.start, cause.end


def _after(text: str, clauses: Clauses, found: dict[str, list[Match]], taken: Sequence[Cause]) -> list[Cause]:
    """The causes that stand before what they bring about, other than those taken."""
    return [
        cause
        for match in found.get("thereby", ())
        if not any(cause.holds(match.start - 1) for cause in taken)
        and (cause := _preceding(text, clauses, match, found.get("because", ())))
    ]


def _english(phrases: Sequence[Phrase]) -> Iterator[Cause]:
    """What due to, driven by and their like say of the phrase before, at the head of a sentence of the one behind;
    however many causes they list."""
    for number, phrase in enumerate(phrases):
        if not phrase.causes:
            continue
        before = [other for other in phrases[:number] if other.said < other.end]  # more than primarily
        if not before and number + 1 < len(phrases):
            effect = phrases[number + 1]
            start, end = effect.start, effect.end
        elif before:
            end = phrase.start
            mains = [other.start for other in before if other.kind == "main"]
            start = mains[-1] if before[-1].kind == "base" and mains else before[-1].start
        else:
            continue
        yield Cause(phrase.said, phrase.end, start, end, is_benefit=phrase.causes == "benefit")


def cause_of(causes: Sequence[Cause], at: int, *, is_bad: bool = False) -> Cause | None:
    """The cause of what stands at a place: the nearest one."""
    near = [cause for cause in causes if cause.brings(at) and not (is_bad and cause.is_benefit)]
    return min(near, key=lambda cause: min(abs(cause.start - at), abs(cause.end - at)), default=None)


def _following(text: str, clauses: Clauses, match: Match, ends: Sequence[Match]) -> Cause | None:
    """受益于A, B; B, 主要系A; 因A导致B."""
    number = clauses.number(match.start)
    begin, end = clauses.span(number)
    stop = next((e.start for e in ends if match.end < e.start < end), end)
    start, stop = _trimmed(text, match.end, min(stop, match.end + _LONGEST))
    if stop - start < _SHORTEST or (
        match.owner.is_weak and stop == _trimmed(text, match.end, end)[1] and _is_short(text, match)
    ):
        return None
    if _PATTERNS["no_cause"].search(text[start:stop]):
        return None
    leads = match.start - begin <= 3
    is_backward = _PATTERNS["backward"].match(text, match.start, match.end) is not None
    if leads and number and (is_backward or number + 1 == len(clauses.starts)):
        return Cause(start, stop, clauses.span(max(0, number - 2))[0], begin)
    leads = leads or _PATTERNS["forward"].match(text, match.start) is not None
    goes_on = not is_backward and end - stop > _GOES_ON
    if leads:
        return Cause(start, stop, stop, end if goes_on else clauses.span(min(number + 2, len(clauses.starts) - 1))[1])
    return Cause(start, stop, stop, end) if goes_on else Cause(start, stop, begin, match.start)


def _is_short(text: str, match: Match) -> bool:
    """Whether a single character (因, 受, 系) is not the head of what looks like a cause."""
    return match.end - match.start == 1 and match.start > 0 and text[match.start - 1] not in "，,；;。 但且并均也主"


def _preceding(text: str, clauses: Clauses, match: Match, because: Sequence[Match]) -> Cause | None:
    """A带动B; of 原因是A导致B what follows the wording."""
    number = clauses.number(match.start)
    begin, end = clauses.span(number)
    start, stop = _trimmed(text, begin, match.start)
    if stop - start < 2 and number:
        start, stop = _trimmed(text, *clauses.span(number - 1))
    told = [other.end for other in because if start <= other.start and other.end < stop]
    start = max(start, stop - _LONGEST, *told)
    is_one = stop - start >= 2 and match.end < end and not _PATTERNS["no_cause"].search(text[start:stop])
    return Cause(start, stop, match.end, end) if is_one else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    lead = _PATTERNS["lead"].match(text, start, end)
    start = lead.end() if lead else start
    tail = _PATTERNS["tail"].search(text, start, end)
    return start, tail.start() if tail else end
