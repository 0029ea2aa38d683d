"""Instants: whole microseconds since 1970 in UTC, and the rules by which dates become instants.

A bare date is the end of that day in the market's zone: for a publication (nobody could rely on it earlier) and for
``as_of`` (everything known during the day counts).
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NewType
from zoneinfo import ZoneInfo

Instant = NewType("Instant", int)

ALWAYS: Final = Instant(-(2**62))  # known since ever: shipped names, "retired at every date"
NEVER: Final = Instant(2**62)  # end of time: not superseded
MARKET_ZONE: Final = "Asia/Shanghai"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_MIDNIGHT: Final = re.compile(r"(\d{4}-\d{2}-\d{2})[ T]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d{2}:?\d{2})?", re.ASCII)


def instant_of(moment: datetime) -> Instant:
    """Microseconds since 1970 in UTC of a time-zone-aware moment."""
    return Instant((moment - _EPOCH) // _MICROSECOND)


def end_of_day(day: date, zone: str = MARKET_ZONE) -> Instant:
    """23:59:59 of `day` in `zone`."""
    return instant_of(datetime.combine(day, time(23, 59, 59), ZoneInfo(zone)))


def parse_instant(text: str, zone: str = MARKET_ZONE) -> Instant:
    """Instant of an ISO date (end of that day) or date-time (its zone, else `zone`); ValueError when it is neither."""
    text = text.strip()
    if len(text) <= 10:
        return end_of_day(date.fromisoformat(text), zone)
    moment = datetime.fromisoformat(text)
    return instant_of(moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone)))


def parse_stated(text: str, zone: str = MARKET_ZONE) -> Instant:
    """As `parse_instant`, of a field of data: there a midnight is what databases make of a bare date."""
    midnight = _MIDNIGHT.fullmatch(text.strip())
    return parse_instant(midnight[1] if midnight else text, zone)


def as_datetime(instant: Instant, zone: str = MARKET_ZONE) -> datetime:
    """The moment in `zone`; the ends of time are clamped to the years 1 and 9999."""
    if instant <= ALWAYS:
        return datetime.min.replace(tzinfo=ZoneInfo(zone))
    if instant >= NEVER:
        return datetime.max.replace(tzinfo=ZoneInfo(zone))
    return (_EPOCH + timedelta(microseconds=instant)).astimezone(ZoneInfo(zone))


def isoformat(instant: Instant | None, zone: str = MARKET_ZONE) -> str | None:
    """ISO 8601 text with offset, or None for None and for the ends of time."""
    if instant is None or instant <= ALWAYS or instant >= NEVER:
        return None
    return as_datetime(instant, zone).isoformat()


def now() -> Instant:
    """The present instant: the only place where the library asks the clock for a known time."""
    return instant_of(datetime.now(UTC))
