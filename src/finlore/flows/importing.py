"""Importing: a table or graph -> its facts, in transactions with the documents that they point into."""

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from finlore.errors import UsageError
from finlore.flows.ingest import Progress, silent
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.spread import spread_names
from finlore.knowledge.imports.columns import Columns, columns_of_nodes, columns_of_rows, of_type
from finlore.knowledge.imports.document import EXTRACTOR, as_document, part_number, whole_id
from finlore.knowledge.imports.kinds import kind_called
from finlore.knowledge.imports.nodes import Nodes, read_nodes
from finlore.knowledge.imports.read import Imported, Rejections, read_facts, read_names
from finlore.knowledge.imports.relations import Relation, relation_called
from finlore.records.fact import Extracted
from finlore.records.imported import ImportedTable, ImportReport, UnreadableTable
from finlore.records.instant import Instant, now
from finlore.records.names import EntityKind, FoundNames
from finlore.records.schema import Schema
from finlore.records.store import InputOutcome, InputRecord, PutResult, PutStatus, StoredDocument
from finlore.wiring import Adapters
from finlore.wiring.tables import read_table


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import as what. `relation` is one of the schema, or ``word=relation``: then only rows of that type count;
    of a kind of entity the file is a list of names. `columns` maps parts of a fact to names of columns; `split`
    separates several objects in one cell; `table` has the rows, where somebody has read them."""

    file: Path
    relation: str
    columns: Mapping[str, str]
    nodes: Sequence[Path] = ()
    split: str = ""
    table: ImportedTable | None = None


class Importing:
    """Puts tables into the store of `adapters`. `zone` gives bare dates their end of day; `ask` compares the names that
    came with those that are there."""

    def __init__(self, adapters: Adapters, *, schema: Callable[[], Schema], zone: str, ask: Callable[[], None]) -> None:
        self._adapters, self._schema, self._zone, self._ask = adapters, schema, zone, ask

    def run(self, request: ImportRequest, *, progress: Progress = silent) -> ImportReport:
        """Read the rows, store what they say, some thousand of them in one transaction, and look for the names that
        they teach in older text. An import that was interrupted goes on where it stopped."""
        began, cpu_began = time.perf_counter(), time.process_time()
        what = _meant(self._schema(), request.relation.rpartition("=")[2])
        word = request.relation.rpartition("=")[0]
        name = f"{word}={what.id}".lstrip("=") if isinstance(what, Relation) else what
        kept = _Kept(whole_id(str(request.file.resolve()), name))
        rejections, is_whole = Rejections(), False
        try:
            table = request.table or read_table(request.file)
            total = None if word else table.n_rows
            parts = self._parts(table, request, what, rejections)
            with closing(parts), ExitStack() as writing:
                for imported in parts:
                    if kept.n_parts == 0:
                        writing.enter_context(self._adapters.store.writing())
                    self._put(imported, kept, title=request.file.name)
                    progress(kept.n_rows, total and max(total, kept.n_rows), request.file.name)
            is_whole = True
        except UnreadableTable as error:
            rejections.add_file(str(error))
            kept.fault = str(error)
        if kept.n_rows == 0 and is_whole:
            rejections.add_file("it has no rows")
        if kept.statuses:
            self._finish(kept, title=request.file.name, progress=progress)
        progress(kept.n_rows, None, "names that may be one company's")
        self._ask()
        return ImportReport(
            document=kept.whole,
            status=max(kept.statuses, key=_RANKS.index, default=None),
            what=name,
            added=kept.n_facts if isinstance(what, Relation) else kept.n_entities,
            names=kept.n_names,
            rejected=rejections.all(),
            known_at=kept.known_at,
            seconds=time.perf_counter() - began,
            cpu_seconds=time.process_time() - cpu_began,
            is_whole=is_whole,
        )

    def _put(self, imported: Imported, kept: "_Kept", *, title: str) -> None:
        """Store a part of the file, unless it says nothing and never did. One that is cut withdraws nothing."""
        store = self._adapters.store
        if kept.n_parts == 0:
            kept.before = {part_number(kept.whole, stored.id): stored for stored in store.documents_of(kept.whole)}
        number = kept.n_parts + 1
        before = kept.before.get(number)
        if before and imported.is_cut:
            kept.statuses.add("unchanged")
        elif before or imported.facts or imported.entities:
            document = as_document(imported, whole=kept.whole, number=number, title=title, before=before)
            if not kept.statuses:
                store.note_input(_record(kept.whole, "partial", "its import did not come to an end"))
            said = Extracted(EXTRACTOR, imported.facts)
            put = store.put(document, FoundNames((), imported.aliases), ingested_at=now(), extracted=said)
            kept.take(imported, put)
        kept.n_parts += 1
        kept.n_rows += imported.n_rows

    def _finish(self, kept: "_Kept", *, title: str, progress: Progress) -> None:
        """End what the file does not say any more, and let its names be found."""
        store = self._adapters.store
        with store.writing():
            if kept.fault:
                store.note_input(_record(kept.whole, "partial", kept.fault))
            else:
                while kept.n_parts < max(kept.before, default=0):
                    self._put(Imported("", 0), kept, title=title)
                store.note_input(_record(kept.whole, "read"))
            for done in spread_names(store):
                progress(done, None, "names in older text")
            store.refresh()

    def _parts(
        self, table: ImportedTable, request: ImportRequest, what: Relation | EntityKind, rejections: Rejections
    ) -> Generator[Imported, None, None]:
        """What the file says, as it is read."""
        if isinstance(what, Relation):
            columns = _columns_of_facts(table, request, what)
            word = request.relation.rpartition("=")[0]
            rows = of_type(table, columns, word) if word else table
            nodes = self._nodes(table, request.nodes)
            return read_facts(
                rows, columns, what, nodes, rejections=rejections, split=request.split,
                gazetteer=Gazetteer.load(), zone=self._zone, received=now(),
            )  # fmt: skip
        listed = table.nodes or table
        columns = columns_of_nodes(listed.columns, request.columns)
        return read_names(
            listed, columns, what, rejections=rejections, gazetteer=Gazetteer.load(), zone=self._zone, received=now()
        )

    def _nodes(self, table: ImportedTable, files: Sequence[Path]) -> Nodes:
        nodes = Nodes()
        tables = [*([table.nodes] if table.nodes else []), *map(read_table, files)]
        for listed in tables:
            columns = columns_of_nodes(listed.columns)
            nodes.add(read_nodes(listed, columns, zone=self._zone), space=columns.spaces.get("id", ""))
        return nodes


_RANKS: Final = ("unchanged", "duplicate", "added", "new_version")


@dataclass(slots=True)
class _Kept:
    """What became of the parts of a file so far. `before`: those of an earlier import; `fault`: why the rest cannot be
    read."""

    whole: str
    fault: str = ""
    before: dict[int, StoredDocument] = field(default_factory=dict)
    statuses: set[PutStatus] = field(default_factory=set)
    n_parts: int = 0
    n_rows: int = 0
    n_facts: int = 0
    n_entities: int = 0
    n_names: int = 0
    known_at: Instant | None = None
    met: set[int] = field(default_factory=set)

    def take(self, imported: Imported, put: PutResult) -> None:
        """Count a part; what is unchanged adds nothing."""
        self.statuses.add(put.status)
        self.known_at = put.known_at if self.known_at is None else min(self.known_at, put.known_at)
        self.n_names += self._n_new(hash((alias.surface, alias.entity, alias.name)) for alias in imported.aliases)
        if put.status != "unchanged":
            self.n_facts += len(imported.facts)
            self.n_entities += self._n_new(map(hash, imported.entities))

    def _n_new(self, hashes: Iterable[int]) -> int:
        """How many of these were never met before; now they were."""
        before = len(self.met)
        self.met.update(hashes)
        return len(self.met) - before


def _columns_of_facts(table: ImportedTable, request: ImportRequest, relation: Relation) -> Columns:
    """The columns of a table; UsageError where none says of whom it speaks, or with whom that is linked."""
    columns = columns_of_rows(table.columns, request.columns)
    needed = {"subject": "of whom it speaks", **({"object": "what is linked with it"} if relation.objects else {})}
    if missing := [part for part in needed if part not in columns]:
        raise UsageError(
            f"no column of {request.file.name} says {' and '.join(needed[part] for part in missing)}",
            hint=f"--map {','.join(f'{part}=COLUMN' for part in missing)}; columns are {', '.join(columns.names)}",
        )
    return columns


def _record(whole: str, outcome: InputOutcome, reason: str = "") -> InputRecord:
    return InputRecord(whole, "", EXTRACTOR, outcome, reason)


def _meant(schema: Schema, name: str) -> Relation | EntityKind:
    """A relation of the schema, or a kind of entity: then the file is a list of names."""
    ids = {*(attribute.id for attribute in schema.attributes), *(link.id for link in schema.links)}
    kind = None if name in ids else kind_called(name)
    return kind or relation_called(schema, name)
