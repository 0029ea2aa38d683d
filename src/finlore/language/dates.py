"""Dates and periods in text, Chinese and English.

Only what is written out: 去年, 最近 or "last quarter" are not resolved.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

Grain = Literal["day", "month", "quarter", "half", "year"]
MONTHS_IN: Final[Mapping[Grain, int]] = {"month": 1, "quarter": 3, "half": 6, "year": 12}


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A period written in ``text[start:end]``: `first` to `last`, both included.

    A fiscal year counts as the calendar's.
    """

    start: int
    end: int
    first: date
    last: date
    grain: Grain


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month_name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_NUMERALS = {"〇": 0, "零": 0, "○": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_ZH = "[〇零○一二三四五六七八九]"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ZH_YEAR = rf"(?P<year>(?:19|20)\d\d|(?<!\d)\d\d|{_ZH}{{4}})"
_QUARTER = r"(?P<quarter>[1-4一二三四])"
_HALF = r"(?P<half>上|下)半年度?"
_GAP = r"\s{0,3}"

_PATTERNS: tuple[tuple[Grain, str], ...] = (
    ("day", rf"{_ZH_YEAR}{_GAP}年{_GAP}(?P<month>\d{{1,2}}|十[一二]?|[一二三四五六七八九]){_GAP}月{_GAP}"
            rf"(?P<day>\d{{1,2}}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]){_GAP}[日号]"),
    ("day", rf"(?<![\d.]){_YEAR}(?P<mark>\s?[-/.]\s?)(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})(?!\d|[-/.]\d)"),
    ("day", rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]{{1,2}}(?:of\s)?{_MONTH}[\s,-]{{1,3}}{_YEAR}(?!\d)"),
    ("day", rf"(?<![a-z]){_MONTH}\s{{1,2}}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,2}}{_YEAR}(?!\d)"),
    ("quarter", rf"{_ZH_YEAR}{_GAP}年?{_GAP}第?{_QUARTER}{_GAP}季度?"),
    ("quarter", rf"(?<![\d.]){_YEAR}\s?-?q(?P<quarter>[1-4])(?!\d)"),
    ("quarter", r"(?<![\d.a-z])(?P<year>\d\d)q(?P<quarter>[1-4])(?!\d)"),
    ("quarter", r"(?<![\da-z])q(?P<quarter>[1-4])\s?(?:of\s|fy\s?)?(?P<year>(?:19|20)\d\d|'?\d\d(?![\d%.]))(?!\d)"),
    ("quarter", r"(?<![\d.])(?P<quarter>[1-4])q\s?(?P<year>(?:19|20)?\d\d)(?!\d)"),
    ("quarter", r"(?P<quarter>first|second|third|fourth)\s(?:fiscal\s)?quarter\s"
                rf"(?:of\s)?(?:fiscal\s)?(?:year\s)?{_YEAR}"),
    ("half", rf"{_ZH_YEAR}{_GAP}年?{_GAP}{_HALF}"),
    ("half", rf"{_YEAR}{_GAP}年?{_GAP}(?P<half>中报|中期报告|半年报|半年度)"),
    ("half", rf"(?<![\d.]){_YEAR}\s?h(?P<half>[12])(?!\d)"),
    ("half", r"(?<![\da-z.])(?:h(?P<half>[12])\s?|(?P<half2>[12])h\s?)(?P<year>(?:19|20)?\d\d)(?!\d)"),
    ("month", rf"{_ZH_YEAR}{_GAP}年{_GAP}(?P<month>\d{{1,2}}|十[一二]?|[一二三四五六七八九]){_GAP}月份?"),
    ("month", rf"(?<![\d.]){_YEAR}[-/.](?P<month>0[1-9]|1[0-2])(?![\d%]|[-/.]\d)"),
    ("month", rf"(?<![a-z]){_MONTH}\s{{1,2}}{_YEAR}(?!\d)"),
    ("year", rf"{_ZH_YEAR}{_GAP}年(?:度|报)?"),
    ("year", r"(?<![a-z])(?:fy|fiscal(?:\syear)?\s?)\s?(?P<year>(?:19|20)\d\d|\d\d)(?!\d)"),
    ("year", rf"(?<![\d.,$¥]){_YEAR}(?!\d|[.,]\d|[%％]|[-–~]\d{{1,2}}(?!\d))"),
)  # fmt: skip
_HINT = re.compile(r"\d\d|[零〇○一二三四五六七八九]{4}|q\d|\dq|h\d|\dh", re.IGNORECASE)
_COMPILED = tuple((grain, re.compile(pattern, re.IGNORECASE)) for grain, pattern in _PATTERNS)
_COMPACT = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?!\d)")


