"""Who is meant by a cell: a node of the graph, a security by its code, else a name of the kind that the relation
admits."""

from collections.abc import Mapping
from dataclasses import dataclass

from finlore.graph.folded import surface_of
from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.imports.cells import looks_like_id
from finlore.knowledge.imports.kinds import admits_securities, usual
from finlore.knowledge.imports.nodes import Node, Nodes
from finlore.language.codes import canonical_security, code_surface
from finlore.records.fact import Party
from finlore.records.names import EntityKind

_LONGEST_NAME = 200
_REMEMBERED = 50_000  # cells; a table may have any number of them
_OTHERWISE: Mapping[EntityKind, tuple[EntityKind, ...]] = {
    "organisation": ("company",),
    "company": ("organisation", "security"),
    "broker": ("company", "organisation"),
    "security": ("company",),
    "product": ("material",),
    "material": ("product",),
    "regulator": ("organisation",),
}
"""What may also be said of a kind, where a relation does not admit it as it is."""
_TOPICS = frozenset({"industry", "concept", "index", "region", "product", "material"})
"""Kinds that share their words (汽车制造 is an industry and a product): where it is said which kind is meant, the name
alone must not lead to another."""


@dataclass(frozen=True, slots=True)
class Place:
    """Subject or object of a relation: what may stand there, and of what kind a person says that it is."""

    part: str
    relation: str
    admits: tuple[EntityKind, ...]
    stated: EntityKind | None = None
    space: str = ""


@dataclass(frozen=True, slots=True)
class Meant:
    """A party and the node that it comes from. `is_sure`: its kind is stated or the only one, not a guess. `written`:
    what the row itself calls it."""

    party: Party
    node: Node | None
    is_sure: bool
    written: tuple[str, ...]


class Unusable(ValueError):
    """Why a row, or one thing in it, is left out: the reason, the same for all such rows, and what stands there."""

    def __init__(self, reason: str, what: str = "") -> None:
        super().__init__(reason)
        self.reason, self.what = reason, what


class Meanings:
    """What cells mean, the last ones looked up once. Securities that a file does not name are called as the shipped
    lists do."""

    def __init__(self, nodes: Nodes, gazetteer: Gazetteer) -> None:
        self._nodes, self._gazetteer = nodes, gazetteer
        self._found: dict[tuple[str, str, str], Meant | str] = {}

    def meant(self, cell: str, place: Place, *, name: str = "") -> Meant:
        """Whom a cell means in a place; `name` is what the same row calls it. Unusable where it means nobody."""
        key = (place.part, cell, name)
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            found = self._found[key] = self._look_up(cell, place, name)
        if isinstance(found, str):
            raise Unusable(found, cell or name)
        return found

    def readable(self, cell: str, place: Place) -> str:
        """A cell with the name of the id that it is."""
        node = self._nodes.find(cell, space=place.space)
        return f"{node.name} ({cell})" if node and node.name != cell else cell

    def _look_up(self, cell: str, place: Place, name: str) -> Meant | str:
        """Whom it means, or why nobody."""
        if not (cell or name):
            return f"there is no {place.part}"
        node = self._nodes.find(cell, space=place.space)
        written = (cell, name) if name else (cell,)
        name = name or (node.name if node else cell)
        kind = place.stated or (node.kind if node else None)
        if code := _code(cell, node, kind, place):
            shipped = self._gazetteer.aliases(code_surface(code)) if name == cell else ()
            name = shipped[0].name if shipped else name
            return Meant(Party(name, surface_of(name), "security", code), node, True, written)
        if not node and name == cell and looks_like_id(cell) and (self._nodes or place.space):
            return "no node has this id"
        surface = surface_of(name)
        if not any(map(str.isalpha, surface)) or len(name) > _LONGEST_NAME:
            return f"the {place.part} is no name"
        if kind is None:
            fitting: EntityKind | None = usual(place.admits)
        else:
            fitting = next((k for k in (kind, *_OTHERWISE.get(kind, ())) if k in place.admits), None)
        if fitting is None:
            return f"a {kind} is no {place.part} of {place.relation}"
        is_sure = kind is not None or len(place.admits) == 1
        if node and self._nodes.has_namesake(node):
            entity = f"{fitting}:{surface}#{node.id}"
        else:
            says_which = is_sure and fitting in _TOPICS and surface not in self._gazetteer
            entity = f"{fitting}:{surface}" if says_which else ""
        return Meant(Party(name, surface, fitting, entity), node, is_sure, written)


def _code(cell: str, node: Node | None, kind: EntityKind | None, place: Place) -> str | None:
    """The security of a code; letters alone are rather a name."""
    if not admits_securities(place.admits) or kind not in (None, "security", "company", "organisation"):
        return None
    written = (node.code or node.id) if node else cell
    return canonical_security(written) if any(map(str.isdecimal, written)) else None
