"""Numbers of strings: those of a sorted list that is never loaded, then those of strings that were added."""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np

from finlore.index.arrays import Ints
from finlore.index.strings import ManyStrings, Strings

_STEP: Final = 1 << 24  # room between two stored strings for all that are added


class Numbering(ManyStrings):
    """Distinct strings in the order of their numbers. `added_tails`: what follows the kind in those that were added."""

    def __init__(self, stored: Strings) -> None:
        self._stored = stored
        self._added: list[str] = []
        self._numbers: dict[str, int] = {}
        self.added_tails: set[str] = set()

    def __len__(self) -> int:
        return len(self._stored) + len(self._added)

    def _at(self, place: int) -> str:
        return self._stored[place] if place < len(self._stored) else self._added[place - len(self._stored)]

    def take(self, numbers: Ints) -> Iterator[str]:
        """The strings of many numbers."""
        return map(self.__getitem__, numbers.tolist())

    def number(self, string: str) -> int:
        """The number of `string`, -1 where it has none."""
        added = self._numbers.get(string)
        return self._stored.find(string) if added is None else added

    def numbers(self, strings: Iterable[str]) -> dict[str, int]:
        """The numbers of those of the strings that have one."""
        asked = list(strings)
        return self._stored.find_all(asked) | {
            string: self._numbers[string] for string in asked if string in self._numbers
        }

    def add(self, string: str) -> int:
        """The number of `string`, which gets the next one where it has none."""
        number = self.number(string)
        if number < 0:
            number = self._numbers[string] = len(self)
            self._added.append(string)
            self.added_tails.add(string.partition(":")[2])
        return number

    def ranks(self) -> Ints:
        """(n + 1,) Numbers that are in the order of the strings; -1 for the string without a number, -1."""
        stored = (np.arange(len(self._stored)) + 1) * _STEP
        added = np.zeros(len(self._added), np.int64)
        for order, at in enumerate(sorted(range(len(added)), key=self._added.__getitem__), 1):
            added[at] = self._stored.starting(self._added[at]).start * _STEP + order
        return np.concatenate([stored, added, [-1]])


class Numbered(ManyStrings):
    """Some of the strings of a numbering, ascending by number; one is found without reading the others."""

    def __init__(self, strings: Numbering, numbers: Ints) -> None:
        self._strings, self._numbers = strings, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def _at(self, place: int) -> str:
        return self._strings[int(self._numbers[place])]

    def __iter__(self) -> Iterator[str]:
        return self._strings.take(self._numbers)

    def __contains__(self, string: object) -> bool:
        return isinstance(string, str) and self._place(string) >= 0

    def index(self, string: str, start: int = 0, stop: int | None = None) -> int:
        """As of any sequence; ValueError when it is not there."""
        at = self._place(string)
        if at < 0 or at not in range(len(self))[start:stop]:
            raise ValueError(f"{string!r} is not in the sequence")
        return at

    def _place(self, string: str) -> int:
        number = self._strings.number(string)
        at = int(np.searchsorted(self._numbers, number))
        return at if number >= 0 and at < len(self) and self._numbers[at] == number else -1


def tails(entities: Iterable[str]) -> Iterator[str]:
    """What follows the kind in entity ids that have one."""
    return (entity.partition(":")[2] for entity in entities if ":" in entity)
