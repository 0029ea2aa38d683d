"""Codes of securities in canonical form: 300750.SZ, 00700.HK, AAPL.US."""

import re

_A_SHARE = re.compile(r"(?:60|68)\d{4}|00[0-4]\d{3}|30\d{4}|(?:4[0-9]|8[0-9]|92)\d{4}|(?:900|200)\d{3}")
_SUFFIXES = {
    "SH": "SH", "SS": "SH", "XSHG": "SH", "SZ": "SZ", "XSHE": "SZ", "BJ": "BJ", "HK": "HK",
    "US": "US", "O": "US", "N": "US", "OQ": "US", "NYSE": "US", "NASDAQ": "US", "AMEX": "US",
}  # fmt: skip
_DOTTED = re.compile(r"([A-Z]{1,5}|\d{1,6})[.\s]\s?([A-Z]{1,6})")
_PREFIXED = re.compile(
    r"(SH|SZ|BJ|HK|NASDAQ|NYSE|AMEX|NYSE AMERICAN|SSE|SZSE|SEHK|HKEX)\s?[:：]?\s?([A-Z]{1,5}|\d{1,6})"
)
_PREFIXES = {"SSE": "SH", "SZSE": "SZ", "SEHK": "HK", "HKEX": "HK", "NYSE AMERICAN": "US"}
_BRACKETED = re.compile(
    r"[（(\[【]\s{0,2}"
    r"(\d{6}(?:\s?\.\s?[A-Za-z]{2})?|\d{1,5}\s?\.\s?HK|[A-Z]{1,5}\s?\.\s?[A-Z]{1,6})"
    r"\s{0,2}(?:[/,，、;；][^()（）]{0,40})?[）)\]】]"
)
_LISTED = re.compile(
    r"\b(?:NASDAQ|NYSE(?: AMERICAN)?|AMEX|SSE|SZSE|SEHK|HKEX)\s?[:：]\s?(?:[A-Z]{1,5}|\d{1,6})\b", re.IGNORECASE
)
_SPACED_DOT = re.compile(r"\s?\.\s?")


def canonical_security(code: str) -> str | None:
    """The canonical form of a code as people write it (300750, sz300750, 600519.SS, 700.HK, NASDAQ: AAPL), or None."""
    code = code.strip().upper().replace("．", ".")
    if code.isdigit():
        return _chinese(code)
    if match := _DOTTED.fullmatch(code):
        return _with_exchange(match[1], _SUFFIXES.get(match[2]))
    if match := _PREFIXED.fullmatch(code):
        return _with_exchange(match[2], _PREFIXES.get(match[1]) or _SUFFIXES.get(match[1]))
    if re.fullmatch(r"[A-Z]{1,5}", code):
        return f"{code}.US"
    return None


def codes_in_brackets(text: str) -> list[str]:
    """Canonical codes in brackets after a name, and those after the name of their exchange (SZSE: 300750), in order."""
    found = [(match.start(), match[1]) for match in _BRACKETED.finditer(text)]
    found += [(match.start(), match.group()) for match in _LISTED.finditer(text)]
    codes = (canonical_security(_SPACED_DOT.sub(".", code)) for _, code in sorted(found))
    return list(dict.fromkeys(code for code in codes if code is not None))


def _with_exchange(code: str, exchange: str | None) -> str | None:
    if exchange is None or (exchange != "US" and not code.isdigit()) or (exchange == "US" and code.isdigit()):
        return None
    if exchange == "HK":
        return f"{int(code):05d}.HK" if len(code) <= 5 and int(code) else None
    return f"{code}.{exchange}" if exchange == "US" or len(code) == 6 else None


def _chinese(code: str) -> str | None:
    """Exchange by the first digits: 6, 900 Shanghai; 0, 2, 3 Shenzhen; 4, 8, 92 Beijing; five digits Hong Kong."""
    if len(code) == 5:
        return f"{code}.HK" if int(code) else None
    if _A_SHARE.fullmatch(code) is None:
        return None
    if code[0] == "6" or code.startswith("900"):
        return f"{code}.SH"
    return f"{code}.SZ" if code[0] in "023" else f"{code}.BJ"
