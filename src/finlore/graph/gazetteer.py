"""The shipped names, found in text: one automaton, all occurrences, nested ones included."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Self

from ahocorasick_rs import AhoCorasick

from finlore import resources
from finlore.graph.folded import FoldedText, capitals_suffice, folded, is_word, stands_alone
from finlore.graph.shipped import shipped_aliases, word_list
from finlore.language.codes import code_surface, find_codes
from finlore.records.names import Alias

_TERMS: Final = frozenset({"metric", "concept", "industry"})  # also written without a capital
CUTTING: Final = frozenset({"security", "company", "broker", "regulator", "exchange", "rating_agency", "organisation"})
_ORGANISATION = re.compile(r" ?(?:公司(?!债)|股份|集团|股价|涨停|跌停|发布公告)")
_CODE_AFTER = re.compile(r" ?(?:证券代码|股票代码|代码)? ?(?:sh|sz|bj)? ?(\d{6})(?!\d)")
_CODE_BEFORE = re.compile(r"(?<!\d)(\d{6})(?: ?(?:sh|sz|bj))? ?$")


@dataclass(frozen=True, slots=True)
class Match:
    """`surface` stands at [start, end) of the text. Where an ordinary word is a name only because a code or an
    organisation word stands beside it, `surface` is the code: the word alone never becomes an alias."""

    start: int
    end: int
    surface: str


class Surfaces:
    """Finds folded surfaces in texts; nothing here knows what they mean. Codes are not its business (`codes`)."""

    __slots__ = ("_automaton", "_surfaces")

    def __init__(self, surfaces: Iterable[str]) -> None:
        self._surfaces = sorted({surface for surface in surfaces if surface and not surface.isdigit()})
        self._automaton = AhoCorasick(self._surfaces) if self._surfaces else None

    def find(self, sentence: FoldedText) -> Iterator[tuple[Match, int, int]]:
        """Matches in the source, each with its range in the folded sentence."""
        if self._automaton is None:
            return
        text = sentence.text
        for number, start, end in self._automaton.find_matches_as_indexes(text, overlapping=True):
            if stands_alone(text, start, end) and (end - start > 2 or is_word(text, start, end)):
                yield Match(*sentence.span(start, end), self._surfaces[number]), start, end


class Gazetteer:
    """The shipped names. Flagged ones (`ordinary`) count only beside a code or an organisation word, none within one of
    the words that are `longer`."""

    __slots__ = ("_aliases", "_decided", "_decided_kinds", "_in_capitals", "_longer", "_ordinary", "_surfaces")

    def __init__(self, aliases: Iterable[Alias], ordinary: Iterable[str] = (), longer: Iterable[str] = ()) -> None:
        by_surface: dict[str, list[Alias]] = defaultdict(list)
        for alias in aliases:
            by_surface[alias.surface].append(alias)
        self._aliases = {
            surface: tuple(sorted(found, key=lambda a: (-a.strength, a.entity)))
            for surface, found in by_surface.items()
        }
        self._ordinary = frozenset(ordinary)
        self._surfaces, self._longer = Surfaces(by_surface), Surfaces(longer)
        self._decided_kinds, self._decided = dict[str, str](), Surfaces(())
        self._in_capitals = frozenset(
            surface for surface in self._aliases if not capitals_suffice("", surface) and not self._is_term(surface)
        )

    @staticmethod
    def load() -> "Gazetteer":
        """The gazetteer of the data files, made once in a process."""
        return _load(resources.replacements())

    def with_decided(self, kinds: Mapping[str, str]) -> Self:
        """A gazetteer that finds these folded surfaces as well, as names of a kind that stand for themselves until
        somebody says for whom: names that people decided about."""
        made = copy(self)
        made._decided_kinds, made._decided = dict(kinds), Surfaces(kinds)
        return made

    def decided(self, text: str) -> Iterator[tuple[int, int, str, str]]:
        """(start, end, surface, kind) of the names in one sentence that people decided about."""
        if self._decided_kinds:
            for match, _, _ in self._decided.find(folded(text)):
                yield match.start, match.end, match.surface, self._decided_kinds[match.surface]

    def aliases(self, surface: str) -> tuple[Alias, ...]:
        """What the shipped lists say that a surface means, strongest first; nothing for the ordinary words."""
        return () if surface in self._ordinary else self._aliases.get(surface, ())

    def knows_tail(self, surface: str) -> bool:
        """Whether a shipped name ends the surface: what stands before it is then no part of a name."""
        return any(surface[at:] in self._aliases for at in range(len(surface) - 3))

    def __contains__(self, surface: str) -> bool:
        return surface in self._aliases

    def find(self, text: str) -> list[Match]:
        """All shipped names of one sentence by place, nested ones and codes included."""
        found = {
            Match(code.start, code.end, code.surface) for code in find_codes(text) if code.surface in self._aliases
        }
        sentence = folded(text)
        longer = [(start, end) for _, start, end in self._longer.find(sentence)]
        for match, start, end in self._surfaces.find(sentence):
            if any(first <= start and end <= last and (first, last) != (start, end) for first, last in longer):
                continue
            if match.surface in self._ordinary:
                code = code_surface(self._aliases[match.surface][0].entity)
                if _is_meant(code, sentence.text[max(0, start - 12) : start], sentence.text[end:]):
                    found.add(Match(match.start, match.end, code))
            elif match.surface not in self._in_capitals or capitals_suffice(
                text[match.start : match.end], match.surface
            ):
                found.add(match)
        return sorted(found, key=lambda match: (match.start, -match.end, match.surface))

    def _is_term(self, surface: str) -> bool:
        return len(surface) > 3 and self._aliases[surface][0].kind in _TERMS


@lru_cache(maxsize=1)
def _load(replacements: Path | None) -> Gazetteer:  # with others the data files are others
    return Gazetteer(shipped_aliases(), word_list("ordinary"), word_list("longer_words"))


def _is_meant(code: str, before: str, after: str) -> bool:
    beside = _CODE_AFTER.match(after) or _CODE_BEFORE.search(before)
    return beside[1] == code if beside else _ORGANISATION.match(after) is not None
