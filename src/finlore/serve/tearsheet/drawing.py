"""Elements of SVG, scales and their ticks: pure functions, the same input gives the same characters."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil, floor, inf, isfinite, log10
from typing import Final, NamedTuple
from unicodedata import east_asian_width

from markupsafe import Markup, escape

_UNREADABLE: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_ROUND: Final = (1.0, 2.0, 5.0, 10.0)


def readable(text: str) -> str:
    """What no reader sees, or what XML forbids, or what turns the text around it, as �."""
    return _UNREADABLE.sub("�", text)


def shortened(text: str, width: int) -> str:
    """At most `width` columns, wide characters count two; the middle gives way."""
    widths = [2 if east_asian_width(character) in "WF" else 1 for character in text[: width + 1]]
    if len(text) <= width and sum(widths) <= width:
        return text
    head, tail = _fitting(text, width * 2 // 3), _fitting(text[::-1], width // 3 - 1)
    return f"{head}…{tail[::-1]}"


def _fitting(text: str, width: int) -> str:
    taken = 0
    for place, character in enumerate(text):
        taken += 2 if east_asian_width(character) in "WF" else 1
        if taken > width:
            return text[:place]
    return text


def element(tag: str, *children: str, **attributes: str | float | None) -> Markup:
    """`class_` becomes class, other `_` become `-`; None is left out. Text is escaped, Markup is not."""
    said = Markup("").join(
        Markup(' {}="{}"').format(
            name.rstrip("_").replace("_", "-"), readable(value) if isinstance(value, str) else number(value)
        )
        for name, value in attributes.items()
        if value is not None
    )
    inside = Markup("").join(
        child if isinstance(child, Markup) else escape(readable(child)) for child in children if child
    )
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), said, inside)


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


class Scale(NamedTuple):
    """Values from `low` to `high` on pixels from `begin` to `end`; logarithmic or linear."""

    low: float
    high: float
    begin: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        low, high, here = self.low, self.high, value
        if self.logarithmic:
            low, high, here = log10(low), log10(high), log10(value)
        return self.begin + (self.end - self.begin) * ((here - low) / (high - low) if high > low else 0.5)


def round_ticks(low: float, high: float, *, most: int = 6) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most so many."""
    if not high - low > 1e-12:
        return [low]
    power = 10.0 ** floor(log10((high - low) / most))
    steps = (power * size for size in (*_ROUND, 20.0))
    spans = ((step, ceil(low / step - 1e-9), floor(high / step + 1e-9)) for step in steps)
    step, first, last = next(span for span in spans if span[2] - span[1] < most)
    return [round(step * n, 12) for n in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten; round ones where that leaves fewer than three."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks = [size * 10.0**power for power in powers for size in _ROUND[:-1] if low <= size * 10.0**power <= high]
    return ticks if len(ticks) >= 3 else [tick for tick in round_ticks(low, high) if tick > 0]


def span(values: Iterable[float], *, always: Sequence[float] = ()) -> tuple[float, float]:
    """The least and the most of all that are numbers; (0, 1) of none; a little room where both are one."""
    known = [value for value in (*values, *always) if isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    return (low, high) if high > low else (low - max(abs(low), 1.0) / 20, high + max(abs(high), 1.0) / 20)


def apart(places: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Places moved as little as keeps them in order, `gap` from one another and between `low` and `high`."""
    order = sorted(range(len(places)), key=lambda row: places[row])
    moved, least = [0.0] * len(places), -inf
    for row in order:
        moved[row] = least = max(places[row], low if least == -inf else least + gap)
    most = high
    for row in reversed(order):
        moved[row] = most = min(moved[row], most)
        most -= gap
    return moved


Points = Sequence[tuple[float, float]]


def runs(points: Points) -> list[Points]:
    """Points that follow one another, cut where one is no number."""
    found: list[list[tuple[float, float]]] = [[]]
    for point in points:
        if isfinite(point[1]):
            found[-1].append(point)
        else:
            found.append([])
    return [run for run in found if run]


def path(points: Points, *, ground: float | None = None) -> str:
    """The path through points; one that is no number interrupts it, a lonely one becomes a dot. With a `ground`: around
    what lies between points and that level."""
    return "".join(_traced(run, ground) for run in runs(points))


def _traced(run: Points, ground: float | None) -> str:
    """Steps from point to point, in whole tenths, so that nothing adds up."""
    places = [(round(10 * x), round(10 * y)) for x, y in run]
    (first, top), steps = places[0], [(x - u, y - v) for (u, v), (x, y) in pairwise(places)]
    traced = f"M{number(first / 10)},{number(top / 10)}"
    traced += "l" + " ".join(f"{number(x / 10)},{number(y / 10)}" for x, y in steps) if steps else "h0"
    return traced if ground is None else f"{traced}V{number(ground)}H{number(first / 10)}Z"
