"""Paths -> sources, one by one: files, folders in sorted order, members of zip archives that are safe to unpack.

What cannot be read is an issue of severity `rejected`; what is of a kind that nobody reads is passed over in folders
and archives and counted, and rejected when it was named itself.
"""

import os
import stat
import zipfile
from collections.abc import Collection as Suffixes
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from finlore.ports import Source
from finlore.records.document import Issue

LARGEST_FILE = 512 * 1024**2
LARGEST_ARCHIVE = 1024 * 1024**2  # bytes of all members, unpacked
MOST_MEMBERS = 20_000
HIGHEST_RATIO = 200  # unpacked to packed; text reaches 20, a bomb 1000
_RATIO_MATTERS = 1024**2
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1


class Collection:
    """The sources behind some paths, in a fixed order.

    Iterating reads them; meanwhile `begun` says how many of the `n_files` were taken up, and `skipped` how many of
    unknown kind were passed over. A source is named by its resolved path, a member of an archive
    ``archive.zip/member``.
    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]], *, suffixes: Suffixes[str]) -> None:
        self.skipped = 0
        self.begun = 0
        self._paths = [Path(path) for path in paths]
        self._suffixes = frozenset(suffixes)
        self._seen: set[Path] = set()

    @property
    def n_files(self) -> int:
        """Files to be read, an archive counting as one."""
        files = (file for path in self._paths for file in (_files(path) if path.is_dir() else [path]))
        return sum(file.suffix.lower() in {*self._suffixes, ".zip"} for file in files)

    def __iter__(self) -> Iterator[Source | Issue]:
        self.skipped = self.begun = 0
        self._seen.clear()
        for path in self._paths:
            if path.is_dir():
                for file in _files(path):
                    yield from self._file(file, named=False)
            else:
                yield from self._file(path, named=True)

    def _file(self, path: Path, *, named: bool) -> Iterator[Source | Issue]:
        resolved = path.resolve()
        if resolved in self._seen:
            return
        self._seen.add(resolved)
        name, suffix = str(resolved), path.suffix.lower()
        if suffix != ".zip" and suffix not in self._suffixes and (not named or path.exists()):
            if named:
                yield Issue(name, self._unknown(suffix), "rejected")
            else:
                self.skipped += 1
            return
        self.begun += 1
        content = _content(resolved)
        if isinstance(content, str):
            yield Issue(name, content, "rejected")
        elif suffix == ".zip":
            yield from self._archive(resolved)
        else:
            yield Source(name, suffix, content)

    def _unknown(self, suffix: str) -> str:
        known = ", ".join(sorted({*self._suffixes, ".zip"}))
        return f"files of the kind '{suffix or 'without suffix'}' are not read (known: {known})"

    def _archive(self, path: Path) -> Iterator[Source | Issue]:
        try:
            with zipfile.ZipFile(path) as archive:
                members = [info for info in archive.infolist() if not info.is_dir()]
                if (danger := _danger(members)) is not None:
                    yield Issue(str(path), danger, "rejected")
                    return
                for info in sorted(members, key=_member_name):
                    yield from self._member(path, archive, info)
        except (zipfile.BadZipFile, NotImplementedError, OSError, EOFError) as error:
            yield Issue(str(path), f"this is not a readable zip archive: {error}", "rejected")

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
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError) as error:
                yield Issue(name, f"this member of the archive cannot be unpacked: {error}", "rejected")
                return
            yield Source(name, suffix, content) if content else Issue(name, "the file is empty", "rejected")


def collect(paths: Iterable[str | os.PathLike[str]], *, suffixes: Suffixes[str]) -> Collection:
    """The sources behind `paths` whose suffix (lower case, with dot) is one of `suffixes`."""
    return Collection(paths, suffixes=suffixes)


def _files(folder: Path) -> Iterator[Path]:
    """All files below a folder in sorted order, without hidden ones, lock files, and links that lead out of it."""
    inside = folder.resolve()
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__MACOSX")))
        paths = (Path(root, name) for name in sorted(files) if not name.startswith((".", "~$")))
        yield from (path for path in paths if not path.is_symlink() or path.resolve().is_relative_to(inside))


def _content(path: Path) -> bytes | str:
    """The bytes of a file, or why a person cannot have them."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return "this is not a regular file"
        if status.st_size > LARGEST_FILE:
            return f"the file is larger than {LARGEST_FILE // 1024**2} MB"
        return path.read_bytes() or "the file is empty"
    except FileNotFoundError:
        return "there is no such file or folder"
    except PermissionError:
        return "the file may not be read (permission denied)"
    except OSError as error:
        return f"the file cannot be read: {error.strerror or error}"


def _danger(members: list[zipfile.ZipInfo]) -> str | None:
    """Why an archive must not be unpacked at all; judged by its directory, before anything is."""
    size = sum(info.file_size for info in members)
    packed = sum(info.compress_size for info in members)
    if len(members) > MOST_MEMBERS:
        return f"the archive has {len(members)} members, more than {MOST_MEMBERS}"
    if size > LARGEST_ARCHIVE:
        return f"the archive would unpack to {size // 1024**2} MB, more than {LARGEST_ARCHIVE // 1024**2}"
    if size > _RATIO_MATTERS and size > HIGHEST_RATIO * max(packed, 1):
        return f"the archive would unpack to {size // max(packed, 1)} times its size, as decompression bombs do"
    return None


def _unsafe(info: zipfile.ZipInfo, member: str) -> str | None:
    """Why one member is not unpacked."""
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
