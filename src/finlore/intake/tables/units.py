"""Units as tables print them -> one spelling: 百万元 for RMB mn, 百万美元 for US$ in millions, %, x, pct, bps, 万吨.
The words are data (`lexicon/units.toml`)."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from finlore.resources import load_toml

_FACTORS: Final = {
    "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8, "十亿": 1e9, "百亿": 1e10, "千亿": 1e11,
    "万亿": 1e12,
}  # fmt: skip
_SCALED = re.compile(f"({'|'.join(sorted(_FACTORS, key=len, reverse=True))})(?!瓦|克|米)")
_STATED = re.compile(r"(?:单位|unit)s?\s*[:为]\s*([^()\n。]{1,40})", re.IGNORECASE)
_BRACKETED = re.compile(r"[(\[【]([^()\[\]【】]{1,60})[)\]】]")
_PARTS = re.compile(r"[,;、|]|\s/\s")
_LETTER = re.compile(r"[a-z]", re.IGNORECASE)  # of a paragraph: Section 12(b)
_SEPARATORS = " :()\t"
_APOSTROPHES = str.maketrans("‘’", "''")
_LONGEST = 40
_RELATIVE: Final = frozenset({"%", "‰", "pct", "bps", "x"})


@dataclass(frozen=True, slots=True)
class _Words:
    """Folded wording -> spelling, by what it stands for; `pattern` finds the next wording, longest first."""

    scales: Mapping[str, str]
    currencies: Mapping[str, str]
    things: Mapping[str, str]
    ratios: Mapping[str, str]
    pattern: re.Pattern[str]


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = load_toml("lexicon/units.toml")
    scales, currencies, things, ratios = (
        {word: unit for unit, words in table[name].items() for word in (unit.lower(), *words)}
        for name in ("scales", "currencies", "things", "ratios")
    )
    known = sorted({*scales, *currencies, *things, *ratios, *table["fillers"]["words"]}, key=len, reverse=True)
    pattern = re.compile(rf"{'|'.join(map(_wording, known))}|[/{_SEPARATORS}]")
    return _Words(scales, currencies, things, ratios, pattern)


def _wording(word: str) -> str:
    """A longer Latin word stands alone; shorter ones and signs may touch what they belong to (US$m)."""
    is_word = len(word) > 3 and word.isascii() and word.isalpha()
    return rf"(?<![a-z]){re.escape(word)}(?![a-z])" if is_word else re.escape(word)


@lru_cache(maxsize=4096)
def read_unit(text: str) -> str:
    """The unit that a text states and nothing else; "" where it states anything else."""
    folded = unicodedata.normalize("NFKC", text).lower().strip(" .:*").translate(_APOSTROPHES)
    if not folded or len(folded) > _LONGEST:
        return ""
    if folded in (words := _words()).ratios:
        return words.ratios[folded]
    counted, per = _tokens(folded)
    if counted is None or (per is not None and not counted):
        return ""
    unit, below = _composed(counted), _composed(per) if per is not None else ""
    if per is None:
        return unit
    return f"{unit}/{below}" if unit and below else ""


def _tokens(folded: str) -> tuple[list[str] | None, list[str] | None]:
    """The wordings before and behind a stroke; (None, None) where anything else stands there."""
    sides: list[list[str]] = [[]]
    at = 0
    while at < len(folded):
        match = _words().pattern.match(folded, at)
        if match is None or (match.group() == "/" and len(sides) == 2):
            return None, None
        at = match.end()
        if match.group() == "/":
            sides.append([])
        elif match.group().strip(_SEPARATORS):
            sides[-1].append(match.group())
    return sides[0], sides[1] if len(sides) == 2 else None


def _composed(wordings: Sequence[str]) -> str:
    """Scale and what is counted as one spelling; "" where they do not go together."""
    words = _words()
    scales = [words.scales[word] for word in wordings if word in words.scales]
    named = [words.currencies.get(word) or words.things.get(word, "") for word in wordings if word not in words.scales]
    counted = dict.fromkeys(filter(None, named))
    if len(scales) > 1 or len(counted) > 1 or any(word in words.ratios for word in wordings):
        return ""
    return "".join((*scales, *counted))


def find_unit(text: str) -> str:
    """The unit that a caption or a heading states beside other things: after 单位, in brackets, or in its own words;
    money where it states several."""
    units = list(filter(None, _stated_units(unicodedata.normalize("NFKC", text))))
    return next((unit for unit in units if is_money(unit)), units[0] if units else "")


def _stated_units(text: str) -> Iterator[str]:
    for match in _STATED.finditer(text):
        for piece in filter(None, map(str.strip, _PARTS.split(match[1]))):
            yield read_unit(piece) or read_unit(piece.split()[0])
    for match in _BRACKETED.finditer(text):
        pieces = (match[1], *_PARTS.split(match[1]))
        yield from (read_unit(piece) for piece in pieces if not _LETTER.fullmatch(piece.strip()))
    yield read_unit(text)


def is_money(unit: str) -> bool:
    """Whether it counts a currency, at any scale; a bare scale ("in millions") counts as one."""
    counted = parts_of(unit)[1]
    return bool(unit) and (not counted or counted in _words().currencies)


def is_relative(unit: str) -> bool:
    """Whether it compares: per cent, points of percentage, basis points, times."""
    return unit in _RELATIVE


def parts_of(unit: str) -> tuple[float, str]:
    """(factor, what is counted): 百万元 -> (1e6, 元)."""
    scale = _SCALED.match(unit)
    return (_FACTORS[scale[1]], unit[scale.end() :]) if scale else (1.0, unit)
