"""Periods as tables head their columns with: 2024A, 1Q25E, 2025年前三季度, "Three Months Ended March 31, 2025"."""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

from finlore.language.dates import MONTHS_IN, FoundDate, find_dates, months_from
from finlore.records.table import Basis

_Y4, _Y2 = r"(?:19|20)\d\d", r"'?\d\d"
_MARK = re.compile(r"\s?(?:([aef])(?![a-z])|\(([aef])\))")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month_name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_FORMS: Final = tuple(
    (kind, re.compile(form))
    for kind, form in (
        ("months", rf"(?<![\w.])(?:1-)?(?P<months>\d{{1,2}})m(?P<year>{_Y4}|{_Y2})(?!\d)"),
        ("months", rf"(?P<year>{_Y4}|(?<!\d)\d\d)\s?年?(?:前三季度?|三季报|第三季度报告|q1-q?3)"),
        ("months", rf"(?P<year>{_Y4}|(?<!\d)\d\d)\s?年?1-(?P<months>\d{{1,2}})\s?月份?"),
        ("quarter", rf"(?P<year>{_Y4}|(?<!\d)\d\d)\s?年?(?:第?一季报|第一季度报告)"),
        ("quarter", rf"(?<![\w.])(?:fy|cy)(?P<year>{_Y4}|{_Y2})\s?-?q(?P<quarter>[1-4])(?!\d)"),
        ("quarter", rf"(?<![\w.])q(?P<quarter>[1-4])-(?:fy|cy)?(?P<year>{_Y4}|{_Y2})(?![\d.%])"),
        ("half", rf"(?P<year>{_Y4}|(?<!\d)\d\d)\s?年?(?:中报|半年报|中期)"),
        ("half", rf"(?<![\w.])(?:fy|cy)?(?P<year>{_Y4}|{_Y2})\s?h(?P<half>[12])(?!\d)"),
        ("month", rf"(?<![\w.])(?P<year>{_Y4})\s?年?\s?m(?P<month>\d{{1,2}})(?!\d)"),
        ("month", rf"(?<![\w./-])(?P<year>{_Y4})[-/.年](?P<month>\d)(?![\w./%-]|\.\d)"),
        ("month", rf"(?<![a-z]){_MONTH}[.]?\s?[-'/ ]\s?(?P<year>{_Y4}|\d\d)(?![\d,%])"),
        ("month", rf"(?<![\w./])(?P<month>0?[1-9]|1[0-2])/(?P<year>{_Y4}|\d\d)(?![\d./%])"),
        ("year", rf"(?<![\w.,])(?:fy|cy|fiscal(?:\syear)?)\s?(?P<year>{_Y4}|{_Y2})(?![\d,./-])"),
        ("year", rf"(?<![\w.,$]){_Y2.replace('?', '?(?P<year>', 1)})(?=\s?[aef](?![a-z0-9]))"),
    )
)  # fmt: skip
_LENGTHS: Final = {"quarter": 3, "half": 6, "year": 12}
_FORECAST = re.compile(
    r"预测|预计|预期|估计|目标|指引|forecast|estimate|\best\b|guidance|projected|budget|outlook|consensus"
)
_ACTUAL = re.compile(r"实际|已公布|actual|\baudited|reported|经审计")
_NUMERALS: Final = {"three": 3, "six": 6, "nine": 9, "twelve": 12}
_DURATION = re.compile(
    r"(?P<number>three|six|nine|twelve|\d{1,2})[\s-](?P<unit>months?|weeks?)(?:\s(?:period|fiscal\speriod))?\s(?:ended|ending|to)|"
    r"(?P<quarter>quarter|fiscal\squarter)\s(?:ended|ending)|(?P<year>(?:fiscal\s)?years?)\s(?:ended|ending)|"
    r"(?P<cumulative>(?P<zh>[三六九]|十二)个月)"
)
_TTM = re.compile(r"(?<![a-z])(?:ttm|ltm)(?![a-z])|滚动12个月|过去12个月")
_RANGE = re.compile(
    rf"(?<![\w.])(?P<first>{_Y4})[ae]?\s?[-–~至到]\s?(?P<last>{_Y4}|\d\d)(?P<mark>[ae])?(?![\d/.])"
    r"|(?<![\w.])(?P<first2>\d\d)[ae]?\s?[-–~至到]\s?(?P<last2>\d\d)(?P<mark2>[ae])(?![a-z0-9])"
)
_MONTH_RANGE = re.compile(
    rf"(?<![\w.])(?P<first>{_Y4})[./年](?P<from>\d{{1,2}})月?\s?[-–~至到]\s?(?P<last>{_Y4})[./年](?P<to>\d{{1,2}})月?(?!\d)"
)
_AMOUNT = re.compile(r"(?!(?:19|20)\d\d[.]\d{1,2}$)[-+(]?(?:\d{1,3}(?:,\d{3})*|\d+(?=\.))(?:\.\d+)?[)%]?")  # most cells
_PART = re.compile(
    rf"(?<![a-z]){_MONTH}[.]?\s?(?:\d{{1,2}},?)?(?![\da-z])|(?<![\w.])(?:m\d{{1,2}}|q[1-4]|[1-4]q|h[12]|[12]h)(?!\w)|第?[一二三四]季度?"
    r"|(?<![\d.])\d{1,2}\s?月(?:\d{1,2}\s?日)?|[上下]半年度?|前三季度?|[一三]季报|中报|年报|全年"
)
_LEFT_OVER = re.compile(
    r"unaudited|audited|未经审计|经审计|restated|as of|as at|ended|ending|截至|截止|[()\s,:.年末底度]"
)


