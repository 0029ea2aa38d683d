"""Graphs as GraphML: nodes and edges with their data under the headers of a Neo4j import.

Entities of the file itself are never expanded, nothing is fetched, and a document type is refused.
"""

import io
from collections.abc import Iterator

from lxml import etree

from finlore.formats.decode import canonical
from finlore.records.imported import ImportedRow, ImportedTable, UnreadableTable

_MOST_KEYS = 1_000
_Element = tuple[int, dict[str, str]]
"""The line of a node or an edge, and its data by name."""


class GraphmlImporter:
    """The attributes of an edge or a node are columns in the order in which keys are declared."""

    suffixes = (".graphml",)

    def read(self, content: bytes) -> ImportedTable:
        graph = _Graph()
        try:
            graph.take(content)
        except etree.XMLSyntaxError as error:
            raise UnreadableTable(f"it is not well-formed XML: {error.msg}") from error
        if graph.is_directed is None:
            raise UnreadableTable("it holds no graph")
        nodes = _table(graph.nodes, (":ID",), graph.names("node"), directed=True)
        edges = _table(graph.edges, (":START_ID", ":END_ID"), graph.names("edge"), directed=graph.is_directed)
        return ImportedTable(edges.format, edges.columns, edges.rows, nodes, edges.is_directed)


class _Graph:
    """What is read out of the elements one by one."""

    def __init__(self) -> None:
        self.nodes: list[_Element] = []
        self.edges: list[_Element] = []
        self.is_directed: bool | None = None
        self._keys: dict[str, tuple[str, str]] = {}  # id -> (what it is for, name)

    def names(self, domain: str) -> tuple[str, ...]:
        """The columns of nodes or of edges."""
        return tuple(dict.fromkeys(name for what, name in self._keys.values() if what in (domain, "all")))

    def take(self, content: bytes) -> None:
        for event, element in _events(content):
            tag = etree.QName(element).localname
            if event == "start":
                if tag == "graph" and self.is_directed is None:
                    self.is_directed = element.get("edgedefault") != "undirected"
            elif tag == "key":
                name = canonical(element.get("attr.name") or element.get("id") or "")
                self._keys[element.get("id") or ""] = (element.get("for") or "all", name)
                if len(self._keys) > _MOST_KEYS:
                    raise UnreadableTable(f"it declares more than {_MOST_KEYS} keys")
            elif tag == "node":
                self.nodes.append((element.sourceline or 0, {**self._data(element), ":ID": _id(element, "id")}))
                _let_go(element)
            elif tag == "edge":
                ends = {":START_ID": _id(element, "source"), ":END_ID": _id(element, "target")}
                self.edges.append((element.sourceline or 0, {**self._data(element), **ends}))
                _let_go(element)

    def _data(self, element: etree._Element) -> dict[str, str]:
        found = {}
        for inner in element:
            if isinstance(inner.tag, str) and etree.QName(inner).localname == "data":
                _, name = self._keys.get(inner.get("key") or "", ("", ""))
                if name:
                    found[name] = canonical("".join(inner.itertext())).strip()
        return found


def _events(content: bytes) -> Iterator[tuple[str, etree._Element]]:
    events = etree.iterparse(
        io.BytesIO(content),
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    for number, (event, element) in enumerate(events):
        if number == 0 and element.getroottree().docinfo.doctype:
            raise UnreadableTable("it declares a document type, which may hold entities: refused")
        yield event, element


def _let_go(element: etree._Element) -> None:
    """Free what was read: the element, and those before it."""
    element.clear()
    while element.getprevious() is not None and element.getparent() is not None:
        del element.getparent()[0]


def _id(element: etree._Element, name: str) -> str:
    return canonical(element.get(name) or "").strip()


def _table(found: list[_Element], ids: tuple[str, ...], names: tuple[str, ...], *, directed: bool) -> ImportedTable:
    columns = tuple(dict.fromkeys((*ids, *names)))
    rows = [ImportedRow(line, tuple(data.get(column, "") for column in columns)) for line, data in found]
    return ImportedTable("graphml", columns, rows, is_directed=directed)
