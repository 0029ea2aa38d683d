"""One backtest while it is made: what is asked for becomes strategies, and these their results."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from finlore import resources
from finlore.backtest import honesty
from finlore.backtest.calls import Candidate, Window
from finlore.backtest.compare import Comparison
from finlore.backtest.composite import BEFORE, TWO_YEARS, Prior
from finlore.backtest.results import Backtest, StrategyResult
from finlore.backtest.signals_file import HOW, Names, read_signals
from finlore.backtest.strategies import (
    ALL_BROKERS,
    ALWAYS_FALL,
    ALWAYS_RISE,
    BROKER,
    OF_CALLS,
    OF_PRICES,
    TOP_HALF,
    always,
    following,
)
from finlore.backtest.trades import Trades
from finlore.errors import NoPrices, UsageError
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.flows.ratings import rated
from finlore.formats.decode import NotText, decode, fingerprint
from finlore.ports import Calendar, Market
from finlore.records.backtest import PAPER, STRICT, Costs, Rules, Signal, Strategy
from finlore.records.document import Issue
from finlore.records.instant import Instant, end_of_day
from finlore.records.panel import Days, IndexSeries, PricePanel, week_of
from finlore.records.run import BacktestRequest, Trial

_FILE: Final = "file:"
_MOST_NAMED: Final = 12
_MOST_BYTES: Final = 1 << 29  # of a table
_MAIN_INDEX: Final = "000300.SH"
_NOT_RATED: Final = "no rating that says a direction was known"
_DESCRIPTIONS: Final[Mapping[str, str]] = {
    ALL_BROKERS: "Every rating of every broker: buy and outperform are a rise, underperform and sell a fall.",
    ALWAYS_RISE: "A rise of each security that was called, whatever was said.",
    ALWAYS_FALL: "A fall of each security that was called: no position, its accuracy is what counts.",
}


class Known(Protocol):
    """What was known at an instant; with `sequence`, as the store stood after that transaction."""

    def __call__(self, as_of: Instant, *, sequence: int | None = None) -> KnowledgeAt: ...


class Experiment:
    """A request on a market. Tables of signals are named from where `place` is."""

    def __init__(
        self,
        market: Market,
        calendar: Calendar | None,
        request: BacktestRequest,
        known: Known,
        *,
        zone: str,
        place: Path,
    ) -> None:
        self._market, self._calendar, self._request, self._known = market, calendar, request, known
        self._window, self._rules = Window(request.since, request.until, zone), rules_of(request)
        self._absent: list[Issue] = []  # what was asked for and has no data
        history, self._prior = self._prices(market)
        self._since, self._until = _with_prices(history, request.since, request.until)
        self._comparison = Comparison(
            history,
            self._window,
            self._rules,
            benchmarks={series.code: series for series in self._indices},
            industries=self._industries,
            prior=self._prior,
            titles=_titles(),
            week_goes_on=_goes_on(calendar, history.days),
        )
        files = [name for name in request.strategies if name.startswith(_FILE)]
        codes = frozenset(history.codes)
        self._files = [_from_file(name, place, zone=zone, names=market.listed, codes=codes) for name in files]
        unread = [table for table, _ in self._files if _is_unread(table)]
        if unread and len(unread) == len(request.strategies):
            raise UsageError(f"{unread[0].name}: {unread[0].issues[0].message}", hint=HOW)
        self._absent += chain.from_iterable(table.issues for table in unread)

    def _prices(self, market: Market) -> tuple[PricePanel, Prior]:
        """The prices of the window and of what a strategy needs before it, and what was long before; nothing where the
        market has nothing but indices."""
        since, until = self._request.since, self._request.until
        try:
            history = market.panel(max(since, date.min + BEFORE) - BEFORE, until)
            return history, Prior(market.levels(until, over=TWO_YEARS))
        except NoPrices as error:
            if not market.indices():
                raise
            self._absent.append(Issue("market", f"{error.message}: no strategy can be tested"))
            return _nothing(), Prior()

    @property
    def _ends(self) -> Instant:
        return end_of_day(self._window.until, self._window.zone)

    @property
    def sequence(self) -> int:
        return self._known(self._ends).view.sequence

    @property
    def inputs(self) -> dict[str, str]:
        """Hashes of the tables of signals and of the ratings."""
        found = {strategy.name: digest for strategy, digest in self._files}
        return found | (
            {"ratings": fingerprint(repr(self._ratings).encode("utf-8", "replace"))} if self._ratings else {}
        )

    @cached_property
    def results(self) -> list[StrategyResult]:
        """Of each strategy by itself."""
        if not self._comparison.panel.codes:
            return []
        found = [self._comparison.trade(candidate) for candidate in self._candidates()]
        return [
            replace(result, figures=(*result.figures, *self._comparison.evaluated(self._ratings)))
            if result.name == TOP_HALF
            else result
            for result in found
        ]

    @property
    def trades(self) -> tuple[Trades, ...]:
        """Of each strategy, once its results are known."""
        return tuple(self._comparison.trades.values())

    def backtest(self, trials: Sequence[Trial], inputs: Mapping[str, str], *, is_kept: bool) -> Backtest:
        """All of them beside the market, and beside all that was tried."""
        ratios = np.array([np.nan if trial.ratio is None else trial.ratio for trial in trials])
        results = self._comparison.ranked(self.results, ratios)
        panel = self._comparison.panel
        clocks = [panel.days] if len(panel.days) else [series.days for series in self._indices]
        weeks = max((len(np.unique(week_of(days))) for days in clocks), default=0)
        remarks = (
            *((*honesty.of_prices(panel), *honesty.of_prior(self._prior, self._window)) if panel.codes else ()),
            *honesty.of_time(
                weeks, self._calendar.reach if self._calendar else None, self._window, sessions=panel.days
            ),
            *honesty.of_rules(self._rules, results),
            *honesty.of_indices(self._indices, panel.days),
            *honesty.of_results(results, len(trials), is_kept=is_kept),
        )
        return Backtest(
            since=self._request.since,
            until=self._request.until,
            weeks=weeks,
            rules=self._rules,
            strategies=results,
            benchmarks=self._comparison.benchmarks,
            honesty=remarks,
            inputs=inputs,
            variants=len(trials),
            issues=(*map(_by_file_name, panel.issues), *self._shorter(panel.days), *self._absent),
            figures=self._comparison.of_market(),
        )

    def _candidates(self) -> Iterator[Candidate]:
        """What was asked for, each once; else all that the data allow."""
        available = {strategy.name: strategy for strategy in self._of_calls() if strategy.signals or strategy.issues}
        if not self._request.strategies:
            yield from self._that_can_be_traded(available.values())
            yield from self._comparison.of_prices()
            return
        of_prices = {one.name: one for one in self._comparison.of_prices(self._request.strategies)}
        for name in dict.fromkeys(_completed(asked, available) for asked in self._request.strategies):
            if name in of_prices:
                yield of_prices[name]
            elif name in available:
                if not _is_unread(available[name]):
                    yield self._candidate(available[name])
            else:
                self._absent.append(self._missing(name))

    def _that_can_be_traded(self, strategies: Iterable[Strategy]) -> Iterator[Candidate]:
        """Those of which a call has prices."""
        left_out = []
        for candidate in map(self._candidate, strategies):
            if (candidate.calls.assets >= 0).any():
                yield candidate
            else:
                left_out.append(candidate.name)
        if left_out:
            names, more = ", ".join(left_out[:_MOST_NAMED]), len(left_out) - _MOST_NAMED
            source = f"{names} and {more} more" if more > 0 else names
            self._absent.append(Issue(source, "left out, for no call of this time has prices", "note"))

    def _missing(self, name: str) -> Issue:
        """Why a strategy that was asked for has no data by the last day; UsageError where nothing can be called so.
        Whether there are ratings that were known later is not looked up: nothing later is read."""
        if name.startswith(BROKER) or name in OF_CALLS:
            return Issue(name, f"{_NOT_RATED} by {self._request.until}; a later crawl is when a rating was known")
        if name in OF_PRICES:
            return Issue(name, f"there is nothing to test it on by {self._request.until}")
        raise UsageError(f"there is no strategy {name!r}", hint=f"one of {', '.join(_names(self._brokers))}")

    def _of_calls(self) -> Iterator[Strategy]:
        """Tables of signals, brokers (whom one names, however little he said), and constants on the same calls."""
        tables = [strategy for strategy, _ in self._files]
        yield from tables
        at_least = 1 if self._request.strategies else self._request.broker_signals
        yield from following(self._ratings, at_least=at_least)
        calls: tuple[Signal, ...] = tuple(chain.from_iterable(table.signals for table in tables)) or self._ratings
        yield from (always(label, calls) for label in ("Rise", "Fall"))

    def _candidate(self, strategy: Strategy) -> Candidate:
        name = strategy.name
        broker = name.removeprefix(BROKER)
        words = _DESCRIPTIONS.get(name) or (f"The ratings of {broker}." if broker != name else "Signals of a table.")
        return self._comparison.signals(strategy, words)

    @cached_property
    def _ratings(self) -> tuple[Signal, ...]:
        return rated(self._known, self._ends, zone=self._window.zone)

    @property
    def _brokers(self) -> list[str]:
        return [one.name for one in following(self._ratings, at_least=1)]

    @cached_property
    def _indices(self) -> list[IndexSeries]:
        """Those that have two closes in the time of the prices, the one of the largest companies first."""
        codes = sorted(self._market.indices(), key=lambda code: (code != _MAIN_INDEX, code))
        found = (self._market.index(code, self._since, self._until) for code in codes)
        return [series for series in found if series is not None and len(series.days) > 1]

    def _industries(self, codes: Sequence[str], day: date) -> list[str | None]:
        """The first level of Shenwan: two digits."""
        classes = (self._market.industry(code, day) for code in codes)
        return [class_[:2] if class_ else None for class_ in classes]

    def _shorter(self, sessions: Days) -> Iterator[Issue]:
        """Of indices that do not reach over all that is traded."""
        found = {series.code: series for series in self._indices}
        for code in self._market.indices():
            if code not in found:
                yield Issue(code, f"the index has no two levels from {self._since} to {self._until}")
            elif told := honesty.shorter(found[code], sessions):
                yield Issue(code, told)


def _nothing() -> PricePanel:
    """A panel of no sessions and no securities."""
    prices, flags, days = np.zeros((0, 0)), np.zeros((0, 0), bool), np.zeros(0, "datetime64[D]")
    instants = np.zeros(0, np.int64)
    return PricePanel(
        days, (), (), prices, prices, prices, prices, prices, prices, prices, prices, flags, flags, days, days,
        instants, instants, "none",
    )  # fmt: skip


def _with_prices(history: PricePanel, since: date, until: date) -> tuple[date, date]:
    """The first and the last day of this time that has prices; where none has, all of the time."""
    days = history.days[history.days >= np.datetime64(since, "D")]
    return (days[0].item(), days[-1].item()) if len(days) else (since, until)


def rules_of(request: BacktestRequest) -> Rules:
    """Those of the mode, with the entry and the costs that are asked for."""
    rules = PAPER if request.mode == "paper" else STRICT
    if request.entry is not None:
        rules = replace(rules, entry=request.entry)
    if request.cost_bps is not None:
        flat = Costs(commission=request.cost_bps / 1e4, minimum=0.0, stamp_duty=(), transfer_fee=0.0, slippage=0.0)
        rules = replace(rules, costs=flat if request.cost_bps else None)
    return rules


def _goes_on(calendar: Calendar | None, days: Days) -> bool:
    """Whether the week of the last of the days has sessions after it."""
    if calendar is None or not len(days):
        return False
    last: date = days[-1].item()
    return len(calendar.sessions(last + timedelta(days=1), last + timedelta(days=6 - last.weekday()))) > 0


@cache
def _titles() -> Mapping[str, str]:
    """How the first level of Shenwan is called, by its digits."""
    rows = resources.load_rows("market/shenwan.tsv", 3)
    return {digits: f"{name} {english}".strip() for digits, name, english in rows}


def _from_file(name: str, place: Path, *, zone: str, names: Names, codes: Container[str]) -> tuple[Strategy, str]:
    """The signals of a table, and the hash of its bytes."""
    content = _content(place / name.removeprefix(_FILE))
    try:
        return read_signals(decode(content), name=name, zone=zone, names=names, codes=codes), fingerprint(content)
    except NotText as error:
        return Strategy(name, (), (Issue(name, str(error), "rejected"),)), ""


def _content(path: Path) -> bytes:
    """Of a file: what has no end would be waited for, or read, for ever."""
    try:
        problem = "it is no file" if path.exists() and not path.is_file() else ""
        content = b"" if problem else _beginning(path)
    except (OSError, ValueError) as error:
        problem, content = getattr(error, "strerror", None) or str(error), b""
    if len(content) > _MOST_BYTES:
        problem = f"it has more than {_MOST_BYTES:,} bytes"
    if problem:
        raise UsageError(f"{path} cannot be read: {problem}", hint="--strategy file:PATH")
    return content


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST_BYTES + 1)


def _is_unread(table: Strategy) -> bool:
    """Whether nothing of it can be used."""
    return not table.signals and any(issue.severity == "rejected" for issue in table.issues)


def _completed(name: str, known: Iterable[str]) -> str:
    """The broker who alone is called so, begins so, or else has this in his name."""
    brokers = [one for one in known if one.startswith(BROKER)]
    part = name.removeprefix(BROKER)
    if part in (name, "") or name in brokers:
        return name
    meant = [one for one in brokers if one.startswith(name)] or [one for one in brokers if part in one]
    if len(meant) > 1:
        raise UsageError(f"{name!r} may be any of {len(meant)}", hint=", ".join(meant[:_MOST_NAMED]))
    return meant[0] if meant else name


def _names(available: Iterable[str]) -> list[str]:
    brokers = [name for name in available if name.startswith(BROKER)]
    return [f"{_FILE}signals.csv", *OF_CALLS, *OF_PRICES, *brokers[:_MOST_NAMED]]


def _by_file_name(issue: Issue) -> Issue:
    """The same folder may be named in many ways."""
    return replace(issue, source=Path(issue.source).name)
