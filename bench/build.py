"""What indexing costs: CPU per passage with and without recognisers of names, beside measured peers.

usage: build.py [--data FOLDER] [--json] [--documents N] [--latency S] [--parallel N] [--price USD] [--core-hour USD]

FOLDER is laid out as described in its README (``reports/indicators``, ``multihop/2wiki``). The peers' figures were
measured on a machine of the same kind, per 1,000 passages of the same size; they are not run here. GraphRAG's bill is
its measured calls and tokens at the latency and price given on the command line.
"""

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from machine import facts, save
from memory import peak_mb_of

# (CPU ms, LLM calls, tokens) per passage
PEERS = {
    "LinearRAG": (17.5, 0.0, 0),
    "HippoRAG 2": (14.5, 2.0, 0),
    "LightRAG": (277.0, 2.0, 5100),
    "GraphRAG": (759.0, 2.855, 7300),
}


@dataclass(frozen=True)
class Built:
    """One build. `standard_passages` counts text in units of 300 Chinese or 400 English characters."""

    corpus: str
    recognisers: str
    documents: int
    passages: int
    standard_passages: float
    cpu_seconds: float
    seconds: float
    peak_mb: float
    index_bytes_per_passage: float
    llm_calls: int

    @property
    def cpu_ms(self) -> float:
        return 1000 * self.cpu_seconds / max(self.standard_passages, 1)


def indicators(data: Path) -> Iterator[dict[str, str]]:
    for path in sorted((data / "reports" / "indicators").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                row = json.loads(line)
                yield {"id": f"{path.stem}-{number}", "title": row["doc"], "text": row["text"], "format": "text"}


def wiki(data: Path) -> Iterator[dict[str, str]]:
    with (data / "multihop" / "2wiki" / "corpus.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


CORPORA = {"indicators (zh)": (indicators, 300, 250), "2wiki (en)": (wiki, 400, 6119)}


def build(corpus: str, data: Path, recognisers: str, limit: int) -> Built:
    """Ingest into a new workspace, in a process of its own so that memory and CPU are its alone."""
    source, size, _ = CORPORA[corpus]
    rows = [row for _, row in zip(range(limit), source(data), strict=False)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        done = peak_mb_of(_ingest, str(path), str(Path(folder) / "workspace"), recognisers)
    characters = sum(len(row["text"]) for row in rows)
    spent, passages = done.result, done.result["passages"]
    return Built(corpus, recognisers, len(rows), passages, characters / size, spent["cpu_seconds"], spent["seconds"],
                 done.peak_mb, spent["index_bytes"] / max(passages, 1), 0)  # fmt: skip


def _ingest(path: str, folder: str, recognisers: str) -> dict[str, float]:
    from finlore.flows import Workspace
    from finlore.settings import load_settings

    settings = load_settings(arguments={"workspace": Path(folder), "recognisers": recognisers})
    with Workspace(settings=settings) as workspace:
        report = workspace.ingest([Path(path)])
        sizes = dict(workspace.status().sizes)
    return {
        "passages": sum(outcome.passages for outcome in report.documents),
        "cpu_seconds": report.cpu_seconds,
        "seconds": report.seconds,
        "index_bytes": sizes["derived"],
    }


def against_graphrag(built: Built, options: argparse.Namespace) -> dict[str, float]:
    """Time and cost ratios for the passages of one build, at the stated latency, parallelism and prices."""
    n = built.standard_passages
    cpu_ms, calls, tokens = PEERS["GraphRAG"]
    their_seconds = n * (calls * options.latency / options.parallel + cpu_ms / 1000)
    their_cost = n * (tokens / 1e6 * options.price + cpu_ms / 3.6e6 * options.core_hour)
    our_cost = built.cpu_seconds / 3600 * options.core_hour
    return {
        "times_faster": their_seconds / built.seconds,
        "cost_share": our_cost / their_cost,
        "their_seconds": their_seconds,
        "their_usd": their_cost,
        "our_seconds": built.seconds,
        "our_usd": our_cost,
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--data", type=Path, default=Path("../shared/data"))
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--documents", type=int, help="at most this many documents of each corpus")
    arguments.add_argument("--latency", type=float, default=2.0, help="seconds per LLM call")
    arguments.add_argument("--parallel", type=int, default=4, help="LLM calls at a time")
    arguments.add_argument("--price", type=float, default=0.30, help="USD per million tokens")
    arguments.add_argument("--core-hour", type=float, default=0.05, help="USD per CPU hour")
    options = arguments.parse_args()
    builds = [
        build(corpus, options.data, recognisers, options.documents or most)
        for corpus, (_, _, most) in CORPORA.items()
        for recognisers in ("none", "auto")
    ]
    result = {
        "machine": facts(),
        "builds": [
            {**asdict(b), "cpu_ms_per_passage": b.cpu_ms, "graphrag": against_graphrag(b, options)} for b in builds
        ],
        "peers_cpu_ms_calls_tokens": PEERS,
        "assumptions": {k: getattr(options, k) for k in ("latency", "parallel", "price", "core_hour")},
    }
    save("build", result)
    print(json.dumps(result) if options.json else _table(builds, options))


def _table(builds: list[Built], options: argparse.Namespace) -> str:
    lines = [f"{'corpus':18} {'names':6} {'passages':>8} {'CPU ms':>7} {'LLM calls':>9} {'peak MB':>8} "
             f"{'B/passage':>9} {'x GraphRAG':>10} {'cost':>8}"]  # fmt: skip
    for b in builds:
        ratio = against_graphrag(b, options)
        lines.append(
            f"{b.corpus:18} {b.recognisers:6} {b.passages:8} {b.cpu_ms:7.2f} {b.llm_calls:9} {b.peak_mb:8.0f} "
            f"{b.index_bytes_per_passage:9.0f} {ratio['times_faster']:9.0f}x {ratio['cost_share']:8.3%}"
        )
    lines += [f"{name:18} {'':6} {'':8} {cpu:7.1f} {calls:9.2f}" for name, (cpu, calls, _) in PEERS.items()]
    stated = (
        f"{options.latency} s a call, {options.parallel} at a time, {options.price} USD/M tokens,"
        f" {options.core_hour} USD a core hour"
    )
    return "\n".join([*lines, f"CPU ms per 300 Chinese or 400 English characters; GraphRAG at {stated}"])


if __name__ == "__main__":
    main()
