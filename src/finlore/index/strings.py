"""Sorted strings in one blob: looked up by bisection on a memory map, never loaded as a whole."""

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from finlore.index.arrays import Ints, Numbers, narrow, starts_of

STRINGS_AT_A_TIME = 50_000
"""Held as objects in a merge."""


class ManyStrings(Sequence[str]):
    """Strings that are made when they are asked for; one who inherits says how many there are, and what `_at` one
    place stands."""

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        return [self._at(i) for i in range(*at.indices(len(self)))] if isinstance(at, slice) else self._at(at)

    @abstractmethod
    def _at(self, place: int) -> str: ...


class Strings(ManyStrings):
    """Distinct strings in code-point order (that of their UTF-8 bytes). `sizes` are the byte lengths."""

    def __init__(self, blob: NDArray[np.uint8], sizes: Numbers) -> None:
        self.blob, self.sizes = blob, sizes
        self._bytes = memoryview(blob.data)  # a slice of it costs less than one of the array
        self._starts = starts_of(sizes)

    @classmethod
    def of(cls, ascending: Iterable[str]) -> "Strings":
        encoded = [string.encode("utf-8", "surrogatepass") for string in ascending]
        blob = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(blob, narrow(np.fromiter(map(len, encoded), np.int64, len(encoded))))

    def __len__(self) -> int:
        return len(self.sizes)

    def _at(self, place: int) -> str:
        return self._encoded(place).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        text, starts = bytes(self._bytes), self._starts.tolist()
        return (text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(starts))

    def find(self, string: str) -> int:
        """The place of `string`, -1 where it is not among these."""
        encoded = string.encode("utf-8", "surrogatepass")
        at = self.place(encoded)
        return at if at < len(self) and self._encoded(at) == encoded else -1

    def find_all(self, strings: Iterable[str]) -> dict[str, int]:
        """The places of those that are among these. Strings that begin alike stand side by side here, so that most of
        them are looked up without a bisection."""
        found: dict[str, int] = {}
        at, here = -1, b""
        for encoded, string in sorted((string.encode("utf-8", "surrogatepass"), string) for string in strings):
            if at < 0 or encoded > here:
                at = bisect_left(range(len(self)), encoded, max(at, 0), key=self._encoded)
                if at == len(self):
                    break
                here = self._encoded(at)
            if encoded == here:
                found[string] = at
        return found

    def starting(self, prefix: str) -> range:
        """The places of all strings that start with `prefix`."""
        encoded = prefix.encode("utf-8", "surrogatepass")
        low = self.place(encoded)
        high = bisect_left(range(len(self)), encoded + b"\xff", low, key=self._encoded)  # no UTF-8 byte is as high
        return range(low, high)

    def place(self, encoded: bytes) -> int:
        """How many of the strings come before the one that is `encoded`."""
        return bisect_left(range(len(self)), encoded, key=self._encoded)

    def encoded(self, low: int, high: int) -> list[bytes]:
        """The bytes of the strings from `low` to `high`."""
        starts = self._starts[low : high + 1] - self._starts[low]
        text = bytes(self._bytes[self._starts[low] : self._starts[high]])
        return [text[a:b] for a, b in pairwise(starts.tolist())]

    def without(self, places: Numbers) -> "Strings":
        """All but the strings at some places (ascending): bytes are moved, no string is read."""
        starts, ends = self._starts[places].tolist(), self._starts[places + 1].tolist()
        kept = [self.blob[a:b] for a, b in zip([0, *ends], [*starts, len(self.blob)], strict=True)]
        return Strings(np.concatenate(kept), narrow(np.delete(self.sizes, places)))

    def joined(self, others: Iterable[str]) -> "Strings":
        """These and then the others."""
        more = Strings.of(others)
        return Strings(np.concatenate([self.blob, more.blob]), np.concatenate([self.sizes, more.sizes]))

    def changed(self, gone: Ints, new: Iterable[str]) -> tuple["Strings", Ints]:
        """Without the strings at some places, but with all of the new ones; and the new place of each, -1 for one that
        is gone, and at last for none. Bytes are moved, few strings are read."""
        held = self.find_all(new := list(new))
        stays = np.ones(len(self), np.bool_)
        stays[gone] = False
        stays[list(held.values())] = True
        added = sorted(string.encode("utf-8", "surrogatepass") for string in {*new} - held.keys())
        places = np.array([self.place(encoded) for encoded in added], np.int64)
        moved = np.cumsum(stays) - 1 + np.searchsorted(places, np.arange(len(self)), "right")
        moved[~stays] = -1
        sizes = np.empty(int(stays.sum()) + len(added), np.int64)
        sizes[moved[stays]] = self.sizes[stays]
        kept_before = np.concatenate([np.zeros(1, np.int64), np.cumsum(stays)])
        sizes[kept_before[places] + np.arange(len(added))] = [*map(len, added)]
        cuts = [(at, 1, b"") for at in np.flatnonzero(~stays).tolist()]
        cuts += [(at, 0, encoded) for at, encoded in zip(places.tolist(), added, strict=True)]
        blob, done = bytearray(), 0
        for at, is_gone, encoded in sorted(cuts):
            blob += self._bytes[done : self._starts[at]]
            blob += encoded
            done = int(self._starts[at + is_gone])
        blob += self._bytes[done:]
        return Strings(np.frombuffer(bytes(blob), np.uint8), narrow(sizes)), np.append(moved, -1)

    def _encoded(self, at: int) -> bytes:
        return bytes(self._bytes[self._starts[at] : self._starts[at + 1]])


def merged_strings(parts: Sequence[Strings], stays: Sequence[NDArray[np.bool_]]) -> tuple[Strings, list[Numbers]]:
    """All strings that stay in some part, and the place of each string of each part among them, -1 where it leaves.

    A range of strings is held at a time, never all of them.
    """
    targets = [np.full(len(part), -1, np.int32) for part in parts]
    blob, sizes, done = bytearray(), [np.zeros(0, np.int64)], 0
    longest = max(parts, key=len, default=Strings.of(()))
    bounds = [longest.encoded(at, at + 1)[0] for at in range(STRINGS_AT_A_TIME, len(longest), STRINGS_AT_A_TIME)]
    cuts = [[0, *map(part.place, bounds), len(part)] for part in parts]
    for step in range(len(bounds) + 1):
        spans = [slice(own[step], own[step + 1]) for own in cuts]
        used = [np.flatnonzero(own[span]) for own, span in zip(stays, spans, strict=True)]
        held = [_taken(part.encoded(span.start, span.stop), at)
                for part, span, at in zip(parts, spans, used, strict=True)]  # fmt: skip
        together = held[0] if len(held) == 1 else sorted(set().union(*held))
        number = {string: at for at, string in enumerate(together, done)}
        for target, span, at, own in zip(targets, spans, used, held, strict=True):
            target[span][at] = np.fromiter(map(number.__getitem__, own), np.int32, len(own))
        blob += b"".join(together)
        sizes.append(np.fromiter(map(len, together), np.int64, len(together)))
        done += len(together)
    return Strings(np.frombuffer(bytes(blob), np.uint8), narrow(np.concatenate(sizes))), targets


def _taken(strings: list[bytes], at: NDArray[np.int64]) -> list[bytes]:
    return strings if len(at) == len(strings) else [strings[place] for place in at.tolist()]
