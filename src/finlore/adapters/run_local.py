"""One local worker process, so that a file which hangs, crashes or eats memory costs its own item and nothing else.

The worker is spawned, never forked (OpenMP hangs after a fork), takes one item at a time, and is replaced after a
failure or `items_per_worker` items. The parent imports nothing heavy: what the function needs, the worker imports.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from finlore.records.document import Issue

if sys.platform != "win32":
    import resource

Item = TypeVar("Item")
Result = TypeVar("Result")

_START_SECONDS = 60.0
_SPAWN = get_context("spawn")


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Runs items one after the other in a spawned worker. `function` is a module-level function of one item.

    An item that fails yields an `Issue` whose source is the item's `name` (or the item, when it is text). Limits hold
    per item, except memory, which is the address space of the worker. Where the system has no such limits, time counts.
    """

    seconds_per_item: float = 120.0
    cpu_seconds_per_item: int = 90
    memory_bytes: int = 1 << 30
    items_per_worker: int = 50

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result | Issue]:
        """Results in input order, each as soon as it is there; closing the iterator ends the worker."""
        worker: _Worker | None = None
        try:
            for item in items:
                worker = worker or _Worker(self)
                result: Result | Issue
                try:
                    result, is_spent = worker.run(function, item), worker.n_items >= self.items_per_worker
                except _ItemFailed as failure:
                    result, is_spent = Issue(_source(item), str(failure), "rejected"), True
                if is_spent:
                    worker.end()
                    worker = None
                yield result
        finally:
            if worker:
                worker.end()


class _ItemFailed(Exception):
    """An item has no result; the text says why."""


@dataclass(frozen=True, slots=True)
class _Returned(Generic[Result]):
    result: Result


class _Worker:
    """The parent's end of one worker process."""

    def __init__(self, limits: LocalExecutor) -> None:
        self.n_items = 0
        self._limits = limits
        self._connection, theirs = _SPAWN.Pipe()
        self._process: BaseProcess = _SPAWN.Process(target=_serve, args=(theirs, limits), daemon=True)
        self._process.start()
        theirs.close()
        self._is_ready = False

    def run(self, function: Callable[[Item], Result], item: Item) -> Result:
        """The function's result; raises `_ItemFailed` when there is none."""
        if not self._is_ready:
            self._receive(_START_SECONDS)
            self._is_ready = True
        self.n_items += 1
        with suppress(BrokenPipeError, ConnectionResetError):  # a worker that is gone shows when it is read from
            self._connection.send((function, item))
        answer = self._receive(self._limits.seconds_per_item)
        if isinstance(answer, _Returned):
            returned: Result = answer.result
            return returned
        raise _ItemFailed(str(answer))

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._connection.close()

    def _receive(self, seconds: float) -> object:
        if not self._connection.poll(seconds):
            raise _ItemFailed(f"time limit: not finished within {seconds:g} s")
        try:
            return self._connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            raise _ItemFailed(self._cause_of_death()) from None

    def _cause_of_death(self) -> str:
        code = self._process.exitcode or 0
        if sys.platform != "win32" and -code == signal.SIGXCPU:
            return f"time limit: more than {self._limits.cpu_seconds_per_item} s of CPU"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        limit = self._limits.memory_bytes >> 20
        return f"crashed: the worker ended by {how} (damaged input, or more than the {limit} MB that it may use)"


def _source(item: object) -> str:
    name = getattr(item, "name", item)
    return name if isinstance(name, str) else type(item).__name__


def _serve(parent: connection.Connection, limits: LocalExecutor) -> None:
    """The worker: answers items until the parent is gone. Interrupts are the parent's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # each thread would reserve address space
    _limit_memory(limits.memory_bytes)
    parent.send(None)
    while True:
        try:
            function, item = parent.recv()
        except EOFError:
            return
        _limit_cpu(limits.cpu_seconds_per_item)
        parent.send(_outcome(function, item, limits))


def _outcome(function: Callable[[Item], Result], item: Item, limits: LocalExecutor) -> _Returned[Result] | str:
    try:
        return _Returned(function(item))
    except MemoryError:
        return f"memory limit: more than {limits.memory_bytes >> 20} MB"
    except Exception as error:  # a worker is a border: whatever one input provokes must not end the others
        return f"failed: {type(error).__name__}: {error}"


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _limit_memory(n_bytes: int) -> None:
    if sys.platform != "win32":
        with suppress(ValueError, OSError):  # macOS knows the limit but refuses to set it
            resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_cpu(seconds: int) -> None:
    """From now on; the limit of the system counts from the start of the process."""
    if sys.platform != "win32":
        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, hard))
