"""Run records as files of their own, so that asking never waits for a writer.

Knows how to write, read, list and redact records; knows nothing of how answers and backtests are made.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Generic, TypeVar

from finlore.errors import NotFound, StoreDamaged
from finlore.records.answer import Answer
from finlore.records.plain import record as read_record
from finlore.records.run import BacktestRun, RunRecord, Trial

Record = TypeVar("Record", RunRecord, BacktestRun)
_RUN_NAME = re.compile(r"[0-9a-f]{16}")
FORGOTTEN = "[forgotten]"


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
        aside.write_text(json.dumps(asdict(record), default=str, indent=1), encoding="ascii")
        aside.replace(self._path(record.run))

    def holds(self, run: str) -> bool:
        return bool(_RUN_NAME.fullmatch(run)) and self._path(run).is_file()

    def load(self, run: str) -> Record:
        if not self.holds(run):
            raise NotFound(f"no run named {run!r}", hint="finlore runs list")
        try:
            return read_record(self._kind, json.loads(self._path(run).read_bytes()))
        except (ValueError, TypeError) as broken:
            raise StoreDamaged(f"run record {run}.json cannot be read", hint="delete the file") from broken

    def all(self) -> Iterator[Record]:
        """Every record, oldest first."""
        runs = [self.load(path.stem) for path in self.folder.glob("*.json") if _RUN_NAME.fullmatch(path.stem)]
        yield from sorted(runs, key=lambda record: (record.created_at, record.run))

    def _path(self, run: str) -> Path:
        return self.folder / f"{run}.json"


class RunFolder(_Records[RunRecord]):
    """The records of answers."""

    _kind = RunRecord

    def redact(self, document: str) -> int:
        """Take the words of a forgotten document out of every record that quotes it; how many there were."""
        touched = 0
        for record in list(self.all()):
            if document in record.redacted or not _quotes(record, document):
                continue
            answer, redacted = _without(record.answer, document), (*record.redacted, document)
            self.save(replace(record, answer=answer, entities=(), redacted=redacted))
            touched += 1
        return touched


class BacktestFolder(_Records[BacktestRun]):
    """Records of backtests, and the ledger of all that was tried."""

    _kind = BacktestRun

    @property
    def _ledger(self) -> Path:
        return self.folder / "trials.jsonl"

    def trials(self) -> list[Trial]:
        """All that was ever tried, in that order."""
        if not self._ledger.is_file():
            return []
        rows = self._ledger.read_text("utf-8").splitlines()
        return [trial for row in rows if (trial := _trial(row)) is not None]

    def remember(self, trials: Iterable[Trial]) -> None:
        """Add those that were not tried before; OSError on a read-only workspace."""
        known = {trial.key for trial in self.trials()}
        new = [trial for trial in trials if trial.key not in known]
        if new:
            self.folder.mkdir(parents=True, exist_ok=True)
            with self._ledger.open("a", encoding="ascii") as ledger:
                ledger.write("".join(json.dumps(asdict(trial)) + "\n" for trial in new))


def _trial(row: str) -> Trial | None:
    """None of a row that a killed process left half written."""
    try:
        return Trial(**json.loads(row))
    except (ValueError, TypeError):
        return None


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
