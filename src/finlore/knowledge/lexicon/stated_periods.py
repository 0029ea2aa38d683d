"""The periods in running text, named as in tables: 2021, 2022Q3, 2020Q1-Q3, 2020-07, 2020M1-M7, 2015-2019, 2021-11-30.

A part of a year without its year (7月份, 前三季度, Q3) is that of the year said before it in the sentence, else the
latest one that had begun by the publication; where neither is known it is no period.
"""

import re
from calendar import monthrange
from datetime import date
from typing import Final

from finlore.knowledge.lexicon.english_periods import find_english_periods
from finlore.knowledge.lexicon.period import StatedPeriod, a_year_before, months_named, part_named
from finlore.language.normal import has_han
from finlore.records.table import Basis

_YEAR: Final = r"(?:19|20)\d\d"
_NUMERALS: Final = {"一": 1, "二": 2, "三": 3, "四": 4, "1": 1, "2": 2, "3": 3, "4": 4}
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_PART: Final = (
    r"(?P<upto>前三个?季度?|q1-q?3|三季报|1-9月份?(?!\d))"
    r"|m?(?P<m1>1[0-2]|[1-9])\s?月?份?\s?[-~—–至到]\s?m?(?P<m2>1[0-2]|[1-9])\s?月份?"
    r"|m(?P<mm1>1[0-2]|[1-9])-m?(?P<mm2>1[0-2]|[1-9])(?!\d)"
    r"|(?:第|单)?(?P<quarter>[一二三四1-4])季[度报]?"
    r"|q(?P<q>[1-4])(?![\d-])"
    r"|(?P<half>[上下])半年|(?P<mid>半年[度报]|中报|中期(?=报告|业绩|净利|营收|收入))|h(?P<h>[12])(?!\d)"
    r"|(?P<month>1[0-2]|0?[1-9])\s?月\s?(?P<day>[0-3]?\d)\s?[日号]"
    r"|(?P<only>1[0-2]|0?[1-9])\s?月份?(?!\d)|m(?P<mo>1[0-2]|[1-9])(?![\d-])"
)
_PATTERN: Final = re.compile(
    rf"(?<![\d.])(?P<from>{_YEAR}|(?<!\d)[012]\d(?=\s?年?\s?[-~—–至到]\s?\d\d\s?(?:年|[ae](?![a-z]))))"
    rf"(?P<frommark>[ae])?\s?年?"
    rf"(?:\s?[-~—–至到]\s?|\s(?={_YEAR}\s?年))(?P<to>{_YEAR}|[0-3]\d(?![\d./月%-]))"
    r"(?P<tomark>[ae](?![a-z]))?(?:\s?年(?!复合|均|化))?度?"
    rf"|(?<![\d.])(?P<iso>{_YEAR})[-/.](?P<isomonth>1[0-2]|0?[1-9])(?:[-/.](?P<isoday>[0-3]?\d))?"
    r"(?![\d%./万亿元倍])"
    r"|(?<![\d.a-z])(?P<qfirst>[1-4])q\s?(?P<qyear>(?:20)?\d\d)(?![\d%])"
    r"|(?<![\d.a-z])(?P<hfirst>[12])h\s?(?P<hyear>(?:20)?\d\d)(?![\d%])"
    r"|(?<![\d.a-z])(?P<mfirst>9|6|3|1[0-2])m\s?(?P<myear>(?:20)?\d\d)(?![\d%])"
    r"|(?<![a-z])(?P<ordinal>first|second|third|fourth)[- ]quarter(?:\sof)?(?:\sfy)?(?:\s(?P<oyear>20\d\d))?"
    rf"|(?<![\d.])(?<!\d,)(?<![$¥])(?<!rmb)(?<!usd)(?<!hkd)(?:fy\s?|cy\s?)?"
    rf"(?P<year>{_YEAR}|(?<!\d)[012]\d(?=\s?(?:年|q[1-4]|h[12]|m\d|[ae](?![a-z])))|(?<=fy)\d\d|(?<=fy\s)\d\d)"
    rf"(?![\d%万亿元倍家台]|\.\d|,\d{{3}})(?P<mark>[aef](?![a-z0-9]))?(?:\s?年(?!复合|均|化))?[度末底初内]?(?:公司|至今)?\s?"
    rf"(?:-?(?:{_PART}))?"
    rf"|(?P<ago>(?:去年|上年|last year)(?:同期)?)"
    r"|(?P<this>今年|本年度?|this year)\s?(?:(?P<thispart>前三个?季度|上半年|下半年)"
    r"|(?P<thism1>[1-9])-(?P<thism2>1[0-2]|[1-9])月份?)?"
    rf"|(?<![\d.])(?:{_PART.replace('?P<', '?P<x')})"
)  # fmt: skip

_SINCE: Final = re.compile(r"\s?(?:以来[^,。;]{0,6}(?:最|新高|新低|首|历史|第)|上市|成立)")