def find_dates(text: str) -> list[FoundDate]:
    """All dates and periods of `text` in order, the longest reading of each place; impossible ones are left out."""
    if _HINT.search(text) is None:
        return []
    found: list[FoundDate] = []
    taken: list[tuple[int, int]] = []
    for grain, pattern in _COMPILED:
        for match in pattern.finditer(text):
            span = match.span()
            if any(start < span[1] and span[0] < end for start, end in taken):
                continue
            taken.append(span)  # an impossible date is not read as a shorter one either
            if (period := _period(grain, match)) is not None:
                found.append(FoundDate(*span, *period, grain))
    return sorted(found, key=lambda date_: date_.start)


def find_days(text: str) -> list[FoundDate]:
    """The full dates of `text`, those written as eight digits (20240531) included."""
    days = [found for found in find_dates(text) if found.grain == "day"]
    for match in _COMPACT.finditer(text):
        if (period := _period("day", match)) is not None:
            days.append(FoundDate(*match.span(), *period, "day"))
    return sorted(days, key=lambda found: found.start)


def months_from(year: int, first: int, n: int) -> tuple[date, date]:
    """The first and the last day of `n` months of one year, from its month `first` on."""
    last = first + n - 1
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _period(grain: Grain, match: re.Match[str]) -> tuple[date, date] | None:
    """The first and the last day of what was found; None where the calendar has no such days."""
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    year = _year(parts["year"])
    first = _FIRST_MONTH[grain](parts)
    if year is None or not 1 <= first <= 12:
        return None
    if grain != "day":
        return months_from(year, first, MONTHS_IN[grain])
    day = _number(parts["day"])
    return (date(year, first, day),) * 2 if 1 <= day <= monthrange(year, first)[1] else None


def _quarter(parts: Mapping[str, str]) -> int:
    """The first month of a quarter."""
    return 3 * (_ORDINALS.get(parts["quarter"].lower()) or _number(parts["quarter"])) - 2


def _half(parts: Mapping[str, str]) -> int:
    return 7 if parts.get("half", parts.get("half2")) in {"下", "2"} else 1


def _month(parts: Mapping[str, str]) -> int:
    if name := parts.get("month_name"):
        return _MONTHS.index(name[:3].lower()) + 1
    return _number(parts["month"])


def _year(digits: str) -> int | None:
    digits = digits.lstrip("'")
    if not digits.isdecimal():
        digits = "".join(str(_NUMERALS[digit]) for digit in digits)
    year = int(digits)
    year = year + 2000 if year < 70 else year + 1900 if year < 100 else year
    return year if 1900 <= year < 2100 else None


def _number(digits: str) -> int:
    """An arabic number of any width, or a Chinese one below forty."""
    if digits.isdecimal():
        return int(digits)
    if "十" not in digits:
        return _NUMERALS[digits]
    tens, _, ones = digits.partition("十")
    return (_NUMERALS[tens] if tens else 1) * 10 + (_NUMERALS[ones] if ones else 0)


_FIRST_MONTH: Final[Mapping[Grain, Callable[[Mapping[str, str]], int]]] = {
    "day": _month, "month": _month, "quarter": _quarter, "half": _half, "year": lambda _: 1,
}  # fmt: skip
