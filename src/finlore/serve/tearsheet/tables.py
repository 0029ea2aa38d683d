"""The tables of the page: what stands in each cell. The key of a column is that of its definition."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite, nan
from typing import Final, get_args

from markupsafe import Markup

from finlore.backtest.results import Backtest, BenchmarkResult, Figure, Performance, Period, StrategyResult
from finlore.records.backtest import CallState
from finlore.serve.tearsheet import charts, wording
from finlore.serve.tearsheet.ranking import Ranked, drawn_benchmarks
from finlore.serve.tearsheet.wording import (
    Wording,
    count,
    fine_gain,
    gain,
    interval,
    is_meaningful,
    plain,
    points,
    ratio,
    share,
)

_SHADES: Final = (0.0, 0.02, 0.05)  # from which excess on a cell is darker


@dataclass(frozen=True, slots=True)
class Cell:
    """`tone`: a class of the page; `note`: a smaller second line."""

    text: str
    tone: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """`sample`: the stroke of its curve, where it has one."""

    name: str
    cells: tuple[Cell, ...]
    sample: Markup | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    head: str = ""  # instead of that of the definition


@dataclass(frozen=True, slots=True)
class Table:
    """`rest` opens on demand; `below` always stands at the end. Every row has a cell for every column."""

    caption: str
    first: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    rest: tuple[Row, ...] = ()
    below: tuple[Row, ...] = ()


def headline(backtest: Backtest, order: Ranked) -> Table:
    keys = (
        "calls", "total", "gross_total", "arr", "vol", "sr", "sharpe", "mdd", "cr", "accuracy", "coverage", "base_rate",
        "excess_accuracy", "turnover", "blocked",
    )  # fmt: skip
    weeks = backtest.weeks

    def cells(strategy: StrategyResult) -> tuple[Cell, ...]:
        hits = strategy.hits
        return (
            Cell(count(strategy.n_signals), note=f"{count(strategy.n_rises)} rise"),
            _signed(strategy.net.total),
            _signed(strategy.gross.total),
            *_measures(strategy.net, weeks),
            Cell(share(hits.accuracy)),
            Cell(share(hits.coverage)),
            Cell(share(hits.base_rate)),
            Cell(points(hits.excess), _tone(hits.excess)),
            Cell(share(strategy.turnover)),
            Cell(count(strategy.blocked)),
        )

    def beside(benchmark: BenchmarkResult, style: str) -> Row:
        total = _signed(benchmark.performance.total)
        cells = (Cell(""), total, total, *_measures(benchmark.performance, weeks), *[Cell("")] * 6)
        return Row(benchmark.name, cells, charts.sample(style), benchmark.code)

    styles = dict(enumerate(style for _, style in drawn_benchmarks(backtest)))
    below = [beside(benchmark, styles.get(place, "")) for place, benchmark in enumerate(backtest.benchmarks)]
    return _of_strategies("Strategies and benchmarks, net of costs unless it says gross", keys, order, cells, below)


def before_costs(backtest: Backtest, order: Ranked) -> Table:
    keys = ("gross_total", "arr", "vol", "sr", "sharpe", "mdd", "cr")
    return _of_strategies(
        "The same before costs", keys, order,
        lambda strategy: (_signed(strategy.gross.total), *_measures(strategy.gross, backtest.weeks)),
    )  # fmt: skip


def significance(backtest: Backtest, order: Ranked) -> Table:
    keys = (
        "sharpe", "sharpe_interval", "psr", "dsr", "percentile", "accuracy", "accuracy_interval", "effective", "auc",
        "auc_interval", "brier",
    )  # fmt: skip

    def cells(strategy: StrategyResult) -> tuple[Cell, ...]:
        sharpe, right, area = strategy.sharpe_interval, strategy.accuracy, strategy.auc_interval
        return (
            _annual(strategy.net.sharpe, ratio, backtest.weeks),
            _meaningful(interval(ratio(sharpe.low), ratio(sharpe.high)), backtest.weeks),
            Cell(ratio(strategy.psr)),
            Cell(ratio(strategy.dsr)),
            Cell(share(strategy.percentile)),
            Cell(share(strategy.hits.accuracy)),
            Cell(interval(share(right.low), share(right.high))),
            Cell(count(strategy.effective)),
            Cell(ratio(strategy.auc)),
            Cell(interval(ratio(area.low), ratio(area.high))),
            Cell(ratio(strategy.brier)),
        )

    return _of_strategies(f"DSR counts {count(backtest.variants)} variants tried", keys, order, cells)


def beside_benchmarks(backtest: Backtest, order: Ranked) -> list[Table]:
    """One table for each index that any strategy is compared with."""
    keys = ("over_exposure", "alpha", "beta", "tracking_error", "information", "up", "down")
    names = {benchmark.code: f"{benchmark.name} ({benchmark.code})" for benchmark in backtest.benchmarks}
    codes = [code for strategy in order.strategies for code in (*strategy.beside, *strategy.over_exposure)]

    def cells(code: str, strategy: StrategyResult) -> tuple[Cell, ...]:
        over, one = _signed(strategy.over_exposure.get(code, nan)), strategy.beside.get(code)
        if one is None:
            return (over, *[Cell(wording.UNKNOWN)] * 6)
        return (
            over,
            _annual(one.alpha, gain, backtest.weeks),
            Cell(ratio(one.beta)),
            _annual(one.tracking_error, share, backtest.weeks),
            _annual(one.information, ratio, backtest.weeks),
            Cell(ratio(one.up)),
            Cell(ratio(one.down)),
        )

    return [
        _of_strategies(f"Against {names.get(code, code)}", keys, order, partial(cells, code))
        for code in dict.fromkeys([*(code for code in names if code in codes), *codes])
    ]


def trading(order: Ranked) -> Table:
    """What became of the calls, what hindered trading, how much was held."""
    known: dict[str, None] = dict.fromkeys([*get_args(CallState)])
    for strategy in order.strategies:
        known |= dict.fromkeys(strategy.counts)
    happened = [state for state in known if any(strategy.counts.get(state) for strategy in order.strategies)]

    def cells(strategy: StrategyResult) -> tuple[Cell, ...]:
        return (
            Cell(share(strategy.exposure)),
            Cell(plain(strategy.breadth)),
            Cell(count(strategy.idle)),
            *(Cell(count(strategy.counts.get(state, 0))) for state in happened),
        )

    keys = ("exposure", "breadth", "idle", *happened)
    return _of_strategies(
        "Exposure, and what became of the calls; what never happened has no column", keys, order, cells
    )


def periods(backtest: Backtest, order: Ranked) -> Table | None:
    """Rows are months or quarters, columns the strategies that are drawn; None where nobody has periods."""
    told = [({period.label: period for period in one.periods}, one) for one, _ in order.drawn if one.periods]
    labels = list(dict.fromkeys(label for one, _ in told for label in one))
    if not labels:
        return None

    def cell(period: Period | None) -> Cell:
        excess = period.made - period.benchmark if period else nan
        made = gain(period.made) if period else wording.UNKNOWN
        return Cell(made, _shade(excess), points(excess)) if isfinite(excess) else Cell(made)

    def row(label: str) -> Row:
        found = [one.get(label) for one, _ in told]
        market = next((period.benchmark for period in found if period and isfinite(period.benchmark)), nan)
        return Row(label, (Cell(gain(market)), *map(cell, found)))

    first = backtest.benchmarks[0].name if backtest.benchmarks else "Benchmark"
    columns = (Column("period_return", first), *(Column("period_return", one.name) for _, one in told))
    return Table("Net return, excess over the first benchmark below", "Period", columns, tuple(map(row, labels)))


def around(order: Ranked) -> Table | None:
    """Mean returns around the calls; None where nobody has them."""
    labels = list(dict.fromkeys(part.label for one in order.strategies for part in one.parts))

    def cells(strategy: StrategyResult) -> tuple[Cell, ...]:
        parts = {part.label: part for part in strategy.parts}
        return tuple(
            Cell(fine_gain(parts[label].mean), _tone(parts[label].mean), f"n {count(parts[label].n)}")
            if label in parts
            else Cell(wording.UNKNOWN)
            for label in labels
        )

    if not labels:
        return None
    columns = tuple(Column("part", label) for label in labels)
    return _of_strategies("Mean return around the calls, before costs", columns, order, cells)


def held_against(backtest: Backtest) -> Table:
    """What the market itself did."""
    keys = ("figure", "figure_interval", "figure_n")
    rows = tuple(
        Row(one.label, (Cell(ratio(one.value)), Cell(_middle(one)), Cell(count(one.n))), note=one.note)
        for one in backtest.figures
    )
    return Table("What results are to be held against", "Of what", tuple(map(Column, keys)), rows)


def further(order: Ranked) -> Table | None:
    """What else was measured of strategies; None where nothing was."""
    labels = list(dict.fromkeys(figure.label for one in order.strategies for figure in one.figures))

    def cells(strategy: StrategyResult) -> tuple[Cell, ...]:
        figures = {figure.label: figure for figure in strategy.figures}
        return tuple(_figure(figures[label]) if label in figures else Cell(wording.UNKNOWN) for label in labels)

    columns = tuple(Column("figure", label) for label in labels)
    return _of_strategies("Measured beside that", columns, order, cells) if labels else None


def _figure(one: Figure) -> Cell:
    """What is known of it below its value."""
    notes = ("" if (middle := _middle(one)) == wording.UNKNOWN else middle, f"n {count(one.n)}", one.note)
    return Cell(ratio(one.value), note=", ".join(filter(None, notes)))


def _middle(one: Figure) -> str:
    return interval(ratio(one.low), ratio(one.high))


def _of_strategies(
    caption: str,
    keys: Sequence[str] | Sequence[Column],
    order: Ranked,
    cells: Callable[[StrategyResult], tuple[Cell, ...]],
    below: Iterable[Row] = (),
) -> Table:
    rows = [
        Row(strategy.name, cells(strategy), charts.sample(order.styles.get(place, "")))
        for place, strategy in enumerate(order.strategies)
    ]
    return Table(
        caption,
        "Strategy",
        tuple(key if isinstance(key, Column) else Column(key) for key in keys),
        tuple(row for place, row in enumerate(rows) if order.is_shown(place)),
        tuple(row for place, row in enumerate(rows) if not order.is_shown(place)),
        tuple(below),
    )


def _measures(performance: Performance, weeks: int) -> tuple[Cell, ...]:
    """ARR, VOL, SR, Sharpe, MDD, CR."""
    return (
        _annual(performance.arr, gain, weeks),
        _annual(performance.vol, share, weeks),
        _annual(performance.sr, ratio, weeks),
        _annual(performance.sharpe, ratio, weeks),
        Cell(share(performance.mdd)),
        _annual(performance.cr, ratio, weeks),
    )


def _annual(value: float, say: Wording, weeks: int) -> Cell:
    return _meaningful(say(value), weeks)


def _meaningful(text: str, weeks: int) -> Cell:
    """Whatever the number: of too few weeks it is not told."""
    return Cell(text) if is_meaningful(weeks) else Cell(wording.NOT_MEANINGFUL, "none")


def _signed(value: float) -> Cell:
    return Cell(gain(value), _tone(value))


def _tone(value: float) -> str:
    return "up" if value > 0 else "down" if value < 0 else ""


def _shade(excess: float) -> str:
    depth = sum(abs(excess) > least for least in _SHADES)
    return f"{_tone(excess)}{depth}" if depth else ""
