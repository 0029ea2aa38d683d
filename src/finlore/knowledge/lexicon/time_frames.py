"""Time frames as sentences state them, resolved where they can be: dates, ranges, 未来三年, by 2026, 今年, Q3.

A year or quarter without its year is that of the publication, the latest one that fits; without a
publication date it stays words.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from finlore.knowledge.lexicon.period import month_end
from finlore.knowledge.lexicon.stated_periods import NUMERALS, compiled, months_of, parts_of
from finlore.language.dates import find_dates

_COUNTS: Final = {
    "两": 2, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "one": 1, "two": 2, "three": 3, "four": 4,
    "five": 5, "six": 6, "ten": 10, **NUMERALS,
}  # fmt: skip
_MONTH: Final = 31
_FARTHEST: Final = 600  # months ahead that a text may mean


@dataclass(frozen=True, slots=True)
class TimeFrame:
    """`text[start:end]` and the days it means, both included; None where it does not say (by 2026 has no first)."""

    start: int
    end: int
    first: date | None = None
    last: date | None = None


_RANGE = re.compile(
    r"(?<![\d.])(?P<from>(?:19|20)\d\d)\s?(?:年)?\s?[-–—~～至到]\s?(?P<to>(?:19|20)?\d\d)\s?(?:年|E\b|\b)(?![\d.%-])|"
    r"(?<![\d.])(?P<short>\d\d)\s?[-–—~～]\s?(?P<short_to>\d\d)\s?年"
)
_NEXT = re.compile(
    r"(?:未来|今后|接下来)的?(?:[一二三四五六七八九十\d]{1,2}(?:至|到|-|~))?(?P<n>[一二两三四五六七八九十]|\d{1,2})"
    r"(?P<unit>个?月|年|个?季度)"
    r"|(?:over\s)?(?:the\s)?(?:next|coming)\s(?P<en>one|two|three|four|five|six|ten|\d{1,2})?\s?(?:to\s\w+\s)?"
    r"(?P<en_unit>year|month|quarter)s?",
    re.IGNORECASE,
)
_BY = re.compile(r"(?:到|至|截至|截止|by(?:\sthe)?(?:\send)?(?:\sof)?)\s?$", re.IGNORECASE)
_RELATIVE = compiled(
    r"(?i:(?P<this>今年|本年度?|年内|this year)|(?P<last>去年|上年|last year)|(?P<next>明年|next year)"
    r"|(?<![\d年])(?P<month>1[0-2]|0?[1-9])月(?P<day>[0-3]?\d)[日号](?:晚间?|上午|下午|早间)?"
    r"|(?<![\d年])(?P<month>1[0-2]|[1-9])月份?(?![\d日])"
    r"|(?<![\d年q第])(?:第?(?P<quarter>[一二三四])季度|(?<![a-z])q(?P<quarter>[1-4])(?!\d)"
    r"|(?P<quarter>first|second|third|fourth)[-\s]quarter)"
    r"|(?<![\d年])(?:(?P<upto>前三个?季度?)|(?P<half>[上下])半年|(?P<half>first|second)\shalf|(?<![a-z\d])h(?P<half>[12])(?!\d))"
    r"|(?<!\d)(?P<day>[12]?\d|3[01])日(?:晚间?|上午|下午)?(?=[，,公告发晚披在与]|$))"
)
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
            joined[-1] = TimeFrame(last.start, frame.end, last.first, frame.last)
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
        yield TimeFrame(*match.span(), *(_ahead(match, published) if published else (None, None)))
    for match in _RELATIVE.finditer(text):
        days = _resolved(parts_of(match), published) if published else None
        yield TimeFrame(*match.span(), *(days or (None, None)))
    for match in _VAGUE.finditer(text):
        yield TimeFrame(*match.span())


def _ahead(match: re.Match[str], published: date) -> tuple[date, date] | tuple[None, None]:
    """From the publication as far on as the words say."""
    said, unit = (match["n"] or match["en"] or "one").lower(), (match["unit"] or match["en_unit"]).lower()
    months = (_COUNTS.get(said) or int(said)) * (12 if unit in {"年", "year"} else 1 if unit[-1] in "月h" else 3)
    if months > _FARTHEST:
        return None, None
    year, month = divmod(published.year * 12 + published.month - 1 + months, 12)
    return published, date(year, month + 1, min(published.day, 28))


def _resolved(parts: Mapping[str, str], published: date) -> tuple[date, date] | None:
    """The days of a relative frame: the latest day or month that had begun by the publication, or longer part of a year
    that was half over; None for no date."""
    if not parts.keys().isdisjoint(("this", "last", "next")):
        year = published.year + ("next" in parts) - ("last" in parts)
        return date(year, 1, 1), date(year, 12, 31)
    for back in (0, 1):
        days = _days(parts, published, back)
        if days and days[0] + (days[1] - days[0]) * (0.5 if (days[1] - days[0]).days > _MONTH else 0.0) <= published:
            return days
    return None


def _days(parts: Mapping[str, str], published: date, back: int) -> tuple[date, date] | None:
    """The days of a part of the year of the publication, of a bare day of its month, or of the one before."""
    year = published.year - back
    first, last = months_of({name: part.lower() for name, part in parts.items()}) or (1, 12)
    if "day" not in parts:
        return date(year, first, 1), month_end(year, last)
    if "month" not in parts:
        year, first = divmod(published.year * 12 + published.month - 1 - back, 12)
        first += 1
    try:
        return (date(year, first, int(parts["day"])),) * 2
    except ValueError:  # 31 June
        return None
