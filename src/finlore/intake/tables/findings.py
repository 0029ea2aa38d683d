"""What checks find: how many could be applied, and what failed, in words for the person who reviews it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

Place = tuple[int, int]
_MOST_DOUBTS: Final = 12


@dataclass(frozen=True, slots=True)
class Doubt:
    """`cells` are (row, column) of the numbers involved."""

    words: str
    cells: tuple[Place, ...]


@dataclass(slots=True)
class Findings:
    """Collected check by check; one that cannot be applied is not counted."""

    n_applied: int = 0
    found: list[Doubt] = field(default_factory=list)

    def expect(self, holds: bool, words: str, cells: Iterable[Place]) -> None:
        self.n_applied += 1
        if not holds:
            self.found.append(Doubt(words, tuple(cells)))

    @property
    def doubts(self) -> tuple[str, ...]:
        words = tuple(dict.fromkeys(doubt.words for doubt in self.found))
        rest = (f"and {len(words) - _MOST_DOUBTS} more",) if len(words) > _MOST_DOUBTS else ()
        return words[:_MOST_DOUBTS] + rest

    @property
    def cells(self) -> frozenset[Place]:
        return frozenset(cell for doubt in self.found for cell in doubt.cells)
