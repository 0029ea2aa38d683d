"""Where the cues of a schema stand in a text: one automaton for all of them, one pass."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from ahocorasick_rs import AhoCorasick

from finlore.errors import ConfigurationError
from finlore.language.normal import normalise
from finlore.records.schema import Cue

Owner = TypeVar("Owner")
GAP: Final = "…"
_LONGEST_GAP: Final = 32
_STOP: Final = re.compile(r"[。;!?\n|]|(?<!\d),|,(?!\d)")
_FIRST_HAN: Final = "\u2e80"


@dataclass(frozen=True, slots=True)
class CueMatch(Generic[Owner]):
    """A cue at [start, end) of the text, and what it is a cue of. With a gap, `start` and `end` enclose all its parts
    and `head_end` is where the first one ends."""

    start: int
    end: int
    head_end: int
    cue: Cue
    owner: Owner


class CueMatcher(Generic[Owner]):
    """Finds cues, whatever their case and width. One that begins with a Chinese letter stands anywhere, another as
    whole words, or as the beginning of one where it ends in ``*``. ``A…B`` is A and then B, at most 32 characters on
    and in the same clause.
    """

    __slots__ = ("_automaton", "_owned", "_tails", "_words")

    def __init__(self, cues: Iterable[tuple[Cue, Owner]]) -> None:
        self._owned: dict[str, list[tuple[Cue, Owner, str]]] = {}  # first part -> its cues, each with its second part
        self._tails: set[str] = set()
        for cue, owner in cues:
            head, _, tail = normalise(cue.text).text.replace("...", GAP).partition(GAP)
            if not head.rstrip("*") or (GAP in cue.text and not tail.rstrip("*")) or GAP in tail:
                raise ConfigurationError(
                    f"'{cue.text}' is no cue", hint="one gap (…) at most, with words on both sides"
                )
            self._owned.setdefault(head.strip(), []).append((cue, owner, tail.strip()))
            self._tails |= {tail.strip()} if tail else set()
        self._words = sorted({*self._owned, *self._tails})
        self._automaton = AhoCorasick([word.removesuffix("*") for word in self._words]) if self._words else None

    def find(self, text: str) -> list[CueMatch[Owner]]:
        """All matches from left to right, the longer ones first, without those that stand inside a longer match."""
        found = sorted(self.find_all(text), key=lambda match: (match.start, -match.end))
        kept: list[CueMatch[Owner]] = []
        reach, widest = 0, (-1, -1)
        for match in found:
            if match.end > reach or (match.start, match.end) == widest:
                kept.append(match)
                if match.end > reach:
                    reach, widest = match.end, (match.start, match.end)
        return kept

    def find_all(self, text: str) -> Iterator[CueMatch[Owner]]:
        """Every match, nested ones included, in no order that means anything."""
        normal = normalise(text)
        places = self._places(normal.text)
        for word, start, end in places:
            for cue, owner, tail in self._owned.get(word, ()):
                stop = self._tail_end(normal.text, places, tail, end) if tail else end
                if stop:
                    first, last = normal.span(start, stop)
                    yield CueMatch(first, last, normal.span(start, end)[1], cue, owner)

    def _places(self, text: str) -> list[tuple[str, int, int]]:
        """(word, start, end) of the parts of cues, in their order."""
        if self._automaton is None:
            return []
        places = []
        for number, start, end in self._automaton.find_matches_as_indexes(text, overlapping=True):
            word = self._words[number]
            if _stands(text, start, end, word):
                places.append((word, start, end))
        return places

    @staticmethod
    def _tail_end(text: str, places: list[tuple[str, int, int]], tail: str, after: int) -> int:
        """Where the nearest `tail` behind `after` ends; 0 where there is none."""
        ends = (
            end
            for word, start, end in places
            if word == tail and after <= start <= after + _LONGEST_GAP and _STOP.search(text, after, start) is None
        )
        return min(ends, default=0)


def _stands(text: str, start: int, end: int, word: str) -> bool:
    if text[start] >= _FIRST_HAN:
        return True
    return _breaks(text, start) and (word.endswith("*") or text[end - 1] >= _FIRST_HAN or _breaks(text, end))


def _breaks(text: str, at: int) -> bool:
    """Whether no latin word goes on across the place `at`; Chinese letters end one."""
    around = text[max(at - 1, 0) : at + 1]
    return len(around) < 2 or not (around.isalnum() and max(around) < _FIRST_HAN)
