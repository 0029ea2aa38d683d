"""Kills a writer at random moments of ingest, embed and forget, with two readers at work, and counts what was lost.

usage: crash.py --data FOLDER [--kills N] [--minutes N] [--seed N] [--json]

Documents are pieces of FOLDER/reports/indicators and FOLDER/reports/markdown_37, else of the shipped sample, each with
an invented date; some teach a short name, which reaches older ones. The work goes round by round: 24 documents come in,
their passages get vectors, three older documents are forgotten. A process does it until SIGKILL ends it, at a random
moment after a random one of the new things that it says; the next goes on from the step that was being done. A document
is committed when the process has said so after its transaction. After each kill the whole store is checked; readers
search and ask for the status at fixed dates, up to ten times a second. At the end the content must have the digest of a
store that did the same work without a kill.
"""

import argparse
import gzip
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from finlore import resources
from finlore.adapters.store_embedded import EmbeddedStore
from finlore.flows import Workspace
from finlore.records.instant import NEVER, Instant, now
from finlore.settings import Settings
from machine import facts, save

PER_ROUND, FORGOTTEN, PIECE = 24, 3, 600
STEPS = ("ingest", "embed", "forget")
QUESTIONS = ("电子行业 增长", "净利润 同比", "revenue growth", "简称")
DATES = ("2021-03-31", "2022-06-30", "2024-12-31")


class QuickEmbedder:
    """Vectors that depend on the text alone, at once: what is tried is the store."""

    name, dimension = "quick", 32

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [np.random.default_rng(list(text[:64].encode("utf-8", "replace"))) for text in texts]
        vectors = np.array([row.standard_normal(self.dimension) for row in rows], np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.embed_passages([text])[0]


@dataclass
class Counts:
    """What happened. `half_written`: findings of the full check, work that waits to be resumed apart."""

    kills: int = 0
    killed_in: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STEPS, 0))
    committed: int = 0
    forgotten: int = 0
    lost: int = 0
    came_back: int = 0
    half_written: int = 0
    refused: int = 0
    reads: int = 0
    reader_errors: int = 0
    rounds: int = 0
    digest_equal: bool = False
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)


@dataclass
class Told:
    """What the writers have said: the step that was begun last, documents stored and forgotten."""

    step: int = 0
    stored: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    def take(self, line: str) -> bool:
        """Whether it is news: who goes on with a step says again what is done already."""
        before = self.step, len(self.stored), len(self.gone)
        word, _, what = line.partition(" ")
        if word == "step":
            self.step = int(what)
        elif word == "stored":
            self.stored.add(what)
        elif word == "gone":
            self.gone.add(what)
        return word == "embedded" or before != (self.step, len(self.stored), len(self.gone))

    @property
    def going(self) -> set[str]:
        """Documents that may have been forgotten by somebody who could not say so any more."""
        number, kind = divmod(self.step, len(STEPS))
        return set(leaves(number)) if STEPS[kind] == "forget" else set()


# documents


def texts(data: Path) -> Iterator[str]:
    for path in sorted((data / "reports" / "indicators").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["text"] for line in lines)
    yield from (path.read_text("utf-8") for path in sorted((data / "reports" / "markdown_37").rglob("*.md")))


def pieces(data: Path) -> Iterator[str]:
    """Pieces of all documents, again and again."""
    shipped = (resources.read_text(name) for name in resources.names("sample/documents") if name.endswith(".md"))
    wholes = list(islice(texts(data), 100)) or list(shipped)
    cut = [text[at : at + PIECE] for text in wholes for at in range(0, min(len(text), 20 * PIECE), PIECE)]
    return cycle(cut)


def write_rounds(data: Path, folder: Path, n_rounds: int) -> None:
    """A JSON lines file for each round, of `PER_ROUND` documents."""
    source = pieces(data)
    for number in range(n_rounds):
        rows = []
        for place, text in enumerate(islice(source, PER_ROUND)):
            n = number * PER_ROUND + place
            short = f"青岭{chr(0x4E00 + n)}"
            teaches = f"{short}控股股份有限公司（以下简称“{short}”）公告。\n\n" if n % 8 == 0 else f"{short[:2]}。\n\n"
            day = f"{2020 + n % 5}-{n % 12 + 1:02}-{n % 28 + 1:02}"
            rows.append({"id": f"d{n}", "text": f"第{n}篇。{teaches}{text}", "published_at": day, "title": f"第{n}篇"})
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"round{number}.jsonl").write_text(lines, encoding="utf-8")


