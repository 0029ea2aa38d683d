"""Paths -> sources, one by one: files, folders in sorted order, members of zip archives that are safe to unpack.

What cannot be read is an issue of severity `rejected`; what is of a kind that nobody reads is passed over in folders
and archives and counted, and rejected when it was named itself.
"""

import errno
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Collection as Suffixes
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from finlore.formats.archive import danger
from finlore.ports import Source
from finlore.records.document import Issue

LARGEST_FILE = 512 * 1024**2
LARGEST_ARCHIVE = 1024 * 1024**2  # bytes of all members, unpacked
MOST_MEMBERS = 20_000
HIGHEST_RATIO = 200  # unpacked to packed; text reaches 20, a bomb 1000
_NOT_REGULAR = "this is not a regular file"
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1


class Collection:
    """The sources behind some paths, in a fixed order.

    Iterating reads them; meanwhile `skipped` counts the files of unknown kind that were passed over. A source is named
    by its resolved path, a member of an archive ``archive.zip/member``.
    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]], *, suffixes: Suffixes[str]) -> None:
        self.skipped = 0
        self._paths = [Path(path) for path in paths]
        self._suffixes = frozenset(suffixes)
        self._seen: set[Path] = set()

    @property
    def n_bytes(self) -> int:
        """Size of the content that is to be read, of archives unpacked."""
        files = (file for path in self._paths for file in (_files(path, _ignore) if os.path.isdir(path) else [path]))
        return sum(_size(file) for file in files if file.suffix.lower() in {*self._suffixes, ".zip"})

    def __iter__(self) -> Iterator[Source | Issue]:
        self.skipped = 0
        self._seen.clear()
        for path in self._paths:
            if os.path.isdir(path):
                closed: list[OSError] = []
                for file in _files(path, closed.append):
                    yield from self._file(file, named=False)
                yield from (Issue(str(error.filename), _why(error), "rejected") for error in closed)
            else:
                yield from self._file(path, named=True)

    def _file(self, path: Path, *, named: bool) -> Iterator[Source | Issue]:
        try:
            resolved = path.resolve()
        except (RuntimeError, OSError, ValueError):  # links in a circle, or no path at all
            yield Issue(str(path), "the path leads nowhere", "rejected")
            return
        if resolved in self._seen:
            return
        self._seen.add(resolved)
        name, suffix = str(resolved), path.suffix.lower()
        if suffix != ".zip" and suffix not in self._suffixes and (not named or os.path.exists(path)):
            if named:
                yield Issue(name, self._unknown(suffix), "rejected")
            else:
                self.skipped += 1
            return
        if suffix == ".zip":
            yield from self._archive(resolved)
            return
        content = _content(resolved)
        if isinstance(content, str):
            yield Issue(name, content, "rejected")
        else:
            yield Source(name, suffix, content)

    def _unknown(self, suffix: str) -> str:
        known = ", ".join(sorted({*self._suffixes, ".zip"}))
        return f"files of the kind '{suffix or 'without suffix'}' are not read (known: {known})"

    def _archive(self, path: Path) -> Iterator[Source | Issue]:
        try:
            with _opened(path) as stream:
                if not stream.seek(0, os.SEEK_END):
                    yield Issue(str(path), "the file is empty", "rejected")
                    return
                if (why := _danger(stream)) is not None:
                    yield Issue(str(path), why, "rejected")
                    return
                with zipfile.ZipFile(stream) as archive:
                    members = [info for info in archive.infolist() if not info.is_dir()]
                    for info in sorted(members, key=_member_name):
                        yield from self._member(path, archive, info)
        except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
            yield Issue(str(path), f"this is not a readable zip archive: {error}", "rejected")
        except OSError as error:
            yield Issue(str(path), _why(error), "rejected")

    def _member(self, path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[Source | Issue]:
        member = _member_name(info)
        parts = PurePosixPath(member).parts
        name, suffix = f"{path}/{member}", PurePosixPath(member).suffix.lower()
        if any(part.startswith((".", "__MACOSX", "~$")) and part != ".." for part in parts):
            return
        if (unsafe := _unsafe(info, member)) is not None:
            yield Issue(name, unsafe, "rejected")
        elif suffix not in self._suffixes:  # archives inside archives are of unknown kind, too
            self.skipped += 1
        else:
            try:
                with archive.open(info) as stream:
                    content = stream.read(info.file_size + 1)
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, zlib.error) as error:
                yield Issue(name, f"this member of the archive cannot be unpacked: {error}", "rejected")
                return
            yield Source(name, suffix, content) if content else Issue(name, "the file is empty", "rejected")


def collect(paths: Iterable[str | os.PathLike[str]], *, suffixes: Suffixes[str]) -> Collection:
    """The sources behind `paths` whose suffix (lower case, with dot) is one of `suffixes`."""
    return Collection(paths, suffixes=suffixes)


def _files(folder: Path, closed: Callable[[OSError], None]) -> Iterator[Path]:
    """All files below a folder in sorted order, without hidden ones, lock files, and links that lead out of it.

    `closed` is told of folders that may not be looked into.
    """
    inside = folder.resolve()
    for root, folders, files in os.walk(folder, onerror=closed):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__MACOSX")))
        paths = (Path(root, name) for name in sorted(files) if not name.startswith((".", "~$")))
        yield from (path for path in paths if not path.is_symlink() or _leads_into(path, inside))


def _leads_into(link: Path, folder: Path) -> bool:
    try:
        return link.resolve().is_relative_to(folder)
    except (RuntimeError, OSError):  # links in a circle
        return False


def _ignore(error: OSError) -> None:
    """What cannot be looked into is told when it is read, not when it is counted."""


def _size(path: Path) -> int:
    """Bytes of the content of a file, of an archive all of its members; 0 where there will be none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return 0
        if path.suffix.lower() != ".zip":
            return status.st_size
        with _opened(path) as stream:
            if _danger(stream) is not None:
                return 0
            with zipfile.ZipFile(stream) as archive:
                return sum(info.file_size for info in archive.infolist())
    except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError):
        return 0


