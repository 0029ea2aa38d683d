"""Sorted strings in one blob: looked up by bisection on a memory map, never loaded as a whole."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from finlore.index.arrays import Numbers, narrow, starts_of


class Strings(Sequence[str]):
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

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        return self._encoded(at).decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        text, starts = bytes(self._bytes), self._starts.tolist()
        return (text[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(starts))

    def find(self, string: str) -> int:
        """The place of `string`, -1 where it is not among these."""
        encoded = string.encode("utf-8", "surrogatepass")
        at = bisect_left(range(len(self)), encoded, key=self._encoded)
        return at if at < len(self) and self._encoded(at) == encoded else -1

    def starting(self, prefix: str) -> range:
        """The places of all strings that start with `prefix`."""
        encoded = prefix.encode("utf-8", "surrogatepass")
        low = bisect_left(range(len(self)), encoded, key=self._encoded)
        high = bisect_left(range(len(self)), encoded + b"\xff", low, key=self._encoded)  # no UTF-8 byte is as high
        return range(low, high)

    def _encoded(self, at: int) -> bytes:
        return bytes(self._bytes[self._starts[at] : self._starts[at + 1]])
