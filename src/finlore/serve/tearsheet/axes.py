"""Axes of drawings: lines with what they stand for."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

import numpy as np
from markupsafe import Markup

from finlore.records.panel import Days
from finlore.serve.tearsheet.drawing import Scale, element
from finlore.serve.tearsheet.wording import Wording

_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120)
_EPOCH: Final = date(1970, 1, 1)


def numbers(days: Days) -> list[float]:
    """Days since 1970."""
    return [float(day) for day in days.astype("datetime64[D]").astype(np.int64).tolist()]


def time(days: Sequence[Days], begin: float, end: float) -> Scale:
    known = [number for one in days for number in numbers(one)]
    return Scale(min(known, default=0.0), max(known, default=0.0), begin, end)


def levels(y: Scale, ticks: Sequence[float], begin: float, end: float, say: Wording) -> list[Markup]:
    """Horizontal lines."""
    return [
        mark
        for value in ticks
        for mark in (
            element("line", class_="grid", x1=begin, x2=end, y1=y.at(value), y2=y.at(value)),
            element("text", say(value), x=begin - 6, y=y.at(value) + 4, text_anchor="end"),
        )
    ]


def columns(x: Scale, ticks: Iterable[tuple[float, str]], begin: float, end: float) -> list[Markup]:
    """Vertical lines, (value, words), with their words below."""
    return [
        mark
        for value, words in ticks
        for mark in (
            element("line", class_="grid", x1=x.at(value), x2=x.at(value), y1=begin, y2=end),
            element("text", words, x=x.at(value), y=end + 14, text_anchor="middle"),
        )
    ]


def date_ticks(days: Sequence[Days], *, most: int = 8) -> list[tuple[float, str]]:
    """(day, label): first days of months, quarters or years, at most so many; the first day where there is none."""
    known = [number for one in days for number in numbers(one)]
    if not known:
        return []
    first, last = (date.fromordinal(round(day) + _EPOCH.toordinal()) for day in (min(known), max(known)))
    begin, end = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
    step = next((step for step in _MONTHS if end // step - begin // step <= most), _MONTHS[-1])
    months = [date(month // 12, month % 12 + 1, 1) for month in range(-(-begin // step) * step, end + 1, step)]
    inside = [month for month in months if first <= month <= last]
    if len(inside) < 2:
        return [(float((day - _EPOCH).days), str(day)) for day in dict.fromkeys((first, last))]
    return [((month - _EPOCH).days, f"{month:%Y}" if step >= 12 else f"{month:%Y-%m}") for month in inside]
