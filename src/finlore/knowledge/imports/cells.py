"""What single cells say: several names, a number with its unit, a day, an id."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from finlore.intake.tables.numbers import Number, is_blank, read_number
from finlore.language.dates import find_days
from finlore.records.imported import Cell
from finlore.records.instant import Instant, end_of_day, instant_of, parse_stated

_EPOCH = re.compile(r"(?P<seconds>1\d{9})|(?P<thousandths>1\d{12})")
_ID: Final = re.compile(r"[A-Za-z0-9_.:-]*\d[A-Za-z0-9_.:-]*")
_REMEMBERED: Final = 1 << 14  # cells of a column are much alike


def several(cell: Cell, split: str) -> Iterator[tuple[str, str]]:
    """(name, value) of each of the things in a cell; of a text the parts between `split`, whole without it."""
    if not isinstance(cell, str):
        yield from cell
    elif split:
        yield from ((part.strip(), "") for part in cell.split(split) if part.strip())
    else:
        yield cell, ""


@lru_cache(maxsize=_REMEMBERED)
def number(text: str) -> Number | None:
    """The number of a cell; None where it is blank or holds something else."""
    if blank(text):
        return None
    if found := read_number(text):
        return found
    try:  # 1.5e9, which programs write and people do not
        value = float(text)
    except ValueError:
        return None
    return Number(value, 0) if abs(value) < float("inf") else None


@lru_cache(maxsize=_REMEMBERED)
def instant(text: str, *, zone: str) -> Instant | None:
    """The instant of a date or date-time in the usual spellings, or of seconds since 1970; None where it is neither."""
    try:
        return parse_stated(text, zone)
    except ValueError:
        pass
    if epoch := _EPOCH.fullmatch(text):
        return instant_of(datetime.fromtimestamp(int(epoch[0]) / (1 if epoch["seconds"] else 1000), UTC))
    days = find_days(text)
    whole = len(days) == 1 and not (text[: days[0].start] + text[days[0].end :]).strip()
    return end_of_day(days[0].last, zone) if whole else None


@lru_cache(maxsize=_REMEMBERED)
def blank(text: str) -> bool:
    """Whether a cell says that there is nothing: empty, a dash, n.a."""
    return is_blank(text)


def looks_like_id(text: str) -> bool:
    """Whether a cell is what a machine would call something: latin letters with digits, no spaces."""
    return _ID.fullmatch(text) is not None


def one_line(text: str) -> str:
    """A cell as it stands in a line of cells between tabs."""
    return " ".join(text.split())
