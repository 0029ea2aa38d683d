"""Run a function in a process of its own and watch what memory its whole process tree takes."""

import multiprocessing
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Watched:
    """`peak_mb`: highest sum of proportional set sizes (PSS) of the process and its children, sampled every 50 ms."""

    result: Any
    peak_mb: float


def peak_mb_of(function: Callable[..., Any], *arguments: object) -> Watched:
    """The result of a module-level function, run in a spawned process."""
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=_run, args=(queue, function, arguments))
    process.start()
    peak = 0.0

    def watch() -> None:
        nonlocal peak
        while process.is_alive():
            peak = max(peak, sum(map(_pss_mb, _tree(process.pid or 0))))
            time.sleep(0.05)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    result = queue.get()
    process.join()
    watcher.join()
    if isinstance(result, BaseException):
        raise result
    return Watched(result, peak)


def _run(queue: Any, function: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    try:
        queue.put(function(*arguments))
    except BaseException as error:
        queue.put(error)
        raise


def _tree(root: int) -> list[int]:
    children = []
    for path in Path("/proc").glob(f"{root}/task/*/children"):
        try:
            children += [int(child) for child in path.read_text().split()]
        except OSError:
            continue
    return [root, *(pid for child in children for pid in _tree(child))]


def _pss_mb(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0
