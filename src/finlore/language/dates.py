"""Dates and periods in text, Chinese and English.

Only what is written out: 去年, 最近 or "last quarter" are not resolved.
"""

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

Grain = Literal["day", "month", "quarter", "half", "year"]


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


def _period(grain: Grain, match: re.Match[str]) -> tuple[date, date] | None:
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    year = _year(parts["year"])
    if year is None:
        return None
    return _PERIODS[grain](year, parts)


def _day(year: int, parts: dict[str, str]) -> tuple[date, date] | None:
    month, day = _month(parts), _number(parts["day"])
    if not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        return None
    return (date(year, month, day),) * 2


def _whole_month(year: int, parts: dict[str, str]) -> tuple[date, date] | None:
    month = _month(parts)
    return _months(year, month, month) if 1 <= month <= 12 else None


def _quarter(year: int, parts: dict[str, str]) -> tuple[date, date] | None:
    quarter = {"first": 1, "second": 2, "third": 3, "fourth": 4}.get(parts["quarter"].lower()) or _number(
        parts["quarter"]
    )
    return _months(year, 3 * quarter - 2, 3 * quarter)


def _half(year: int, parts: dict[str, str]) -> tuple[date, date] | None:
    second = parts.get("half", parts.get("half2")) in {"下", "2"}
    return _months(year, 7, 12) if second else _months(year, 1, 6)


def _whole_year(year: int, parts: dict[str, str]) -> tuple[date, date] | None:
    return _months(year, 1, 12)


_PERIODS: dict[Grain, Callable[[int, dict[str, str]], tuple[date, date] | None]] = {
    "day": _day, "month": _whole_month, "quarter": _quarter, "half": _half, "year": _whole_year,
}  # fmt: skip


def _months(year: int, first: int, last: int) -> tuple[date, date]:
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _month(parts: dict[str, str]) -> int:
    if name := parts.get("month_name"):
        return _MONTHS.index(name[:3].lower()) + 1
    return _number(parts["month"])


def _year(digits: str) -> int | None:
    digits = digits.lstrip("'")
    if not digits.isascii() or not digits.isdigit():
        digits = "".join(str(_NUMERALS[digit]) for digit in digits)
    year = int(digits)
    year = year + 2000 if year < 70 else year + 1900 if year < 100 else year
    return year if 1900 <= year < 2100 else None


def _number(digits: str) -> int:
    """An arabic number, or a Chinese one below forty."""
    if digits.isdigit() and digits.isascii():
        return int(digits)
    if "十" not in digits:
        return _NUMERALS[digits]
    tens, _, ones = digits.partition("十")
    return (_NUMERALS[tens] if tens else 1) * 10 + (_NUMERALS[ones] if ones else 0)