def _content(path: Path) -> bytes | str:
    """The bytes of a file, or why a person cannot have them. One that changes under the reader is read once more."""
    try:
        for _ in range(2):
            with _opened(path) as stream:
                before = os.fstat(stream.fileno())
                if before.st_size > LARGEST_FILE:
                    return f"the file is larger than {LARGEST_FILE // 1024**2} MB"
                content = stream.read(before.st_size + 1)
                after = os.fstat(stream.fileno())
            if (len(content), before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
                return content or "the file is empty"
        return "the file changes while it is read"
    except OSError as error:
        return _why(error)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """A regular file; OSError for everything else, without waiting for anybody at the other end of a pipe."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, _NOT_REGULAR)
        yield stream


def _why(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file or folder"
    if isinstance(error, PermissionError):
        return "it may not be read (permission denied)"
    if error.strerror == _NOT_REGULAR:
        return _NOT_REGULAR
    return f"it cannot be read: {error.strerror or error}"


def _danger(stream: BinaryIO) -> str | None:
    return danger(stream, most_members=MOST_MEMBERS, most_bytes=LARGEST_ARCHIVE, highest_ratio=HIGHEST_RATIO)


def _unsafe(info: zipfile.ZipInfo, member: str) -> str | None:
    """Why one member is not unpacked."""
    if info.file_size > LARGEST_FILE:
        return f"it is larger than {LARGEST_FILE // 1024**2} MB"
    if member.startswith(("/", "\\")) or ".." in PurePosixPath(member).parts or member[1:2] == ":":
        return "its name points outside the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a symbolic link"
    if info.flag_bits & _ENCRYPTED:
        return "it is protected by a password"
    return None


def _member_name(info: zipfile.ZipInfo) -> str:
    """The name of a member; older Chinese archives have it in GB 18030, which zipfile reads as code page 437."""
    name = info.filename
    if not info.flag_bits & _UTF8_NAME and not name.isascii():
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("gb18030")
    return name.replace("\\", "/")