@dataclass(frozen=True, slots=True)
class Period:
    """`text` as in TableValue.period; `last` is its last day; `basis` what the header itself says of it."""

    text: str
    rank: int  # how fine: 0 year, 1 half or several quarters, 2 quarter, 3 month, 4 day, 5 duration to a day
    first: date
    last: date
    basis: Basis = ""


def read_period(headers: Sequence[str]) -> Period | None:
    """The period that the headers above a column give together, the lowest last; a year on top and a quarter below are
    one period, "April 29," and "2023" one day."""
    return _joined(tuple(headers))


@lru_cache(maxsize=4096)
def _joined(headers: tuple[str, ...]) -> Period | None:
    best: Period | None = None
    for nth in range(1, len(headers) + 1):
        found = find_period(" ".join(headers[-nth:]))
        if found is not None and (best is None or (found.rank > best.rank and _within(found, best))):
            best = found
    return best


def _within(fine: Period, coarse: Period) -> bool:
    return coarse.first <= fine.last <= coarse.last or coarse.text == fine.text


def is_period(text: str) -> bool:
    """Whether a cell says which period, and nothing else."""
    found = find_period(text)
    return found is not None and not left_over(text)


@lru_cache(maxsize=4096)
def left_over(text: str) -> str:
    """What a header says besides its period or a part of one, folded: 2024年归母净利润 -> 归母净利润."""
    folded = _folded(text)
    found = _found(folded)
    for start, end, _ in reversed(found):
        folded = folded[:start] + " " + folded[end:]
    if found:
        folded = _FORECAST.sub(" ", _ACTUAL.sub(" ", folded))
    folded = _PART.sub(" ", _DURATION.sub(" ", folded))
    return " ".join(folded.split()) if _LEFT_OVER.sub("", folded) else ""


@lru_cache(maxsize=4096)
def find_period(text: str) -> Period | None:
    """The one period in a text; None where there is none, or where several stand for something else."""
    folded = _folded(text)
    periods = list(dict.fromkeys(period for _, _, period in _found(folded)))
    if len(periods) != 1:
        return Period("TTM", 0, date.max, date.max, "actual") if not periods and _TTM.search(folded) else None
    found = periods[0]
    duration = _DURATION.search(folded)
    if duration is not None and found.rank == 4:
        found = _lasting(duration, found)
    return Period(found.text, found.rank, found.first, found.last, found.basis or _stated_basis(folded))


def year_before(period: str) -> str:
    """The same period a year earlier: 2025Q3 -> 2024Q3; "" where it does not begin with a year."""
    return f"{int(period[:4]) - 1}{period[4:]}" if period[:4].isdigit() else ""


def _stated_basis(folded: str) -> Basis:
    return "forecast" if _FORECAST.search(folded) else "actual" if _ACTUAL.search(folded) else ""


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).lower().replace("’", "'")).strip()


def _found(folded: str) -> list[tuple[int, int, Period]]:
    """The longest readings that do not overlap, from left to right."""
    kept: list[tuple[int, int, Period]] = []
    for start, end, period in sorted(_candidates(folded), key=lambda found: (found[0] - found[1], found[0])):
        if all(end <= other[0] or other[1] <= start for other in kept):
            kept.append((start, end, period))
    return sorted(kept, key=lambda found: found[:2])


