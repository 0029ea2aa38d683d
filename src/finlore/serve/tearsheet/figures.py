"""The drawings of the page: which numbers of a backtest stand in each."""

from collections.abc import Callable, Iterable, Sequence
from math import nan

import numpy as np
from markupsafe import Markup

from finlore.records.panel import Prices
from finlore.serve.tearsheet import charts, drawing
from finlore.serve.tearsheet.charts import Bar, Series, Whisker
from finlore.serve.tearsheet.ranking import Ranked
from finlore.serve.tearsheet.wording import Wording, count, fine_gain, percent_tick, ratio, share, tick
from finlore.serve.words import Json

_INDUSTRIES = 40
_SHARES = ("of_universe", "of_signals", "of_holdings")


def curves(order: Ranked) -> list[Series]:
    """Values of all that are drawn and have any."""
    drawn = (_series(row, style, "values") for row, style in (*order.drawn, *order.benchmarks))
    return [one for one in drawn if _is_curve(one.values)]


def values(order: Ranked) -> Markup | None:
    """Every curve begins at 1; None where there is no curve."""
    drawn = [one._replace(values=_from_one(one.values)) for one in curves(order)]
    return charts.lines(drawn, title="Net value of one unit of capital") if drawn else None


def drawdowns(order: Ranked) -> list[Markup]:
    drawn = [one._replace(values=_below_highest(one.values)) for one in curves(order)]
    return _beside(drawn, always=(0.0, -0.01), say=percent_tick, note=lambda low, _high: f"deepest {share(-low)}")


def exposures(order: Ranked) -> list[Markup]:
    drawn = [_series(row, style, "exposure") for row, style in order.drawn]
    return _beside(drawn, always=(0.0, 1.0), say=percent_tick, note=lambda _low, high: f"at most {share(high)}")


def breadths(order: Ranked) -> list[Markup]:
    drawn = [_series(row, style, "breadth") for row, style in order.drawn]
    return _beside(drawn, always=(0.0,), say=tick, note=lambda _low, high: f"at most {count(high)} names")


def industries(order: Ranked) -> list[Markup]:
    """Three bars a class: of all securities, of the calls to buy, of what was held."""
    told = [(row["name"], _largest(row["industries"])) for row, _ in order.drawn]
    bounds = _bounds(rows for _, rows in told)
    styles = ("universe", "signals", "holdings")
    return [
        charts.bars(rows, bounds=bounds, styles=styles, say=share, title=name, names=24) for name, rows in told if rows
    ]


def around(order: Ranked) -> list[Markup]:
    """Mean returns before and after the entry."""
    told = [
        (row["name"], style, [Bar(part["label"], (_number(part["mean"]),)) for part in row["parts"]])
        for row, style in order.drawn
    ]
    bounds = _bounds(rows for *_, rows in told)
    return [
        charts.bars(rows, bounds=bounds, styles=(style,), say=fine_gain, title=name)
        for name, style, rows in told
        if rows
    ]


def intervals(order: Ranked) -> list[Markup]:
    """Sharpe ratios where they mean something, accuracies beside the base rate."""
    if not order.drawn:
        return []
    right = [_whisker(row, style, "acc", row["base_rate"]) for row, style in order.drawn]
    accuracies = charts.whiskers(right, chance=0.5, say=share, mark=percent_tick, title="Accuracy, 95 %; ◇ base rate")
    if not order.document["meaningful"]:
        return [accuracies]
    ratios = [_whisker(row, style, "sharpe", None) for row, style in order.drawn]
    return [charts.whiskers(ratios, chance=0.0, say=ratio, mark=tick, title="Sharpe ratio a year, 95 %"), accuracies]


def _whisker(row: Json, style: str, key: str, beside: float | None) -> Whisker:
    low, high = map(_number, row["ci"][key])
    return Whisker(row["name"], style, low, _number(row[key]), high, _number(beside))


def _series(row: Json, style: str, key: str) -> Series:
    course = row["course"]
    name = row.get("title") or row["name"]
    return Series(name, style, np.array(course["days"], "datetime64[D]"), np.array(course[key], np.float64))


def _number(value: float | None) -> float:
    return nan if value is None else value


def _is_curve(values: Prices) -> bool:
    """One value is none."""
    return int(np.isfinite(values).sum()) > 1


def _beside(
    drawn: Sequence[Series], *, always: tuple[float, ...], say: Wording, note: Callable[[float, float], str]
) -> list[Markup]:
    """Small drawings that can be compared: all have one scale."""
    known = [one for one in drawn if _is_curve(one.values)]
    bounds = drawing.span((value for one in known for value in one.values.tolist()), always=always)
    return [
        charts.area(one, bounds=bounds, say=say, note=note(float(np.nanmin(one.values)), float(np.nanmax(one.values))))
        for one in known
    ]


def _bounds(rows: Iterable[Sequence[Bar]]) -> tuple[float, float]:
    return drawing.span((value for some in rows for row in some for value in row.values), always=(0.0,))


def _from_one(values: Prices) -> Prices:
    """Divided by the first that is known."""
    known = values[np.isfinite(values) & (values > 0)]
    return values / known[0] if len(known) else np.full(len(values), nan)


def _below_highest(values: Prices) -> Prices:
    """Shares lost since the highest so far, negative; what is not known is passed over."""
    known = np.where(np.isfinite(values), values, nan)
    highest = np.fmax.accumulate(known)
    below = np.divide(known, highest, out=np.full(len(known), nan), where=highest > 0) - 1.0
    return np.asarray(below, np.float64)


def _largest(told: Sequence[Json]) -> list[Bar]:
    """By the share of holdings, then of calls; the smallest are added up where there are too many."""
    bars = [Bar(one["industry"], tuple(_number(one[key]) for key in _SHARES)) for one in told]
    bars.sort(key=lambda bar: (-np.nan_to_num(bar.values[2]), -np.nan_to_num(bar.values[1]), bar.label))
    if len(bars) <= _INDUSTRIES:
        return bars
    rest = bars[_INDUSTRIES - 1 :]
    sums = np.nansum([bar.values for bar in rest], axis=0).tolist()
    return [*bars[: _INDUSTRIES - 1], Bar(f"{len(rest)} others", tuple(sums))]
