"""What checks compare, and what they find: printed numbers as intervals, in which each stands for one unit of its last
place to either side, so that rounding fails no check; how many checks could be applied, and what failed, in words for
the person who reviews it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from finlore.intake.tables.values import Reading

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


@dataclass(frozen=True, slots=True)
class Interval:
    """What a printed number may stand for."""

    low: float
    high: float

    def __add__(self, other: "Interval") -> "Interval":
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: "Interval") -> "Interval":
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: "Interval") -> "Interval":
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    def __truediv__(self, other: "Interval") -> "Interval":
        """By an interval above zero."""
        return self * Interval(1 / other.high, 1 / other.low)

    def times(self, factor: float) -> "Interval":
        return self * Interval(factor, factor)

    def widened(self, share: float) -> "Interval":
        room = share * max(abs(self.low), abs(self.high))
        return Interval(self.low - room, self.high + room)

    def meets(self, other: "Interval") -> bool:
        slack = 1e-9 * max(abs(self.high), abs(other.high))
        return self.low <= other.high + slack and other.low <= self.high + slack


def interval_of(reading: Reading) -> Interval:
    last_place = 10.0**-reading.decimals
    return Interval(reading.value.value - last_place, reading.value.value + last_place)


def cost_of(reading: Reading) -> Interval:
    """What is taken off, which may be printed below zero."""
    cost = interval_of(reading)
    return cost if cost.high >= 0 else cost.times(-1)


def as_fraction(reading: Reading) -> Interval:
    """A rate printed as 0.183; where the unit says per cent, the number itself."""
    return interval_of(reading).times(1 if reading.value.unit else 100)


def places(checked: Reading, *others: Reading) -> list[Place]:
    """Where a reading stands, and those of the others that are in the same table."""
    own = [reading.value for reading in (checked, *others) if reading.table == checked.table]
    return [(value.row, value.column) for value in own]


def compared(reading: Reading, computed: Interval, how: str) -> str:
    value = reading.value
    period = f" ({value.period})" if value.period else ""
    low, high = (f"{bound:,.{max(reading.decimals, 1)}f}" for bound in (computed.low, computed.high))
    where = f"row {value.row + 1} '{value.label}', column {value.column + 1}{period}"
    return f"{where}: printed {value.value:,.{reading.decimals}f}, computed {low} to {high} ({how})"
