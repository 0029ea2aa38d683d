"""Drawings of series, areas, bars of shares and intervals as SVG; classes name the colours and dashes of the page."""

from collections.abc import Sequence
from math import isfinite
from typing import Final, NamedTuple

import numpy as np
from markupsafe import Markup

from finlore.records.panel import Days, Prices
from finlore.serve.tearsheet import axes, drawing
from finlore.serve.tearsheet.drawing import Scale, element
from finlore.serve.tearsheet.wording import Wording, percent_tick

_LOGARITHMIC: Final = (3.0, 10_000.0)  # the highest over the lowest value of a chart


class Series(NamedTuple):
    """`style` is a class of the page: what has one colour in all drawings has one name in all tables."""

    label: str
    style: str
    days: Days
    values: Prices


class Bar(NamedTuple):
    label: str
    values: tuple[float, ...]


class Whisker(NamedTuple):
    """`beside`: what chance, or the market, would have given."""

    label: str
    style: str
    low: float
    value: float
    high: float
    beside: float


def lines(series: Sequence[Series], *, title: str) -> Markup:
    """Curves with their names at their ends; a logarithmic axis where values differ more than threefold, unless the
    lowest is next to nothing."""
    width, height, right = 960.0, 380.0, 220.0
    low, high = drawing.span(value for one in series for value in one.values.tolist())
    logarithmic = low > 0 and _LOGARITHMIC[0] < high / low < _LOGARITHMIC[1]
    y = Scale(low, high, height - 26, 12, logarithmic)
    x = axes.time([one.days for one in series], 46, width - right)
    ticks = drawing.log_ticks(low, high) if logarithmic else drawing.round_ticks(low, high)
    return _svg(
        width, height, title,
        *axes.levels(y, ticks, 46, width - right, lambda value: f"{value:.6g}"),
        *axes.columns(x, axes.date_ticks([one.days for one in series]), height - 26, height - 22),
        *(element("path", class_=f"line {one.style}", d=drawing.path(_places(one, x, y))) for one in series),
        *_end_labels(series, x, y, width - right, height),
    )  # fmt: skip


def area(one: Series, *, bounds: tuple[float, float], say: Wording, note: str) -> Markup:
    """A small drawing of what lies between a series and 0; bounds are those of all drawings that stand beside it."""
    width, height = 360.0, 128.0
    low, high = bounds
    y = Scale(low, high, height - 24, 28)
    x = axes.time([one.days], 46, width - 26)
    places = _places(one, x, y)
    return _svg(
        width, height, f"{drawing.shortened(one.label, 60)}: {note}",
        *axes.levels(y, drawing.round_ticks(low, high, most=4), 46, width - 26, say),
        *axes.columns(x, axes.date_ticks([one.days], most=5), height - 24, height - 20),
        element("path", class_=f"area {one.style}", d=drawing.path(places, ground=y.at(min(max(0.0, low), high)))),
        element("path", class_=f"line {one.style}", d=drawing.path(places)),
        *_heading(one.label, note, width),
    )  # fmt: skip


def bars(
    rows: Sequence[Bar],
    *,
    bounds: tuple[float, float],
    styles: Sequence[str],
    say: Wording,
    title: str,
    names: int = 17,
) -> Markup:
    """Horizontal bars from 0, those of a row below one another, with an axis; a bar that stands alone says its value
    instead. Bounds hold 0, and are those of all drawings that stand beside it; `names`: columns for those of rows."""
    thick = 13.0 if len(styles) == 1 else 7.0
    step = thick * len(styles) + 7
    width, top = 360.0, 30.0
    height = top + step * max(len(rows), 1) + 22
    low, high = bounds
    alone = len(styles) == 1
    room = 58.0 if alone else 14.0
    end = 7.0 * names
    x = Scale(low, high, end + 8 + (room if low < 0 and alone else 0), width - room)
    drawn: list[Markup] = []
    for number, row in enumerate(rows):
        begin = top + step * number
        middle = begin + thick * len(styles) / 2
        drawn += [_name(row.label, end, middle, names)] if row.label else []
        for place, (value, style) in enumerate(zip(row.values, styles, strict=True)):
            if isfinite(value):
                drawn.append(_bar(x, value, begin + thick * place, thick=thick - 1, style=style, text=say(value)))
                drawn += [_beside_bar(x, value, middle + 4, say(value))] if alone else []
    return _svg(
        width, height, drawing.shortened(title, 60),
        *axes.columns(x, [] if alone else _said(low, high, 4, percent_tick), top - 4, height - 20),
        *drawn,
        element("line", class_="zero", x1=x.at(0), x2=x.at(0), y1=top - 4, y2=height - 20),
        *_heading(title, "", width),
    )  # fmt: skip


