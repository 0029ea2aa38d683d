"""The product on one page: what a workspace can do, each flow a handful of stage calls in order.

Every reading flow takes `as_of` (an ISO date or date-time, None for now) and reads through `KnowledgeAt`, which hands
the instant to the store, so that nothing known later can be reached.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Literal, Self

from finlore import resources
from finlore.errors import StoreDamaged, UsageError
from finlore.flows.answering import Answering, Asked
from finlore.flows.backtesting import Backtesting, Tested, is_asked
from finlore.flows.embedding import embed
from finlore.flows.extracting import Extracting
from finlore.flows.facts import Facts, Timeline, entity_named, possible_ids
from finlore.flows.finding import (
    DocumentTables,
    EntityPage,
    document_tables,
    entity_page,
    name_paths,
    searched,
    shared_passages,
)
from finlore.flows.importing import Importing, ImportRequest
from finlore.flows.ingest import Ingest, Progress, silent
from finlore.flows.knowledge_at import KnowledgeAt
from finlore.flows.memberships import memberships
from finlore.flows.prompting import Prompting
from finlore.flows.reviewing import Reviewing, review_kind
from finlore.flows.schemas import InducedSchema, induce_schema
from finlore.health import examine
from finlore.knowledge.imports.document import part_number
from finlore.knowledge.memberships import RELATION as MEMBERSHIP
from finlore.knowledge.vocabulary import Vocabulary
from finlore.records.answer import Method, Retrieved
from finlore.records.document import StoredPassage
from finlore.records.fact import Change, StoredEvent, StoredFact
from finlore.records.imported import ImportReport
from finlore.records.instant import Instant, now, parse_instant
from finlore.records.llm import Usage
from finlore.records.report import BackupReport, EmbedReport, ExtractReport, Finding, IngestReport, NamePath
from finlore.records.review import Reviewed, ReviewStatus
from finlore.records.run import BacktestRequest, Replay, RunRecord
from finlore.records.schema import Schema
from finlore.records.store import StoreStatus
from finlore.runs import BacktestFolder, RunFolder
from finlore.settings import Settings, load_settings
from finlore.wiring import Adapters, exporter, forget_replies
from finlore.wiring.schemas import FOLDER, Schemas

ExportFormat = Literal["parquet", "graphml", "turtle", "jsonld", "neo4j"]


class Workspace:
    """One folder of knowledge. A missing folder reads as an empty one and is made by the first `ingest`."""

    def __init__(
        self,
        folder: Path | str | None = None,
        *,
        market: Path | str | None = None,
        settings: Settings | None = None,
    ) -> None:
        """`market`: a folder of prices. `settings` in place of what files, environment and the two folders say."""
        folders = {"workspace": folder, "market": market}
        self.settings = settings or load_settings(
            arguments={name: Path(path) for name, path in folders.items() if path is not None}
        )
        self.folder = self.settings.workspace
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreDamaged(f"the workspace {self.folder} is a file", hint="name a folder")
        resources.override_with(self.settings.resources)
        self._adapters = Adapters(self.settings)
        self._store = self._adapters.store
        self._runs = RunFolder(self.folder / "runs")
        self._answering = Answering(self._adapters, self.settings, self._runs)
        self.schemas = Schemas(self.folder / FOLDER)
        self._beside = (self._runs.folder, self.schemas.folder)
        self._facts = Facts(schema=self.schemas.reading, zone=self.settings.zone)
        self._reviewing = Reviewing(self._adapters, schema=self.schemas.active, zone=self.settings.zone)
        self._extracting = Extracting(
            self._adapters,
            schema=self.schemas.active,
            zone=self.settings.zone,
            gazetteer=self._reviewing.gazetteer,
        )
        extract = self._extracting.by_lexicon if self.settings.extractor == "lexicon" else None
        self._backtesting = Backtesting(
            self._adapters,
            known=partial(KnowledgeAt, self._store),
            runs=BacktestFolder(self._runs.folder / "backtests"),
            is_market_asked=is_asked(self.settings, "market"),
            zone=self.settings.zone,
        )
        self._ingest = Ingest(self._adapters, zone=self.settings.zone, extract=extract, reviewing=self._reviewing)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        self._adapters.close()

    # Taking in

    def ingest(
        self,
        paths: Sequence[Path | str] = (),
        *,
        retry: bool = False,
        schema: str | None = None,
        progress: Progress = silent,
    ) -> IngestReport:
        """Read sources, find names, store each document in one transaction, then look for new names in older text.

        A source that was read before and has not changed is not read again; with `retry` those are that were rejected,
        or wait for a missing part, and without paths all of these. `progress` is told how many documents there are,
        as far as one can say by the bytes that are still to be read.

        Where a `schema` is named the workspace is filled with it from now on; what was read under another stays, and
        waits to be extracted again.
        """
        if schema is not None:
            self.use_schema(schema)
        elif self.settings.extractor != "none":
            self.schemas.active()  # a bad one is refused before anything is read
        return self._ingest.run(paths, retry=retry, progress=progress)

    def use_schema(self, name: str) -> Schema:
        """Fill the workspace with this schema from now on."""
        self._reviewing.allow(self.schemas.load(name))
        with self._store.writing():
            return self.schemas.use(name)

    def induce_schema(
        self,
        templates: Sequence[Path | str] = (),
        *,
        name: str = "induced",
        out: Path | None = None,
        told: Callable[[Usage], None] = lambda estimate: None,
    ) -> InducedSchema:
        """A schema of this name out of templates, without any the shipped ones, by a language model; also written to
        the folder `out`. `told` hears what it will take before anything is sent."""
        files = list(map(Path, templates))
        return induce_schema(self._adapters, self.schemas, files, name=name, out=out, told=told)

    def import_(
        self,
        file: Path | str,
        relation: str | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        nodes: Sequence[Path | str] = (),
        split: str = "",
        progress: Progress = silent,
    ) -> ImportReport:
        """The rows of a table or the edges of a graph as facts of one relation of the schema; of a kind of entity
        (`product`, `company`) as a list of names. ``word=relation`` takes only rows of the type `word`. A list of
        Shenwan classes, or a folder of prices that has one, says itself what it is.

        `columns` maps parts of a fact (subject, object, value, unit, text, valid_from, valid_to, known_at) to names of
        columns, where these are not the usual ones; `subject:person` says of what kind it is. Files of `nodes` give
        names and kinds to ids; `split` separates several objects in one cell. Rows are stored some thousand at a time:
        what was interrupted goes on when it is imported again. `progress` is told how many rows there are.
        """
        place, named = Path(file), tuple(map(Path, nodes))
        is_plain = relation in (None, MEMBERSHIP) and not columns
        request = memberships(place, named, zone=self.settings.zone) if is_plain else None
        if request is None and relation is None:
            raise UsageError(f"what {place.name} is to be imported as is not said", hint="--as RELATION")
        request = request or ImportRequest(place, relation or "", columns or {}, named, split)
        importing = Importing(
            self._adapters, schema=self.schemas.active, zone=self.settings.zone, ask=self._reviewing.ask
        )
        return importing.run(request, progress=progress)

    def extract(
        self,
        extractor: Literal["llm", "lexicon"] = "llm",
        *,
        budget: int | None = None,
        retry: bool = False,
        dry_run: bool = False,
        told: Callable[[Usage], None] = lambda estimate: None,
        progress: Progress = silent,
    ) -> ExtractReport:
        """Facts and events out of what an extractor has not read under the schema in force, with `retry` also out of
        passages in which it failed. `budget` bounds the tokens of a language model, `told` hears what it will take at
        most before anything is sent; a `dry_run` ends there."""
        if extractor == "lexicon":
            report = self._extracting.run(progress=progress)
        else:
            with Prompting(self._adapters, self.settings, self._extracting, budget=budget) as prompting:
                waiting = prompting.waiting(retry=retry)
                report = prompting.estimate(waiting)
                told(report.estimate)
                if dry_run:
                    return report
                report = prompting.run(waiting, report.estimate, progress=progress)
        self._reviewing.ask()
        return report

    def embed(self, *, budget_seconds: float | None = None, progress: Progress = silent) -> EmbedReport:
        """Vectors for passages that have none, until none is left or the time is spent."""
        seconds = float("inf") if budget_seconds is None else budget_seconds
        return embed(self._adapters, seconds=seconds, progress=progress)

    def forget(self, document: str) -> bool:
        """Remove a document (of an import all of its parts) and all that only it supported, also its words in run
        records and kept replies; whether there was one."""
        if not self.folder.exists():
            return False
        with self._store.writing():
            forget_replies(self.settings, document)
            self._runs.redact(document)  # first: once the document is gone, nothing would lead back to its quotes
            parts = [part.id for part in self._store.documents_of(document) if part_number(document, part.id) > 1]
            return self._reviewing.forget((*parts, document))

    # Deciding

    def merge(self, entity: str, into: str) -> tuple[str, str]:
        """Say that two entities are one; their ids."""
        known = self._known(None)
        pair = entity_named(known, entity), entity_named(known, into)
        if pair[0] == pair[1]:
            raise UsageError(f"{entity!r} and {into!r} are the same entity already")
        self._reviewing.merge(*pair)
        return pair

    def split(self, entity: str) -> bool:
        """Take back what `merge`, or an accepted review, said of an entity by its id, code or own name; whether there
        was anything."""
        return self.folder.exists() and self._reviewing.split(possible_ids(entity))

    def reviews(self, *, kind: str | None = None, status: ReviewStatus | None = "open") -> list[Reviewed]:
        """What people are asked, in the order in which it was asked, each with what was decided of it; `status` None:
        all of it."""
        return self._reviewing.reviews(kind=review_kind(kind), status=status)

    def accept(self, *reviews: str, note: str = "", by: str = "") -> list[Reviewed]:
        """Say yes to what reviews propose, at every date; their ids may be cut short. `by`: who says so, by default
        whoever runs this."""
        return self._reviewing.decide(reviews, "accepted", edits={}, note=note, by=by)

    def reject(self, *reviews: str, note: str = "", by: str = "") -> list[Reviewed]:
        """Say no: what a review is about is read no more, or not merged."""
        return self._reviewing.decide(reviews, "rejected", edits={}, note=note, by=by)

    def edit(self, review: str, edits: Mapping[str, str], *, note: str = "", by: str = "") -> list[Reviewed]:
        """Accept with other values than those of the payload."""
        return self._reviewing.decide([review], "edited", edits=edits, note=note, by=by)

    def undo(self, *reviews: str, by: str = "") -> list[Reviewed]:
        """Take back what was decided of reviews, whoever decided it; that it was stays in the audit."""
        return self._reviewing.undo(reviews, by=by)

    # Finding

    def search(self, query: str, *, top: int = 10, method: Method = "auto", as_of: str | None = None) -> Retrieved:
        """The passages that bear on a question, best first."""
        return searched(self._adapters, self._known(as_of), query, method=method, top=top)

    def entity(self, name: str, *, as_of: str | None = None) -> EntityPage:
        """What is known under a name or entity id at a date; NotFound when nothing is."""
        return entity_page(self._known(as_of), self._facts, name)

    def facts(
        self,
        *,
        subject: str | None = None,
        relation: str | None = None,
        until: str | None = None,
        as_of: str | None = None,
    ) -> list[StoredFact]:
        """Facts by subject and relation, each with the interval in which it stood and what contradicts it."""
        _, known = self._between(None, until, as_of)
        return self._facts.facts(known, subject=subject, relation=relation)

    def changes(
        self,
        since: str,
        until: str | None = None,
        *,
        subject: str | None = None,
        relation: str | None = None,
        as_of: str | None = None,
    ) -> list[Change]:
        """How the facts that stand at the end of one day differ from those of another, by subject and relation."""
        before, known = self._between(since, until, as_of)
        return self._facts.changes(before, known, subject=subject, relation=relation)

    def events(
        self,
        *,
        subject: str | None = None,
        driver: str | None = None,
        since: str | None = None,
        until: str | None = None,
        as_of: str | None = None,
    ) -> list[StoredEvent]:
        """Events by who takes part in them and by driver or kind of event, those that became known after `since`."""
        before, known = self._between(since, until, as_of)
        found = self._facts.events(known, subject=subject, driver=driver)
        return [event for event in found if before is None or event.known_at > before.as_of]

    def timeline(
        self, name: str, *, since: str | None = None, until: str | None = None, as_of: str | None = None
    ) -> Timeline:
        """What became known of an entity after one day and until another, and how the two days differ."""
        return self._facts.timeline(*self._between(since, until, as_of), name)

    def names(self, *, until: str | None = None, as_of: str | None = None) -> Callable[[str], str | None]:
        """Entity id -> what it is called at a date, None where no passage mentions it."""
        _, known = self._between(None, until, as_of)
        return cache(known.name_of)

    @property
    def vocabulary(self) -> Vocabulary:
        """What relations and drivers are called."""
        return self._facts.vocabulary

    def edge(self, a: str, b: str, *, as_of: str | None = None) -> list[StoredPassage]:
        """All passages in which both names occur, best first: the edge of the context graph."""
        return shared_passages(self._known(as_of), a, b)

    def paths(
        self, a: str, b: str, *, hops: int = 3, as_of: str | None = None
    ) -> tuple[list[NamePath], list[StoredPassage]]:
        """Chains of names from one to the other, and the passages that link them."""
        return name_paths(self._known(as_of), a, b, hops=hops)

    def tables(self, document: str, *, as_of: str | None = None) -> DocumentTables:
        """The tables of a document (its id or path) as known at a date, with what is doubtful about them; NotFound when
        it is not."""
        return document_tables(self._known(as_of), document)

    # Answering

    def ask(self, question: str, *, after: str | None = None, as_of: str | None = None) -> Asked:
        """An answer whose every sentence is cited, kept as a run; `after` names the run that it continues."""
        return self._answering.ask(question, after=after, as_of=self._instant(as_of))

    def backtest(self, request: BacktestRequest) -> Tested:
        """What strategies would have made by the rules of a mode, beside all that it has to be held against; kept as a
        run, and counted among what was tried here."""
        return self._backtesting.run(request)

    @property
    def backtests(self) -> BacktestFolder:
        """Past backtests, and the ledger of what was tried."""
        return self._backtesting.runs

    def runs(self) -> Iterator[RunRecord]:
        """Past answers, oldest first."""
        return self._runs.all()

    def damaged_runs(self) -> list[StoreDamaged]:
        """What is wrong with the records of answers and backtests that cannot be read."""
        return [*self._runs.unreadable, *self.backtests.unreadable]

    def run(self, run: str) -> RunRecord:
        return self._runs.load(run)

    def replay(self, run: str) -> Replay:
        """Answer, or test, again on the rows that the run had; equal, or where it differs first."""
        if self.backtests.holds(run):
            return self._backtesting.replay(run)
        return self._answering.replay(run)

    # Looking after

    def status(self) -> StoreStatus:
        return self._store.status()

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """What is installed, and whether the workspace is sound."""
        found = examine(self._store, self.settings, lambda: self._adapters.language_models, repair=repair)
        return [*found, *self.schemas.examined()]

    def backup(self, file: Path | str) -> BackupReport:
        """Copy the store, the run records and the schemas into one file, while others read and write."""
        return self._store.backup(Path(file), beside=self._beside)

    def restore(self, file: Path | str, *, replace: bool = False) -> BackupReport:
        """Hold from now on what a backup holds; `replace` allows to lose what was here."""
        with self._store.writing():
            return self._store.restore(Path(file), beside=self._beside, replace=replace)

    def export(self, form: ExportFormat, out: Path, *, as_of: str | None = None) -> list[Path]:
        """Entities, passages, mentions, facts and events as known at a date; the files written."""
        known = self._known(as_of)
        facts = self._facts.facts(known, subject=None, relation=None)
        events = self._facts.events(known, subject=None, driver=None)
        with exporter(form, out) as write:
            return write(known.view, known.all_passages(), out, facts=facts, events=events, schema=self._facts.schema)

    # What the flows share

    def _between(
        self, since: str | None, until: str | None, as_of: str | None
    ) -> tuple[KnowledgeAt | None, KnowledgeAt]:
        """What was known at one day, None for before everything, and at another, or what may be known of it."""
        end = min(self._instant(as_of), self._instant(until))
        if since is None:
            return None, KnowledgeAt(self._store, end)
        if self._instant(since) > end:
            raise UsageError(f"the time from {since!r} on ends before it begins", hint="--from D --to D")
        return self._known(since), KnowledgeAt(self._store, end)

    def _known(self, as_of: str | None) -> KnowledgeAt:
        return KnowledgeAt(self._store, self._instant(as_of))

    def _instant(self, as_of: str | None) -> Instant:
        if as_of is None:
            return now()
        try:
            return parse_instant(as_of, self.settings.zone)
        except ValueError:
            raise UsageError(
                f"{as_of!r} is neither a date nor a date-time", hint="2025-03-31 or 2025-03-31T09:30"
            ) from None
