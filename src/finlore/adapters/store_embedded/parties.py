"""Whom the parties of facts and events are at a date, and under which strings an entity may be a party."""

from collections.abc import Iterable

import numpy as np

from finlore.index.names import NameTable
from finlore.records.fact import Party
from finlore.records.instant import Instant


def string_of(party: Party) -> str:
    """What a party is kept under: its entity where the document says which, else its surface."""
    return party.entity or party.surface


class Parties:
    """Entities of parties as `names` have it at `as_of`, merges applied."""

    def __init__(self, names: NameTable, as_of: Instant) -> None:
        self._names, self._meanings = names, names.meanings(as_of).entities
        self._entities: dict[tuple[str, str, str], str] = {}

    def entity(self, party: Party) -> str:
        """The id of a party; ``kind:surface`` where its surface means nothing yet."""
        key = (party.entity, party.surface, party.kind)
        if key not in self._entities:
            self._entities[key] = self._names.after_merges(party.entity or self._meant(party))
        return self._entities[key]

    def _meant(self, party: Party) -> str:
        number = self._names.surfaces.number(party.surface)
        meant = int(self._meanings[number]) if 0 <= number < len(self._meanings) else -1
        return self._names.entities[meant] if meant >= 0 else f"{party.kind or 'name'}:{party.surface}"

    def merged(self, entities: Iterable[str]) -> set[str]:
        """What these entities count as."""
        return set(map(self._names.after_merges, entities))

    def strings(self, entities: Iterable[str]) -> set[str]:
        """All strings under which these entities may be kept; others may be as well: `entity` decides."""
        wanted = self.merged(entities)
        group = wanted | {entity for entity in self._names.merges if self._names.after_merges(entity) in wanted}
        numbers = [number for entity in group if (number := self._names.entities.number(entity)) >= 0]
        surfaces = self._names.surfaces.take(np.flatnonzero(np.isin(self._meanings, numbers)))
        return {*group, *(entity.partition(":")[2] for entity in group if ":" in entity), *surfaces}