def whiskers(rows: Sequence[Whisker], *, chance: float, say: Wording, mark: Wording, title: str) -> Markup:
    """Each value as a dot on its interval, a hollow mark where `beside` lies, a line at `chance`. `say` words values,
    `mark` the axis."""
    width, top, step = 480.0, 32.0, 24.0
    height = top + step * max(len(rows), 1) + 20
    low, high = drawing.span(
        [value for row in rows for value in (row.low, row.value, row.high, row.beside)], always=(chance,)
    )
    x = Scale(low, high, 170, width - 16)
    drawn: list[Markup] = []
    for number, row in enumerate(rows):
        y = top + step * number + step / 2
        drawn.append(_name(row.label, 160, y, 23))
        if isfinite(row.low) and isfinite(row.high):
            left, right = drawing.number(x.at(row.low)), drawing.number(x.at(row.high))
            reach = f"M{left},{drawing.number(y - 5)}v10m0,-5H{right}m0,-5v10"
            drawn.append(element("path", class_=f"whisker {row.style}", d=reach))
        if isfinite(row.beside):
            place = f"M{drawing.number(x.at(row.beside))},{drawing.number(y - 6)}l5,6l-5,6l-5,-6z"
            drawn.append(element("path", element("title", say(row.beside)), class_="beside", d=place))
        if isfinite(row.value):
            dot = element("title", f"{drawing.shortened(row.label, 60)} {say(row.value)}")
            drawn.append(element("circle", dot, class_=f"dot {row.style}", cx=x.at(row.value), cy=y, r=4.5))
    return _svg(
        width, height, title,
        *axes.columns(x, _said(low, high, 5, mark), top - 4, height - 18),
        element("line", class_="zero", x1=x.at(chance), x2=x.at(chance), y1=top - 4, y2=height - 18),
        *drawn,
        *_heading(title, "", width),
    )  # fmt: skip


def sample(style: str) -> Markup:
    """A stroke as in the drawings, for beside a name; room for one without a style."""
    if not style:
        return element("i", class_="sample")
    stroke = element("path", class_=f"line {style}", d="M1,6H27")
    return element("svg", stroke, class_="sample", viewBox="0 0 28 12", width=28, height=12, aria_hidden="true")


def _svg(width: float, height: float, title: str, *drawn: Markup) -> Markup:
    size = f"0 0 {drawing.number(width)} {drawing.number(height)}"
    return element("svg", element("title", title), *drawn, role="img", viewBox=size, style=f"max-width:{width:.0f}px")


def _said(low: float, high: float, most: int, say: Wording) -> list[tuple[float, str]]:
    return [(value, say(value)) for value in drawing.round_ticks(low, high, most=most)]


def _name(label: str, x: float, y: float, width: int) -> Markup:
    return element("text", drawing.shortened(label, width), class_="name", x=x, y=y + 4, text_anchor="end")


def _heading(label: str, note: str, width: float) -> list[Markup]:
    room = 45 - len(note)
    return [
        element("text", drawing.shortened(label, room), class_="title", x=4, y=16),
        element("text", note, x=width - 8, y=16, text_anchor="end"),
    ]


def _bar(x: Scale, value: float, y: float, *, thick: float, style: str, text: str) -> Markup:
    begin, end = sorted((x.at(0), x.at(value)))
    width = max(end - begin, 0.5)
    return element("rect", element("title", text), class_=f"bar {style}", x=begin, y=y, width=width, height=thick)


def _beside_bar(x: Scale, value: float, y: float, text: str) -> Markup:
    place, anchor = (x.at(value) - 5, "end") if value < 0 else (x.at(value) + 5, "start")
    return element("text", text, x=place, y=y, text_anchor=anchor)


def _places(one: Series, x: Scale, y: Scale) -> list[tuple[float, float]]:
    values = [value if value > 0 or not y.logarithmic else float("nan") for value in one.values.tolist()]
    return [(x.at(day), y.at(value)) for day, value in zip(axes.numbers(one.days), values, strict=True)]


def _end_labels(series: Sequence[Series], x: Scale, y: Scale, begin: float, height: float) -> list[Markup]:
    """Names with their last value, moved apart, each tied to the end of its curve."""
    ends = [(one, run[-1][-1]) for one in series if (run := drawing.runs(_places(one, x, y)))]
    tops = drawing.apart([end[1] for _, end in ends], gap=15, low=16, high=height - 30)
    drawn = []
    for (one, (end_x, end_y)), top in zip(ends, tops, strict=True):
        last = one.values[np.isfinite(one.values)][-1]
        tie = f"M{drawing.number(end_x)},{drawing.number(end_y)}L{drawing.number(begin + 12)},{drawing.number(top)}"
        drawn += [
            element("path", class_=f"tie {one.style}", d=tie),
            element("text", f"{last:.{2 if last < 100 else 0}f}", class_=f"end {one.style}", x=begin + 16, y=top + 4),
            element("text", drawing.shortened(one.label, 24), class_=f"name {one.style}", x=begin + 52, y=top + 4),
        ]
    return drawn
