"""Graphs as GraphML: nodes and edges with their data under the headers of a Neo4j import.

Entities of the file itself are never expanded, nothing is fetched, and a document type is refused.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from finlore.formats.decode import canonical
from finlore.records.imported import ImportedRow, ImportedTable, UnreadableTable

_MOST_KEYS = 1_000
_ENDS = {"node": {":ID": "id"}, "edge": {":START_ID": "source", ":END_ID": "target"}}
"""Columns of ids, and the attributes that hold them."""


class GraphmlImporter:
    """The attributes of an edge or a node are columns in the order in which keys are declared, before the graph."""

    suffixes = (".graphml",)

    def read(self, file: Path) -> ImportedTable:
        keys: dict[str, tuple[str, str]] = {}  # id -> (what it is for, name)
        for tag, element in _elements(file, ("key", "graph"), event="start"):
            if tag == "graph":
                nodes, edges = _Elements(file, "node", keys), _Elements(file, "edge", keys)
                listed = ImportedTable("graphml", nodes.columns, nodes)
                is_directed = element.get("edgedefault") != "undirected"
                return ImportedTable("graphml", edges.columns, edges, listed, is_directed)
            name = canonical(element.get("attr.name") or element.get("id") or "")
            keys[element.get("id") or ""] = (element.get("for") or "all", name)
            if len(keys) > _MOST_KEYS:
                raise UnreadableTable(f"it declares more than {_MOST_KEYS} keys")
        raise UnreadableTable("it holds no graph")


@dataclass(frozen=True, slots=True)
class _Elements:
    """The nodes or the edges of a file as rows."""

    file: Path
    tag: str
    keys: Mapping[str, tuple[str, str]]

    @property
    def columns(self) -> tuple[str, ...]:
        names = (name for what, name in self.keys.values() if what in (self.tag, "all"))
        return tuple(dict.fromkeys((*_ENDS[self.tag], *names)))

    def __iter__(self) -> Iterator[ImportedRow]:
        columns, direction = self.columns, {"true": True, "false": False}
        for tag, element in _elements(self.file, ("node", "edge"), event="end"):
            if tag != self.tag:
                continue
            data = self._data(element) | {
                column: canonical(element.get(name) or "").strip() for column, name in _ENDS[tag].items()
            }
            cells = tuple([data.get(column, "") for column in columns])
            yield ImportedRow(element.sourceline or 0, cells, is_directed=direction.get(element.get("directed", "")))

    def _data(self, element: etree._Element) -> dict[str, str]:
        found = {}
        for inner in element:
            if isinstance(inner.tag, str) and etree.QName(inner).localname == "data":
                _, name = self.keys.get(inner.get("key") or "", ("", ""))
                if name:
                    found[name] = canonical("".join(inner.itertext())).strip()
        return found


def _elements(file: Path, names: tuple[str, ...], *, event: str) -> Iterator[tuple[str, etree._Element]]:
    """(name, element) of those of these names; each is let go when the next is read."""
    try:
        with file.open("rb") as source:
            events = etree.iterparse(
                source,
                events=(event,),
                tag=[f"{{*}}{name}" for name in names],
                resolve_entities=False,
                no_network=True,
                load_dtd=False,
                huge_tree=False,
                remove_comments=True,
                remove_pis=True,
            )
            for number, (_, element) in enumerate(events):
                if number == 0 and element.getroottree().docinfo.doctype:
                    raise UnreadableTable("it declares a document type, which may hold entities: refused")
                yield etree.QName(element).localname, element
                if event == "end":
                    _let_go(element)
    except etree.XMLSyntaxError as error:
        raise UnreadableTable(f"it is not well-formed XML: {error.msg}") from error


def _let_go(element: etree._Element) -> None:
    """Free what was read: the element, and those before it."""
    element.clear()
    while element.getprevious() is not None and element.getparent() is not None:
        del element.getparent()[0]
