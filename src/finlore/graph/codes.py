"""Codes of securities in text. A number is a code only where a market, a bracket or a word beside it says so."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from finlore.language.normal import fold

SENTENCES: Final = 2_048  # of the document at hand, each read several times: what was found in them is kept
_MARKETS: Final = {"SH": "SH", "SS": "SH", "SZ": "SZ", "BJ": "BJ"}
_CODE: Final = re.compile(
    r"(?<![\w.])(?P<before>SH|SZ|BJ)[.:]?(?P<a>\d{6})(?!\w)"
    r"|(?<![\w.])(?P<b>\d{6})\s?[.．]?\s?(?P<after>SH|SZ|BJ|SS|CH)(?![A-Za-z0-9])"
    r"|(?:[(（]|代码\s?[:：为]?\s?|(?i:code):?\s?)(?P<c>\d{6})(?=\s?[)）,，;；、。/\s]|$)"
    r"|(?<![\w.])(?P<d>\d{3,5})\s?[.．]?\s?HK(?![A-Za-z0-9])"
    r"|(?:NYSE|NASDAQ|Nasdaq|NasdaqGS|AMEX|NYSE American)\s?[:：]\s?(?P<e>[A-Z]{1,5})(?![A-Za-z])"
    r"|(?<![A-Za-z0-9.])(?P<f>[A-Z]{1,5})[.](?:US|OQ)(?![A-Za-z0-9])",
)


_POSSIBLE: Final = re.compile(r"\d{3}|[.](?:US|OQ)|NYSE|N(?i:asdaq)|AMEX")


@dataclass(frozen=True, slots=True)
class CodeMatch:
    """A code in a text; `entity` is its canonical id (300750.SZ, 00700.HK, TSLA.US)."""

    start: int
    end: int
    surface: str
    entity: str


def canonical_id(code: str) -> str | None:
    """`300750` or `300750.SZ` or `sz300750` -> `300750.SZ`, by the exchanges' numbering; None: no A or B share.

    A market that is stated wins over the numbering: 000001.SH is an index.
    """
    stated = re.fullmatch(r"(?i)(?:(SH|SZ|BJ)[.:]?)?(\d{6})(?:[.](SH|SZ|BJ|SS))?", code.strip())
    if not stated:
        return None
    market = _MARKETS.get((stated[1] or stated[3] or "").upper()) or _market(stated[2])
    return f"{stated[2]}.{market}" if market else None


def code_surface(code: str) -> str:
    """The surface of a code: six digits for the share that they number, else with its market (`000001 sh`)."""
    digits, _, market = code.partition(".")
    if digits.isdigit() and len(digits) == 6 and market in ("", _market(digits)):
        return digits
    return fold(code)


@lru_cache(maxsize=SENTENCES)
def find_codes(text: str) -> tuple[CodeMatch, ...]:
    """All codes of a text, from left to right."""
    if not _POSSIBLE.search(text):
        return ()
    found = []
    for match in _CODE.finditer(text):
        group = match.lastgroup or ""
        group = "b" if group == "after" else group
        entity = _entity(group, match)
        if entity:
            start, end = match.span() if group in "ab" else (match.start(group), match.end())
            if group == "c":
                end = match.end(group)
            found.append(CodeMatch(start, end, code_surface(entity), entity))
    return tuple(found)


def _entity(group: str, match: re.Match[str]) -> str | None:
    text = match[group]
    if group == "a":
        return canonical_id(match["before"] + text)
    if group == "b":
        return canonical_id(text if match["after"] == "CH" else f"{text}.{match['after']}")
    if group == "c":
        return canonical_id(text)
    return f"{text.zfill(5)}.HK" if group == "d" else f"{text}.US"


def _market(digits: str) -> str | None:
    if digits.startswith(("6", "900")):
        return "SH"
    if digits.startswith(("00", "30", "200")) or digits == "201872":  # the one B share outside of 200
        return "SZ"
    return "BJ" if digits.startswith(("43", "83", "87", "88", "92")) else None
