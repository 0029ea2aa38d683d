"""Codes of securities: their canonical form (300750.SZ, 00700.HK, AAPL.US), and where they stand in text.

A number in text is a code only where a market, a bracket or a word beside it says so.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from finlore.language.normal import fold

SENTENCES: Final = 2_048  # of the document at hand, each read several times: what was found in them is kept
_LONGEST: Final = 32  # characters of a code with all that stands around it
_EXCHANGES: Final = {
    "SH": "SH", "SS": "SH", "XSHG": "SH", "SSE": "SH", "SZ": "SZ", "XSHE": "SZ", "SZSE": "SZ", "BJ": "BJ", "BSE": "BJ",
    "HK": "HK", "SEHK": "HK", "HKEX": "HK", "US": "US", "O": "US", "N": "US", "OQ": "US", "NYSE": "US", "NASDAQ": "US",
    "AMEX": "US", "NYSE AMERICAN": "US", "CH": "",
}  # fmt: skip
_NUMBERING: Final = (
    (re.compile(r"60\d{4}|68\d{4}|900\d{3}"), "SH"),
    (re.compile(r"00[0-4]\d{3}|30\d{4}|200\d{3}|201872"), "SZ"),  # the last is the one B share outside of 200
    (re.compile(r"(?:43|83|87|88|92)\d{4}"), "BJ"),
    (re.compile(r"(?!0{5})\d{5}"), "HK"),
)
_DOTTED = re.compile(r"([A-Z]{1,5}|\d{1,6})[.\s]\s?([A-Z]{1,6})")
_PREFIXED = re.compile(
    r"(SH|SZ|BJ|HK|NASDAQ|NYSE|AMEX|NYSE AMERICAN|SSE|SZSE|BSE|SEHK|HKEX)\s?[.:：]?\s?([A-Z]{1,5}|\d{1,6})"
)
_BRACKETED = re.compile(
    r"[（(\[【]\s{0,2}"
    r"(\d{6}(?:\s?\.\s?[A-Za-z]{2})?|\d{1,5}\s?\.\s?HK|[A-Z]{1,5}\s?\.\s?[A-Z]{1,6})"
    r"\s{0,2}(?:[/,，、;；][^()（）]{0,40})?[）)\]】]"
)
_LISTED = re.compile(
    r"\b(?:NASDAQ|NYSE(?: AMERICAN)?|AMEX|SSE|SZSE|SEHK|HKEX)\s?[:：]\s?(?:[A-Z]{1,5}|\d{1,6})\b", re.IGNORECASE
)
_SPACED_DOT = re.compile(r"\s?\.\s?")
_CODE: Final = re.compile(
    r"(?<![\w.])(?P<before>SH|SZ|BJ)[.:]?(?P<a>\d{6})(?!\w)"
    r"|(?<![\w.])(?P<b>\d{6})\s?[.．]?\s?(?P<after>SH|SZ|BJ|SS|CH)(?![A-Za-z0-9])"
    r"|(?:[(（]|代码\s?[:：为]?\s?|(?i:code):?\s?)(?P<c>\d{6})(?=\s?[)）,，;；、。/\s]|$)"
    r"|(?<![\w.])(?P<d>\d{3,5})\s?[.．]?\s?HK(?![A-Za-z0-9])"
    r"|(?:NYSE|NASDAQ|Nasdaq|NasdaqGS|AMEX|NYSE American)\s?[:：]\s?(?P<e>[A-Z]{1,5})(?![A-Za-z])"
    r"|(?<![A-Za-z0-9.])(?P<f>[A-Z]{1,5})[.](?:US|OQ)(?![A-Za-z0-9])",
)
_POSSIBLE: Final = re.compile(r"\d{6}|HK|[.](?:US|OQ)|NYSE|N(?i:asdaq)|AMEX")


@dataclass(frozen=True, slots=True)
class CodeMatch:
    """A code in a text; `entity` is its canonical form."""

    start: int
    end: int
    surface: str
    entity: str


def canonical_security(code: str) -> str | None:
    """The canonical form of a code as people write it (300750, sz300750, 600519.SS, 700.HK, NASDAQ: AAPL), or None.

    A market that is stated wins over the numbering: 000001.SH is an index.
    """
    return _canonical(code) if len(code) <= _LONGEST else None


@lru_cache(maxsize=1 << 14)  # more than a market has securities: the columns of its files name the same ones
def _canonical(code: str) -> str | None:
    code = code.strip().upper().replace("．", ".")
    if code.isdecimal() and code.isascii():
        return _numbered(code)
    if match := _DOTTED.fullmatch(code):
        return _with_exchange(match[1], _EXCHANGES.get(match[2]))
    if match := _PREFIXED.fullmatch(code):
        return _with_exchange(match[2], _EXCHANGES[match[1]])
    if re.fullmatch(r"[A-Z]{1,5}", code):
        return f"{code}.US"
    return None


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


def codes_in_brackets(text: str) -> list[str]:
    """Canonical codes in brackets after a name, and those after the name of their exchange (SZSE: 300750), in order."""
    found = [(match.start(), match[1]) for match in _BRACKETED.finditer(text)]
    found += [(match.start(), match.group()) for match in _LISTED.finditer(text)]
    codes = (canonical_security(_SPACED_DOT.sub(".", code)) for _, code in sorted(found))
    return list(dict.fromkeys(code for code in codes if code is not None))


def _entity(group: str, match: re.Match[str]) -> str | None:
    text = match[group]
    if group == "a":
        return canonical_security(match["before"] + text)
    if group == "b":
        return canonical_security(f"{text}.{match['after']}")
    if group == "c":
        return canonical_security(text)
    return canonical_security(f"{text}.{'HK' if group == 'd' else 'US'}")


def _with_exchange(code: str, exchange: str | None) -> str | None:
    """`exchange`: None where there is none of that name, "" for any Chinese one."""
    if exchange == "":
        return _numbered(code) if len(code) == 6 else None
    if exchange is None or (exchange == "US") == code.isdigit():
        return None
    if exchange == "HK":
        return f"{int(code):05d}.HK" if len(code) <= 5 and int(code) else None
    return f"{code}.{exchange}" if exchange == "US" or len(code) == 6 else None


def _numbered(digits: str) -> str | None:
    market = _market(digits)
    return f"{digits}.{market}" if market else None


def _market(digits: str) -> str | None:
    """The exchange whose numbering it is: by the first digits of six, Hong Kong for five."""
    return next((market for numbers, market in _NUMBERING if numbers.fullmatch(digits)), None)