def find_stated_periods(text: str, *, published: date | None = None, year: int | None = None) -> list[StatedPeriod]:
    """The periods of a normalised text from left to right. `year`: the one last said before the text; it counts where
    nobody says when the document was published."""
    written = [] if has_han(text) else find_english_periods(text, published=published, year=year)
    found: list[StatedPeriod] = []
    said: int | None = None
    for match in _PATTERN.finditer(text):
        if _SINCE.match(text, match.end()) or any(p.start < match.end() and match.start() < p.end for p in written):
            continue
        period = _read(match, said, found[-1] if found else None, published, year)
        if period is not None:
            found.append(period)
            if not period.years:
                said = period.first.year if match["ago"] is None else said
    return sorted((*found, *written), key=lambda period: period.start) if written else found


def _read(
    match: re.Match[str], said: int | None, before: StatedPeriod | None, published: date | None, year: int | None
) -> StatedPeriod | None:
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    span = match.span()
    if "from" in parts:
        return _run(span, parts)
    if "ago" in parts:
        return _a_year_before(span, before, published)
    stated = next((parts[key] for key in ("year", "iso", "qyear", "hyear", "myear", "oyear") if key in parts), None)
    bare = {key.removeprefix("x"): value for key, value in parts.items()}
    mark = parts.get("mark")
    basis: Basis = "" if mark is None else "actual" if mark == "a" else "forecast"
    months = _months(bare)
    if months is None:
        if stated is None and "this" not in parts:
            return None
        months = ("", 1, 12)
    if stated is not None:
        of = _full(stated)
    elif "this" in parts:
        of = published.year if published else year or 0
    else:
        of = said or _latest(months[1], published) or year or 0
    return _made(span, of, months, basis, bare.get("day") or bare.get("isoday"))


def _months(parts: dict[str, str]) -> tuple[str, int, int] | None:
    """(suffix of the name, first month, last month) of a part of a year."""
    if "upto" in parts:
        return "Q1-Q3", 1, 9
    if "thispart" in parts:
        return {"前": ("Q1-Q3", 1, 9), "上": ("H1", 1, 6), "下": ("H2", 7, 12)}[parts["thispart"][0]]
    if "mfirst" in parts:
        return months_named(1, int(parts["mfirst"]))
    for first, last in (("m1", "m2"), ("mm1", "mm2"), ("thism1", "thism2")):
        if first in parts:
            return months_named(int(parts[first]), int(parts[last]))
    return _quarter_half_month(parts)


def _quarter_half_month(parts: dict[str, str]) -> tuple[str, int, int] | None:
    if quarter := parts.get("quarter") or parts.get("q") or parts.get("qfirst") or parts.get("ordinal"):
        nth = _NUMERALS.get(quarter) or _ORDINALS[quarter]
        return f"Q{nth}", 3 * nth - 2, 3 * nth
    if half := parts.get("half") or parts.get("h") or parts.get("hfirst") or parts.get("mid"):
        return ("H2", 7, 12) if half in {"下", "2"} else ("H1", 1, 6)
    month = int(parts.get("month") or parts.get("only") or parts.get("mo") or parts.get("isomonth") or 0)
    return (f"-{month:02}", month, month) if month else None


def _made(
    span: tuple[int, int], year: int, months: tuple[str, int, int], basis: Basis, day: str | None
) -> StatedPeriod | None:
    suffix, first, last = months
    if not 1950 <= year <= 2099:
        return None
    if day is not None:
        if not 1 <= int(day) <= monthrange(year, first)[1]:
            return None
        on = date(year, first, int(day))
        return StatedPeriod(*span, on.isoformat(), on, on, basis)
    return part_named(span, year, suffix, (first, last), basis)


def _run(span: tuple[int, int], parts: dict[str, str]) -> StatedPeriod | None:
    first, last = _full(parts["from"]), int(parts["to"])
    last = last if last > 99 else first // 100 * 100 + last
    if not first < last <= first + 40:
        return None
    marks = parts.get("frommark", "") + parts.get("tomark", "")
    basis: Basis = "forecast" if "e" in marks else "actual" if "a" in marks else ""
    years = tuple(range(first, last + 1))
    return StatedPeriod(*span, f"{first}-{last}", date(first, 1, 1), date(last, 12, 31), basis, years)


def _a_year_before(span: tuple[int, int], before: StatedPeriod | None, published: date | None) -> StatedPeriod | None:
    if before is not None and (earlier := a_year_before(before, span)) is not None:
        return earlier
    return _made(span, published.year - 1, ("", 1, 12), "", None) if published and before is None else None


def _full(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _latest(month: int, published: date | None) -> int | None:
    """The year whose part from `month` on is the latest that had begun by the publication."""
    if published is None:
        return None
    return published.year if month <= published.month else published.year - 1
