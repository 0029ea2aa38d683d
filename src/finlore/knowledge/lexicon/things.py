"""What a deal is told with beside its parties: amounts, shares, dates, the way it is done."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.lexicon.scene import Scene

PATTERNS: Final = Patterns("lexicon/things.toml")
_AROUND: Final = Patterns("lexicon/parties.toml")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Part:
    """`text[start:end]` of a reading as a part called `name`."""

    name: str
    start: int
    end: int


def things_of(scene: Scene, wanted: tuple[str, ...], start: int, end: int) -> Iterator[Part]:
    """Amounts, dates and the like, from the clauses around the trigger at [start, end), up to the next one."""
    first, last = _reach(scene, start, end)
    for name in wanted:
        part = _date(scene, start) if name == "date" else _nearest(scene.text, name, (first, last), (start, end))
        if part:
            yield part


def _reach(scene: Scene, start: int, end: int) -> tuple[int, int]:
    """From the clause before to the second clause behind, not over another trigger of the same kind."""
    number = scene.clauses.number(start)
    first = scene.clauses.span(max(number - 1, 0))[0]
    last = scene.clauses.span(min(number + 2, len(scene.clauses.starts) - 1))[1]
    other = scene.text.find(scene.text[start:end], end, last)
    return first, other if other > 0 else last


def _nearest(text: str, name: str, reach: tuple[int, int], trigger: tuple[int, int]) -> Part | None:
    """The match nearest to the trigger, behind rather than before; what is held (持股5%以上股东) and prices of a share
    are no parts."""
    start, end = trigger
    free = [
        match
        for match in PATTERNS[name].finditer(text, *reach)
        if (match.end() <= start or match.start() >= end)
        and not _AROUND["held_before"].search(text, max(match.start() - 12, 0), match.start())
        and not (name == "money" and _AROUND["price_before"].search(text, max(match.start() - 12, 0), match.start()))
    ]
    found = min(free, key=lambda m: _distance(m.start(), m.end(), trigger), default=None)
    if found is None:
        return None
    lead = len(found[0]) - len(found[0].lstrip())
    return Part(name, found.start() + lead, found.end())


def _distance(first: int, last: int, trigger: tuple[int, int]) -> int:
    start, end = trigger
    return 2 * (start - last) + 10 if last <= start else first - end


def _date(scene: Scene, start: int) -> Part | None:
    """The last day or month before the trigger, else the last year."""
    before = [time for time in scene.times if time.end <= start]
    days = [time for time in before if _AROUND["day"].search(scene.text, time.start, time.end)]
    years = [time for time in before if _DIGIT.search(scene.text, time.start, time.end)]
    for time in days[-1:] or years[-1:]:
        until = _AROUND["until"].match(scene.text[time.start : time.end])
        return Part("date", time.start + (until.end() if until else 0), time.end)
    return None