def leaves(number: int) -> list[str]:
    """The documents that are forgotten in a round: of the round before, so that some are read meanwhile."""
    return [f"d{(number - 1) * PER_ROUND + 7 * place}" for place in range(FORGOTTEN)] if number else []


# processes


def settings(workspace: Path, **changes: object) -> Settings:
    return Settings(workspace=workspace, recognisers=(), embedder="quick", **changes)  # type: ignore[arg-type]


def writer(folder: Path, rounds: Path) -> None:
    """Says what it has done, line by line, from the step that it is told, when it is told to begin."""
    workspace = Workspace(settings=settings(folder))
    workspace._reviewing.gazetteer()  # loaded before the clock starts
    print("ready", flush=True)
    first, last = (int(word) for word in sys.stdin.readline().split())
    for step in range(first, last):
        number, kind = divmod(step, len(STEPS))
        print(f"step {step}", flush=True)
        if STEPS[kind] == "ingest":
            report = workspace.ingest([rounds / f"round{number}.jsonl"], progress=partial(stored, number))
            assert not report.count("rejected"), report
        elif STEPS[kind] == "embed":
            workspace.embed(progress=lambda done, total, what: print(f"embedded {done}", flush=True))
        else:
            for document in leaves(number):
                workspace.forget(document)
                print(f"gone {document}", flush=True)
    print(f"step {last}", flush=True)
    workspace.close()


def stored(number: int, done: int, total: int | None, what: str) -> None:
    """The progress of `ingest`, which is told of a document when its transaction is over."""
    line = what.partition("#")[2]
    if line and done:
        print(f"stored d{number * PER_ROUND + int(line) - 1}", flush=True)


def reader(folder: Path, seed: int) -> None:
    """Reads until its input ends; then says how often, and what went wrong."""
    chosen, n, errors = random.Random(seed), 0, list[str]()
    workspace = Workspace(settings=settings(folder))
    print("ready", flush=True)
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        n += 1
        date = chosen.choice(DATES)
        try:
            if n % 5 == 0:
                workspace.status()
                continue
            found = workspace.search(chosen.choice(QUESTIONS), as_of=date, method=chosen.choice(["text", "auto"]))
            assert all(hit.passage.known_at <= found.as_of and hit.passage.text for hit in found.hits)
        except Exception as error:  # whatever it is, it is counted
            errors.append(f"{type(error).__name__}: {error}")
    print(json.dumps([n, errors[:20], len(errors)]), flush=True)


def started(role: str, *arguments: object, path: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "--role", role, *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(path), *sys.path[1:]]), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def registered(folder: Path) -> Path:
    """A folder from which the embedder of this file is found as one of a package would be."""
    package = folder / "quick-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: quick\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[finlore.embedders]\nquick = crash:QuickEmbedder\n")
    return folder


# the run


@dataclass(frozen=True)
class Fate:
    """When a process dies: so many seconds after it has said so many new things."""

    n_said: int
    seconds: float


