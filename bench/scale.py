"""What a large store costs: to build, to open, to search at any date, to add to; with a curve of sizes.

usage: scale.py --data FOLDER [--passages N] [--entities N] [--questions N] [--workspace FOLDER] [--curve N …] [--json]

Documents are made up: sentences of FOLDER/reports/indicators mixed anew, with invented names between them (half of them
known by an alias, half guessed, about 14 mentions a passage), 20 passages each, dated at random over 4,000 days. They
are put into the store as naming would hand them over, so that the figures are those of store and index alone; what is
added afterwards goes through the whole of `ingest`. Milliseconds and seconds are CPU time, memory is PSS of a process.
`--workspace`: one that was grown before with the same sizes, all of it, vectors too; what is measured changes it.
`--curve`: segments of these many passages, shifted copies of one, without a database: merge, disk, views, search.
"""

import argparse
import gzip
import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from finlore.adapters.store_embedded import EmbeddedStore
from finlore.flows import Workspace
from finlore.graph.gazetteer import Gazetteer
from finlore.index.cues import shipped_cues
from finlore.index.merge import few, merged
from finlore.index.names import NameTable
from finlore.index.rows import index_row
from finlore.index.segment import Segment
from finlore.index.strings import Strings
from finlore.index.view import IndexView
from finlore.language.normal import fold
from finlore.language.words import words
from finlore.ports import Bytes8, View
from finlore.records.answer import Method
from finlore.records.document import Block, Document, Metadata, Passage, Sentence
from finlore.records.index import DIRECT, OWNED, IndexRow, KnownName, passage_key
from finlore.records.instant import ALWAYS, NEVER, Instant, now, parse_instant
from finlore.records.names import Alias, FoundNames, Mention
from finlore.retrieve import neighbours as around
from finlore.retrieve.search import retrieve
from finlore.settings import Settings, load_settings
from machine import facts, save
from memory import peak_mb_of

