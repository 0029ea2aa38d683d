"""A table -> facts of one relation, names, and the text that both stand in.

The canonical text of an import is its rows, one a line, cells between tabs, each id with the name that node files give
it; the first line names the columns and what they stand for, so that another reading of a file is another version.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.imports.cells import one_line
from finlore.knowledge.imports.columns import Columns
from finlore.knowledge.imports.nodes import Nodes, node_of
from finlore.knowledge.imports.parties import Meanings, Place, Refused
from finlore.knowledge.imports.relations import Relation
from finlore.knowledge.imports.rows import RowReader, Statement, Unusable
from finlore.knowledge.imports.teaching import Taught
from finlore.records.fact import Evidence, Fact
from finlore.records.imported import Cell, ImportedRow, ImportedTable, Rejection
from finlore.records.instant import Instant
from finlore.records.names import Alias, EntityKind

_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read. `known_at`: the earliest instant that a row states; None where rows state none."""

    text: str
    facts: tuple[Fact, ...]
    aliases: tuple[Alias, ...]
    n_entities: int
    rejected: tuple[Rejection, ...]
    known_at: Instant | None = None


class _Rejections:
    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[tuple[int, str]]] = defaultdict(list)

    def add(self, line: int, reason: str, what: str = "") -> None:
        """Note one of them; of each reason the first few are kept."""
        self._counts[reason] += 1
        if len(self._examples[reason]) < _EXAMPLES:
            self._examples[reason].append((line, what[:80]))

    def all(self) -> tuple[Rejection, ...]:
        return tuple(Rejection(why, n, tuple(self._examples[why])) for why, n in self._counts.most_common())


class _Text:
    """The canonical text as it grows."""

    def __init__(self, header: str) -> None:
        self._lines = [header]
        self._length = len(header)

    def add(self, line: str) -> Evidence:
        """Where the line stands."""
        start = self._length + 1
        self._lines.append(line)
        self._length = start + len(line)
        return Evidence(start, self._length)

    def whole(self) -> str:
        return "\n".join(self._lines)


def read_facts(
    table: ImportedTable,
    columns: Columns,
    relation: Relation,
    nodes: Nodes,
    *,
    gazetteer: Gazetteer,
    split: str = "",
    zone: str,
) -> Imported:
    """The facts of a table, each at its row, and the names of whom they speak."""
    reader = RowReader(relation, columns, Meanings(nodes, gazetteer), table.is_directed, split, zone)
    text, rejected, taught = _Text(_header(columns)), _Rejections(), Taught(gazetteer)
    facts: list[Fact] = []
    for row in table.rows:
        for found in _facts_of(row, reader, text):
            if isinstance(found, Unusable):
                rejected.add(row.line, found.reason, found.what)
                continue
            fact, said = found
            facts.append(fact)
            taught.take(said.subject, fact.known_at)
            if said.object:
                taught.take(said.object, fact.known_at)
    known = min((fact.known_at for fact in facts if fact.known_at is not None), default=None)
    return Imported(text.whole(), tuple(facts), taught.aliases(), taught.n_entities, rejected.all(), known)


def _facts_of(row: ImportedRow, reader: RowReader, text: _Text) -> Iterator[tuple[Fact, Statement] | Unusable]:
    """What a row states, or why not. It becomes a line of the text when it states something."""
    if row.fault:
        yield Unusable(row.fault)
        return
    try:
        when = reader.when(row)
    except Unusable as why:
        yield why
        return
    at: Evidence | None = None
    for said in reader.statements(row):
        if isinstance(said, Unusable):
            yield said
            continue
        at = at or text.add(_line(row, reader))
        try:
            yield reader.fact(row, said, when=when, at=at), said
        except Unusable as why:
            yield why


def read_names(
    table: ImportedTable, columns: Columns, kind: EntityKind, *, gazetteer: Gazetteer, zone: str
) -> Imported:
    """The names of a list of entities of one kind; nothing is stated of them."""
    nodes, text, rejected, taught = Nodes(), _Text(_header(columns)), _Rejections(), Taught(gazetteer)
    rows = [(row, None if row.fault else node_of(row, columns, zone=zone)) for row in table.rows]
    nodes.add(node for _, node in rows if node)
    place, meanings = Place("name", kind, (kind,), kind), Meanings(nodes, gazetteer)
    known: list[Instant] = []
    for row, node in rows:
        if node is None:
            rejected.add(row.line, row.fault or "there is no name")
            continue
        if "known_at" in columns and node.known_at is None:
            rejected.add(row.line, "it does not say since when it is known", node.name)
            continue
        meant = meanings.meant(node.id, place)
        if isinstance(meant, Refused):
            rejected.add(row.line, meant.reason, node.name)
            continue
        text.add("\t".join(one_line(_printed(cell)) for cell in row.cells))
        taught.take(meant, node.known_at)
        known += () if node.known_at is None else (node.known_at,)
    return Imported(text.whole(), (), taught.aliases(), taught.n_entities, rejected.all(), min(known, default=None))


def _header(columns: Columns) -> str:
    parts = {place: part for part, place in columns.places.items()}
    named = (f"{name} [{parts[n]}]" if n in parts else name for n, name in enumerate(columns.names))
    return "\t".join(map(one_line, named))


def _line(row: ImportedRow, reader: RowReader) -> str:
    cells = list(row.cells)
    for part, place in reader.places.items():
        at = reader.columns.places[part]
        if isinstance(cell := cells[at], str):
            cells[at] = reader.meanings.readable(cell, place)
    return "\t".join(one_line(_printed(cell)) for cell in cells)


def _printed(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return "; ".join(f"{name}: {value}" if value else name for name, value in cell)
