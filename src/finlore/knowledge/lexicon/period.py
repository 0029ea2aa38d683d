"""A period that a text states: its name, its days, and how periods follow from one another."""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

from finlore.records.table import Basis

DAY: Final = 10
"""Letters in the name of a single day."""


@dataclass(frozen=True, slots=True)
class StatedPeriod:
    """A period at [start, end): its name, its days, and what the mark behind a year says (2025E). `years`: of a run of
    years, each of them, since three numbers behind it are one a year. `is_fiscal`: its days may be others than those of
    the calendar."""

    start: int
    end: int
    name: str
    first: date
    last: date
    basis: Basis = ""
    years: tuple[int, ...] = ()
    is_fiscal: bool = False


def year_of(name: str, years: int) -> str:
    """The same period some years on: 2020Q3, -1 -> 2019Q3."""
    return f"{int(name[:4]) + years}{name[4:]}"


def a_year_before(period: StatedPeriod, span: tuple[int, int]) -> StatedPeriod | None:
    """The same period of the year before, told at `span`; of a run of years or a day none."""
    if period.years or len(period.name) >= DAY:
        return None
    first = period.first.replace(year=period.first.year - 1, day=1)
    last = month_end(period.last.year - 1, period.last.month)
    return StatedPeriod(*span, year_of(period.name, -1), first, last, is_fiscal=period.is_fiscal)


def year_within(run: StatedPeriod, year: int) -> StatedPeriod:
    """One year of a run."""
    first, last = run.first.replace(year=year), run.last.replace(year=year)
    return replace(run, name=str(year), first=first, last=last, years=())


def run_between(first: StatedPeriod, last: StatedPeriod) -> StatedPeriod:
    """The run of years between two; the last alone where they are no years."""
    if not (first.name.isdecimal() and last.name.isdecimal() and first.name < last.name):
        return last
    years = tuple(range(int(first.name), int(last.name) + 1))
    return replace(last, name=f"{first.name}-{last.name}", first=first.first, years=years)


@lru_cache(maxsize=256)
def month_end(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])
