"""When a document was published: what the source states, else what its first page, title or file name prints.

A day is taken only from a place that dates the document itself: a labelled field, a line that is a date, the title.
A day inside a sentence dates what the sentence tells.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import PurePosixPath
from zoneinfo import ZoneInfo

from finlore.intake.lexicon import labels, letters
from finlore.language.dates import find_days
from finlore.records.document import Issue
from finlore.records.instant import Instant, as_datetime, end_of_day, instant_of, parse_stated

EARLIEST = date(1990, 1, 1)
"""No document is believed to be older: earlier days are founding dates, empty database fields and mistakes."""
_LONGEST_DATE_LINE = 48
_AROUND_DATE = re.compile(r"[\s\W_]*(?:(?:星期|周)[一二三四五六日天])?[\s\W_]*")
_TIME = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[T\s]+(\d{1,2}):(\d{2})(?::(\d{2}))?")
_STRETCH_AFTER = re.compile(r"\s*(?:[~～—–-]|\\~|至|到|以来|前)")
_STRETCH_BEFORE = re.compile(r"(?:[~～—–]|至|到|截至|截止|自|从)\s*$")
_DATELINE_START = re.compile(r"[A-Z][^\d]{2,60}\d[^–—/(-]{0,40}[–—/(-]")
_BYLINE = re.compile(r"(?:原创|来源|文|作者|记者|编辑)[\s|｜:：/]|by\s", re.IGNORECASE)
_ENDING = re.compile(r"[\s）)\]】]*")
_DATELINE = re.compile(r"[A-Z][A-Za-z.,\s]{2,40}[(,]?\s*$")


def stated_instant(text: str, *, zone: str) -> Instant | None:
    """The instant of a stated field: ISO, or any full date that `find_days` reads (the end of that day)."""
    try:
        return parse_stated(text, zone)
    except ValueError:
        pass
    match = _TIME.search(text)
    if match and any(int(part or 0) for part in match.groups()[3:]):  # a midnight stands for the bare date
        try:
            year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
            return instant_of(datetime(year, month, day, hour, minute, second, tzinfo=ZoneInfo(zone)))
        except ValueError:
            return None
    days = find_days(text)
    return end_of_day(days[0].first, zone) if days else None


def believable(instant: Instant, *, zone: str, received_at: Instant) -> bool:
    """Whether a document received then can have this date: from 1990 on, and not after the day of receipt."""
    day = as_datetime(instant, zone).date()
    return EARLIEST <= day <= as_datetime(received_at, zone).date()


@dataclass(frozen=True, slots=True)
class Printed:
    """What of a document may carry its date: the first and last lines of its own text, the running lines of its first
    page, its title, and its source, which may be the name of a file."""

    head: Sequence[str]
    tail: Sequence[str]
    running: Sequence[str]
    title: str
    source: str


def publication(
    stated: str | None, printed: Printed, *, zone: str, received_at: Instant
) -> tuple[Instant | None, list[Issue]]:
    """(published_at or None, issues): the stated date, else the printed one in the most trustworthy place."""
    issues: list[Issue] = []
    if stated:
        instant = stated_instant(stated, zone=zone)
        if instant is not None and believable(instant, zone=zone, received_at=received_at):
            return instant, issues
        why = "is no date" if instant is None else "cannot be: it is in the future or before 1990"
        issues.append(Issue(printed.source, f"the stated publication date '{stated[:40]}' {why}; it is not used"))
    for day, where in _printed_days(printed):
        instant = end_of_day(day, zone)
        if believable(instant, zone=zone, received_at=received_at):
            return instant, issues
        issues.append(Issue(printed.source, f"the date {day} {where} cannot be that of the document; it is not used"))
    return None, issues


def _printed_days(printed: Printed) -> Iterator[tuple[date, str]]:
    """Days that date the document, most trustworthy place first."""
    head, tail = printed.head, printed.tail
    for lines, where in ((head, "on the first page"), (tail, "at the end")):
        yield from ((day, where) for line in lines for day in _labelled(line))
    yield from ((day, "on the first page") for line in _own(head) for day in _line_of_its_own(line))
    yield from ((day, "in the running head") for line in printed.running for day in _at_its_end(line))
    yield from ((day, "in the title") for day in _in_title(printed.title))
    yield from ((found.first, "in the file name") for found in find_days(PurePosixPath(printed.source).stem)[:1])
    yield from ((day, "in the dateline") for line in head[:8] for day in _dateline(line))
    yield from ((day, "in the byline") for line in head[:8] if _BYLINE.match(line) for day in _at_its_end(line))
    yield from ((day, "at the end") for line in reversed(_own(tail)) for day in _line_of_its_own(line))


def _own(lines: Sequence[str]) -> list[str]:
    """The lines that do not follow the title of another report."""
    return [line for before, line in zip(["", *lines], lines, strict=False) if "》" not in before]


def _labelled(line: str) -> Iterator[date]:
    for _, value in labels(line, "published_at"):
        days = find_days(value[:40])
        if days and letters(value[: days[0].start]) == "":
            yield days[0].first


def _line_of_its_own(line: str) -> Iterator[date]:
    """The day of a line that holds a date and hardly anything else (a place, a weekday, a note in brackets)."""
    if len(line) > _LONGEST_DATE_LINE:
        return
    days = find_days(line)
    if len(days) == 1:
        rest = line[: days[0].start] + line[days[0].end :]
        if _AROUND_DATE.fullmatch(re.sub(r"[（(].*[)）]", "", rest)):
            yield days[0].first


def _at_its_end(line: str) -> Iterator[date]:
    """The only day of a short line, where the line ends with it and it stands apart (House｜Review 2024-08-21)."""
    days = find_days(line) if len(line) <= _LONGEST_DATE_LINE else []
    if len(days) == 1 and _ENDING.fullmatch(line, days[0].end) and not _STRETCH_BEFORE.search(line[: days[0].start]):
        before = line[: days[0].start]
        if before[-1:].isspace() or before[-1:] in "|｜/·（([【":
            yield days[0].first


def _in_title(title: str) -> Iterator[date]:
    """The last day of a title, unless it is the start or end of a stretch of time."""
    for found in find_days(title)[-1:]:
        if not _STRETCH_AFTER.match(title[found.end :]) and not _STRETCH_BEFORE.search(title[: found.start]):
            yield found.first


def _dateline(line: str) -> Iterator[date]:
    """NEW YORK, May 31, 2024 -- …"""
    if _DATELINE_START.match(line) is None:
        return
    for found in find_days(line[:120])[:1]:
        if _DATELINE.match(line[: found.start]) and re.match(r"\s*[)]?\s*(?:[-–—/(]|\Z)", line[found.end :]):
            yield found.first
