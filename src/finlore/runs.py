"""Run records as files of their own, so that asking never waits for a writer.

Knows how to write, read, list and redact records; knows nothing of how answers and backtests are made.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

from finlore.errors import NotFound, StoreDamaged
from finlore.records.answer import Answer
from finlore.records.instant import isoformat
from finlore.records.plain import fits
from finlore.records.plain import record as read_record
from finlore.records.run import BacktestRun, RunRecord, Trial

Record = TypeVar("Record", RunRecord, BacktestRun)
_RUN_NAME = re.compile(r"[0-9a-f]{16}")
_MOST_ROWS: Final = 2**63 - 1
_MOST_RATIO: Final = 1e20  # beyond any that returns can have
_MOST_SHOWN: Final = 200  # characters of what is wrong
FORGOTTEN = "[forgotten]"
LEDGER: Final = "trials.jsonl"


def run_name(record: RunRecord) -> str:
    """16 hexadecimal digits that depend on what was asked, when, and on which rows."""
    seed = f"{record.created_at}\0{record.question}\0{record.as_of}\0{record.sequence}\0{record.after}"
    return blake2b(seed.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class _Records(Generic[Record]):
    """The records of one kind under one folder; a missing folder is an empty one."""

    _kind: type[Record]

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, record: Record) -> None:
        """Write the record under its name; on a read-only workspace this raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        aside = self.folder / f"{record.run}.writing"
        try:
            aside.write_text(json.dumps(asdict(record), default=str, indent=1), encoding="ascii")
            aside.replace(self._path(record.run))
        finally:
            aside.unlink(missing_ok=True)

    def holds(self, run: str) -> bool:
        return bool(_RUN_NAME.fullmatch(run)) and self._path(run).is_file()

    def load(self, run: str) -> Record:
        if not self.holds(run):
            raise NotFound(f"no run named {run!r}", hint="finlore runs list")
        try:
            record = read_record(self._kind, json.loads(self._path(run).read_bytes()))
            if fits(self._kind, record) and record.run == run and self._is_sound(record):
                return record
            problem = "its values are none of a run"
        except (ValueError, TypeError, OverflowError, RecursionError, OSError) as broken:
            problem = str(broken)[:_MOST_SHOWN]
        raise StoreDamaged(f"run record {run}.json cannot be read: {problem}", hint="delete the file")

    def all(self) -> Iterator[Record]:
        """Every record that can be read, oldest first."""
        yield from sorted(self._each(), key=lambda record: (record.created_at, record.run))

    @property
    def unreadable(self) -> list[StoreDamaged]:
        """What is wrong with the others."""
        damaged: list[StoreDamaged] = []
        deque(self._each(damaged), maxlen=0)
        return damaged

    def _each(self, damaged: list[StoreDamaged] | None = None) -> Iterator[Record]:
        for path in sorted(self.folder.glob("*.json")):
            if self.holds(path.stem):
                try:
                    yield self.load(path.stem)
                except StoreDamaged as problem:
                    if damaged is not None:
                        damaged.append(problem)

    @staticmethod
    def _is_sound(record: Record) -> bool:
        """Whether it has an instant that is one, and names rows that a store can have."""
        return bool(isoformat(record.created_at)) and 0 <= record.sequence <= _MOST_ROWS

    def _path(self, run: str) -> Path:
        return self.folder / f"{run}.json"


class RunFolder(_Records[RunRecord]):
    """The records of answers."""

    _kind = RunRecord

    def redact(self, document: str) -> int:
        """Take the words of a forgotten document out of every record that quotes it; how many there were."""
        if self.unreadable:  # it may hold the words that are to be forgotten
            raise self.unreadable[0]
        touched = 0
        for record in list(self.all()):
            if document in record.redacted or not _quotes(record, document):
                continue
            answer, redacted = _without(record.answer, document), (*record.redacted, document)
            self.save(replace(record, answer=answer, entities=(), redacted=redacted))
            touched += 1
        return touched


class Trials(NamedTuple):
    """Rows of a ledger, and how many others cannot be read."""

    tried: list[Trial]
    n_unreadable: int


class BacktestFolder(_Records[BacktestRun]):
    """Records of backtests, and the ledger of all that was tried."""

    _kind = BacktestRun

    @property
    def _ledger(self) -> Path:
        return self.folder / LEDGER

    def trials(self) -> Trials:
        """All that was ever tried, in that order, each once; StoreDamaged where the ledger is no file that can be
        read."""
        rows = self._written().splitlines()
        read = [_trial(row) for row in rows]
        once = {trial.key: trial for trial in reversed(read) if trial is not None}
        return Trials(list(reversed(once.values())), sum(trial is None for trial in read))

    def remember(self, trials: Iterable[Trial]) -> None:
        """Add those that were not tried before; OSError on a read-only workspace."""
        known = {trial.key for trial in self.trials().tried}
        new = [trial for trial in trials if trial.key not in known]
        if new:
            is_torn = self._written()[-1:] not in (b"", b"\n")
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._ledger.open("a", encoding="ascii") as ledger:
                ledger.write("\n" * is_torn + "".join(json.dumps(asdict(trial)) + "\n" for trial in new))

    def _written(self) -> bytes:
        try:
            if self._ledger.is_file():
                return self._ledger.read_bytes()
            problem = "it is no file" if self._ledger.exists() else ""
        except OSError as error:
            problem = error.strerror or str(error)
        if problem:
            raise StoreDamaged(f"{self._ledger}, what was tried, cannot be read: {problem}", hint="make it readable")
        return b""

    @staticmethod
    def _is_sound(record: BacktestRun) -> bool:
        return _Records._is_sound(record) and record.trials >= 0 and isinstance(json.loads(record.document), dict)


def _trial(row: bytes) -> Trial | None:
    """None of a row that a killed process left half written, or that never was one."""
    try:
        trial = read_record(Trial, json.loads(row))
    except (ValueError, TypeError, RecursionError):
        return None
    return trial if fits(Trial, trial) and (trial.ratio is None or abs(trial.ratio) <= _MOST_RATIO) else None


def first_difference(before: object, after: object, path: str = "answer") -> str:
    """Where two values of plain data differ first, with both values; empty when they are equal."""
    if isinstance(before, dict) and isinstance(after, dict):
        return next(filter(None, (first_difference(before[k], after.get(k), f"{path}.{k}") for k in before)), "")
    if isinstance(before, list | tuple) and isinstance(after, list | tuple) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return next(filter(None, (first_difference(a, b, f"{path}[{i}]") for i, (a, b) in pairs)), "")
    return "" if before == after else f"{path}: {before!r} became {after!r}"


def _quotes(record: RunRecord, document: str) -> bool:
    cited = any(citation.document == document for citation in record.answer.citations)
    return cited or any(passage.rsplit(":", 2)[0] == document for passage, _ in record.passages)


def _without(answer: Answer, document: str) -> Answer:
    """Names go with the words: only the forgotten document may have held them."""
    citations = tuple(
        replace(citation, quote=FORGOTTEN, title=FORGOTTEN, verified=False)
        if citation.document == document
        else citation
        for citation in answer.citations
    )
    return replace(answer, text=FORGOTTEN, citations=citations, entities=(), paths=())
