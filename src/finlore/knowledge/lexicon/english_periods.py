"""The periods that English prose writes out: first quarter of fiscal 2023, thirteen weeks ended April 29, 2023,
full-year 2024, second half of 2025, H1 2024, December 31, 2023. Named as all others (`stated_periods`)."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from finlore.knowledge.lexicon.period import StatedPeriod, months_named, part_named

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "final": 4}
_LENGTHS: Final = {
    "three": 3, "six": 6, "nine": 9, "twelve": 12, "thirteen": 3, "fourteen": 3, "twenty-six": 6, "thirty-nine": 9,
    "fifty-two": 12, "fifty-three": 12, "3": 3, "6": 6, "9": 9, "12": 12, "13": 3, "14": 3, "26": 6, "39": 9, "52": 12,
    "53": 12,
}  # fmt: skip
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_FISCAL: Final = r"(?:the\s)?(?:(?:company's\s)?(?:its|our)?\s?(?:fiscal|calendar|full)[- ]?)?(?:year\s|fy\s?)?"
_ORDINAL: Final = r"(?:first|second|third|fourth|final)"
_NO_NUMBER: Final = r"(?!\d|,\d|%|\.\d)"
_PATTERN: Final = re.compile(
    rf"(?<![a-z])(?:(?P<length>{'|'.join(_LENGTHS)})[- ](?:weeks?|months?)"
    rf"|(?:{_ORDINAL}[- ])?(?:(?:fiscal\s)?quarter|(?P<half>half)|(?P<whole>(?:fiscal\s)?year)))"
    r"(?:[- ]period)?(?:\s?\([^()]{1,40}\))?\send(?:ed|ing)\s(?:on\s)?"
    rf"(?:(?P<emonth>{_MONTH})\s(?P<eday>[0-3]?\d)|(?P<eday2>[0-3]?\d)\s(?P<emonth2>{_MONTH})),?\s(?P<eyear>20\d\d)"
    r"|(?<![a-z])(?:(?P<before>fiscal\s(?:year\s)?(?:20)?\d\d|20\d\d)(?:'s)?\s)?(?P<fiscal>fiscal\s)?"
    rf"(?P<ordinal>{_ORDINAL})[- ](?:fiscal[- ])?(?P<unit>quarter|half)(?:'s)?"
    rf"(?:,?\s(?:of\s|in\s)?(?P<of>{_FISCAL}(?:20\d\d|(?<=fiscal\s)\d\d|(?<=fy)\d\d)){_NO_NUMBER})?"
    r"|(?<![a-z0-9])(?P<part>[qh][1-4])(?:\sof)?(?:\s|')"
    r"(?P<partof>(?:fiscal\s(?:year\s)?|fy\s?)?'?(?:20\d\d|\d\d(?![\d.,%]|\s?[a-z])))"
    r"|(?<![a-z])(?P<year>(?:fiscal(?:[- ]year)?|full[- ]year|calendar(?:[- ]year)?|(?<!\d[- ])year)[- ](?:fiscal\s)?"
    rf"(?:20\d\d|(?<=fiscal\s)\d\d|(?<=fiscal\syear\s)\d\d)){_NO_NUMBER}"
    rf"|(?<![a-z])(?P<since>{_MONTH})(?:-|\s(?:to|through)\s)(?P<until>{_MONTH})(?![a-z])(?:\s(?:period|quarter))?"
    r"(?:,?\s(?:of\s)?(?P<ryear>20\d\d))?"
    rf"|(?<![a-z])(?P<month>{_MONTH})\s(?:(?P<day>[0-3]?\d),?\s)?(?P<myear>20\d\d)(?!\d|,\d|%)"
    rf"|(?<![\d.])(?P<day2>[0-3]?\d)\s(?P<month2>{_MONTH})\s(?P<myear2>20\d\d)(?!\d|,\d|%)"
)
_HINT: Final = re.compile(
    r"quarter|half|20\d\d|fiscal|year|[qh][1-4]\s|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct)[a-z]*(?:-|\s(?:to|through)\s)[a-z]"
)
_DAYS: Final = 30.4  # of a month
_JANUARY: Final = 15  # a year that ends before this day of February is named after the one before


def find_english_periods(text: str, *, published: date | None, year: int | None) -> list[StatedPeriod]:
    """The periods of a normalised English text from left to right. `published`, `year`: as in `stated_periods`."""
    if _HINT.search(text) is None:
        return []
    return list(_found(text, published, year))


def _found(text: str, published: date | None, year: int | None) -> Iterator[StatedPeriod]:
    said: int | None = None
    for match in _PATTERN.finditer(text):
        period = _read(match, said, published, year)
        if period is not None:
            said = period.first.year
            yield replace(period, is_fiscal="fiscal" in match.group())


def _read(match: re.Match[str], said: int | None, published: date | None, year: int | None) -> StatedPeriod | None:
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    span = match.span()
    if "eyear" in parts:
        return _ended(span, parts, match.group())
    if "since" in parts:
        named = months_named(_month(parts["since"]), _month(parts["until"]))
        of = int(parts["ryear"]) if "ryear" in parts else said or (_latest(named[1], published) if named else None)
        return part_named(span, of, named[0], named[1:]) if named and of else None
    if "part" in parts:
        return _part(span, _year_in(parts["partof"]), int(parts["part"][1]), is_half=parts["part"][0] == "h")
    if "ordinal" in parts:
        nth = _ORDINALS[parts["ordinal"]]
        is_half = parts["unit"] == "half"
        stated = parts.get("of") or parts.get("before")
        of = _year_in(stated) if stated else said or _latest((6 if is_half else 3) * (nth - 1) + 1, published) or year
        return _part(span, of, nth, is_half=is_half) if of else None
    if "year" in parts:
        return part_named(span, _year_in(parts["year"]), "", (1, 12))
    month, day = parts.get("month") or parts["month2"], parts.get("day") or parts.get("day2")
    return _of_date(span, int(parts.get("myear") or parts["myear2"]), _month(month), day)


def _part(span: tuple[int, int], year: int, nth: int, *, is_half: bool) -> StatedPeriod | None:
    months = 6 if is_half else 3
    if nth * months > 12:
        return None
    return part_named(span, year, f"{'H' if is_half else 'Q'}{nth}", (months * (nth - 1) + 1, months * nth))


def _of_date(span: tuple[int, int], year: int, month: int, day: str | None) -> StatedPeriod | None:
    if day is None:
        return part_named(span, year, f"-{month:02}", (month, month))
    if not 1 <= int(day) <= monthrange(year, month)[1]:
        return None
    on = date(year, month, int(day))
    return StatedPeriod(*span, on.isoformat(), on, on)


def _ended(span: tuple[int, int], parts: dict[str, str], printed: str) -> StatedPeriod | None:
    """What ended on a day, named by the middle of it: thirteen weeks to the end of April are a first quarter."""
    month, day = _month(parts.get("emonth") or parts["emonth2"]), int(parts.get("eday") or parts["eday2"])
    if not 1 <= day <= monthrange(int(parts["eyear"]), month)[1]:
        return None
    last = date(int(parts["eyear"]), month, day)
    months = _LENGTHS[parts["length"]] if "length" in parts else 6 if "half" in parts else 12 if "whole" in parts else 3
    is_month_end = day == monthrange(last.year, month)[1]
    first = last - timedelta(days=round(months * _DAYS) - 1)
    first = (first + timedelta(days=5)).replace(day=1) if is_month_end else first
    middle = first + (last - first) / 2
    if months == 12:
        return StatedPeriod(*span, str(_fiscal_year(last)), first, last)
    if months == 9:
        return StatedPeriod(*span, f"{middle.year}Q1-Q3", first, last)
    if months == 6:
        return StatedPeriod(*span, f"{middle.year}H{1 + (middle.month > 6)}", first, last)
    if nth := next((nth for word, nth in _ORDINALS.items() if printed.startswith(word)), 0):
        return StatedPeriod(*span, f"{_fiscal_year(last + timedelta(days=91 * (4 - nth)))}Q{nth}", first, last)
    return StatedPeriod(*span, f"{middle.year}Q{(middle.month + 2) // 3}", first, last)


def _fiscal_year(last: date) -> int:
    """What a year that ends on a day is called."""
    return last.year - ((last.month, last.day) < (2, _JANUARY))


def _month(printed: str) -> int:
    return _MONTHS.index(printed[:3]) + 1


def _year_in(printed: str) -> int:
    digits = re.findall(r"\d+", printed)[-1]
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _latest(month: int, published: date | None) -> int | None:
    """The year whose part from `month` on is the latest that had begun by the publication."""
    return None if published is None else published.year - (month > published.month)
