"""The drawings of the page: which numbers of a backtest stand in each."""

from collections.abc import Callable, Iterable, Sequence
from math import nan

import numpy as np
from markupsafe import Markup

from finlore.backtest.results import Backtest, IndustryShares, StrategyResult
from finlore.records.panel import Prices
from finlore.serve.tearsheet import charts, drawing
from finlore.serve.tearsheet.charts import Bar, Series, Whisker
from finlore.serve.tearsheet.ranking import Ranked, curves, is_curve
from finlore.serve.tearsheet.wording import Wording, count, fine_gain, percent_tick, ratio, share, tick

_INDUSTRIES = 40


def values(backtest: Backtest, order: Ranked) -> Markup | None:
    """Every curve begins at 1; None where there is no curve."""
    drawn = [one._replace(values=_from_one(one.values)) for one in curves(backtest, order)]
    return charts.lines(drawn, title="Net value of one unit of capital") if drawn else None


def drawdowns(backtest: Backtest, order: Ranked) -> list[Markup]:
    drawn = [one._replace(values=_below_highest(one.values)) for one in curves(backtest, order)]
    return _beside(drawn, always=(0.0, -0.01), say=percent_tick, note=lambda low, _high: f"deepest {share(-low)}")


def exposures(order: Ranked) -> list[Markup]:
    drawn = [Series(one.name, style, one.curve.days, one.curve.exposure) for one, style in order.drawn]
    return _beside(drawn, always=(0.0, 1.0), say=percent_tick, note=lambda _low, high: f"at most {share(high)}")


def breadths(order: Ranked) -> list[Markup]:
    drawn = [Series(one.name, style, one.curve.days, one.curve.breadth) for one, style in order.drawn]
    return _beside(drawn, always=(0.0,), say=tick, note=lambda _low, high: f"at most {count(high)} names")


def industries(order: Ranked) -> list[Markup]:
    """Three bars a class: of all securities, of the calls to buy, of what was held."""
    told = [(one.name, [Bar(part.industry, part[1:]) for part in _largest(one.industries)]) for one, _ in order.drawn]
    bounds = _bounds(rows for _, rows in told)
    styles = ("universe", "signals", "holdings")
    return [
        charts.bars(rows, bounds=bounds, styles=styles, say=share, title=name, names=24) for name, rows in told if rows
    ]


def around(order: Ranked) -> list[Markup]:
    """Mean returns before and after the entry."""
    told = [(one.name, style, [Bar(part.label, (part.mean,)) for part in one.parts]) for one, style in order.drawn]
    bounds = _bounds(rows for *_, rows in told)
    return [
        charts.bars(rows, bounds=bounds, styles=(style,), say=fine_gain, title=name)
        for name, style, rows in told
        if rows
    ]


def intervals(backtest: Backtest, order: Ranked) -> list[Markup]:
    """Sharpe ratios where they mean something, accuracies beside the base rate."""
    if not order.drawn:
        return []
    right = [
        Whisker(one.name, style, one.accuracy.low, one.hits.accuracy, one.accuracy.high, one.hits.base_rate)
        for one, style in order.drawn
    ]
    accuracies = charts.whiskers(right, chance=0.5, say=share, mark=percent_tick, title="Accuracy, 95 %; ◇ base rate")
    if not backtest.is_meaningful:
        return [accuracies]
    ratios = [_sharpe(one, style) for one, style in order.drawn]
    return [charts.whiskers(ratios, chance=0.0, say=ratio, mark=tick, title="Sharpe ratio a year, 95 %"), accuracies]


def _sharpe(one: StrategyResult, style: str) -> Whisker:
    return Whisker(one.name, style, one.sharpe_interval.low, one.net.sharpe, one.sharpe_interval.high, nan)


def _beside(
    drawn: Sequence[Series], *, always: tuple[float, ...], say: Wording, note: Callable[[float, float], str]
) -> list[Markup]:
    """Small drawings that can be compared: all have one scale."""
    known = [one for one in drawn if is_curve(one.values)]
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


def _largest(told: Sequence[IndustryShares]) -> list[IndustryShares]:
    """By the share of holdings, then of calls; the smallest are added up where there are too many."""
    ordered = sorted(
        told, key=lambda one: (-np.nan_to_num(one.of_holdings), -np.nan_to_num(one.of_signals), one.industry)
    )
    if len(ordered) <= _INDUSTRIES:
        return ordered
    rest = ordered[_INDUSTRIES - 1 :]
    sums = [float(np.nansum([one[column] for one in rest])) for column in (1, 2, 3)]
    return [*ordered[: _INDUSTRIES - 1], IndustryShares(f"{len(rest)} others", *sums)]
