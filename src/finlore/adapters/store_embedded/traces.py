"""What a text may hold, in a few bytes: enough to pass over nearly all texts that a name does not stand in.

A trace is a Bloom filter with two bits for each gram: the pairs of Han characters of a text, else its runs of three
characters. All grams of a name that stands in a text are grams of that text, so that no name is ever missed. One that
was made by other rules rules nothing out, and is replaced when its text is searched.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from finlore.index.arrays import Ints

RULES: Final = 2
"""Changes with the grams, with their places, and with how text is folded before it is searched (`graph.folded`)."""
Grams = NDArray[np.uint64]
_BITS_PER_GRAM: Final = 4  # about 160 bytes for 400 characters; a name of four is looked for in vain in 0.4 % of them
_SIZES: Final = tuple(size for power in range(4, 30) for size in (1 << power, 3 << (power - 1)))  # bytes
_ODD: Final = np.array([[0x9E3779B97F4A7C15], [0xC2B2AE3D27D4EB4F]], np.uint64)
_HAN: Final = (np.uint64(0x3400), np.uint64(0x9FFF))


def trace(texts: Iterable[str]) -> bytes:
    """The trace of what is searched in one document version: a byte for the rules, and the bits. An empty one (of no
    text) rules nothing out."""
    grams = np.unique(_grams("\n".join(texts)))
    if not len(grams):
        return b""
    size = next(size for size in _SIZES if size * 8 >= len(grams) * _BITS_PER_GRAM)
    bits = np.zeros(size * 8, np.uint8)
    bits[_places(grams, size)] = 1
    return bytes([RULES]) + np.packbits(bits).tobytes()


def may_hold(traces: Collection[tuple[int, bytes]], surfaces: Iterable[str]) -> Iterator[int]:
    """The numbers of those traces whose text may hold one of the surfaces."""
    grams = [_grams(surface) for surface in surfaces]
    by_size: dict[int, list[tuple[int, bytes]]] = {}
    for number, held in traces:
        by_size.setdefault(len(held) - 1 if _is_current(held) else 0, []).append((number, held))
    for size, alike in by_size.items():
        numbers = np.array([number for number, _ in alike])
        rows = np.frombuffer(b"".join(held[1:] for _, held in alike) if size else b"", np.uint8)
        found = np.zeros(len(numbers), np.bool_)
        for wanted in grams:
            found[_holding(rows.reshape(len(numbers), size), wanted)] = True
        yield from numbers[found].tolist()


def _is_current(held: bytes) -> bool:
    return len(held) - 1 in _SIZES and held[0] == RULES


def _holding(rows: NDArray[np.uint8], grams: Grams) -> Ints:
    left, size = np.arange(len(rows)), rows.shape[1]
    for place in _places(grams, size).tolist() if size else ():
        left = left[rows[left, place >> 3] & (0x80 >> (place & 7)) != 0]
    return left


def _places(grams: Grams, size: int) -> Grams:
    """The bits of each gram in a trace of `size` bytes."""
    return ((grams * _ODD >> np.uint64(32)) * np.uint64(size * 8) >> np.uint64(32)).ravel()


def _grams(text: str) -> Grams:
    """The pairs of Han characters and all other runs of three, as numbers that depend on their characters alone."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    han = (codes >= _HAN[0]) & (codes <= _HAN[1])
    paired = han[:-1] & han[1:]
    pairs = codes[:-1] << np.uint64(21) | codes[1:]
    runs = pairs[:-1] << np.uint64(21) | codes[2:]
    return np.concatenate([pairs[paired], runs[~paired[: len(runs)]]])