def crash(data: Path, kills: int, minutes: float, seed: int, folder: Path) -> Counts:
    chosen, counts, began = random.Random(seed), Counts(), time.perf_counter()
    site, rounds = registered(folder / "site"), folder / "rounds"
    rounds.mkdir()
    n_rounds = max(2, kills // 5)  # more than will be done by those who are killed
    write_rounds(data, rounds, n_rounds)
    last = n_rounds * len(STEPS)
    expected, n_said, seconds = unbroken(folder / "unbroken", rounds, last, site)
    workspace = folder / "broken"
    readers = [started("reader", workspace, number, path=site) for number in range(2)]
    told = Told()
    following = started("writer", workspace, rounds, path=site)
    while told.step < last:
        child, following = following, started("writer", workspace, rounds, path=site)
        fate = Fate(chosen.randint(0, max(1, n_said // kills)), chosen.uniform(0, 2 * seconds / n_said))
        lives = counts.kills >= kills or time.perf_counter() - began > 60 * minutes
        one_life(child, told, last, counts, None if lives else fate)
        examine(workspace, counts, told)
    following.kill()
    following.communicate()
    for process in readers:
        finish(process, counts)
    counts.rounds, counts.committed, counts.forgotten = n_rounds, len(told.stored), len(told.gone)
    counts.digest_equal = digest(workspace) == expected
    counts.seconds = round(time.perf_counter() - began, 1)
    return counts


def unbroken(workspace: Path, rounds: Path, last: int, site: Path) -> tuple[str, int, float]:
    """The digest after all of the work, done by one process that nobody kills; how much it said, how long it took."""
    child = started("writer", workspace, rounds, path=site)
    said = lines(child.stdout)
    assert (next(said), child.stdin is not None) == ("ready", True)
    began = time.perf_counter()
    begin(child, 0, last)
    n_said = sum(1 for _ in said)
    assert child.wait() == 0
    return digest(workspace), n_said, time.perf_counter() - began


def begin(child: "subprocess.Popen[str]", step: int, last: int) -> None:
    assert child.stdin is not None
    child.stdin.write(f"{step} {last}\n")
    child.stdin.close()


def lines(stream: IO[str] | None) -> Iterator[str]:
    """Whole lines; the last that a killed process wrote may be none."""
    assert stream is not None
    return (line.strip() for line in stream if line.endswith("\n"))


def one_life(child: "subprocess.Popen[str]", told: Told, last: int, counts: Counts, fate: Fate | None) -> None:
    """Let a process work until its fate is due, and take down what it says, also what it had said by its end."""
    said = lines(child.stdout)
    assert next(said) == "ready"
    begin(child, told.step, last)
    news = (line for line in said if told.take(line))
    deque(islice(news, fate.n_said) if fate else news, maxlen=0)
    if fate:
        time.sleep(fate.seconds)
        child.send_signal(signal.SIGKILL)
        for line in said:
            told.take(line)
    if child.wait() == -signal.SIGKILL:
        counts.kills += 1
        counts.killed_in[STEPS[told.step % len(STEPS)]] += 1
    elif told.step < last:
        counts.refused += 1  # it ended by itself: the error stands on stderr


def examine(workspace: Path, counts: Counts, told: Told) -> None:
    """Look for what was lost, what came back and what is there by halves."""
    store = EmbeddedStore(workspace)
    there = {document.id for document in store.documents(as_of=Instant(NEVER - 1))}
    counts.lost += len(told.stored - told.gone - told.going - there)
    counts.came_back += len(told.gone & there)
    wrong = [found for found in store.integrity() if found.subject not in ("unfinished work", "files", "inputs")]
    counts.half_written += len(wrong)
    counts.notes += [f"{found.subject}: {found.message}" for found in wrong[:3]]
    view = store.view(now())
    if view.n_passages != sum(document.n_passages for document in store.documents(as_of=now())):
        counts.half_written += 1
        counts.notes.append("the index has other passages than the database")
    store.close()


def finish(process: "subprocess.Popen[str]", counts: Counts) -> None:
    out, _ = process.communicate("x")
    n, errors, n_errors = json.loads(out.splitlines()[-1])
    counts.reads += n
    counts.reader_errors += n_errors
    counts.notes += errors[:5]


def digest(workspace: Path) -> str:
    store = EmbeddedStore(workspace)
    try:
        return store.status().digest
    finally:
        store.close()


def table(counts: Counts) -> str:
    rows = {
        "kills": f"{counts.kills} ({', '.join(f'{n} in {kind}' for kind, n in counts.killed_in.items())})",
        "documents committed / forgotten": f"{counts.committed} / {counts.forgotten}",
        "committed documents lost": counts.lost,
        "forgotten documents that came back": counts.came_back,
        "written by halves": counts.half_written,
        "writers that could not begin": counts.refused,
        "reads of two other processes": counts.reads,
        "errors of these": counts.reader_errors,
        "same content as without a kill": "yes" if counts.digest_equal else "NO",
        "seconds": counts.seconds,
    }
    return "\n".join(f"{name:36} {value}" for name, value in rows.items())


def main() -> int:
    if sys.argv[1:2] == ["--role"]:
        role, folder, argument = sys.argv[2:5]
        writer(Path(folder), Path(argument)) if role == "writer" else reader(Path(folder), int(argument))
        return 0
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--kills", type=int, default=200)
    arguments.add_argument("--minutes", type=float, default=60, help="no more kills after so long")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts = crash(options.data, options.kills, options.minutes, options.seed, Path(folder))
    result = {**asdict(counts), "machine": facts()}
    save("crash", result)
    print(json.dumps(result, ensure_ascii=False) if options.json else table(counts))
    for note in sorted(set(counts.notes)):
        print(f"  {note}", file=sys.stderr)
    return not (counts.digest_equal and not counts.lost + counts.came_back + counts.half_written + counts.reader_errors)


if __name__ == "__main__":
    sys.exit(main())
