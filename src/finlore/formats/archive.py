"""Whether a zip archive may be opened at all, judged before anything in it is unpacked."""

import os
import zipfile
from typing import IO

_RECORD, _RECORD_SIZE = b"PK\x05\x06", 22  # the end of the directory: where it is, and of how many members
_RECORD_64, _LOCATOR_64, _LOCATOR_SIZE = b"PK\x06\x06", b"PK\x06\x07", 20
_LONGEST_COMMENT = 0xFFFF
_BYTES_PER_MEMBER = 512  # of the directory; 46 and the name in most
_RATIO_MATTERS = 1024**2


def danger(stream: IO[bytes], *, most_members: int, most_bytes: int, highest_ratio: int) -> str | None:
    """Why an archive must not be unpacked, in words for a person; `most_bytes` and ratio are of all members unpacked.

    The number of members is taken from the last record first: to list a million takes seconds and a gigabyte.
    BadZipFile where it is no archive.
    """
    n_bytes = stream.seek(0, os.SEEK_END)
    n_members, directory = _directory_size(stream, n_bytes)
    if n_members > most_members:
        return f"the archive has {n_members} members, more than {most_members}"
    if directory > most_members * _BYTES_PER_MEMBER:
        return f"the directory of the archive takes {directory // 1024**2} MB: it has too many members"
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
    size = sum(info.file_size for info in members)
    if len(members) > most_members:
        return f"the archive has {len(members)} members, more than {most_members}"
    if size > most_bytes:
        return f"the archive would unpack to {size // 1024**2} MB, more than {most_bytes // 1024**2}"
    if size > _RATIO_MATTERS and size > highest_ratio * n_bytes:  # members may share the bytes of one
        return f"the archive would unpack to {size // n_bytes} times its size, as decompression bombs do"
    return None


def _directory_size(stream: IO[bytes], n_bytes: int) -> tuple[int, int]:
    """(members, bytes of the directory) as the archive states them."""
    start = max(0, n_bytes - _RECORD_SIZE - _LONGEST_COMMENT - _LOCATOR_SIZE)
    stream.seek(start)
    tail = stream.read()
    at = tail.rfind(_RECORD)
    if at < 0 or len(tail) < at + _RECORD_SIZE:
        raise zipfile.BadZipFile("it has no directory of members")
    stated = int.from_bytes(tail[at + 10 : at + 12], "little"), int.from_bytes(tail[at + 12 : at + 16], "little")
    locator = tail[max(0, at - _LOCATOR_SIZE) : at]
    if not locator.startswith(_LOCATOR_64):
        return stated
    stream.seek(min(int.from_bytes(locator[8:16], "little"), n_bytes))
    record = stream.read(56)
    if not record.startswith(_RECORD_64):
        raise zipfile.BadZipFile("the directory of its members is not where it should be")
    return int.from_bytes(record[32:40], "little"), int.from_bytes(record[40:48], "little")
