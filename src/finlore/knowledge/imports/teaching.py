"""Names that a file teaches: what documents call the entities of its rows from now on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from finlore.graph.folded import surface_of
from finlore.graph.gazetteer import Gazetteer
from finlore.knowledge.imports.nodes import Node
from finlore.knowledge.imports.parties import Meant
from finlore.language.codes import canonical_security, code_surface
from finlore.language.normal import has_han
from finlore.records.fact import Party
from finlore.records.instant import NEVER, Instant
from finlore.records.names import STRENGTH_TABLE, Alias

_EVERYDAY = frozenset({"person", "product", "material", "metric", "work", "name"})
"""Kinds of which short names are often words of the language too: 高峰, 黄金, 基板."""
_REMEMBERED = 20_000  # cells


class Taught:
    """Collects aliases, some rows at a time; of one that is taught several times the earliest counts, and later ones
    are not said again. What the shipped lists say of a name is repeated as it stands there, and nothing else is said.

    A name that a row writes is known with the row; one that only a node gives, not before the node, and of a node
    without a date from when it was `received`: an old edge does not make today's names old.
    """

    def __init__(self, gazetteer: Gazetteer, *, received: Instant) -> None:
        self._gazetteer, self._received = gazetteer, received
        self._said: dict[Meant, tuple[Alias, ...]] = {}
        self._told: dict[int, Instant] = {}  # a hash of an alias -> since when it was said to be known
        self._known: dict[Alias, Instant | None] = {}
        self._entities: set[str] = set()

    def take(self, meant: Meant, known_at: Instant | None) -> None:
        """The names of a party, unless it is only guessed what it is, or shares its name with another."""
        party = meant.party
        if not meant.is_sure or "#" in party.entity:
            return
        self._entities.add(party.entity or f"{party.kind}:{party.surface}")
        said = self._said.get(meant)
        if said is None:
            if len(self._said) >= _REMEMBERED:
                self._said.clear()
            said = self._said[meant] = tuple(self._aliases(party, meant.node.aliases if meant.node else ()))
        written, with_node = _surfaces(meant.written), self._with_node(meant.node, known_at)
        for alias in said:
            if alias.known_at is None:
                since = known_at if alias.surface in written else with_node
                before = self._known.get(alias, since)
                self._known[alias] = since if before is None or since is None else min(before, since)
            else:
                self._known[alias] = None

    def _with_node(self, node: Node | None, known_at: Instant | None) -> Instant | None:
        """From when a row and its node are known, where the row is from `known_at`; None: from the document."""
        if node is None or (node.known_at is None and known_at is None):
            return known_at
        since = (self._received if at is None else at for at in (known_at, node.known_at))
        return max(since)

    def since_then(self) -> tuple[tuple[Alias, ...], frozenset[str]]:
        """What was taught since this was asked last, and of which entities. Sorted; known from the document, or from
        the earliest row that teaches it where rows have dates."""
        found = {
            replace(alias, known_at=known) if known is not None else alias
            for alias, known in self._known.items()
            if self._is_earlier(alias, NEVER if known is None else known)
        }
        entities = frozenset(self._entities)
        self._known.clear()
        self._entities.clear()
        return tuple(sorted(found, key=lambda a: (a.surface, -a.strength, a.entity, a.name, a.known_at or 0))), entities

    def _is_earlier(self, alias: Alias, known: Instant) -> bool:
        """Whether an alias was never said to be known as early; now it is."""
        told = self._told.get(hash(alias))
        if told is not None and told <= known:
            return False
        self._told[hash(alias)] = known
        return True

    def _aliases(self, party: Party, others: Sequence[str]) -> Iterator[Alias]:
        """What is said of a party, without since when; of names that are shipped what the lists say, since when."""
        entity = party.entity or f"{party.kind}:{party.surface}"
        called = {party.surface: party.name, **{surface_of(name): name for name in others}}
        surfaces = {surface for surface, name in called.items() if _can_be_found(name, surface, party.kind)}
        if party.kind == "security":
            surfaces.add(code_surface(party.entity))
        for surface in surfaces - {""}:
            if surface in self._gazetteer:
                yield from self._gazetteer.aliases(surface)
            else:
                yield Alias(surface, entity, party.kind, party.name, STRENGTH_TABLE)


@lru_cache(maxsize=_REMEMBERED)
def _surfaces(written: tuple[str, ...]) -> frozenset[str]:
    """Under which names and codes cells are found."""
    codes = filter(None, map(canonical_security, written))
    return frozenset((*map(surface_of, written), *map(code_surface, codes)))


def _can_be_found(name: str, surface: str, kind: str) -> bool:
    """Whether a name may be looked for in texts: it is not masked, and hardly ever another word."""
    if "*" in name or not any(map(str.isalpha, surface)):
        return False
    return len(surface) >= (2 if has_han(surface) and kind not in _EVERYDAY else 3)
