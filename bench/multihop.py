"""Recall of multi-hop questions: the context graph beside dense search and BM25, on the same passages and vectors.

usage: multihop.py FOLDER [--vectors FILE.npz] [--hide-titles] [--json]
       multihop.py --data FOLDER [--json]          every set below FOLDER, titles shown and hidden

FOLDER holds corpus.jsonl {id, title, text, …} and questions.jsonl {id, question, gold or gold_any, as_of?, type?,
answer?}. The corpus is ingested as any other file; names are those that the documents teach. Without `--vectors` (E by
row of the corpus, q by question) the installed embedder makes the vectors; with FINLORE_EMBEDDER=none there is no dense
row. `--hide-titles`: the title is plain text at the head, never a name or a page of its own.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from finlore.flows import Workspace
from finlore.index.cues import shipped_cues
from finlore.ports import Bytes8, Embedder, Store
from finlore.records.instant import now, parse_instant
from finlore.retrieve.dense import quantised
from finlore.retrieve.search import retrieve
from finlore.settings import Settings, load_settings
from finlore.wiring import Adapters
from machine import facts, save
from memory import peak_mb_of

METHODS = {"graph": "auto", "graph_without_vectors": "graph", "dense": "dense", "bm25": "text"}
DEPTH = 30  # passages asked for, so that ten sources are among them
GIVEN = "given"  # name of vectors that come from a file


@dataclass(frozen=True)
class Scored:
    """One question by one method. `ranks`: of each needed fact, the rank of the first source that states it."""

    kind: str
    ranks: tuple[int, ...]
    forbidden: int
    milliseconds: float


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def corpus_file(folder: Path, work: Path, *, hide_titles: bool) -> Path:
    """The corpus as given, or with titles and subjects turned into plain text."""
    if not hide_titles:
        return folder / "corpus.jsonl"
    path = work / "corpus.jsonl"
    rows = [{**row, "title": "", "security": None, "text": f"{row['title']}{_stop(row['text'])}{row['text']}"}
            for row in read(folder / "corpus.jsonl")]  # fmt: skip
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def _stop(text: str) -> str:
    return ". " if text[:40].isascii() else "。"


def build(corpus: str, workspace: str) -> dict[str, float]:
    """Ingests; runs in a process of its own, so that memory and CPU are those of the work alone."""
    with Workspace(settings=_settings(workspace)) as opened:
        report = opened.ingest([Path(corpus)])
        sizes = dict(opened.status().sizes)
    passages = sum(outcome.passages for outcome in report.documents)
    return {
        "passages": passages,
        "cpu_ms_per_passage": 1000 * report.cpu_seconds / max(passages, 1),
        "seconds": report.seconds,
        "bytes_per_passage": sizes.get("derived", 0) / max(passages, 1),
        "llm_calls": 0,
    }


def _settings(workspace: str) -> Settings:
    return load_settings(arguments={"workspace": Path(workspace)})


def give_vectors(store: Store, vectors: np.ndarray, sources: Sequence[str]) -> None:
    """Every passage of a source gets the vector of that source."""
    of_source = {source: quantised(vector) for source, vector in zip(sources, vectors, strict=True)}
    view = store.view(now())
    keys = view.keys[view.alive].tolist()
    with store.writing():
        passages = store.passages(keys, as_of=view.as_of)
        store.put_vectors(GIVEN, {passage.key: of_source[passage.document] for passage in passages})
        store.refresh()


def ask_all(
    store: Store,
    questions: Sequence[Mapping[str, Any]],
    vectors: Sequence[Bytes8 | None],
    model: str,
    dated: Mapping[str, str],
) -> dict[str, list[Scored]]:
    found: dict[str, list[Scored]] = defaultdict(list)
    today, cues = now(), shipped_cues()
    for question, vector in zip(questions, vectors, strict=True):
        needed = [set(group) for group in question.get("gold_any") or [[gold] for gold in question.get("gold", ())]]
        if not needed:
            continue
        as_of = question.get("as_of")
        view = store.view(parse_instant(as_of) if as_of else today)
        for name, method in METHODS.items():
            if vector is None and method in ("dense", "graph"):
                continue  # without vectors "auto" is "graph"
            began = time.perf_counter()
            result = retrieve(
                view, question["question"], cues=cues, method=method, model=model, query_vector=vector, top=DEPTH
            )
            spent = 1000 * (time.perf_counter() - began)
            passages = {p.key: p.document for p in store.passages([r.key for r in result.ranked], as_of=view.as_of)}
            order = list(dict.fromkeys(passages[ranked.key] for ranked in result.ranked))
            ranks = tuple(min((order.index(g) for g in group if g in order), default=DEPTH) for group in needed)
            late = sum(bool(as_of) and dated.get(source, "")[:10] > str(as_of) for source in order)
            found[name].append(Scored(question.get("type", "all"), ranks, late, spent))
    return found


def figures(scored: Sequence[Scored]) -> dict[str, float]:
    def recall(k: int) -> float:
        return statistics.fmean(statistics.fmean(rank < k for rank in one.ranks) for one in scored)

    spent = sorted(one.milliseconds for one in scored)
    return {
        "questions": len(scored),
        "recall_at_5": recall(5),
        "all_at_5": statistics.fmean(max(one.ranks) < 5 for one in scored),
        "recall_at_10": recall(10),
        "mrr": statistics.fmean(1 / (1 + min(one.ranks)) if min(one.ranks) < DEPTH else 0.0 for one in scored),
        "forbidden": sum(one.forbidden for one in scored),
        "p50_ms": statistics.median(spent),
        "p99_ms": spent[min(len(spent) - 1, int(0.99 * len(spent)))],
    }


def answers_cited(workspace: str, questions: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Share of answerable questions whose whole answer stands in the quotes that `ask` cites."""
    asked = [q for q in questions if _spellings(q)]
    with Workspace(settings=_settings(workspace)) as opened:
        hits = [_in_quotes(opened, question) for question in asked]
    return {"questions": len(asked), "answer_in_citations": statistics.fmean(hits) if hits else 0.0}


