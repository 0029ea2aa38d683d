"""Time frames as sentences state them, resolved where they can be: dates, ranges, 未来三年, by 2026, 今年, Q3.

A year or quarter without its year is that of the publication, the latest one that fits; without a
publication date it stays words.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from finlore.language.dates import find_dates

_ZH_DIGITS: Final = {"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10}
_MONTH: Final = 31
_EN_DIGITS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}


@dataclass(frozen=True, slots=True)
class TimeFrame:
    """`text[start:end]` and the days it means, both included; None where it does not say (by 2026 has no first)."""

    start: int
    end: int
    first: date | None = None
    last: date | None = None
    is_stated: bool = True  # written out, not inferred from the publication


_RANGE = re.compile(
    r"(?<![\d.])(?P<from>(?:19|20)\d\d)\s?(?:年)?\s?[-–—~～至到]\s?(?P<to>(?:19|20)?\d\d)\s?(?:年|E\b|\b)(?![\d.%-])|"
    r"(?<![\d.])(?P<short>\d\d)\s?[-–—~～]\s?(?P<short_to>\d\d)\s?年"
)
_NEXT = re.compile(
    r"(?:未来|今后|接下来)(?:的)?(?P<n>[一二两三四五六七八九十\d]{1,2})(?P<to>(?:至|到|-|~)[一二三四五六七八九十\d]{1,2})?(?P<unit>个?月|年|个?季度)"
    r"|(?:over\s)?(?:the\s)?(?:next|coming)\s(?P<en>one|two|three|four|five|six|ten|\d{1,2})?\s?(?:to\s\w+\s)?(?P<en_unit>years?|months?|quarters?)",
    re.IGNORECASE,
)
_BY = re.compile(r"(?:到|至|截至|截止|by(?:\sthe)?(?:\send)?(?:\sof)?)\s?$", re.IGNORECASE)
_RELATIVE = re.compile(
    r"(?P<this>今年|本年度?|年内|this year)|(?P<last>去年|上年|last year)|(?P<next>明年|next year)"
    r"|(?<![\d年])(?:(?P<day_month>\d{1,2})月(?P<day>\d{1,2})[日号](?:晚间?|上午|下午|早间)?)"
    r"|(?<![\d年])(?P<month>1[0-2]|[1-9])月份?(?![\d日])"
    r"|(?<![\d年Q第])(?:第?(?P<quarter>[一二三四])季度|(?<![a-zA-Z\d])Q(?P<q>[1-4])(?![\d])|(?P<en_q>first|second|third|fourth)[-\s]quarter)"
    r"|(?<![\d年])(?:前(?P<upto>[二三])(?:个)?季度?|(?P<half>[上下])半年|(?P<en_half>first|second)\shalf|(?<![a-zA-Z\d])H(?P<h>[12])(?!\d))"
    r"|(?<!\d)(?P<bare_day>[12]?\d|3[01])日(?:晚间?|上午|下午)?(?=[，,公告发晚披在与]|$)",
    re.IGNORECASE,
)
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_TO = re.compile(r"\s?(?:至|到|[-–—~]|to|through)\s?")
_BASELINE = re.compile(
    r"(?:较|比|相较于?|相比|对比|than in|than|versus|vs\.?|compared (?:with|to)|from"
    r"|(?:compared|versus|than)[^,;]{0,40}\s(?:in|of|for|at)(?:\sthe)?)\s?$",
    re.IGNORECASE,
)
_VAGUE = re.compile(
    r"近年来?|近期|日前|目前|短期内?|中长期|长期来看|报告期内?|近日|下半年以来|年初以来"
    r"|recently|in the near term|in the long run|year-to-date",
    re.IGNORECASE,
)


def time_frames(text: str, published: date | None = None) -> list[TimeFrame]:
    """The time frames of a sentence from left to right, the longest at each place; vague ones (近期) have no days."""
    frames: list[TimeFrame] = []
    for frame in _candidates(text, published):
        if _BASELINE.search(text, max(frame.start - 60, 0), frame.start) or text.startswith("同期", frame.end):
            continue  # what is compared with, not when it happens
        if all(frame.end <= other.start or other.end <= frame.start for other in frames):
            frames.append(frame)
    return _joined(text, sorted(frames, key=lambda frame: frame.start))


def _joined(text: str, frames: list[TimeFrame]) -> list[TimeFrame]:
    """With what lies between two dates as one frame: 2012年6月至2013年2月."""
    joined: list[TimeFrame] = []
    for frame in frames:
        last = joined[-1] if joined else None
        if last and last.first and frame.last and _TO.fullmatch(text, last.end, max(frame.start, last.end)):
            joined[-1] = TimeFrame(last.start, frame.end, last.first, frame.last, last.is_stated and frame.is_stated)
        else:
            joined.append(frame)
    return joined


def _candidates(text: str, published: date | None) -> Iterator[TimeFrame]:
    for match in _RANGE.finditer(text):
        first = int(match["from"] or f"20{match['short']}")
        last = int(match["to"] or match["short_to"])
        last = last if last > 99 else first // 100 * 100 + last
        if first < last <= first + 30:
            yield TimeFrame(*match.span(), date(first, 1, 1), date(last, 12, 31))
    dates = find_dates(text)
    for found in dates:
        by = _BY.search(text, max(found.start - 16, 0), found.start)
        by = None if by and any(other.end == by.start() for other in dates) else by
        yield TimeFrame(by.start() if by else found.start, found.end, None if by else found.first, found.last)
    for match in _NEXT.finditer(text):
        yield _ahead(match, published)
    for match in _RELATIVE.finditer(text):
        since, until = (_resolved(match, published) if published else None) or (None, None)
        yield TimeFrame(match.start(), match.end(), since, until, is_stated=False)
    for match in _VAGUE.finditer(text):
        yield TimeFrame(*match.span(), is_stated=False)


def _ahead(match: re.Match[str], published: date | None) -> TimeFrame:
    n = _count(match["to"].lstrip("至到-~") if match["to"] else match["n"] or match["en"] or "1")
    unit = match["unit"] or match["en_unit"].lower()
    months = n * (12 if unit.startswith(("年", "year")) else 3 if "季" in unit or unit.startswith("quarter") else 1)
    if published is None or months > 600:
        return TimeFrame(*match.span(), is_stated=False)
    year, month = divmod(published.year * 12 + published.month - 1 + months, 12)
    return TimeFrame(*match.span(), published, date(year, month + 1, min(published.day, 28)), is_stated=False)


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _EN_DIGITS.get(text.lower(), 0) or max(_ZH_DIGITS.get(c, 1) for c in text)


def _resolved(match: re.Match[str], published: date) -> tuple[date, date] | None:
    """The days of a relative frame, none of which begins after the publication (next year apart)."""
    year = published.year
    if match["this"] or match["last"] or match["next"]:
        year += 1 if match["next"] else -1 if match["last"] else 0
        return date(year, 1, 1), date(year, 12, 31)
    if match["bare_day"]:
        return _latest(
            lambda at: (date(at // 12, at % 12 + 1, int(match["bare_day"])),) * 2,
            year * 12 + published.month - 1,
            published,
        )
    if match["day_month"]:
        return _latest(lambda at: (date(at, int(match["day_month"]), int(match["day"])),) * 2, year, published)
    first, last = _months(match)
    return _latest(lambda at: (date(at, first, 1), _month_end(at, last)), year, published)


def _months(match: re.Match[str]) -> tuple[int, int]:
    """First and last month of a part of a year."""
    if match["month"]:
        return (int(match["month"]),) * 2
    if match["upto"]:
        return 1, 3 * _ZH_DIGITS[match["upto"]]
    if half := match["half"] or match["h"] or match["en_half"]:
        return (7, 12) if half.lower() in {"下", "2", "second"} else (1, 6)
    said = match["quarter"] or match["q"] or match["en_q"]
    quarter = _ZH_DIGITS.get(said) or _ORDINALS.get(said.lower()) or int(said)
    return 3 * quarter - 2, 3 * quarter


def _latest(days: Callable[[int], tuple[date, date]], at: int, published: date) -> tuple[date, date] | None:
    """The period numbered `at`, else the one before: a day or month that has begun by the publication, a longer one
    that is half over; None for no date."""
    for number in (at, at - 1):
        try:
            first, last = days(number)
        except ValueError:  # 31 June
            continue
        if first + (last - first) * (0.5 if (last - first).days > _MONTH else 0.0) <= published:
            return first, last
    return None


def _month_end(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
