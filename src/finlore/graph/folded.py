"""A text as names are searched in it: folded as `surface_of` folds a name, with the way back to the source.

A name stands in a text where its surface is a substring of the folded text and `stands_alone` there.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import rjieba

from finlore.language.codes import SENTENCES
from finlore.language.normal import HAN, fold, normalise
from finlore.records.mapped import MappedText

_BRACKETS = re.compile(r"[()（）\[\]【】]")
_GAP: Final = r"[\s()\[\]【】·•・]"
_INSIDE_HAN = re.compile(rf"{_GAP}(?<=[{HAN}]{_GAP}){_GAP}*(?=[{HAN}])")  # begins with what is rare, to be fast
_SPACED = re.compile(r"[^\w.&+%-]|_")  # where a surface has a space
_POSSESSIVE = re.compile(r"['’]s?(?=\W|$)")
_DOT = re.compile(r"(?<!\d)[.]|[.](?!\d)")
_SPARE = re.compile("(?<= ) +")
_LEGAL_FORM = re.compile(
    r"(?<=\S)(?:[\s,]+(?:Co|Company|Corp|Corporation|Inc|Incorporated|Ltd|Limited|PLC|LLC|LLP|AG|GmbH|Pte|Pty|Bhd"
    r"|S\.?A|N\.?V)(?!\w)\.?)+$",
    re.IGNORECASE,
)
_LONGER_WORD = re.compile("业(?![绩务内主态])|银行间")  # 中国银行|业, but 中国银行|业绩


@dataclass(frozen=True, slots=True)
class FoldedText:
    """`text` is what is searched; `maps` lead back to the source one after another."""

    text: str
    maps: tuple[MappedText, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range of the source that [start, end) comes from."""
        last = end - 1
        for step in self.maps:
            start, last = step.origin(start), step.origin(last)
        return start, last + 1


@lru_cache(maxsize=SENTENCES)
def folded(source: str) -> FoldedText:
    """The folded text of one sentence. Brackets inside a Chinese name vanish, what stands in them stays."""
    normal = normalise(source)
    text = _SPACED.sub(" ", normal.text)
    if "." in text:
        text = _DOT.sub(" ", text)
    gone = [match.span() for match in _INSIDE_HAN.finditer(normal.text)]
    if "'" in normal.text or "’" in normal.text:
        gone += (match.span() for match in _POSSESSIVE.finditer(normal.text))
    maps = [] if len(normal.starts) == 1 and not normal.shifts[0] else [normal]
    if gone:
        maps.insert(0, _without(text, sorted(gone)))
        text = maps[0].text
    if "  " in text:
        maps.insert(0, _without(text, [match.span() for match in _SPARE.finditer(text)]))
        text = maps[0].text
    return FoldedText(text, tuple(maps))


@lru_cache(maxsize=1 << 14)
def surface_of(name: str) -> str:
    """The surface of a name as documents write it; unlike a title's, what stands in brackets belongs to it."""
    return fold(_BRACKETS.sub(" ", name))


def without_legal_form(name: str) -> str:
    """A latin name as people say it: Hengxu Battery Co., Ltd. -> Hengxu Battery."""
    return _LEGAL_FORM.sub("", name.rstrip())


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is a name of its own: no part of a longer latin word or number, nor of a Chinese word
    that goes on."""
    if start and _narrow(text[start]) and _narrow(text[start - 1]):
        return False
    if end == len(text):
        return True
    if _narrow(text[end - 1]):
        return not _narrow(text[end])
    return not _LONGER_WORD.match(text, end)


def is_word(text: str, start: int, end: int) -> bool:
    """Whether a short Chinese name lies on the borders of words: 中行 does not in 其中行业. Latin names always do."""
    if _narrow(text[start]):
        return True
    if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
        return True
    at = max(0, start - 6)
    borders = {at}
    for word in rjieba.cut(text[at : end + 6], False):
        at += len(word)
        borders.add(at)
    return start in borders and end in borders


def word_pieces(text: str) -> list[str]:
    """Words of a Chinese text; neighbouring characters that are no words count as one piece."""
    pieces: list[str] = []
    alone = False
    for word in rjieba.cut(text, False):
        if len(word) == 1 and alone:
            pieces[-1] += word
        else:
            pieces.append(word)
        alone = len(word) == 1
    return pieces


def is_coined(text: str) -> bool:
    """Whether a Chinese string is no word of the dictionary and made of none: the mark of a brand."""
    return all(len(word) == 1 for word in rjieba.cut(text, False))


def capitals_suffice(source: str, surface: str) -> bool:
    """Whether the capitals in the source speak for a name: one latin word needs a capital, up to three letters two."""
    if " " in surface or not surface.isascii() or surface.isdigit():
        return True
    return sum(map(str.isupper, source)) >= (2 if len(surface) <= 3 else 1)


def _narrow(character: str) -> bool:
    return character.isalnum() and not ("\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3")


def _without(text: str, spans: list[tuple[int, int]]) -> MappedText:
    """The text without some ranges of it (sorted; they may overlap)."""
    pieces, starts, shifts, at, length = [], [0], [0], 0, 0
    for start, end in spans:
        if end > at:
            piece = text[at : max(start, at)]
            pieces.append(piece)
            length, at = length + len(piece), end
            starts.append(length)
            shifts.append(end - length)
    return MappedText("".join(pieces) + text[at:], tuple(starts), tuple(shifts))
