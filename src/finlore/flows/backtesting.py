"""Testing strategies: prices, ratings that were ingested, tables of signals -> a backtest that is kept and replays."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from finlore import __version__
from finlore.backtest.compare import weekly_ratio
from finlore.backtest.document import as_document
from finlore.backtest.results import Backtest, StrategyResult
from finlore.backtest.strategies import SEED
from finlore.backtest.trades import Trades
from finlore.errors import ConfigurationError, MissingExtra, UsageError
from finlore.flows.experiment import Experiment, Known
from finlore.ports import Calendar
from finlore.records.document import Issue
from finlore.records.instant import now
from finlore.records.run import BacktestRequest, BacktestRun, Replay, Trial
from finlore.runs import LEDGER, BacktestFolder, Trials, first_difference
from finlore.settings import Settings
from finlore.wiring import Adapters

_MARKET_FILES: Final = (
    "daily_bars.*", "daily_bars/*", "index_*.*", "securities.*", "shenwan_membership.*", "name_changes.*",
)  # fmt: skip
_MOST_SHOWN: Final = 400  # characters


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """A backtest, the document that tells it, and the run under which it is kept, None where none can be. `issues`: of
    what was tried before, not of the test. `trades`: of each strategy, to go through call by call."""

    backtest: Backtest
    document: dict[str, object]
    run: str | None
    issues: tuple[Issue, ...] = ()
    trades: tuple[Trades, ...] = ()


class Backtesting:
    """Backtests of one workspace."""

    def __init__(
        self,
        adapters: Adapters,
        *,
        known: Known,
        runs: BacktestFolder,
        is_market_asked: bool,
        zone: str,
    ) -> None:
        self._adapters, self._known, self.runs, self._zone = adapters, known, runs, zone
        self._is_market_asked = is_market_asked

    def run(self, request: BacktestRequest) -> Tested:
        """Test, remember what was tried, and keep the record."""
        source, place = self._source(), Path.cwd()
        experiment, inputs = self._experiment(request, source, place, None)
        trials, is_kept = self._remembered(
            [_trial(result, request, inputs) for result in experiment.results if _is_tried(result)]
        )
        found = experiment.backtest(trials.tried, inputs, is_kept=is_kept)
        document = as_document(found)
        blank = BacktestRun(
            "", now(), request, experiment.sequence, __version__, SEED, tuple(sorted(inputs.items())),
            len(trials.tried), json.dumps(document), source.adapter, str(source.folder.resolve()), str(place),
        )  # fmt: skip
        record = replace(blank, run=_run_name(blank))
        run = record.run if is_kept and self._is_saved(record) else None
        return Tested(found, document, run, _damaged(trials), experiment.trades)

    def replay(self, run: str) -> Replay:
        """Test again on the same rows; equal, or what differs first, files before numbers."""
        record = self.runs.load(run)
        source = self._source() if self._is_market_asked or not record.market else _kept(record)
        experiment, inputs = self._experiment(record.request, source, Path(record.place), record.sequence)
        again = experiment.backtest(self.runs.trials().tried[: record.trials], inputs, is_kept=True)
        text = json.dumps(as_document(again))
        if text == record.document:
            return Replay(run, True)
        difference = _changed(dict(record.inputs), inputs) or first_difference(
            json.loads(record.document), json.loads(text), "backtest"
        )
        since = "" if record.version == __version__ else f"finlore {record.version} became {__version__}; "
        return Replay(run, False, since + difference[:_MOST_SHOWN])

    def _experiment(
        self, request: BacktestRequest, source: "_Source", place: Path, sequence: int | None
    ) -> tuple[Experiment, dict[str, str]]:
        """With the hashes of all that it is made from."""
        _check(request)
        market, known = self._adapters.market_of(*source), partial(self._known, sequence=sequence)
        experiment = Experiment(market, self._calendar, request, known, zone=self._zone, place=place)
        return experiment, {**_hashes(source.folder), **experiment.inputs}

    def _source(self) -> "_Source":
        source = self._adapters.market_source
        if source is None:
            raise ConfigurationError("a backtest needs a folder of prices", hint="name it with --market FOLDER")
        return _Source(*source)

    @property
    def _calendar(self) -> Calendar | None:
        try:
            return self._adapters.calendar
        except MissingExtra:
            return None

    def _remembered(self, tried: Sequence[Trial]) -> tuple[Trials, bool]:
        """The ledger with what was tried now, and whether it could be written."""
        try:
            self.runs.remember(tried)
        except OSError:
            known, n_unreadable = self.runs.trials()
            keys = {trial.key for trial in known}
            return Trials([*known, *(trial for trial in tried if trial.key not in keys)], n_unreadable), False
        return self.runs.trials(), True

    def _is_saved(self, record: BacktestRun) -> bool:
        try:
            self.runs.save(record)
        except OSError:
            return False
        return True


def is_asked(settings: Settings, key: str) -> bool:
    """Whether a caller said it, rather than a settings file or the environment."""
    origin = next(row.origin for row in settings.explain() if row.key == key)
    return getattr(settings, key) is not None and origin in ("argument", "default")


class _Source(NamedTuple):
    """What a market is read by, and from where."""

    adapter: str
    folder: Path


def _kept(record: BacktestRun) -> _Source:
    """That of a run."""
    source = _Source(record.adapter, Path(record.market))
    if not source.folder.is_dir():
        raise ConfigurationError(
            f"the prices of run {record.run} were in {source.folder}, which is not there",
            hint="say where they are now with --market FOLDER",
        )
    return source


def _check(request: BacktestRequest) -> None:
    if request.since > request.until:
        raise UsageError(
            f"the time from {request.since} to {request.until} ends before it begins", hint="--from D --to D"
        )
    if request.cost_bps is not None and not 0 <= request.cost_bps < 1e4:
        raise UsageError(f"costs of {request.cost_bps} basis points make no sense", hint="--cost-bps 15")


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Which of the inputs are not what they were."""
    other = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return f"inputs changed: {', '.join(other)}" if other else ""


def _hashes(folder: Path) -> dict[str, str]:
    """Of the files that a market is read from."""
    paths = sorted(path for pattern in _MARKET_FILES for path in folder.glob(pattern) if path.is_file())
    return {path.relative_to(folder).as_posix(): _file_hash(path) for path in paths}


def _damaged(trials: Trials) -> tuple[Issue, ...]:
    n = trials.n_unreadable
    told = f"rows of what was tried that cannot be read, and are not counted: {n}"
    return (Issue(LEDGER, told, "note"),) if n else ()


def _is_tried(result: StrategyResult) -> bool:
    """A table without a signal that could be followed was not simulated."""
    return result.n_signals > 0 or not result.issues


def _trial(result: StrategyResult, request: BacktestRequest, inputs: Mapping[str, str]) -> Trial:
    """Of prices that were loaded anew it is the same trial; of another table it is another."""
    settings = asdict(replace(request, strategies=(), broker_signals=0))
    seed = repr((result.name, inputs.get(result.name, ""), sorted(settings.items(), key=lambda item: item[0])))
    ratio = weekly_ratio(result)
    return Trial(_digest(seed), result.name, ratio if np.isfinite(ratio) else None)


def _run_name(record: BacktestRun) -> str:
    return _digest(repr((record.created_at, record.request, record.sequence, record.inputs)))


def _digest(seed: str) -> str:
    return blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
