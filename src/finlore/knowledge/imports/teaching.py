"""Names that a file teaches: what documents call the entities of its rows from now on."""

from finlore.graph.folded import surface_of
from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.imports.parties import Meant
from finlore.language.codes import code_surface
from finlore.language.normal import has_han
from finlore.records.instant import Instant
from finlore.records.names import STRENGTH_TABLE, Alias

_EVERYDAY = frozenset({"person", "product", "material", "metric", "work", "name"})
"""Kinds of which short names are often words of the language too: 高峰, 黄金, 基板."""


class Taught:
    """Collects aliases; of one that is taught several times the earliest counts. What the shipped lists say of a name
    is repeated as it stands there, and nothing else is said of it."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self._known: dict[Alias, Instant | None] = {}
        self._entities: set[str] = set()

    def take(self, meant: Meant, known_at: Instant | None) -> None:
        """The names of a party, unless it is only guessed what it is, or shares its name with another."""
        party, node = meant.party, meant.node
        if not meant.is_sure or "#" in party.entity:
            return
        entity = party.entity or f"{party.kind}:{party.surface}"
        self._entities.add(entity)
        names = (party.name, *(node.aliases if node else ()))
        surfaces = {surface_of(name): name for name in names if _can_be_found(name, surface_of(name), party.kind)}
        if party.kind == "security":
            surfaces.setdefault(code_surface(party.entity), party.name)
            surfaces = {surface: name for surface, name in surfaces.items() if surface}
        for surface in surfaces:
            self._say(surface, entity, party.kind, party.name, known_at)

    @property
    def n_entities(self) -> int:
        return len(self._entities)

    def aliases(self) -> tuple[Alias, ...]:
        """Sorted; known from the document, or from the earliest row that teaches them where rows have dates."""
        found = {
            Alias(a.surface, a.entity, a.kind, a.name, a.strength, a.known_at if known is None else known)
            for a, known in self._known.items()
        }
        return tuple(sorted(found, key=lambda a: (a.surface, -a.strength, a.entity, a.name, a.known_at or 0)))

    def _say(self, surface: str, entity: str, kind: str, name: str, known_at: Instant | None) -> None:
        if surface in self._gazetteer:
            self._known |= dict.fromkeys(self._gazetteer.aliases(surface))
            return
        alias = Alias(surface, entity, kind, name, STRENGTH_TABLE)
        before = self._known.get(alias, known_at)
        self._known[alias] = known_at if before is None or known_at is None else min(before, known_at)


def _can_be_found(name: str, surface: str, kind: str) -> bool:
    """Whether a name may be looked for in texts: it is not masked, and hardly ever another word."""
    if "*" in name or not any(map(str.isalpha, surface)):
        return False
    return len(surface) >= (2 if has_han(surface) and kind not in _EVERYDAY else 3)
