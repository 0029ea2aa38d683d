"""Importing: a table or graph -> its facts, in one transaction with the document that they point into."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from finlore.errors import UsageError
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.spread import spread_names
from finlore.knowledge.imports.columns import columns_of_nodes, columns_of_rows, of_type
from finlore.knowledge.imports.document import as_document, names_of, statements_of
from finlore.knowledge.imports.kinds import kind_called
from finlore.knowledge.imports.nodes import Nodes, read_nodes
from finlore.knowledge.imports.read import Imported, read_facts, read_names
from finlore.knowledge.imports.relations import Relation, relation_called
from finlore.knowledge.schema import load_schema
from finlore.records.imported import ImportedTable, ImportReport, Rejection, UnreadableTable
from finlore.records.instant import now
from finlore.records.names import EntityKind
from finlore.wiring import Adapters
from finlore.wiring.tables import read_table


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import as what. `relation` is one of the schema, or ``word=relation``: then only rows of that type count;
    of a kind of entity the file is a list of names. `columns` maps parts of a fact to names of columns; `split`
    separates several objects in one cell."""

    file: Path
    relation: str
    columns: Mapping[str, str]
    nodes: Sequence[Path] = ()
    split: str = ""


class Importing:
    """Puts tables into the store of `adapters`. `zone` gives bare dates their end of day."""

    def __init__(self, adapters: Adapters, *, zone: str) -> None:
        self._adapters, self._zone = adapters, zone

    @cached_property
    def _gazetteer(self) -> Gazetteer:
        return Gazetteer.load()

    def run(self, request: ImportRequest) -> ImportReport:
        """Read the rows, store what they say, look for the names that they teach in older text."""
        began, cpu_began = time.perf_counter(), time.process_time()
        what = _meant(request.relation.rpartition("=")[2])
        word = request.relation.rpartition("=")[0]
        name = f"{word}={what.id}".lstrip("=") if isinstance(what, Relation) else what
        source = str(request.file.resolve())
        try:
            imported = self._read(request, what)
        except UnreadableTable as error:
            imported = Imported("", (), (), 0, (Rejection(str(error), 1, ()),))
        document = as_document(imported, source=source, title=request.file.name, what=name)
        added = len(imported.facts) if isinstance(what, Relation) else imported.n_entities
        status, known_at = None, None
        if added:
            with self._adapters.store.writing():
                result = self._adapters.store.put(
                    document, names_of(imported), ingested_at=now(), extracted=statements_of(imported)
                )
                status, known_at = result.status, result.known_at
                for _ in spread_names(self._adapters.store):
                    pass
                self._adapters.store.refresh()
        return ImportReport(
            document=document.id,
            status=status,
            what=name,
            added=0 if status == "unchanged" else added,
            names=len(imported.aliases),
            rejected=imported.rejected,
            known_at=known_at,
            seconds=time.perf_counter() - began,
            cpu_seconds=time.process_time() - cpu_began,
        )

    def _read(self, request: ImportRequest, what: Relation | EntityKind) -> Imported:
        table = read_table(request.file)
        if not isinstance(what, Relation):
            listed = table.nodes or table
            columns = columns_of_nodes(listed.columns, request.columns)
            return read_names(listed, columns, what, gazetteer=self._gazetteer, zone=self._zone)
        columns = columns_of_rows(table.columns, request.columns)
        needed = {"subject": "of whom it speaks", **({"object": "what is linked with it"} if what.objects else {})}
        if missing := [part for part in needed if part not in columns]:
            raise UsageError(
                f"no column of {request.file.name} says {' and '.join(needed[part] for part in missing)}",
                hint=f"--map {','.join(f'{part}=COLUMN' for part in missing)}; columns are {', '.join(columns.names)}",
            )
        if word := request.relation.rpartition("=")[0]:
            table = of_type(table, columns, word)
        nodes = self._nodes(table, request.nodes)
        return read_facts(table, columns, what, nodes, gazetteer=self._gazetteer, split=request.split, zone=self._zone)

    def _nodes(self, table: ImportedTable, files: Sequence[Path]) -> Nodes:
        nodes = Nodes()
        tables = [*([table.nodes] if table.nodes else []), *map(read_table, files)]
        for listed in tables:
            columns = columns_of_nodes(listed.columns)
            nodes.add(read_nodes(listed, columns, zone=self._zone), space=columns.spaces.get("id", ""))
        return nodes


def _meant(name: str) -> Relation | EntityKind:
    """A relation of the schema, or a kind of entity: then the file is a list of names."""
    schema = load_schema()
    ids = {*(attribute.id for attribute in schema.attributes), *(link.id for link in schema.links)}
    kind = None if name in ids else kind_called(name)
    return kind or relation_called(schema, name)
