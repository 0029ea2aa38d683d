"""The periods in running text, named as in tables: 2021, 2022Q3, 2020Q1-Q3, 2020-07, 2020M1-M7, 2015-2019, 2021-11-30.

A part of a year without its year (7月份, 前三季度, Q3, first quarter) is that of the year said before it in the
sentence, else the latest one that had begun by the publication; where neither is known it is no period.
"""

import re
from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import count
from typing import Final

from finlore.knowledge.lexicon.period import StatedPeriod, a_year_before, month_end
from finlore.language.normal import has_han
from finlore.records.table import Basis

_YEAR: Final = r"(?:19|20)\d\d"
_EARLIEST, _LATEST = 1950, 2099
NUMERALS: Final = {
    **dict.fromkeys(("一", "1", "first"), 1), **dict.fromkeys(("二", "2", "second"), 2),
    **dict.fromkeys(("三", "3", "third"), 3), **dict.fromkeys(("四", "4", "fourth", "final"), 4),
}  # fmt: skip
_SECOND_HALF: Final = frozenset({"下", "2", "second", "final"})
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED: Final = {
    (1, 3): "Q1", (1, 6): "H1", (1, 9): "Q1-Q3", (1, 12): "", (4, 6): "Q2", (7, 9): "Q3", (10, 12): "Q4", (7, 12): "H2",
}  # fmt: skip
_LENGTHS: Final = {
    **dict.fromkeys(("three", "thirteen", "fourteen", "3", "13", "14", "quarter"), 3),
    **dict.fromkeys(("six", "twenty-six", "6", "26", "half"), 6),
    **dict.fromkeys(("nine", "thirty-nine", "9", "39"), 9),
    **dict.fromkeys(("twelve", "fifty-two", "fifty-three", "12", "52", "53", "year"), 12),
}
_DAYS: Final = 30.4  # of a month
_JANUARY: Final = (2, 15)
"""A year that ends before this day is named after the one before."""


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern in which several groups may have one name: each gets a number behind it."""
    numbers = count()
    return re.compile(re.sub(r"\(\?P<(\w+)>", lambda group: f"(?P<{group[1]}_{next(numbers)}>", pattern))


def parts_of(match: re.Match[str]) -> dict[str, str]:
    """What the groups of a compiled pattern matched, by their names as they were before."""
    return {name.rpartition("_")[0]: part for name, part in match.groupdict().items() if part is not None}


_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_FISCAL: Final = r"(?:the\s)?(?:(?:company's\s)?(?:its|our)?\s?(?:fiscal|calendar|full)[- ]?)?(?:year\s|fy\s?)?"
_ORDINAL: Final = "first|second|third|fourth|final"
_NO_NUMBER: Final = r"(?!\d|,\d|%|\.\d)"
_WRITTEN: Final = compiled(
    rf"(?<![a-z])(?:(?P<length>{'|'.join(_LENGTHS)})[- ](?:weeks?|months?)"
    rf"|(?:(?P<nth>{_ORDINAL})[- ])?(?:fiscal\s)?(?P<length>quarter|half|year))"
    r"(?:[- ]period)?(?:\s?\([^()]{1,40}\))?\send(?:ed|ing)\s(?:on\s)?"
    rf"(?:(?P<month>{_MONTH})\s(?P<day>[0-3]?\d)|(?P<day>[0-3]?\d)\s(?P<month>{_MONTH})),?\s(?P<year>20\d\d)"
    r"|(?<![a-z])(?:(?:fiscal\s(?:year\s)?(?P<year>(?:20)?\d\d)|(?P<year>20\d\d))(?:'s)?\s)?(?:fiscal\s)?"
    rf"(?:(?P<quarter>{_ORDINAL})[- ](?:fiscal[- ])?quarter|(?P<half>first|second|final)[- ](?:fiscal[- ])?half)(?:'s)?"
    rf"(?:,?\s(?:of\s|in\s)?{_FISCAL}(?P<year>20\d\d|(?<=fiscal\s)\d\d|(?<=fy)\d\d){_NO_NUMBER})?"
    r"|(?<![a-z0-9])(?:q(?P<quarter>[1-4])|h(?P<half>[12]))(?:\sof)?(?:\s|')"
    r"(?:fiscal\s(?:year\s)?|fy\s?)?'?(?P<year>20\d\d|\d\d(?![\d.,%]|\s?[a-z]))"
    r"|(?<![a-z])(?:fiscal(?:[- ]year)?|full[- ]year|calendar(?:[- ]year)?|(?<!\d[- ])year)[- ](?:fiscal\s)?"
    rf"(?P<year>20\d\d|(?<=fiscal\s)\d\d|(?<=fiscal\syear\s)\d\d){_NO_NUMBER}"
    rf"|(?<![a-z])(?P<since>{_MONTH})(?:-|\s(?:to|through)\s)(?P<until>{_MONTH})(?![a-z])(?:\s(?:period|quarter))?"
    r"(?:,?\s(?:of\s)?(?P<year>20\d\d))?"
    rf"|(?<![a-z])(?P<month>{_MONTH})\s(?:(?P<day>[0-3]?\d),?\s)?(?P<year>20\d\d)(?!\d|,\d|%)"
    rf"|(?<![\d.])(?P<day>[0-3]?\d)\s(?P<month>{_MONTH})\s(?P<year>20\d\d)(?!\d|,\d|%)"
)
"""What English prose writes out: first quarter of fiscal 2023, thirteen weeks ended April 29, 2023, full-year 2024."""
_PART: Final = (
    r"(?P<upto>前三个?季度?|q1-q?3|三季报|1-9月份?(?!\d))"
    r"|m?(?P<since>1[0-2]|[1-9])\s?月?份?\s?[-~—–至到]\s?m?(?P<until>1[0-2]|[1-9])\s?月份?"
    r"|m(?P<since>1[0-2]|[1-9])-m?(?P<until>1[0-2]|[1-9])(?!\d)"
    r"|(?:第|单)?(?P<quarter>[一二三四1-4])季[度报]?"
    r"|q(?P<quarter>[1-4])(?![\d-])"
    r"|(?P<half>[上下])半年|(?P<half>半年[度报]|中报|中期(?=报告|业绩|净利|营收|收入))|h(?P<half>[12])(?!\d)"
    r"|(?P<month>1[0-2]|0?[1-9])\s?月\s?(?P<day>[0-3]?\d)\s?[日号]"
    r"|(?P<month>1[0-2]|0?[1-9])\s?月份?(?!\d)|m(?P<month>1[0-2]|[1-9])(?![\d-])"
)
_SHORT: Final = compiled(
    rf"(?<![\d.])(?P<from>{_YEAR}|(?<!\d)[012]\d(?=\s?年?\s?[-~—–至到]\s?\d\d\s?(?:年|[ae](?![a-z]))))"
    rf"(?P<frommark>[ae])?\s?年?"
    rf"(?:\s?[-~—–至到]\s?|\s(?={_YEAR}\s?年))(?P<to>{_YEAR}|[0-3]\d(?![\d./月%-]))"
    r"(?P<tomark>[ae](?![a-z]))?(?:\s?年(?!复合|均|化))?度?"
    rf"|(?<![\d.])(?P<year>{_YEAR})[-/.](?P<month>1[0-2]|0?[1-9])(?:[-/.](?P<day>[0-3]?\d))?"
    r"(?![\d%./万亿元倍])"
    r"|(?<![\d.a-z])(?:(?P<quarter>[1-4])q|(?P<half>[12])h|(?P<until>9|6|3|1[0-2])m)\s?(?P<year>(?:20)?\d\d)(?![\d%])"
    rf"|(?<![a-z])(?P<quarter>{_ORDINAL})[- ]quarter(?:\sof)?(?:\sfy)?(?:\s(?P<year>20\d\d))?"
    rf"|(?<![\d.])(?<!\d,)(?<![$¥])(?<!rmb)(?<!usd)(?<!hkd)(?:fy\s?|cy\s?)?"
    rf"(?P<year>{_YEAR}|(?<!\d)[012]\d(?=\s?(?:年|q[1-4]|h[12]|m\d|[ae](?![a-z])))|(?<=fy)\d\d|(?<=fy\s)\d\d)"
    rf"(?![\d%万亿元倍家台]|\.\d|,\d{{3}})(?P<mark>[aef](?![a-z0-9]))?(?:\s?年(?!复合|均|化))?[度末底初内]?(?:公司|至今)?\s?"
    rf"(?:-?(?:{_PART}))?"
    rf"|(?P<ago>(?:去年|上年|last year)(?:同期)?)"
    r"|(?P<this>今年|本年度?|this year)\s?(?:(?P<upto>前三个?季度)|(?P<half>[上下])半年"
    r"|(?P<since>[1-9])-(?P<until>1[0-2]|[1-9])月份?)?"
    rf"|(?<![\d.])(?:{_PART})"
)
"""What Chinese prose, and figures in any, write: 2021年上半年, 22Q2, 1H20, 2020-07, 2022-24E, 去年同期."""
_SINCE: Final = re.compile(r"\s?(?:以来[^,。;]{0,6}(?:最|新高|新低|首|历史|第)|上市|成立)")


def find_stated_periods(text: str, *, published: date | None = None, year: int | None = None) -> list[StatedPeriod]:
    """The periods of a normalised text from left to right. `year`: the one last said before the text; it counts where
    nobody says when the document was published."""
    now = published or (date(year, 12, 31) if year else None)
    found: list[StatedPeriod] = []
    said: int | None = None
    for match in _matches(text):
        parts = parts_of(match)
        if "ago" in parts:
            period = _a_year_before(match.span(), found, published)
        else:
            period = _read(match.span(), parts, said, now)
        if period is not None:
            found.append(replace(period, is_fiscal=True) if "fiscal" in match.group() else period)
            if not (period.years or "ago" in parts):
                said = period.first.year
    return found


def _matches(text: str) -> Sequence[re.Match[str]]:
    """What may be periods, from left to right; what is written out goes first."""
    written = [] if has_han(text) else list(_WRITTEN.finditer(text))
    short = [
        match
        for match in _SHORT.finditer(text)
        if not any(other.start() < match.end() and match.start() < other.end() for other in written)
        and not _SINCE.match(text, match.end())
    ]
    return sorted((*written, *short), key=lambda match: match.start()) if written else short


def _read(span: tuple[int, int], parts: Mapping[str, str], said: int | None, now: date | None) -> StatedPeriod | None:
    if "from" in parts:
        return _run(span, parts)
    if "length" in parts:
        return _ended(span, parts)
    months = months_of(parts)
    if months is None:
        return None
    if "year" in parts:
        of = _full(parts["year"])
    elif said and "this" not in parts:
        of = said
    elif now is not None:
        of = now.year - ("this" not in parts and months[0] > now.month)
    else:
        return None
    basis: Basis = {"": "", "a": "actual"}.get(parts.get("mark", ""), "forecast")  # type: ignore[assignment]
    return _of_months(span, of, months, basis, parts.get("day"))


def months_of(parts: Mapping[str, str]) -> tuple[int, int] | None:
    """The first and the last month of what is stated; None where it ends before it begins."""
    if "upto" in parts:
        return 1, 9
    if "until" in parts:
        first, last = _month(parts.get("since", "1")), _month(parts["until"])
        return (first, last) if first < last else None
    if "quarter" in parts:
        nth = NUMERALS[parts["quarter"]]
        return 3 * nth - 2, 3 * nth
    if "half" in parts:
        return (7, 12) if parts["half"] in _SECOND_HALF else (1, 6)
    return (_month(parts["month"]),) * 2 if "month" in parts else (1, 12)


def _of_months(
    span: tuple[int, int], year: int, months: tuple[int, int], basis: Basis, day: str | None
) -> StatedPeriod | None:
    first, last = months
    if not _EARLIEST <= year <= _LATEST:
        return None
    if day is not None:
        return _of_day(span, year, first, int(day), basis)
    part = _NAMED.get(months, f"-{first:02}" if first == last else f"M{first}-M{last}")
    return StatedPeriod(*span, f"{year}{part}", date(year, first, 1), month_end(year, last), basis)


def _of_day(span: tuple[int, int], year: int, month: int, day: int, basis: Basis = "") -> StatedPeriod | None:
    if not 1 <= day <= monthrange(year, month)[1]:
        return None
    on = date(year, month, day)
    return StatedPeriod(*span, on.isoformat(), on, on, basis)


def _run(span: tuple[int, int], parts: Mapping[str, str]) -> StatedPeriod | None:
    first, last = _full(parts["from"]), int(parts["to"])
    last = last if last > 99 else first // 100 * 100 + last
    if not first < last <= first + 40:
        return None
    marks = parts.get("frommark", "") + parts.get("tomark", "")
    basis: Basis = "forecast" if "e" in marks else "actual" if "a" in marks else ""
    years = tuple(range(first, last + 1))
    return StatedPeriod(*span, f"{first}-{last}", date(first, 1, 1), date(last, 12, 31), basis, years)


def _a_year_before(span: tuple[int, int], found: Sequence[StatedPeriod], published: date | None) -> StatedPeriod | None:
    if found:
        return a_year_before(found[-1], span)
    return _of_months(span, published.year - 1, (1, 12), "", None) if published else None


def _ended(span: tuple[int, int], parts: Mapping[str, str]) -> StatedPeriod | None:
    """What ended on a day, named by the middle of it: thirteen weeks to the end of April are a first quarter."""
    on = _of_day(span, int(parts["year"]), _month(parts["month"]), int(parts["day"]))
    if on is None:
        return None
    last, months = on.last, _LENGTHS[parts["length"]]
    first = last - timedelta(days=round(months * _DAYS) - 1)
    if last == month_end(last.year, last.month):
        first = (first + timedelta(days=5)).replace(day=1)
    middle = first + (last - first) / 2
    name = {
        12: str(_fiscal_year(last)),
        9: f"{middle.year}Q1-Q3",
        6: f"{middle.year}H{1 + (middle.month > 6)}",
        3: f"{middle.year}Q{(middle.month + 2) // 3}",
    }[months]
    if months == 3 and "nth" in parts:
        nth = NUMERALS[parts["nth"]]
        name = f"{_fiscal_year(last + timedelta(days=91 * (4 - nth)))}Q{nth}"
    return StatedPeriod(*span, name, first, last)


def _fiscal_year(last: date) -> int:
    """What a year that ends on a day is called."""
    return last.year - ((last.month, last.day) < _JANUARY)


def _month(printed: str) -> int:
    return int(printed) if printed.isdecimal() else _MONTHS.index(printed[:3]) + 1


def _full(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits)
