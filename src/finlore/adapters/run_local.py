"""One local worker process, so that a file which hangs, crashes or eats memory costs its own item and nothing else.

The worker is a fresh interpreter, never a fork (OpenMP hangs after one) and never a copy of the caller's main module: a
script needs no ``if __name__ == "__main__"`` to use the library. It takes one item at a time, and is replaced after a
failure or `items_per_worker` items. The parent imports nothing heavy: what the function needs, the worker imports.

Messages are pickles, which could run code: they are read only from the process that this module started, and there only
from the one that started it, through an anonymous socket that no one else can write to. The worker is a fuse and no
sandbox: it may do what the user may.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Generic, TypeVar

from finlore.records.document import Issue

Item = TypeVar("Item")
Result = TypeVar("Result")

_START_SECONDS = 60.0
_PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupts are the parent's to handle
sys.path[:] = sys.argv[2:]
from finlore.adapters.run_local import serve
serve(int(sys.argv[1]))
"""
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # each thread would reserve address space


@dataclass(frozen=True, slots=True)
class LocalExecutor:
    """Runs items one after the other in a worker. `function` is one that can be imported by its module and name.

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

    def close(self) -> None:
        """Nothing is held between two `map`s."""


class _ItemFailed(Exception):
    """An item has no result; the text says why."""


@dataclass(frozen=True, slots=True)
class _Returned(Generic[Result]):
    result: Result


class _Worker:
    """The parent's end of one worker process. What the worker prints goes to stderr."""

    def __init__(self, limits: LocalExecutor) -> None:
        self.n_items = 0
        self._limits = limits
        self._connection, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno()), *sys.path]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=2, pass_fds=[theirs.fileno()], env=os.environ | _ONE_THREAD
            )

    def run(self, function: Callable[[Item], Result], item: Item) -> Result:
        """The function's result; raises `_ItemFailed` when there is none."""
        if not self.n_items:
            self._ask(self._limits, _START_SECONDS)
        self.n_items += 1
        answer = self._ask((function, item), self._limits.seconds_per_item)
        if isinstance(answer, _Returned):
            returned: Result = answer.result
            return returned
        raise _ItemFailed(str(answer))

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()  # waits, and closes stdin
        self._connection.close()

    def _ask(self, message: object, seconds: float) -> object:
        with suppress(BrokenPipeError, ConnectionResetError):  # a worker that is gone shows when it is read from
            self._connection.send(message)
        if not self._connection.poll(seconds):
            raise _ItemFailed(f"time limit: not finished within {seconds:g} s")
        try:
            return self._connection.recv()
        except (EOFError, OSError):  # before or within its answer
            raise _ItemFailed(self._cause_of_death(self._process.wait())) from None

    def _cause_of_death(self, code: int) -> str:
        if -code == signal.SIGXCPU:
            return f"time limit: more than {self._limits.cpu_seconds_per_item} s of CPU"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        limit = self._limits.memory_bytes >> 20
        return f"crashed: the worker ended by {how} (damaged input, or more than the {limit} MB that it may use)"


def _source(item: object) -> str:
    name = getattr(item, "name", item)
    return name if isinstance(name, str) else type(item).__name__


def serve(descriptor: int) -> None:
    """The worker: answers what comes through an inherited file descriptor until the parent is gone."""
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    parent = Connection(descriptor)
    limits: LocalExecutor = parent.recv()
    _limit_memory(limits.memory_bytes)
    parent.send(None)
    while True:
        try:
            function, item = parent.recv()
        except EOFError:
            return
        _limit_cpu(limits.cpu_seconds_per_item)
        _answer(parent, function, item, limits)


def _answer(parent: Connection, function: Callable[[Item], Result], item: Item, limits: LocalExecutor) -> None:
    try:
        parent.send(_Returned(function(item)))
    except MemoryError:
        parent.send(f"memory limit: more than {limits.memory_bytes >> 20} MB")
    except Exception as error:  # a worker is a border: whatever one input provokes must not end the others
        parent.send(f"failed: {type(error).__name__}: {error}")


def _exit_with_parent() -> None:
    """Also in the middle of an item: the parent writes nothing to stdin, but it ends when the parent does."""
    os.read(0, 1)
    os._exit(1)


def _limit_memory(n_bytes: int) -> None:
    with suppress(ValueError, OSError):  # macOS knows the limit but refuses to set it
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_cpu(seconds: int) -> None:
    """From now on; the limit of the system counts from the start of the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds, hard))