def _in_quotes(opened: Workspace, question: Mapping[str, Any]) -> bool:
    answer = opened.ask(question["question"], as_of=question.get("as_of")).answer
    quotes = " ".join(citation.quote for citation in answer.citations).lower()
    return all(any(spelling.lower() in quotes for spelling in spellings) for spellings in _spellings(question))


def _spellings(question: Mapping[str, Any]) -> list[list[str]]:
    if isinstance(question.get("answer"), str):
        return [] if question["answer"].lower() in ("yes", "no") else [[question["answer"]]]
    found = [[str(a["value"]), *map(str, a.get("aliases") or ())] for a in question.get("answers") or () if a]
    return found


def run(folder: Path, *, vectors: Path | None, hide_titles: bool) -> dict[str, Any]:
    """One set. Everything happens in a temporary workspace."""
    questions, sources = read(folder / "questions.jsonl"), read(folder / "corpus.jsonl")
    with tempfile.TemporaryDirectory() as work:
        workspace = str(Path(work) / "workspace")
        built = peak_mb_of(build, str(corpus_file(folder, Path(work), hide_titles=hide_titles)), workspace)
        adapters = Adapters(_settings(workspace))
        store = adapters.store
        if vectors:
            given = np.load(vectors)
            give_vectors(store, given["E"], [row["id"] for row in sources])
            model, asked = GIVEN, [quantised(vector) for vector in given["q"]]
        else:
            model, asked = _embedded(workspace, adapters.embedder, questions)
        dated = {row["id"]: row.get("published_at") or "" for row in sources}
        found = ask_all(store, questions, asked, model, dated)
        store.close()
        cited = answers_cited(workspace, questions)
    kinds = sorted({one.kind for one in found["graph"]} - {"all"})
    return {
        **{name: figures(scored) for name, scored in found.items()},
        "index": {**built.result, "peak_mb": built.peak_mb},
        "ask": cited,
        "by_type": {k: {n: figures([one for one in s if one.kind == k]) for n, s in found.items()} for k in kinds},
        "model": model,
    }


def _embedded(
    workspace: str, embedder: Embedder | None, questions: Sequence[Mapping[str, Any]]
) -> tuple[str, list[Bytes8 | None]]:
    if embedder is None:
        return "", [None] * len(questions)
    with Workspace(settings=_settings(workspace)) as opened:
        opened.embed()
    return embedder.name, [quantised(embedder.embed_query(question["question"])) for question in questions]


def sets(data: Path) -> Iterator[Path]:
    for questions in sorted(data.glob("**/questions.jsonl")):
        if (questions.parent / "corpus.jsonl").is_file():
            yield questions.parent


def table(name: str, result: Mapping[str, Any]) -> str:
    index = result["index"]
    lines = [
        f"{name}: {index['passages']} passages, each {index['cpu_ms_per_passage']:.2f} CPU ms and "
        f"{index['bytes_per_passage']:.0f} B; peak {index['peak_mb']:.0f} MB, {index['llm_calls']} LLM calls; "
        f"answer in the cited quotes: {result['ask']['answer_in_citations']:.3f}"
    ]
    rows = {"all": {method: result[method] for method in METHODS if method in result}, **result["by_type"]}
    for kind, methods in rows.items():
        lines += [f"  {kind:13} {method:21} {_line(found)}" for method, found in methods.items()]
    return "\n".join(lines)


def _line(found: Mapping[str, float]) -> str:
    recall = "  ".join(f"{key} {found[key]:.3f}" for key in ("recall_at_5", "all_at_5", "recall_at_10", "mrr"))
    return f"{recall}  forbidden {found['forbidden']}  p50 {found['p50_ms']:.1f} ms  p99 {found['p99_ms']:.1f} ms"


def jobs(options: argparse.Namespace) -> Iterator[tuple[Path, Path | None, bool]]:
    """(folder, vectors, titles hidden?) of everything to run; a set below `--data` brings its vectors along."""
    if options.folder:
        yield options.folder, options.vectors, options.hide_titles
    else:
        for folder in sets(options.data):
            for hide in (False, True):
                yield folder, min(folder.glob("*.npz"), default=None), hide


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("folder", nargs="?", type=Path)
    arguments.add_argument("--data", type=Path, help="run every set below this folder")
    arguments.add_argument("--vectors", type=Path, help="npz with E (by corpus row) and q (by question)")
    arguments.add_argument("--hide-titles", action="store_true")
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    if (options.folder is None) == (options.data is None):
        arguments.error("give one FOLDER, or --data FOLDER")
    results = {}
    for folder, vectors, hide in jobs(options):
        name = folder.resolve().name + ("_hidden" if hide else "")
        results[name] = run(folder, vectors=vectors, hide_titles=hide)
        if not options.json:
            print(table(name, results[name]), flush=True)
    only = next(iter(results.values())) if options.folder else results
    save("multihop" if options.data else f"multihop_{next(iter(results))}", {"machine": facts(), "sets": results})
    if options.json:
        print(json.dumps(only, ensure_ascii=False))


if __name__ == "__main__":
    main()
