"""Taking in: sources -> documents -> names -> the store, in transactions of one document or a few small ones."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from finlore.errors import UsageError
from finlore.flows.reviewing import Reviewing
from finlore.graph.names import find_all_names
from finlore.graph.spread import spread_names
from finlore.intake.collect import Collection, collect
from finlore.intake.prepare import prepare
from finlore.ports import Store
from finlore.records.document import Document, Issue, PageVerdict, ParsedDocument
from finlore.records.fact import Extracted
from finlore.records.instant import Instant, now
from finlore.records.names import FoundNames
from finlore.records.report import DocumentOutcome, IngestReport
from finlore.records.store import InputRecord, PutResult, StoredDocument
from finlore.wiring import Adapters, Reading, SourceRead, noted, parsers

_REFRESHED_EVERY = 500  # documents: what is not yet in the index is made at one go, and takes memory
_TOGETHER = 5_000  # characters of one source, about half a second: documents that become one transaction
_LEAST = 100  # characters that the shortest counts for
Progress = Callable[[int, int | None, str], None]
"""Told how much is done, of how much as far as one can say, and what was done last."""

Extract = Callable[[Document, FoundNames], Extracted]


def silent(done: int, total: int | None, what: str) -> None:
    """The progress that nobody watches."""


class Ingest:
    """Puts documents into the store of `adapters`, with what `extract` reads out of each; `reviewing` asks about what
    is doubtful. `zone` gives bare dates their end of day."""

    def __init__(self, adapters: Adapters, *, zone: str, extract: Extract | None, reviewing: Reviewing) -> None:
        self._adapters, self._zone, self._extract, self._reviewing = adapters, zone, extract, reviewing

    @property
    def _store(self) -> Store:
        return self._adapters.store

    def run(self, paths: Sequence[Path | str], *, retry: bool, progress: Progress) -> IngestReport:
        """Read sources, find names, store the documents, then look for new names in older text."""
        began, cpu_began = time.perf_counter(), _cpu_seconds()
        collection = collect(paths or self._unread_files(retry), suffixes=parsers())
        with self._store.writing():
            self._gazetteer = self._reviewing.gazetteer()
            try:
                outcomes = tuple(self._all(collection, retry=retry, progress=progress))
                for done in spread_names(self._store):
                    progress(done, None, "names in older text")
                self._store.refresh()
                self._reviewing.ask()
            finally:
                self._adapters.end_workers()
        return IngestReport(outcomes, collection.skipped, time.perf_counter() - began, _cpu_seconds() - cpu_began)

    def _all(self, collection: Collection, *, retry: bool, progress: Progress) -> Iterator[DocumentOutcome]:
        n_bytes, done, total = collection.n_bytes, 0, None
        reading = Reading(self._adapters, collection, retry=retry, told=lambda what: progress(done, total, what))
        for source in reading:
            for group in self._take_in(source):
                before, done = done, done + len(group)
                total = max(done, round(done * n_bytes / reading.n_bytes)) if reading.n_bytes else None
                for number, outcome in enumerate(group, before + 1):
                    yield outcome
                    progress(number, total, outcome.source)
                if done // _REFRESHED_EVERY > before // _REFRESHED_EVERY:
                    self._store.refresh()

    def _unread_files(self, retry: bool) -> list[Path]:
        """The files of all sources that were rejected or wait, of those that are still there."""
        if not retry:
            raise UsageError("there is nothing to ingest", hint="name files or folders")
        unread = [*self._store.inputs("rejected"), *self._store.inputs("waiting")]
        files = (next(filter(Path.is_file, (Path(r.source), *Path(r.source).parents)), None) for r in unread)
        return list(dict.fromkeys(file for file in files if file))

    def _take_in(self, source: SourceRead) -> Iterator[list[DocumentOutcome]]:
        """Store what was read of one source, a few small documents at a time, and then remember it."""
        if source.kept:
            yield from ([outcome] for outcome in self._recall(source.kept))
            return
        outcomes: list[DocumentOutcome] = []
        for parts in _a_few(source.parts):
            outcomes += (group := self._put(parts))
            yield group
        if source.record and (record := noted(source.record, outcomes, ocr_rules=lambda: self._adapters.ocr.rules)):
            self._store.note_input(record)

    def _put(self, parts: Sequence[ParsedDocument | Issue]) -> list[DocumentOutcome]:
        """Store documents in one transaction; what became of each, and of what was rejected."""
        prepared = [self._prepared(part) for part in parts]
        documents = [part.document for part in prepared if isinstance(part, _Prepared)]
        found = iter(find_all_names(documents, self._gazetteer, self._adapters.recognisers))
        with self._store.together():
            return [part if isinstance(part, DocumentOutcome) else self._stored(part, next(found)) for part in prepared]

    def _prepared(self, part: ParsedDocument | Issue) -> "_Prepared | DocumentOutcome":
        if isinstance(part, Issue):
            return _rejected(part)
        received = now()
        document, issues = prepare(part, zone=self._zone, received_at=received)
        if document is None:
            return _rejected(next(issue for issue in issues if issue.severity == "rejected"))
        return _Prepared(document, issues, received)

    def _stored(self, prepared: "_Prepared", found: FoundNames) -> DocumentOutcome:
        document = prepared.document
        extracted = self._extract(document, found) if self._extract else None
        put = self._store.put(document, found, ingested_at=prepared.received_at, extracted=extracted)
        if extracted and put.status != "unchanged":
            self._reviewing.ask_of(document, put.version, extracted)
        outcome = _outcome(document, put, prepared.issues)
        return replace(outcome, quality=extracted.notes if extracted else ())

    def _recall(self, kept: InputRecord) -> Iterator[DocumentOutcome]:
        """What is in the store of a source that has not changed."""
        if kept.outcome == "rejected":
            remembered = "remembered from an earlier run; --retry reads it again"
            yield DocumentOutcome(kept.source, kept.source, "rejected", kept.reason, notes=(remembered,))
        for stored in self._store.documents_of(kept.source):
            whole = kept.outcome == "waiting" and self._store.document(stored.id, stored.version, as_of=now())
            yield _unchanged(stored, whole or None)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A document that can be stored, and what is to be said of it."""

    document: Document
    issues: Sequence[Issue]
    received_at: Instant


def _a_few(parts: Iterable[ParsedDocument | Issue]) -> Iterator[list[ParsedDocument | Issue]]:
    """The same parts, small ones together."""
    group, size = list[ParsedDocument | Issue](), 0
    for part in parts:
        group.append(part)
        size += max(_LEAST, len(part.text) if isinstance(part, ParsedDocument) else 0)
        if size >= _TOGETHER:
            yield group
            group, size = [], 0
    if group:
        yield group


def _cpu_seconds() -> float:
    """CPU time of this process and of the workers that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


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
