"""Capitalised spans: names in English text, without any list."""

import re
from collections.abc import Iterator
from typing import Final

from finlore.graph.folded import surface_of, without_legal_form
from finlore.graph.shipped import word_list
from finlore.language.normal import has_han

_FIRST: Final = "[A-ZÀ-Þ0-9]"
_REST: Final = r"(?:(?![\u3040-\u9fff\uac00-\ud7a3])[\w'’.\-])*"
_WORD: Final = _FIRST + _REST
_JOIN: Final = r"(?:of|the|de|von|van|and|&|da|la|le|du|al|bin|ibn|in|on|for)"
_SPAN = re.compile(
    rf"{_FIRST}(?<![A-Za-zÀ-ÿ\d_.]{_FIRST}){_REST}"  # begins with what is rare, to be fast
    rf"(?:\s+(?:{_JOIN}\s+)?(?=[A-ZÀ-Þ0-9]){_WORD}|\s*&\s*{_WORD}|\s+\([A-Z][\w.-]*\)(?=\s[A-Z]))*"
)
_WRITTEN_SMALL = re.compile(r"[A-Z](?=[A-Za-z]*[a-z])[A-Za-z]{3}")
"""A name that may stand in Chinese without a space before it; abbreviations are mostly none."""
_LETTER = re.compile(r"[^\W\d_]")
_JOINTS: Final = frozenset(_JOIN[3:-1].split("|"))
_UNIT = re.compile(
    r"(?:RMB|CNY|USD|US|HK|EUR)?[\d.,%]+(?:[EFAxX]|pct|[a-z]{1,3}|[kKMGT]?Wh?)?$|[1-4]?[QH][1-4]?\d*[EFA]?$|FY\d+[EFA]?$|[kMGT]Wh?$|(?:RMB|CNY|USD|HKD|EUR)$"
)  # RMB1.22, 2024E, 15x, 30GWh, 3Q24, FY23, GWh, RMB


def find_spans(
    text: str, ordinary: frozenset[str] = frozenset(), *, after_number: bool = True
) -> Iterator[tuple[int, int, str]]:
    """(start, end, surface) of every capitalised span of a sentence that may be a name.

    Common words at its head and its legal form (Co., Ltd.) do not belong to it. `ordinary` are words that the document
    also writes in lower case, so that a capital at the head of the sentence says nothing. `after_number`: whether a
    name may begin with a number.
    """
    common = word_list("common_words")
    for match in _SPAN.finditer(text):
        is_allowed = after_number or not match[0][0].isdigit()
        if has_han(text[match.start() - 1 : match.start()]) and not _WRITTEN_SMALL.match(match[0]):
            continue
        if not is_allowed or all(map(_UNIT.match, match[0].split())):
            continue
        start, end = match.start(), match.end() - len(match[0]) + len(match[0].rstrip(".'’-"))
        words = list(re.finditer(r"\S+", text[start:end]))
        while words and _folds_to(words[0][0], common):
            words.pop(0)
        while words and (_is_figure(words[-1][0]) or words[-1][0] in _JOINTS or _is_legal_form(words[-1][0])):
            words.pop()
        at_head = start < 4 and not text[:start].strip(" \t\"'“‘(#*-")
        if at_head and len(words) == 1 and _folds_to(words[0][0], ordinary):
            continue
        if not words or all(_UNIT.match(word[0]) for word in words):
            continue
        start, end = start + words[0].start(), start + words[-1].end()
        surface = surface_of(text[start:end])
        if len(surface) > 2 and _LETTER.search(surface) and "%" not in surface:
            yield start, end, surface


def lower_words(text: str) -> frozenset[str]:
    """The words that a text writes in lower case."""
    return frozenset(re.findall(r"(?<![\w'’-])[a-z]{3,}(?![\w'’])", text))


def _is_figure(word: str) -> bool:
    return not word.isdigit() and _UNIT.match(word) is not None


def _is_legal_form(word: str) -> bool:
    return not without_legal_form(f". {word}")[1:]


def _folds_to(word: str, words: frozenset[str]) -> bool:
    folded = surface_of(word)
    return not folded or folded in words
