"""A text as names are read in it: the same folding as `language.fold`, with the way back to the source.

A surface (a folded name) stands in the text exactly where it is a substring of the reading and `stands_alone` there.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import rjieba

from finlore.language.normal import NormalText, normalise

HAN: Final = "\u3400-\u9fff"
_POSSESSIVE = re.compile(r"['’]s?(?=\W|$)")
_DOT = re.compile(r"(?<!\d)[.]|[.](?!\d)")
_INSIDE_HAN = re.compile(rf"(?<=[{HAN}])[\s·•・]+(?=[{HAN}])")
_SPARE = re.compile("(?<= ) +")
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
_HAN = re.compile(f"[{HAN}]")
_LONGER_WORD = re.compile("业(?![绩务内主态])|银行间")  # 中国银行|业, but 中国银行|业绩


class _Folds(dict[int, str]):
    """Code point -> its one folded character; what folds to none or several stays, and is kept in `odd`."""

    odd: set[str]

    def __init__(self) -> None:
        self.odd = set()

    def __missing__(self, code: int) -> str:
        character = chr(code)
        piece = normalise(character).text
        if len(piece) != 1:
            self.odd.add(character)
            piece = character
        elif not (piece.isalnum() or piece in ".&+%-" or re.match(r"[^\W_]", piece)):
            piece = " "
        self[code] = piece
        return piece


_FOLDS = _Folds()


@dataclass(frozen=True, slots=True)
class Reading:
    """`text` is what is searched; `source` what it was made of."""

    source: str
    text: str
    maps: tuple[NormalText, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The source's range of a range of the reading."""
        first, last = start, end - 1
        for step in reversed(self.maps):
            first, last = step.origin(first), step.origin(last)
        return first, last + 1


def read(source: str) -> Reading:
    """The reading of one sentence."""
    folded = source.translate(_FOLDS)
    maps: tuple[NormalText, ...] = ()
    base = source
    if not _FOLDS.odd.isdisjoint(source):
        normal = normalise(source)
        base, maps = normal.text, (normal,)
        folded = base.translate(_FOLDS)
    if "." in folded:
        folded = _DOT.sub(" ", folded)
    gone = [match.span() for match in _INSIDE_HAN.finditer(base)]
    if "'" in base or "’" in base:
        gone += (match.span() for match in _POSSESSIVE.finditer(base))
    if "  " in folded:
        gone += (match.span() for match in _SPARE.finditer(folded))
    if not gone:
        return Reading(source, folded, maps)
    cut = _without(folded, sorted(gone))
    return Reading(source, cut.text, (*maps, cut))


def bracketless(reading: Reading) -> tuple[Reading, list[tuple[int, int]]] | None:
    """The reading without what stands in brackets, and where in the source that was; None if there are no brackets."""
    spans = [match.span() for match in _BRACKETS.finditer(reading.source)]
    if not spans:
        return None
    cut = _without(reading.source, spans)
    inner = read(cut.text)
    return Reading(reading.source, inner.text, (cut, *inner.maps)), spans


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is a name of its own: no part of a longer latin word or number, nor of a Chinese word
    that goes on."""
    if _narrow(text[start]) and start and _narrow(text[start - 1]):
        return False
    if end == len(text):
        return True
    if _narrow(text[end - 1]):
        return not _narrow(text[end])
    return not _LONGER_WORD.match(text, end)


def is_word(text: str, start: int, end: int) -> bool:
    """Whether a short name lies on the borders of words: 中行 does not in 其中行业. Latin names always do."""
    if _narrow(text[start]):
        return True
    left, right = max(0, start - 6), min(len(text), end + 6)
    borders = {0}
    for word in rjieba.cut(text[left:right], False):
        borders.add(max(borders) + len(word))
    return start - left in borders and end - left in borders


def has_han(text: str) -> bool:
    return _HAN.search(text) is not None


def capitals_suffice(source: str, surface: str) -> bool:
    """Whether the capitals in the source speak for a name: one latin word needs a capital, up to three letters two."""
    if " " in surface or not surface.isascii() or surface.isdigit():
        return True
    capitals = sum(character.isupper() for character in source)
    return capitals >= (2 if len(surface) <= 3 else 1)


def _narrow(character: str) -> bool:
    return character.isalnum() and not ("\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3")


def _without(text: str, spans: list[tuple[int, int]]) -> NormalText:
    """The text without some ranges of it (sorted; they may overlap)."""
    pieces, starts, shifts, at, length = [], [0], [0], 0, 0
    for start, end in spans:
        if end > at:
            piece = text[at : max(start, at)]
            pieces.append(piece)
            length, at = length + len(piece), end
            starts.append(length)
            shifts.append(end - length)
    return NormalText("".join(pieces) + text[at:], tuple(starts), tuple(shifts))
