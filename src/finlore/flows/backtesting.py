"""Testing strategies: prices, ratings that were ingested, tables of signals -> a backtest that is kept and replays."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from functools import cached_property, partial
from hashlib import blake2b, file_digest
from itertools import chain
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from finlore import __version__
from finlore.backtest import honesty
from finlore.backtest.calls import Contender, Window
from finlore.backtest.compare import Comparison, benchmark, weekly_ratio
from finlore.backtest.results import Backtest, StrategyResult
from finlore.backtest.signals_file import read_signals
from finlore.backtest.strategies import (
    ALL_BROKERS,
    ALWAYS_FALL,
    ALWAYS_RISE,
    BROKER,
    OF_CALLS,
    OF_PRICES,
    SEED,
    TOP_HALF,
    always,
    following,
)  # fmt: skip
from finlore.backtest.telling import told
from finlore.backtest.weeks import week_of
from finlore.errors import ConfigurationError, MissingExtra, UsageError
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.flows.ratings import rated
from finlore.formats.decode import NotText, decode, fingerprint
from finlore.ports import Calendar, Market
from finlore.records.backtest import PAPER, STRICT, Costs, Rules, Signal, Strategy
from finlore.records.document import Issue
from finlore.records.instant import Instant, end_of_day, now
from finlore.records.panel import Days, IndexSeries
from finlore.records.run import BacktestRequest, BacktestRun, Replay, Trial
from finlore.runs import BacktestFolder, first_difference
from finlore.wiring import Adapters

_FILE: Final = "file:"
_FIRST: Final = date(1990, 1, 1)
_MARKET_FILES: Final = ("daily_bars.parquet", "daily_bars.csv", "index_*.csv", "securities.csv",
                        "shenwan_membership.csv")  # fmt: skip
_MOST_SHOWN: Final = 400  # characters
_MOST_NAMED: Final = 12
_MAIN_INDEX: Final = "000300.SH"
_DESCRIPTIONS: Final[Mapping[str, str]] = {
    ALL_BROKERS: "Every rating of every broker: buy and outperform are a rise, underperform and sell a fall.",
    ALWAYS_RISE: "A rise of each security that was called, whatever was said.",
    ALWAYS_FALL: "A fall of each security that was called: no position, its accuracy is what counts.",
}


class Known(Protocol):
    """What was known at an instant; with `sequence`, as the store stood after that transaction."""

    def __call__(self, as_of: Instant, *, sequence: int | None = None) -> KnowledgeAt: ...


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """A backtest, the document that tells it, and the run under which it is kept, None where none can be."""

    backtest: Backtest
    document: dict[str, object]
    run: str | None


class Backtesting:
    """Backtests of one workspace."""

    def __init__(
        self,
        adapters: Adapters,
        *,
        known: Known,
        runs: BacktestFolder,
        market: Path | None,
        zone: str,
    ) -> None:
        self._adapters, self._known, self.runs, self._folder, self._zone = adapters, known, runs, market, zone

    def run(self, request: BacktestRequest) -> Tested:
        """Test, remember what was tried, and keep the record."""
        testing, inputs = self._tested(request, None)
        trials, is_kept = self._remembered([_trial(result, request, inputs) for result in testing.results])
        found = testing.backtest(trials, inputs, is_kept=is_kept)
        document = told(found)
        blank = BacktestRun(
            "", now(), request, testing.sequence, __version__, SEED, tuple(sorted(inputs.items())), len(trials),
            json.dumps(document),
        )  # fmt: skip
        record = replace(blank, run=_run_name(blank))
        return Tested(found, document, record.run if is_kept and self._is_saved(record) else None)

    def replay(self, run: str) -> Replay:
        """Test again on the same rows; equal, or what differs first, files before numbers."""
        record = self.runs.load(run)
        testing, inputs = self._tested(record.request, record.sequence)
        again = testing.backtest(self.runs.trials()[: record.trials], inputs, is_kept=True)
        text = json.dumps(told(again))
        if text == record.document:
            return Replay(run, True)
        difference = _changed(dict(record.inputs), inputs) or first_difference(
            json.loads(record.document), json.loads(text), "backtest"
        )
        since = "" if record.version == __version__ else f"finlore {record.version} became {__version__}; "
        return Replay(run, False, since + difference[:_MOST_SHOWN])

    def _tested(self, request: BacktestRequest, sequence: int | None) -> tuple["_Testing", dict[str, str]]:
        """A test, and the hashes of all that it was made from."""
        _check(request)
        known = partial(self._known, sequence=sequence)
        testing = _Testing(self._market, self._calendar, request, known, self._zone)
        return testing, {**self._market_hashes(), **testing.inputs}

    @property
    def _market(self) -> Market:
        market = self._adapters.market
        if market is None:
            raise ConfigurationError("a backtest needs a folder of prices", hint="name it with --market FOLDER")
        return market

    @property
    def _calendar(self) -> Calendar | None:
        try:
            return self._adapters.calendar
        except MissingExtra:
            return None

    def _market_hashes(self) -> dict[str, str]:
        """Of the files that a market is read from."""
        folder = self._folder
        if folder is None or not folder.is_dir():
            return {}
        paths = sorted(path for pattern in _MARKET_FILES for path in folder.glob(pattern))
        return {path.name: _file_hash(path) for path in paths}

    def _remembered(self, tried: Sequence[Trial]) -> tuple[list[Trial], bool]:
        """The ledger with what was tried now, and whether it could be written."""
        try:
            self.runs.remember(tried)
        except OSError:
            known = self.runs.trials()
            keys = {trial.key for trial in known}
            return [*known, *(trial for trial in tried if trial.key not in keys)], False
        return self.runs.trials(), True

    def _is_saved(self, record: BacktestRun) -> bool:
        try:
            self.runs.save(record)
        except OSError:
            return False
        return True


class _Testing:
    """One backtest while it is made."""

    def __init__(
        self, market: Market, calendar: Calendar | None, request: BacktestRequest, known: Known, zone: str
    ) -> None:
        self._market, self._calendar, self._request, self._known = market, calendar, request, known
        self._window, self._rules = Window(request.since, request.until, zone), rules_of(request)
        history = market.panel(_FIRST, request.until)
        self._comparison = Comparison(
            history,
            self._window,
            self._rules,
            benchmarks={series.code: series for series in self._indices},
            industries=self._industries,
            week_goes_on=_goes_on(calendar, history.days),
        )
        self._absent: list[Issue] = []  # what was asked for and has no data
        called = {name: code for code, name in zip(history.codes, history.names, strict=True) if name}
        self._files = [_from_file(name, zone, called) for name in request.strategies if name.startswith(_FILE)]

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
        found = [self._comparison.trade(candidate) for candidate in self._contenders()]
        return [
            replace(result, figures=(*result.figures, *self._comparison.judged(self._ratings)))
            if result.name == TOP_HALF
            else result
            for result in found
        ]

    def backtest(self, trials: Sequence[Trial], inputs: Mapping[str, str], *, is_kept: bool) -> Backtest:
        """All of them beside the market, and beside all that was tried."""
        ratios = np.array([np.nan if trial.ratio is None else trial.ratio for trial in trials])
        results = self._comparison.ranked(self.results, ratios)
        benchmarks = tuple(benchmark(series) for series in self._indices)
        panel = self._comparison.panel
        weeks = max(
            (len(np.unique(week_of(days))) for days in (panel.days, *(s.days for s in self._indices))), default=0
        )
        remarks = (
            *honesty.of_prices(panel),
            *honesty.of_time(weeks, self._calendar.reach if self._calendar else None, self._window),
            *honesty.of_rules(self._rules, results),
            *honesty.of_indices(self._indices),
            *honesty.of_results(results, len(trials), is_kept=is_kept),
        )
        return Backtest(
            since=self._request.since,
            until=self._request.until,
            weeks=weeks,
            rules=self._rules,
            strategies=results,
            benchmarks=benchmarks,
            honesty=remarks,
            inputs=inputs,
            variants=len(trials),
            issues=(*panel.issues, *self._absent),
            figures=self._comparison.of_market(),
        )

    def _contenders(self) -> Iterator[Contender]:
        """What was asked for, each once; else all that the data allow."""
        available = {strategy.name: strategy for strategy in self._of_calls() if strategy.signals or strategy.issues}
        if not self._request.strategies:
            yield from (self._contender(strategy) for strategy in available.values())
            yield from self._comparison.of_prices()
            return
        of_prices = {one.name: one for one in self._comparison.of_prices(self._request.strategies)}
        for name in dict.fromkeys(self._request.strategies):
            if name in of_prices:
                yield of_prices[name]
            elif name in available:
                yield self._contender(available[name])
            elif name in (*OF_CALLS, *OF_PRICES):
                self._absent.append(Issue(name, f"there is nothing to test it on by {self._request.until}"))
            else:
                raise UsageError(f"there is no strategy {name!r}", hint=f"one of {', '.join(_names(available))}")

    def _of_calls(self) -> Iterator[Strategy]:
        """Tables of signals, brokers (whom one names, however little he said), and constants on the same calls."""
        tables = [strategy for strategy, _ in self._files]
        yield from tables
        at_least = 1 if self._request.strategies else self._request.broker_signals
        yield from following(self._ratings, at_least=at_least)
        calls: tuple[Signal, ...] = tuple(chain.from_iterable(table.signals for table in tables)) or self._ratings
        yield from (always(label, calls) for label in ("Rise", "Fall"))

    def _contender(self, strategy: Strategy) -> Contender:
        name = strategy.name
        broker = name.removeprefix(BROKER)
        words = _DESCRIPTIONS.get(name) or (f"The ratings of {broker}." if broker != name else "Signals of a table.")
        return self._comparison.signals(strategy, words)

    @cached_property
    def _ratings(self) -> tuple[Signal, ...]:
        return rated(self._known, self._ends, zone=self._window.zone)

    @cached_property
    def _indices(self) -> list[IndexSeries]:
        """Those that have two closes in the time, the one of the largest companies first."""
        codes = sorted(self._market.indices(), key=lambda code: (code != _MAIN_INDEX, code))
        found = (self._market.index(code, self._window.since, self._window.until) for code in codes)
        return [series for series in found if series is not None and len(series.days) > 1]

    def _industries(self, codes: Sequence[str], day: date) -> list[str | None]:
        """The first level of Shenwan: two digits."""
        classes = (self._market.industry(code, day) for code in codes)
        return [class_[:2] if class_ else None for class_ in classes]


def rules_of(request: BacktestRequest) -> Rules:
    """Those of the mode, with the entry and the costs that are asked for."""
    rules = PAPER if request.mode == "paper" else STRICT
    if request.entry is not None:
        rules = replace(rules, entry=request.entry)
    if request.cost_bps is not None:
        flat = Costs(commission=request.cost_bps / 1e4, minimum=0.0, stamp_duty=(), transfer_fee=0.0, slippage=0.0)
        rules = replace(rules, costs=flat if request.cost_bps else None)
    return rules


def _check(request: BacktestRequest) -> None:
    if request.since > request.until:
        raise UsageError(
            f"the time from {request.since} to {request.until} ends before it begins", hint="--from D --to D"
        )
    if request.cost_bps is not None and not 0 <= request.cost_bps < 1e4:
        raise UsageError(f"costs of {request.cost_bps} basis points make no sense", hint="--cost-bps 15")


def _goes_on(calendar: Calendar | None, days: Days) -> bool:
    """Whether the week of the last of the days has sessions after it."""
    if calendar is None or not len(days):
        return False
    last: date = days[-1].item()
    return len(calendar.sessions(last + timedelta(days=1), last + timedelta(days=6 - last.weekday()))) > 0


def _from_file(name: str, zone: str, called: Mapping[str, str]) -> tuple[Strategy, str]:
    """The signals of a table, and the hash of its bytes."""
    path = Path(name.removeprefix(_FILE))
    try:
        content = path.read_bytes()
        return read_signals(decode(content), name=name, zone=zone, names=called), fingerprint(content)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}", hint="--strategy file:PATH") from error
    except NotText as error:
        return Strategy(name, (), (Issue(name, str(error), "rejected"),)), ""


def _names(available: Iterable[str]) -> list[str]:
    brokers = [name for name in available if name.startswith(BROKER)]
    return [f"{_FILE}signals.csv", *OF_CALLS, *OF_PRICES, *brokers[:_MOST_NAMED]]


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Which of the inputs are not what they were."""
    other = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return f"inputs changed: {', '.join(other)}" if other else ""


def _trial(result: StrategyResult, request: BacktestRequest, inputs: Mapping[str, str]) -> Trial:
    """Of prices that were loaded anew it is the same trial; of another table it is another."""
    settings = asdict(replace(request, strategies=()))
    seed = repr((result.name, inputs.get(result.name, ""), sorted(settings.items(), key=lambda item: item[0])))
    ratio = weekly_ratio(result)
    return Trial(_digest(seed), result.name, None if np.isnan(ratio) else ratio)


def _run_name(record: BacktestRun) -> str:
    return _digest(repr((record.created_at, record.request, record.sequence, record.inputs)))


def _digest(seed: str) -> str:
    return blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
