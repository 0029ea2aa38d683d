"""A sentence with who is in it: where each stands, how it is marked, whom it is listed with, and what it holds."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.lexicon.clauses import Clauses
from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.lexicon.roles import Mark, leading_mark
from finlore.knowledge.lexicon.time_frames import TimeFrame
from finlore.knowledge.sentences import Named
from finlore.records.fact import Party

PARTIES: Final = frozenset(
    {"security", "company", "person", "broker", "rating_agency", "organisation", "name", "regulator", "exchange"}
)
_PATTERNS: Final = Patterns("lexicon/parties.toml")


@dataclass(frozen=True, slots=True)
class Placed:
    """A party at [start, end). `mark`: how a preposition marks it, `group`: the number of the list that it is in."""

    start: int
    end: int
    party: Party
    mark: Mark
    group: int
    holds: bool
    is_held: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """A sentence with what is known of it: clauses, names of parties, time frames, and names in brackets."""

    text: str
    clauses: Clauses
    names: Sequence[Placed]
    times: Sequence[TimeFrame]
    asides: Sequence[Named] = ()

    def clause(self, at: int) -> tuple[int, int]:
        return self.clauses.span(self.clauses.number(at))

    def inside(self, start: int, end: int) -> list[Placed]:
        return [name for name in self.names if start <= name.start and name.end <= end]

    def listed_with(self, name: Placed) -> list[Placed]:
        """The name and those in one list with it, those behind a last 和 or 与 included, from left to right."""
        listed = [other for other in self.names if other.group == name.group]
        for other in self.names:
            if other.mark == "with" and _PATTERNS["also"].fullmatch(self.text, listed[-1].end, other.start):
                listed += [more for more in self.names if more.group == other.group]
        return listed


def placed(text: str, clauses: Clauses, names: Iterable[Named]) -> list[Placed]:
    """The names of a sentence from left to right; those in one list are marked like the first of them."""
    ordered = sorted(names, key=lambda name: name.start)
    return list(_placed(text, clauses, ordered))


def _placed(text: str, clauses: Clauses, names: Sequence[Named]) -> Iterator[Placed]:
    mark: Mark = ""
    group = 0
    last: Named | None = None
    for name in names:
        first = clauses.span(clauses.number(name.start))[0]
        since = max(first, last.end if last else 0)
        own = leading_mark(text[since : name.start])
        is_listed = last is not None and _PATTERNS["also"].fullmatch(text, last.end, name.start) is not None
        if not is_listed or own not in {"", "with"}:
            mark, group = own, group + 1
        elif own == "with":
            mark = mark or "with"
            group += 1
        holds = _PATTERNS["holds"].match(text, name.end) is not None
        is_held = last is not None and _PATTERNS["held"].search(text, last.end, name.start) is not None
        yield Placed(name.start, name.end, name.party, mark, group, holds, is_held)
        last = name
