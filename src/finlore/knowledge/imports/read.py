"""A table -> facts of one relation, names, and the text that both stand in.

The canonical text of an import is its rows, one a line, cells between tabs, each id with the name that node files give
it; the first line names the columns and what they stand for, so that another reading of a file is another version.
"""

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.imports.cells import one_line
from finlore.knowledge.imports.columns import Columns
from finlore.knowledge.imports.nodes import Nodes, node_of
from finlore.knowledge.imports.parties import Meanings, Place, Unusable
from finlore.knowledge.imports.relations import Relation
from finlore.knowledge.imports.rows import RowReader
from finlore.knowledge.imports.teaching import Taught
from finlore.records.fact import Evidence, Fact
from finlore.records.imported import Cell, ImportedRow, ImportedTable, Rejection, UnreadableTable
from finlore.records.instant import Instant
from finlore.records.names import Alias, EntityKind

PART_ROWS = 2_000
"""How many rows stand in one document: a quote is read with all of them, and a list of names known at one date is made
of all documents."""
_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read out of some rows of a file. `known_at`: the earliest instant that one states; None where none
    does. `entities` are those of which it teaches names. `is_cut`: the file breaks off behind these rows."""

    text: str
    n_rows: int
    facts: tuple[Fact, ...] = ()
    aliases: tuple[Alias, ...] = ()
    entities: frozenset[str] = frozenset()
    known_at: Instant | None = None
    is_cut: bool = False


class Rejections:
    """What is left out of a file, by reason."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[tuple[int, str]]] = defaultdict(list)

    def add(self, line: int, reason: str, what: str = "") -> None:
        """Note one of them; of each reason the first few are kept."""
        self._counts[reason] += 1
        if len(self._examples[reason]) < _EXAMPLES:
            self._examples[reason].append((line, what[:80]))

    def add_file(self, reason: str) -> None:
        """Note why the file, or the rest of it, cannot be read."""
        self._counts[reason] += 1

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
    rejections: Rejections,
    split: str,
    zone: str,
    received: Instant,
) -> Generator[Imported, None, None]:
    """The facts of a table, each at its row, and the names of whom they speak, some thousand rows at a time.
    `received`: from when rows are known that have no date where others have one."""
    taught = Taught(gazetteer, received=received)
    meanings = Meanings(nodes, gazetteer)
    reader = RowReader(relation, columns, meanings, table.is_directed, split, zone, received)
    for rows, is_cut in _parts(table.rows):
        yield replace(_read_rows(rows, reader, taught, rejections), is_cut=is_cut)


def _parts(rows: Iterable[ImportedRow]) -> Iterator[tuple[list[ImportedRow], bool]]:
    """Some thousand rows at a time, and whether the file breaks off behind them; then it is told why."""
    left, fault = iter(rows), None
    while fault is None:
        part: list[ImportedRow] = []
        try:
            part.extend(islice(left, PART_ROWS))
        except UnreadableTable as error:
            fault = error
        if part:
            yield part, fault is not None
        elif fault is None:
            return
    raise fault


def _read_rows(rows: Sequence[ImportedRow], reader: RowReader, taught: Taught, rejections: Rejections) -> Imported:
    text, facts = _Text(header(reader.columns)), list[Fact]()
    for row in rows:
        for found in reader.read(row, lambda row: text.add(_line(row, reader))):
            if isinstance(found, Unusable):
                rejections.add(row.line, found.reason, found.what)
                continue
            fact, parties = found
            facts.append(fact)
            for meant in parties:
                taught.take(meant, fact.known_at)
    known = min((fact.known_at for fact in facts if fact.known_at is not None), default=None)
    return Imported(text.whole(), len(rows), tuple(facts), *taught.since_then(), known)


def read_names(
    table: ImportedTable,
    columns: Columns,
    kind: EntityKind,
    *,
    gazetteer: Gazetteer,
    rejections: Rejections,
    zone: str,
    received: Instant,
) -> Generator[Imported, None, None]:
    """The names of a list of entities of one kind, some thousand rows at a time; nothing is stated of them."""
    nodes = Nodes()
    with suppress(UnreadableTable):  # it is told when the rows are taken
        nodes.add(node for row in table.rows if not row.fault and (node := node_of(row, columns, zone=zone)))
    meanings, place = Meanings(nodes, gazetteer), Place("name", kind, (kind,), kind)
    taught = Taught(gazetteer, received=received)
    for rows, is_cut in _parts(table.rows):
        text, known = _Text(header(columns)), list[Instant]()
        for row in rows:
            node = None if row.fault else node_of(row, columns, zone=zone)
            if node is None:
                rejections.add(row.line, row.fault or "there is no name")
                continue
            try:
                meant = meanings.meant(node.id, place)
            except Unusable as why:
                rejections.add(row.line, why.reason, node.name)
                continue
            since = received if node.known_at is None and "known_at" in columns else node.known_at
            text.add("\t".join(one_line(_printed(cell)) for cell in row.cells))
            taught.take(meant, since)
            known += () if since is None else (since,)
        yield Imported(text.whole(), len(rows), (), *taught.since_then(), min(known, default=None), is_cut)


def header(columns: Columns) -> str:
    """The first line of the canonical text: the columns, and what each stands for."""
    parts = {place: f"{part}:{columns.kinds[part]}" if part in columns.kinds else part
             for part, place in columns.places.items()}  # fmt: skip
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
