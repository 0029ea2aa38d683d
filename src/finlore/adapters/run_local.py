"""Local worker processes, so that a file which hangs, crashes or eats memory costs its own item and nothing else.

A worker is a fresh interpreter, never a fork (OpenMP hangs after one) and never a copy of the caller's main module: a
script needs no ``if __name__ == "__main__"`` to use the library. It takes one item at a time, and is replaced after a
failure or `items_per_worker` items. The parent imports nothing heavy: what the function needs, the worker imports.

Messages are pickles, which could run code: they are read only from the processes that this module started, and there
only from the one that started them, through anonymous sockets that no one else can write to. A worker is a fuse and no
sandbox: it may do what the user may.

No thread watches the workers' memory. The limit on address space is enforced by the kernel at the very allocation,
where a watcher that looks every so often comes too late for a bomb: one of a gigabyte inflates in half a second. What
is counted too much is little: a worker that reads PDF reserves 160 MB when it holds 70.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, TypeVar, cast

from finlore.errors import FinloreError
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
class Limits:
    """What one item may take, and how long a worker waits for the next before it ends by itself."""

    seconds_per_item: float
    cpu_seconds_per_item: int
    memory_bytes: int
    idle_seconds: float


class LocalExecutor:
    """Runs items in up to `workers` processes. `function` is one that can be imported by its module and name.

    An item that fails yields an `Issue` whose source is the item's `name` (or the item, when it is text). Limits hold
    per item, except memory, which is the address space of the worker. Where the system has no such limits, time counts.
    A worker is started when an item finds all others busy. To be used by one thread at a time; several `map`s may be
    under way at once.
    """

    def __init__(
        self,
        *,
        workers: int = 1,
        seconds_per_item: float = 120.0,
        cpu_seconds_per_item: int = 90,
        memory_bytes: int = 1 << 30,
        items_per_worker: int = 50,
        idle_seconds: float = 60.0,
    ) -> None:
        self._limits = Limits(seconds_per_item, cpu_seconds_per_item, memory_bytes, idle_seconds)
        self._most_workers, self._items_per_worker = workers, items_per_worker
        self._workers: list[_Worker] = []
        self._queue: deque[_Task] = deque()
        weakref.finalize(self, _end_all, self._workers)

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        here: Callable[[Item], bool] | None = None,
    ) -> Iterator[Result | Issue]:
        """Results in input order, each as soon as it is there. No more than `workers` + 2 items are held at a time.

        Items of which `here` is true are run in this process when it is their turn. Closing the iterator ends the
        workers that it still keeps busy.
        """
        turns: deque[_Task] = deque()
        try:
            for item in items:
                turns.append(_Task(function, item, here is not None and here(item)))
                if not turns[-1].is_here:
                    self._queue.append(turns[-1])
                    self._look(0.0)
                while turns and (turns[0].is_ready or len(turns) >= self._most_workers + 2):
                    yield cast(Result | Issue, self._outcome(turns.popleft()))
            while turns:
                yield cast(Result | Issue, self._outcome(turns.popleft()))
        finally:
            self._abandon(turns)

    def close(self) -> None:
        """End all workers; the next `map` starts new ones. What was under way fails."""
        for task in [*self._queue, *(worker.task for worker in self._workers if worker.task)]:
            task.finish(Issue(_source(task.item), "stopped: the executor was closed", "rejected"))
        self._queue.clear()
        _end_all(self._workers)

    def _outcome(self, task: "_Task") -> object:
        if task.is_here:
            return task.function(task.item)
        try:
            while not task.is_ready:
                self._look(None)
        finally:
            if not task.is_ready:
                self._abandon([task])
        return task.outcome

    def _look(self, seconds: float | None) -> None:
        """Give work to those who have none, wait for news at most that long (None: for as long as it takes), hear it,
        and end those whose time is up."""
        self._hand_out()
        busy = {worker.connection: worker for worker in self._workers if worker.task}
        left = min((worker.deadline for worker in busy.values()), default=0.0) - time.monotonic()
        for connection in wait(list(busy), max(0.0, left if seconds is None else seconds)):
            self._hear(busy.pop(cast(Connection, connection)))
        for worker in busy.values():
            if time.monotonic() >= worker.deadline:
                self._fail(worker, worker.overdue)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._queue and (worker := self._free_worker()):
            worker.take(self._queue.popleft())

    def _free_worker(self) -> "_Worker | None":
        for worker in [worker for worker in self._workers if worker.may_have_left]:
            self._dismiss(worker)
        for worker in self._workers:
            if worker.task is None:
                return worker
        if len(self._workers) >= self._most_workers:
            return None
        self._workers.append(_Worker(self._limits))
        return self._workers[-1]

    def _hear(self, worker: "_Worker") -> None:
        try:
            answer = worker.connection.recv()
        except (EOFError, OSError):  # before or within its answer
            self._fail(worker, worker.cause_of_death())
            return
        if not worker.is_ready:
            worker.begin()
        elif isinstance(answer, _Returned):
            worker.finish(answer.result)
            if worker.n_items >= self._items_per_worker:
                self._dismiss(worker)
        else:
            self._fail(worker, str(answer))

    def _fail(self, worker: "_Worker", reason: str) -> None:
        if worker.task:
            worker.finish(Issue(_source(worker.task.item), reason, "rejected"))
        self._dismiss(worker)

    def _dismiss(self, worker: "_Worker") -> None:
        self._workers.remove(worker)
        worker.end()

    def _abandon(self, tasks: Iterable["_Task"]) -> None:
        left = {id(task) for task in tasks}
        for task in [task for task in self._queue if id(task) in left]:
            self._queue.remove(task)
        for worker in [worker for worker in self._workers if id(worker.task) in left]:
            self._dismiss(worker)


@dataclass(slots=True, eq=False)
class _Task:
    """An item on its way to its outcome: a result or an `Issue`."""

    function: Callable[[Any], object]
    item: Any
    is_here: bool
    is_done: bool = False
    outcome: object = None

    @property
    def is_ready(self) -> bool:
        return self.is_here or self.is_done

    def finish(self, outcome: object) -> None:
        self.outcome, self.is_done = outcome, True


@dataclass(frozen=True, slots=True)
class _Returned:
    result: object


class _Worker:
    """The parent's end of one worker process. What the worker prints goes to stderr."""

    def __init__(self, limits: Limits) -> None:
        self.task: _Task | None = None
        self.is_ready = False
        self.n_items = 0
        self._limits = limits
        self._begun_at = time.monotonic()
        self.deadline = self._begun_at + _START_SECONDS
        self.connection, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno()), *sys.path]
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=2, pass_fds=[theirs.fileno()], env=os.environ | _ONE_THREAD
            )
        self._send(limits)

    def take(self, task: _Task) -> None:
        """The next item; it is sent when the process has started."""
        self.task = task
        if self.is_ready:
            self.begin()

    def begin(self) -> None:
        self.is_ready = True
        self.n_items += 1
        self._begun_at = time.monotonic()
        self.deadline = self._begun_at + self._limits.seconds_per_item
        if self.task:
            self._send((self.task.function, self.task.item))

    def finish(self, outcome: object) -> None:
        if self.task:
            self.task.finish(outcome)
        self.task = None

    @property
    def may_have_left(self) -> bool:
        """It ends by itself when nothing comes. When it answered is not known here, where nobody may have listened, but
        when it began is: long before it can have left it is not counted on any more."""
        return self.task is None and time.monotonic() - self._begun_at > self._limits.idle_seconds / 2

    @property
    def overdue(self) -> str:
        seconds = self._limits.seconds_per_item if self.is_ready else _START_SECONDS
        return f"time limit: not finished within {seconds:g} s"

    def cause_of_death(self) -> str:
        code = self._process.wait()
        if -code == signal.SIGXCPU:
            return f"time limit: more than {self._limits.cpu_seconds_per_item} s of CPU"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        limit = self._limits.memory_bytes >> 20
        return f"crashed: the worker ended by {how} (damaged input, or more than the {limit} MB that it may use)"

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()  # waits, and closes stdin
        self.connection.close()

    def _send(self, message: object) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):  # a worker that is gone shows when it is read from
            self.connection.send(message)


def _end_all(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().end()


def _source(item: object) -> str:
    name = getattr(item, "name", item)
    return name if isinstance(name, str) else type(item).__name__


def serve(descriptor: int) -> None:
    """The worker: answers what comes through an inherited file descriptor until the parent is gone or silent."""
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    parent = Connection(descriptor)
    limits: Limits = parent.recv()
    _limit_memory(limits.memory_bytes)
    parent.send(None)
    patience: float | None = None  # for the first item, which is sent when the parent hears of the start
    while parent.poll(patience):
        patience = limits.idle_seconds
        try:
            function, item = parent.recv()
        except EOFError:
            return
        _limit_cpu(limits.cpu_seconds_per_item)
        _answer(parent, function, item, limits)


def _answer(parent: Connection, function: Callable[[Item], Result], item: Item, limits: Limits) -> None:
    try:
        parent.send(_Returned(function(item)))
    except MemoryError:
        parent.send(f"memory limit: more than {limits.memory_bytes >> 20} MB")
    except FinloreError as error:
        parent.send(str(error))
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
