"""The number in a cell: separators, brackets for less than nothing, currency before it, unit behind it."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from finlore.intake.tables.units import read_unit

_CURRENCY = r"(?:us\$|hk\$|nt\$|rmb|usd|hkd|cny|cn¥|eur|gbp|rs\.?|[$¥€£])"
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_SUFFIX = (
    r"%|‰|x|倍|个?百分点|个?pct|ppts?|pps?|bps?|个?基点|(?:百?万|万?亿)?元|万?亿|万"
    r"|mn|bn|tn|m|k|million|billion|trillion"
)
_NUMBER = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[+\-])?\s*(?P<currency>{_CURRENCY})?\s*(?P<inner>[+\-(])?\s*(?P<digits>{_DIGITS})"
    rf"\s*(?P<close>\))?\s*(?P<suffix>{_SUFFIX})?\s*(?P<end>\))?"
)
_FOOTNOTE = re.compile(r"[*†‡^#]+$|(?<=\d)\s*(?:\[\d\]|\(\d\))$")
_RAISED = re.compile(r"(?<=[\d%)])\s*(?:[¹²³⁰⁴-⁹]+|⁽[¹²³⁰⁴-⁹]+⁾)$")  # before it would become a digit more
_SPACED = re.compile(r"(?<=\d)\s*([.,])\s*(?=\d)")
_SIGNS = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "➖": "-", "△": "-", "▲": "+", "↑": "+"}
)
_BLANK = re.compile(  # 一 and 二 are what recognisers of scanned pages make of dashes
    r"-+|一|二|n\.?\s?[am]\.?|n/[am]|nm|nmf|/|\.{2,}|…|neg\.?|不适用|无", re.IGNORECASE
)
_SEVERAL = re.compile(rf"(?<![\d.,])[(+\-]?(?:{_DIGITS})%?\)?(?=\s+[(+\-]?(?:{_DIGITS})(?![\d.,]))")


@dataclass(frozen=True, slots=True)
class Number:
    """A value as printed; `decimals` tells how finely; `unit` is what stands in the cell itself."""

    value: float
    decimals: int
    unit: str = ""


@lru_cache(maxsize=8192)
def read_number(text: str) -> Number | None:
    """The one number that a cell holds; None where it holds something else, or more."""
    text = _SPACED.sub(r"\1", _folded(text).strip().lower())
    match = _NUMBER.fullmatch(text) or _NUMBER.fullmatch(_FOOTNOTE.sub("", text).strip())
    if match is None:
        return None
    opened = (match["open"] is not None) + (match["inner"] == "(")
    if opened > 1 or (opened == 1) != bool(match["close"] or match["end"]) or (match["close"] and match["end"]):
        return None
    if match["inner"] in {"+", "-"} and match["sign"]:
        return None
    digits = match["digits"].replace(",", "")
    negative = opened == 1 or "-" in {match["sign"], match["inner"]}
    value = -float(digits) if negative else float(digits)
    unit = read_unit(f"{match['currency'] or ''}{match['suffix'] or ''}")
    return Number(value, len(digits.partition(".")[2]), unit)


def is_blank(text: str) -> bool:
    """Whether a cell says that there is no value: empty, dashes, n.a."""
    text = _folded(text).strip()
    return not text or _BLANK.fullmatch(text) is not None


def holds_several(text: str) -> bool:
    """Whether several numbers stand in one cell, which is what glued columns look like."""
    return _SEVERAL.search(_SPACED.sub(r"\1", _folded(text))) is not None


def _folded(text: str) -> str:
    """Without the marks of notes that stand above the line, in one form of digits, brackets and signs."""
    return unicodedata.normalize("NFKC", _RAISED.sub("", text.rstrip())).translate(_SIGNS)