def _candidates(folded: str) -> Iterator[tuple[int, int, Period]]:
    if _AMOUNT.fullmatch(folded) or not (any(map(str.isdecimal, folded)) or "〇" in folded):
        return
    for match in _RANGE.finditer(folded):
        if period := _years(match):
            yield *match.span(), period
    for match in _MONTH_RANGE.finditer(folded):
        if period := _run_of_months(match):
            yield *match.span(), period
    for kind, form in _FORMS:
        for match in form.finditer(folded):
            if period := _made(kind, _full_year(match["year"].lstrip("'")), match.groupdict()):
                yield _marked(folded, *match.span(), period)
    for found in find_dates(folded):
        if not folded[found.end :].lstrip().startswith("%"):
            yield _marked(folded, found.start, found.end, _written_out(found))


def _marked(folded: str, start: int, end: int, period: Period) -> tuple[int, int, Period]:
    """The period with what the mark behind it says: 2024E."""
    if (mark := _MARK.match(folded, end)) is None:
        return start, end, period
    basis: Basis = "actual" if "a" in mark.groups() else "forecast"
    return start, mark.end(), replace(period, basis=basis)


def _full_year(digits: str) -> int:
    year = int(digits)
    return year if year > 99 else year + (2000 if year < 70 else 1900)


def _made(kind: str, year: int, parts: Mapping[str, str | None]) -> Period | None:
    if kind == "months":
        return _calendar(year, 1, int(parts.get("months") or 9))
    if kind == "month":
        name = parts.get("month_name")
        return _calendar(year, _MONTHS.index(name[:3]) + 1 if name else int(parts["month"] or 0), 1)
    nth = 1 if kind == "year" else int(parts.get(kind) or 1)
    return _calendar(year, _LENGTHS[kind] * (nth - 1) + 1, _LENGTHS[kind])


def _calendar(year: int, first: int, n: int) -> Period | None:
    """`n` months of a year from its month `first` on, by the name that they have; None where there are no such months
    or no name."""
    if not 1 <= first <= 12 or not 1 <= n <= 13 - first:
        return None
    named = {1: (f"-{first:02}", 3), 3: (f"Q{first // 3 + 1}", 2), 6: (f"H{first // 6 + 1}", 1), 12: ("", 0)}
    if n == 1 or (n in named and first % n == 1):
        suffix, rank = named[n]
    elif first == 1:
        suffix, rank = "Q1-Q3" if n == 9 else f"M1-M{n}", 1
    else:
        return None
    return Period(f"{year}{suffix}", rank, *months_from(year, first, n))


def _written_out(found: FoundDate) -> Period:
    first = found.first
    period = None if found.grain == "day" else _calendar(first.year, first.month, MONTHS_IN[found.grain])
    return period or Period(first.isoformat(), 4, first, first)


def _lasting(duration: re.Match[str], end: Period) -> Period:
    """A flow up to a day: a quarter, half or year of the calendar where it is one, else an ISO duration and the day."""
    last = end.last
    if duration["cumulative"]:
        months, weeks = {"三": 3, "六": 6, "九": 9}.get(duration["zh"], 12), 0
    else:
        number = duration["number"]
        count = _NUMERALS.get(number) or int(number) if number else 3 if duration["quarter"] else 12
        weeks = count if (duration["unit"] or "").startswith("week") else 0
        months = 0 if weeks else count
    is_month_end = last.day == monthrange(last.year, last.month)[1]
    if months and is_month_end and (named := _calendar(last.year, last.month - months + 1, months)):
        return replace(named, rank=5, first=end.first, last=last)
    return Period(f"P{weeks}W/{last}" if weeks else f"P{months}M/{last}", 5, end.first, last)


def _years(match: re.Match[str]) -> Period | None:
    """Several years that count as one period, as a growth rate over them does."""
    first = _full_year(match["first"] or match["first2"])
    digits = match["last"] or match["last2"]
    last = int(digits) if len(digits) == 4 else first - first % 100 + int(digits)
    if not first < last <= first + 30:
        return None
    mark = match["mark"] or match["mark2"]
    basis: Basis = "" if mark is None else "actual" if mark == "a" else "forecast"
    return Period(f"{first}-{last}", 0, date(first, 1, 1), date(last, 12, 31), basis)


def _run_of_months(match: re.Match[str]) -> Period | None:
    """From a month to one in another year, or the same, as an ISO interval."""
    first, last = (int(match["first"]), int(match["from"])), (int(match["last"]), int(match["to"]))
    if not (first < last and 1 <= first[1] <= 12 and 1 <= last[1] <= 12):
        return None
    text = f"{first[0]}-{first[1]:02}/{last[0]}-{last[1]:02}"
    return Period(text, 1, date(*first, 1), date(*last, monthrange(*last)[1]))