PER_DOCUMENT = 20
DAYS, DAY = 4_000, 86_400_000_000
FIRST = parse_instant("2014-01-01")
PAST = Instant(FIRST + DAYS // 2 * DAY)
COMMON = 5_000  # names that half of the mentions are of
MODEL, DIMENSION = "made up", 384
_TEACHES = re.compile(r"[（(《“\"A-Z]|公司|集团|股份|简称|银行|证券")
METHODS: tuple[Method, ...] = ("text", "graph", "auto")
_HAN = (
    "安柏承达恩方冠海恒华嘉金景凯科朗力明纳诺欧鹏启瑞森泰通万威希"
    "欣雅源远云泽兆中卓子东南西北春夏秋冬江河山川林石天地光星风雷"
)
_ENDS = ("科技", "股份", "电子", "医药", "材料", "能源", "装备", "食品", "信息", "传媒", "环境", "物流")


def name(number: int) -> str:
    """The made-up name of an entity: three characters and an ending, different for every number below 700,000."""
    number, end = divmod(number * 514_229 % 746_496, len(_ENDS))
    number, c = divmod(number, 36)
    b, a = divmod(number, 36)
    return _HAN[a] + _HAN[b + 10] + _HAN[c + 17] + _ENDS[end]


def entity(number: int) -> str:
    """The id of an entity: every other one is known by an alias, the rest are guesses."""
    return f"E{number}.XX" if number % 2 else f"company:{name(number)}"


@dataclass(frozen=True)
class Corpus:
    """Any number of documents, each the same whenever it is made; names come into use as documents do."""

    data: Path
    n_documents: int
    n_entities: int

    @cached_property
    def sentences(self) -> list[str]:
        found: dict[str, None] = {}
        for path in sorted((self.data / "reports" / "indicators").glob("*.jsonl.gz")):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    pieces = json.loads(line)["text"].split("。")
                    found |= dict.fromkeys(piece.strip() for piece in pieces if 20 <= len(piece.strip()) <= 80)
        return list(found)[:40_000]

    @cached_property
    def plain(self) -> list[str]:
        """Sentences that name nobody."""
        gazetteer = Gazetteer.load()
        return [s for s in self.sentences[:4_000] if not _TEACHES.search(s) and not gazetteer.find(s)]

    def document(self, number: int) -> tuple[Document, FoundNames]:
        chance = random.Random(number)
        in_use = max(20, self.n_entities * (number + 1) // self.n_documents)
        text, passages, mentions, used = "", [], [], set[int]()
        for ordinal in range(PER_DOCUMENT):
            start, sentences = len(text), list[Sentence]()
            for _ in range(chance.randint(3, 5)):
                first = len(text)
                text += chance.choice(self.sentences) + "，涉及"
                for _ in range(chance.randint(2, 5)):
                    who = self._who(chance, in_use)
                    called, kind = name(who), "" if who % 2 else "company"
                    mentions.append(Mention(ordinal, len(sentences) + 1, len(text), len(text) + 5, called, kind))
                    text += called + "、"
                    used.add(who)
                text = text[:-1] + "。"
                sentences.append(Sentence(first, len(text)))
            passages.append(Passage(start, len(text), tuple(sentences)))
            text += "\n\n"
        known = sorted(who for who in used if who % 2)
        aliases = tuple(Alias(name(n), entity(n), "security", name(n), 100, ALWAYS) for n in known)
        metadata = Metadata(title=f"第{number}篇", published_at=Instant(FIRST + chance.randrange(DAYS) * DAY))
        id_, blocks = f"made-up/{number}", tuple(Block(p.start, p.end) for p in passages)
        document = Document(id_, id_, "text", text, metadata, blocks, tuple(passages))
        return document, FoundNames(tuple(mentions), aliases, entity(known[0]) if known else None)

    @staticmethod
    def _who(chance: random.Random, in_use: int) -> int:
        if chance.random() < 0.5:
            return chance.randrange(in_use)
        return int(min(COMMON, in_use) * chance.random() ** 3)  # a few are in every other report

    def question(self, chance: random.Random) -> str:
        """Nine running words of a sentence and a name."""
        sentence = ""
        while len(words(sentence)) < 9:
            sentence = chance.choice(self.sentences)
        end = next(end for end in range(len(sentence) + 1) if len(words(sentence[:end])) >= 9)
        return f"{name(self._who(chance, self.n_entities) | 1)} {sentence[:end]}"


class Spent:
    """CPU seconds since it was made."""

    def __init__(self) -> None:
        self._began = time.process_time()

    @property
    def seconds(self) -> float:
        return time.process_time() - self._began


# stages: each in a process of its own


def grow(corpus: Corpus, folder: Path, first: int, last: int) -> dict[str, float]:
    store, taken_in = EmbeddedStore(folder), Spent()
    with store.writing():
        for number in range(first, last):
            store.put(*corpus.document(number), ingested_at=FIRST)
        putting, indexing = taken_in.seconds, Spent()
        store.refresh()
    spent = indexing.seconds
    store.close()
    n = (last - first) * PER_DOCUMENT
    return {"made_and_put_ms": 1000 * putting / n, "indexed_ms": 1000 * spent / n, "refresh_seconds": spent}


def embed(folder: Path) -> dict[str, float]:
    """A made-up vector for every passage."""
    chance, store = np.random.default_rng(0), EmbeddedStore(folder)
    keys = np.sort(store.view(now()).keys).tolist()
    putting = Spent()
    with store.writing():
        for start in range(0, len(keys), 5_000):
            batch = keys[start : start + 5_000]
            made = np.clip(np.rint(chance.normal(0, 6.5, (len(batch), DIMENSION))), -127, 127).astype(np.int8)
            store.put_vectors(MODEL, dict(zip(batch, made, strict=True)))
        put, indexing = putting.seconds, Spent()
        store.refresh()
    store.close()
    return {"put_ms_per_passage": 1000 * put / len(keys), "refresh_seconds": indexing.seconds}


def open_cold(folder: Path) -> dict[str, float]:
    """The first view of a process, at each of two dates, and its members that every search needs."""
    store, spent = EmbeddedStore(folder), Spent()
    view = store.view(now())
    opened = spent.seconds
    _ = view.entity_counts, view.entity_ids, view.sentence_rows
    ready = spent.seconds
    past = Spent()
    view = store.view(PAST)
    _ = view.entity_counts, view.entity_ids, view.sentence_rows
    found = {"open_seconds": opened, "ready_seconds": ready, "next_date_seconds": past.seconds}
    store.close()
    return found


def add(corpus: Corpus, folder: Path, label: str) -> dict[str, float]:
    """Ten one-passage documents, then ten reports, through all of `ingest`: the first time in a process, and later.

    None of them teaches a name.
    """
    one = ingested(corpus, folder, f"{label}-one", rounds=4, n_passages=1)
    whole = ingested(corpus, folder, f"{label}-whole", rounds=3, n_passages=PER_DOCUMENT)
    return {
        "ten_passages_first_seconds": one[0],
        "ten_passages_seconds": statistics.median(one[1:]),
        "ten_reports_ms_per_passage": 1000 * statistics.median(whole) / (10 * PER_DOCUMENT),
    }


def teach(corpus: Corpus, folder: Path) -> dict[str, float]:
    """Ten documents whose titles are new names, for which all older text is searched."""
    return {"ten_new_names_seconds": ingested(corpus, folder, "taught", rounds=1, n_passages=1, title="万象{}")[0]}


def ingested(corpus: Corpus, folder: Path, label: str, *, rounds: int, n_passages: int, title: str = "") -> list[float]:
    """CPU seconds of taking in ten documents, once for each round."""
    chance, spent = random.Random(label), list[float]()
    with tempfile.TemporaryDirectory() as work, Workspace(settings=_settings(folder)) as workspace:
        for round_ in range(rounds):
            path = Path(work) / f"{label}-{round_}.jsonl"
            path.write_text(_ten(corpus, chance, path.stem, n_passages, title), encoding="utf-8")
            spent.append(workspace.ingest([path]).cpu_seconds)
    return spent


def _settings(folder: Path) -> Settings:
    return load_settings(arguments={"workspace": folder, "recognisers": "none", "embedder": "none"})


def _ten(corpus: Corpus, chance: random.Random, label: str, n_passages: int, title: str) -> str:
    rows = []
    for number in range(10):
        texts = ["。".join(chance.sample(corpus.plain, 6)) + "。" for _ in range(n_passages)]
        rows.append({"id": f"{label}-{number}", "title": title.format(_HAN[number] * 2), "text": "\n\n".join(texts),
                     "published_at": "2020-05-01", "format": "text"})  # fmt: skip
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def search(corpus: Corpus, folder: Path, n_questions: int) -> dict[str, Any]:
    store = EmbeddedStore(folder)
    found: dict[str, Any] = {}
    for when, as_of in (("now", now()), ("past", PAST)):
        view = store.view(as_of)
        found[when] = {method: asked(view, corpus, method, n_questions) for method in METHODS}
        found[when] |= beside(view, corpus)
    store.close()
    return found


def asked(view: View, corpus: Corpus, method: Method, n_questions: int, *, prefix: str = "") -> dict[str, float]:
    chance, vectors, cues, spent = random.Random(7), np.random.default_rng(7), shipped_cues(), []
    has_vectors = view.vectors(MODEL) is not None
    for number in range(n_questions + 2):
        question = prefix + corpus.question(chance)
        vector: Bytes8 = np.rint(vectors.normal(0, 6.5, DIMENSION)).astype(np.int8)
        began = Spent()
        retrieve(
            view, question, cues=cues, method=method, model=MODEL, query_vector=vector if has_vectors else None, top=10
        )
        if number > 1:
            spent.append(1000 * began.seconds)
    return {"p50_ms": statistics.median(spent), "p99_ms": float(np.quantile(spent, 0.99))}


def beside(view: View, corpus: Corpus) -> dict[str, float]:
    """A page about a name and the edge of two names, medians over common and rare ones."""
    chance, pages, edges = random.Random(3), [], []
    for _ in range(30):
        found = list(view.lookup([fold(name(corpus._who(chance, corpus.n_entities) | 1)) for _ in range(2)]).values())
        if len(found) < 2:
            continue
        began = Spent()
        around.neighbours(view, found[0]), view.entity(found[0]), around.passages_of(view, found[0], top=20)
        pages.append(1000 * began.seconds)
        began = Spent()
        around.edge(view, found[0], found[1])
        edges.append(1000 * began.seconds)
    return {"entity_ms": statistics.median(pages), "edge_ms": statistics.median(edges)}


def forget(folder: Path, last: int) -> dict[str, float]:
    store, spent = EmbeddedStore(folder), []
    store.view(now())
    for number in random.sample(range(last), 5):  # one may be forgotten already, where a workspace is used again
        began = Spent()
        if store.forget(f"made-up/{number}"):
            spent.append(began.seconds)
    store.close()
    return {"seconds": statistics.median(spent)}


def size(below: Path) -> int:
    return sum(file.stat().st_size for file in below.rglob("*") if file.is_file())


def disk(folder: Path, n_passages: int) -> dict[str, float]:
    vectors = sum(size(path) for path in (folder / "derived").glob("vectors-*"))
    index = size(folder / "derived") - vectors
    whole = size(folder) - index - vectors
    return {"index_bytes_per_passage": index / n_passages, "database_bytes_per_passage": whole / n_passages,
            "vector_bytes_per_passage": vectors / n_passages}  # fmt: skip


COPIED = 4_000  # rows of the segment that a curve is made of
RENAMED = 10  # copies with names of their own
_MARKS = "甲乙丙丁戊己庚辛壬癸"  # put before names


def piece(corpus: Corpus) -> Segment:
    """The rows of some documents, names as they are found."""
    rows: list[IndexRow] = []
    for number in range(COPIED // PER_DOCUMENT):
        document, found = corpus.document(number)
        for ordinal, passage in enumerate(document.passages):
            mentions = [mention for mention in found.mentions if mention.passage == ordinal]
            rows.append(
                index_row(passage_key(document.id, 1, ordinal), Instant(FIRST), NEVER, document_text=document.text,
                          passage=passage, mentions=mentions, metadata=document.metadata, subject=found.subject)
            )  # fmt: skip
    return Segment.from_rows(rows)


def shifted(segment: Segment, number: int) -> Segment:
    """The same rows under other keys and dates; every tenth copy has the same names."""
    chance = np.random.default_rng(number)
    known = np.sort(FIRST + chance.integers(0, DAYS, len(segment)) * DAY)
    keys = chance.integers(0, 2**62, len(segment))
    mark = _MARKS[number % RENAMED]
    names = Strings.of(
        f"{string[0]}{mark}{string[1:]}" if string[0] in (DIRECT, OWNED) else f"{mark}{string}"
        for string in segment.names.strings
    )
    order = np.lexsort((keys, known))
    return replace(segment, keys=keys[order], known=known[order], names=replace(segment.names, strings=names))


def merge_copies(corpus: Corpus, folder: Path, n_passages: int) -> dict[str, float]:
    """Joins copies as `refresh` joins chunks."""
    first, spent = piece(corpus), Spent()
    places = (folder / f"{number}" for number in count())

    def join(parts: Sequence[Segment]) -> Segment:
        place = next(places)
        place.mkdir(parents=True)
        return merged(parts, folder=place)

    rest = few((join([shifted(first, number)]) for number in range(n_passages // COPIED)), join)
    whole = folder / "whole"
    whole.mkdir()
    merged(rest, folder=whole)
    return {"merge_us_per_passage": 1e6 * spent.seconds / n_passages, "bytes_per_passage": size(whole) / n_passages}


def search_copies(corpus: Corpus, folder: Path, n_questions: int) -> dict[str, Any]:
    names = [
        KnownName(f"{mark}{name(number)}", f"{mark}E{number}.XX", "security", name(number), 100)
        for mark in _MARKS
        for number in range(1, corpus.n_entities // RENAMED, 2)
    ]
    table, spent = NameTable(names, [], {}), Spent()
    segment = Segment.load(folder / "whole")
    found: dict[str, Any] = {"names": len(names)}
    for when, as_of in (("now", now()), ("past", PAST)):
        view = IndexView([segment], table, as_of=as_of, sequence=1, until={}, replaced=frozenset())
        _ = view.entity_counts, view.sentence_rows
        found[when] = {"open_seconds": spent.seconds, "entities": len(view.entity_ids)}
        for method in METHODS[:2]:
            found[when][method] = asked(view, corpus, method, n_questions, prefix=_MARKS[3])
        spent = Spent()
    return found


def curve(corpus: Corpus, sizes: Sequence[int], n_questions: int, say: Callable[[str, object], None]) -> list[Any]:
    found = []
    small = replace(corpus, n_documents=COPIED // PER_DOCUMENT, n_entities=corpus.n_entities // RENAMED)
    for n_passages in sizes:
        with tempfile.TemporaryDirectory() as work:
            found.append({"passages": n_passages, "merge": staged(merge_copies, small, Path(work), n_passages)})
            found[-1]["search"] = staged(search_copies, corpus, Path(work), n_questions)
        say("curve", found[-1])
    return found


def staged(function: Callable[..., dict[str, Any]], *arguments: object) -> dict[str, Any]:
    """What a stage found, with the peak of its memory."""
    watched = peak_mb_of(function, *arguments)
    found: dict[str, Any] = {**watched.result, "peak_mb": watched.peak_mb}
    return found


def grown(corpus: Corpus, folder: Path, say: Callable[[str, object], None]) -> dict[str, Any]:
    """What it costs to grow a workspace, in stages, and then to embed it."""
    done, stages = 0, list[dict[str, Any]]()
    for share in (0.01, 0.1, 0.5, 1.0):
        last = round(share * corpus.n_documents)
        stage: dict[str, Any] = {"passages": last * PER_DOCUMENT, "entities": round(share * corpus.n_entities)}
        stage["grow"] = staged(grow, corpus, folder, done, last)
        stage["disk"] = disk(folder, last * PER_DOCUMENT)
        stage["cold"] = staged(open_cold, folder)
        if share != 0.5:
            stage["add"] = staged(add, corpus, folder, f"at{last}")
        done = last
        stages.append(stage)
        say("stage", stage)
    embedded = staged(embed, folder)
    say("embed", embedded)
    return {"stages": stages, "embed": embedded}


def run(corpus: Corpus, workspace: Path | None, n_questions: int, say: Callable[[str, object], None]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as work:
        folder, label = workspace or Path(work) / "workspace", f"again{time.time_ns()}"
        result: dict[str, Any] = grown(corpus, folder, say) if workspace is None else {}
        for name_, function, arguments in (
            ("cold", open_cold, (folder,)),
            ("search", search, (corpus, folder, n_questions)),
            ("add", add, (corpus, folder, label)),
            ("forget", forget, (folder, corpus.n_documents)),
            ("teach", teach, (corpus, folder)),
        ):
            result[name_] = staged(function, *arguments)
            say(name_, result[name_])
        result["disk"] = disk(folder, corpus.n_documents * PER_DOCUMENT)
        result["budget"] = beside_budget(result)
        say("budget", result["budget"])
        return result


BUDGET = (  # figure, most, where it is found
    *((f"{method}, {when}, p50 ms", most, ("search", when, method, "p50_ms"))
      for method, most in (("text", 10), ("graph", 40), ("auto", 100)) for when in ("now", "past")),
    ("ten documents of one passage, s", 0.2, ("add", "ten_passages_seconds")),
    ("forget, s", 0.5, ("forget", "seconds")),
    ("index, bytes a passage", 650, ("disk", "index_bytes_per_passage")),
)  # fmt: skip


def beside_budget(result: dict[str, Any]) -> dict[str, Any]:
    """Each figure with the most that it may be."""
    return {
        figure: {"budget": most, "measured": reduce(lambda found, step: found[step], where, result)}
        for figure, most, where in BUDGET
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--passages", type=int, default=200_000)
    arguments.add_argument("--entities", type=int, default=300_000)
    arguments.add_argument("--questions", type=int, default=100)
    arguments.add_argument("--workspace", type=Path)
    arguments.add_argument("--curve", type=int, nargs="*", default=[])
    arguments.add_argument("--json", action="store_true")
    options = arguments.parse_args()
    corpus = Corpus(options.data, max(options.passages // PER_DOCUMENT, 100), options.entities)

    def say(what: str, found: object) -> None:
        if not options.json:
            print(what, json.dumps(_rounded(found), ensure_ascii=False), flush=True)

    result = {"machine": facts(), "passages": corpus.n_documents * PER_DOCUMENT, "entities": corpus.n_entities,
              **run(corpus, options.workspace, options.questions, say),
              "curve": curve(corpus, options.curve, options.questions, say)}  # fmt: skip
    save("scale", result)
    if options.json:
        print(json.dumps(result, ensure_ascii=False))


def _rounded(found: object) -> object:
    if isinstance(found, dict):
        return {key: _rounded(value) for key, value in found.items()}
    return round(found, 3) if isinstance(found, float) else found


if __name__ == "__main__":
    main()
