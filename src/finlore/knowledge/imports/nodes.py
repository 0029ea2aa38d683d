"""Node files: what the ids of a graph are called, and of what kind they are."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from finlore.graph.folded import surface_of
from finlore.knowledge.imports.cells import instant, several
from finlore.knowledge.imports.columns import Columns
from finlore.knowledge.imports.kinds import kind_called
from finlore.records.imported import ImportedRow, ImportedTable
from finlore.records.instant import Instant
from finlore.records.names import EntityKind

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Node:
    """`code` is that of a security, as it stands there; `aliases` are other names."""

    id: str
    name: str
    kind: EntityKind | None = None
    code: str = ""
    aliases: tuple[str, ...] = ()
    known_at: Instant | None = None


class Nodes:
    """Nodes by id, and by name where one alone has it. Ids of different groups (`space`) may be equal."""

    def __init__(self) -> None:
        self._by_id: dict[tuple[str, str], Node] = {}
        self._by_bare_id: dict[str, Node | None] = {}
        self._by_name: dict[str, Node | None] = {}
        self._called: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._by_id)

    def add(self, nodes: Iterable[Node], *, space: str = "") -> None:
        """The first node of an id counts."""
        for node in nodes:
            if (space, node.id) not in self._by_id:
                self._by_id[space, node.id] = node
                self._by_bare_id[node.id] = None if node.id in self._by_bare_id else node
                self._by_name[node.name] = None if node.name in self._by_name else node
                self._called[surface_of(node.name)] += 1

    def find(self, cell: str, *, space: str = "") -> Node | None:
        """The node of an id, or else of a name; None where there is none or more than one."""
        found = self._by_id.get((space, cell)) or self._by_bare_id.get(cell)
        return found or self._by_name.get(cell)

    def has_namesake(self, node: Node) -> bool:
        """Whether another node has the same name."""
        return self._called[surface_of(node.name)] > 1


def read_nodes(table: ImportedTable, columns: Columns, *, zone: str) -> Iterator[Node]:
    """The nodes of a file that have a name; rows that cannot be read are passed over. Where codes are numbers of six
    digits, shorter ones have lost their zeros in a spreadsheet."""
    found = [node for row in table.rows if not row.fault and (node := node_of(row, columns, zone=zone))]
    width = max((len(node.code) for node in found if node.code.isdecimal()), default=0)
    for node in found:
        lost_zeros = node.code.isdecimal() and len(node.code) < width == _DIGITS
        yield replace(node, code=node.code.zfill(_DIGITS)) if lost_zeros else node


def node_of(row: ImportedRow, columns: Columns, *, zone: str) -> Node | None:
    """The node of a row; None where it has no name."""
    name = columns.printed(row, "name")
    if not name:
        return None
    between = ";" if columns.is_array("alias") else "|"
    others = tuple(other for other, _ in several(columns.cell(row, "alias"), between) if other and other != name)
    return Node(
        id=columns.printed(row, "id") or name,
        name=name,
        kind=columns.kinds.get("name") or _kind(columns.printed(row, "kind")),
        code=columns.printed(row, "code"),
        aliases=others,
        known_at=instant(columns.printed(row, "known_at"), zone=zone),
    )


def _kind(labels: str) -> EntityKind | None:
    """What the first label says that is the name of a kind."""
    return next((kind for label in labels.split(";") if (kind := kind_called(label))), None)
