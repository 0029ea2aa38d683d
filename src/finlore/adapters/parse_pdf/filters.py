"""What the data of a PDF stream unpacks to, never more of it than allowed."""

import zlib
from collections.abc import Callable, Iterator, Sequence

from pypdf.errors import LimitReachedError, PyPdfError
from pypdf.filters import ASCII85Decode, ASCIIHexDecode, LZWDecode, RunLengthDecode

DEFLATED = (b"FlateDecode", b"Fl")
_PIECE = 1 << 16
_OTHERS: dict[bytes, Callable[[bytes], bytes]] = {
    b"LZW": LZWDecode.decode,
    b"AHx": ASCIIHexDecode.decode,
    b"A85": ASCII85Decode.decode,
    b"RL": RunLengthDecode.decode,
}
_OTHERS |= {
    b"LZWDecode": LZWDecode.decode,
    b"ASCIIHexDecode": ASCIIHexDecode.decode,
    b"ASCII85Decode": ASCII85Decode.decode,
    b"RunLengthDecode": RunLengthDecode.decode,
}  # pypdf stops each at 75 MB


class TooLarge(ValueError):
    """The data unpack to more than allowed."""


def unpacked(data: memoryview, filters: Sequence[bytes], most: int) -> Iterator[bytes]:
    """The data after all filters in turn, in pieces; ends early at a filter of images or where data are damaged.

    TooLarge once any of the filters has put out more than `most` bytes.
    """
    *inner, last = filters
    for name in inner:
        data = memoryview(b"".join(_after(name, data, most)))
    yield from _after(last, data, most)


def is_deflated(data: memoryview) -> bool:
    """Whether data start as deflated ones do, whatever is said about them."""
    return len(data) > 1 and data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0


def _after(name: bytes, data: memoryview, most: int) -> Iterator[bytes]:
    if name in DEFLATED:
        yield from _inflated(data, most)
    elif name in _OTHERS:
        piece = _decoded(_OTHERS[name], data)
        if len(piece) > most:
            raise TooLarge
        yield piece


def _inflated(data: memoryview, most: int) -> Iterator[bytes]:
    stream, n_bytes = zlib.decompressobj(), 0
    for at in range(0, len(data), _PIECE):
        waiting: bytes | memoryview = data[at : at + _PIECE]
        while waiting and not stream.eof:
            try:
                piece = stream.decompress(waiting, 16 * _PIECE)
            except zlib.error:
                return
            waiting = stream.unconsumed_tail
            n_bytes += len(piece)
            if n_bytes > most:
                raise TooLarge
            yield piece
        if stream.eof:
            return


def _decoded(decode: Callable[[bytes], bytes], data: memoryview) -> bytes:
    try:
        return decode(bytes(data))
    except LimitReachedError as error:
        raise TooLarge from error
    except (PyPdfError, ValueError, IndexError):
        return b""
