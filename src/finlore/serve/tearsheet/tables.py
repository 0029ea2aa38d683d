"""The tables of a backtest, from the document that tells it, on the page and in the terminal alike.

What no row knows has no column, and what is not meaningful of so few weeks is said once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress, repeat
from math import inf
from typing import Final, get_args

from finlore.backtest.significance import FEWEST_DIFFERING, FEWEST_WEEKS
from finlore.backtest.strategies import OF_CALLS, OF_PRICES
from finlore.records.backtest import CallState
from finlore.serve.tearsheet.cells import (
    Cell,
    Column,
    Definitions,
    Row,
    Table,
    cells,
    column,
    figure_row,
    tone,
    without_the_unknown,
)
from finlore.serve.tearsheet.wording import UNKNOWN, count, gain, points, share
from finlore.serve.words import Json

_RESULTS: Final = (
    "total", "gross_total", "paper_total", "strict_total", "exposure", "over_index", "arr", "vol", "sr", "sharpe",
    "mdd", "cr",
)  # fmt: skip
_BEFORE_COSTS: Final = ("gross_total", "arr", "vol", "sr", "sharpe", "mdd", "cr")
_CALLS: Final = (
    "calls", "rises", "accuracy", "accuracy_interval", "base_rate", "constant", "excess_accuracy", "effective",
    "bought", "accuracy_traded",
)  # fmt: skip
_CONFIDENCES: Final = ("auc", "auc_interval", "brier")
_CHANCE: Final = (
    "sharpe", "sharpe_interval", "psr", "dsr", "weeks_needed", "gross_total", "by_chance", "by_chance_interval",
    "percentile",
)  # fmt: skip
_TRADING: Final = ("turnover", "breadth", "idle", "capacity", "capacity_tight", "coverage", "blocked")
_RELATIVE: Final = ("over_exposure", "alpha", "beta", "tracking_error", "information", "up", "down")
_ATTRIBUTION: Final = ("of_signals", "of_universe", "allocation", "selection", "interaction", "contribution")
_FIGURES: Final = ("figure", "figure_interval", "figure_n", "figure_held_to")
_ALWAYS_OPEN: Final = frozenset((*OF_CALLS, *OF_PRICES))
_MOST_INDUSTRIES: Final = 8
_SHADES: Final = (0.0, 0.02, 0.05)  # from which excess on a cell is darker


@dataclass(frozen=True)
class Tables:
    """Of a document whose strategies stand in their order. `styles`: of what is drawn, by place; of more than `most`
    strategies those alone are shown, and what is of all calls or of prices; the others are the rest."""

    document: Json
    defined: Definitions
    styles: Mapping[int, str] = field(default_factory=dict)
    benchmark_styles: Sequence[str] = ()
    most: float = inf

    @property
    def results(self) -> Table:
        return self._of("Results, net of costs unless it says gross", _RESULTS, is_beside=True)

    @property
    def before_costs(self) -> Table:
        return self._of("The same before costs", _BEFORE_COSTS, [row | row["gross"] for row in self._strategies])

    @property
    def calls(self) -> Table:
        return self._of("Calls: ACC of all with an outcome, ACC traded of those that were bought", _CALLS)

    @property
    def confidences(self) -> Table:
        told = [row for row in self._strategies if row["brier"] is not None]
        return self._of("Confidences of the calls", _CONFIDENCES, told)

    @property
    def chance(self) -> Table:
        tried = f"variants tried, which DSR counts: {count(self.document['variants'])}"
        return self._of(
            f"Chance; {tried}; Percentile compares within these same weeks and tells nothing of others", _CHANCE
        )

    @property
    def trading(self) -> Table:
        return self._of("Trading, and the capital with which no purchase is more than 10 % of its day", _TRADING)

    @property
    def fates(self) -> Table:
        """What became of the calls, and what hindered trading."""
        known = dict.fromkeys([*get_args(CallState), *(state for row in self._strategies for state in row["counts"])])
        none = {state: 0 for state in known if any(row["counts"].get(state) for row in self._strategies)}
        heads = ((state, self.defined.get(state, {}).get("head", state)) for state in none)
        columns = [Column(state, head, f"counts/{state}", "count") for state, head in heads]
        rows = [row | {"counts": none | row["counts"]} for row in self._strategies]
        return self._of("What became of the calls; what never happened has no column", columns, rows)

    @property
    def around(self) -> Table:
        labels = dict.fromkeys(label for row in self._strategies for label in row["parts"])
        columns = [Column("part", one, f"parts/{one}/mean", "fine_gain", f"parts/{one}/n") for one in labels]
        return self._of("Around calls to buy, mean return before costs", columns)

    @property
    def beside_benchmarks(self) -> list[Table]:
        """One for each index that any strategy is compared with."""
        names = {row["name"]: f"{row['title']} ({row['name']})" for row in self.document["benchmarks"]}
        told = [code for row in self._strategies for code in (*row["beside"], *row["over_exposure"])]
        found = []
        for code in dict.fromkeys([*(code for code in names if code in told), *told]):
            rows = [
                row | {"over_exposure": row["over_exposure"].get(code)} | row["beside"].get(code, {})
                for row in self._strategies
            ]
            found.append(self._of(f"Against {names.get(code, code)}", _RELATIVE, rows))
        return found

    @property
    def market(self) -> Table | None:
        """What the universe did on the same dates."""
        return self._of_figures("What results are to be held against", self.document["figures"])

    @property
    def evaluations(self) -> list[Table]:
        """What was measured of one strategy and has no column in the tables of all."""
        shown = {one["at"].split("/")[1] for one in self.defined.values() if one.get("at", "").startswith("figures/")}
        found = (
            self._of_figures(f"{row['name']}: what its scores are worth", figures)
            for row in self._strategies
            if (figures := [one for label, one in row["figures"].items() if label not in shown])
        )
        return [table for table in found if table]

    @property
    def attributions(self) -> list[Table]:
        """Of the strategies that have styles: the industries that count most, the others as one, and all."""
        told = (self._strategies[place] for place in self.styles)
        return [self._attribution(row["name"], row["attribution"]) for row in told if row.get("attribution")]

    @property
    def periods(self) -> Table | None:
        """Rows are months or quarters, columns the strategies that have styles; None where nobody has periods."""
        told = [row for place in self.styles if (row := self._strategies[place])["periods"]]
        by_label = [{period["label"]: period for period in row["periods"]} for row in told]
        labels = dict.fromkeys(label for one in by_label for label in one)
        first = next((row["title"] for row in self.document["benchmarks"]), "Benchmark")
        columns = tuple(Column("period_return", name) for name in (first, *(row["name"] for row in told)))
        rows = tuple(Row(label, _period([one.get(label) for one in by_label])) for label in labels)
        return Table("Net return, excess over the first benchmark below", "Period", columns, rows) if rows else None

    @property
    def overfitting(self) -> str:
        """What the probability of backtest overfitting is, or why none is told."""
        found = self.document.get("overfitting")
        if not found:
            return "not reckoned in this run"
        weeks, strategies = count(found["weekly_returns"]), count(found["strategies"])
        if found["pbo"] is None:
            needed = f"weekly returns {weeks}, {FEWEST_WEEKS} needed; differing strategies {strategies}"
            return f"not meaningful ({needed}, {FEWEST_DIFFERING} needed)"
        of = f"{count(found['splits'])} splits of {weeks} weekly returns of {strategies} differing strategies"
        return f"{share(found['pbo'])} of {of}; chance gives about 50 %"

    @cached_property
    def _strategies(self) -> list[Json]:
        """Rows with their styles, whose figures and parts are found by their labels."""
        return [
            row
            | {"style": self.styles.get(place, "")}
            | {key: {one["label"]: one for one in row[key]} for key in ("figures", "parts")}
            for place, row in enumerate(self.document["strategies"])
        ]

    def _of(
        self, caption: str, keys: Iterable[str | Column], told: Sequence[Json] | None = None, *, is_beside: bool = False
    ) -> Table:
        """A row for each strategy; `is_beside`: for each benchmark too."""
        columns = [column(self.defined, key) if isinstance(key, str) else key for key in keys]
        silent = [] if self.document["meaningful"] else [one for one in columns if self._is_annual(one)]
        columns = [one for one in columns if one not in silent]
        told = self._strategies if told is None else told
        rows = [Row(row["name"], cells(columns, row), row["style"]) for row in told]
        is_short = len(told) <= self.most
        is_open = [is_short or bool(row.style) or row.name in _ALWAYS_OPEN for row in rows]
        styles = chain(self.benchmark_styles, repeat(""))
        below = (
            Row(
                row["title"] or row["name"],
                cells(columns, row),
                next(styles),
                row["name"] if row["title"] else "",
                row["name"] if row["name"] in self.defined else "",
            )
            for row in (self.document["benchmarks"] if is_beside else ())
        )
        return without_the_unknown(
            Table(
                caption,
                "Strategy",
                tuple(columns),
                tuple(compress(rows, is_open)),
                tuple(row for row, stands in zip(rows, is_open, strict=True) if not stands),
                tuple(below),
                self._not_meaningful(silent),
            )
        )

    def _is_annual(self, one: Column) -> bool:
        return bool(self.defined.get(one.key, {}).get("annual"))

    def _not_meaningful(self, columns: Sequence[Column]) -> str:
        heads = ", ".join(one.head for one in columns)
        of = f"{count(self.document['weekly_returns'])} weekly returns ({FEWEST_WEEKS} are needed)"
        return f"Not meaningful of {of}: {heads}" if heads else ""

    def _of_figures(self, caption: str, figures: Iterable[Json]) -> Table | None:
        """A row for each that is known; None of none."""
        rows = tuple(figure_row(self.defined, one) for one in figures if one["value"] is not None)
        columns = tuple(column(self.defined, key) for key in _FIGURES)
        return without_the_unknown(Table(caption, "Of what", columns, rows)) if rows else None

    def _attribution(self, name: str, told: Sequence[Json]) -> Table:
        columns = tuple(column(self.defined, key) for key in _ATTRIBUTION)
        largest, others = told[:_MOST_INDUSTRIES], told[_MOST_INDUSTRIES:]
        rows = [*largest, *([_sum(f"{len(others)} others", others)] if others else [])]
        shown = [Row(row["industry"] or "(none known)", cells(columns, row)) for row in rows]
        total = Row("All", cells(columns, _sum("", told)))
        return Table(f"{name}, basis points a week", "Industry", columns, tuple(shown), below=(total,))


def _sum(name: str, told: Sequence[Json]) -> Json:
    keys = [key for key in told[0] if key != "industry"]
    return {"industry": name} | {key: sum(row[key] or 0.0 for row in told) for key in keys}


def _period(found: Sequence[Json | None]) -> tuple[Cell, ...]:
    """What the first benchmark made, and the strategies."""
    market = next((one["benchmark"] for one in found if one and one["benchmark"] is not None), None)
    return Cell(gain(market)), *(_beside_market(one) for one in found)


def _beside_market(period: Json | None) -> Cell:
    if period is None or period["made"] is None or period["benchmark"] is None:
        return Cell(gain(period["made"]) if period else UNKNOWN)
    excess = period["made"] - period["benchmark"]
    direction, depth = tone(points(excess)), sum(abs(excess) > least for least in _SHADES)
    return Cell(gain(period["made"]), f"{direction}{depth}" if direction else "", points(excess))
