"""Data files of the package: word lists, patterns and schemas, each replaceable by a file of the same name.

The folder of replacements is handed on in the environment, so that worker processes see it as well. Callers keep what
they have read: a replacement takes effect for what is read after it was set.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any

from finlore.errors import ConfigurationError

_OVERRIDES = "_FINLORE_RESOURCES"  # not the setting's own variable: that one is left to whoever starts us


def load_toml(name: str) -> Mapping[str, Any]:
    """The tables of a TOML resource; ConfigurationError with the place of the fault when it is not TOML."""
    try:
        return tomllib.loads(read_text(name))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{_locate(name)} is not valid TOML: {error}") from error


def load_words(name: str) -> frozenset[str]:
    """The words of a list: what stands between spaces, on lines that are no comments (#)."""
    return frozenset(word for line in _lines(name) for word in line.split())


def load_rows(name: str, columns: int) -> Iterator[tuple[str, ...]]:
    """The rows of a table, its head included; missing cells are empty. ConfigurationError where there are too many."""
    for line in _lines(name):
        cells = line.split("\t")
        if len(cells) > columns:
            raise ConfigurationError(f"{name}: {len(cells)} columns instead of {columns} in '{line[:40]}'")
        yield (*cells, *[""] * (columns - len(cells)))


def read_text(name: str) -> str:
    """The text of a UTF-8 resource."""
    try:
        return read_bytes(name).decode()
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{_locate(name)} is not UTF-8: {error.reason} at byte {error.start}") from error


def read_bytes(name: str) -> bytes:
    """The bytes of a resource; `name` is its path below `finlore/data`, with forward slashes."""
    return _locate(name).read_bytes()


def names(folder: str = "") -> list[str]:
    """Sorted names of all shipped resources below `folder`."""
    root = files("finlore") / "data"
    return sorted(_walk(root.joinpath(folder) if folder else root, PurePosixPath(folder)))


def override_with(folder: Path | None) -> None:
    """From now on files in `folder` replace shipped ones, in this process and in those it starts; None ends it."""
    if folder is None:
        os.environ.pop(_OVERRIDES, None)
    elif not folder.is_dir():
        raise ConfigurationError(f"the resources folder {folder} is not a folder")
    else:
        os.environ[_OVERRIDES] = str(folder.resolve())


def replacements() -> Path | None:
    """The folder of replacements that is in force."""
    folder = os.environ.get(_OVERRIDES)
    return Path(folder) if folder else None


def _lines(name: str) -> list[str]:
    return [line for line in read_text(name).splitlines() if line and not line.startswith("#")]


def _locate(name: str) -> Traversable:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise ConfigurationError(f"a resource name stays inside the data folder, '{name}' does not")
    folder = replacements()
    if folder and (replacement := folder.joinpath(*path.parts)).is_file():
        return replacement
    shipped = (files("finlore") / "data").joinpath(*path.parts)
    if not shipped.is_file():
        raise ConfigurationError(f"there is no resource '{name}'", hint=f"shipped: {', '.join(names())}")
    return shipped


def _walk(folder: Traversable, path: PurePosixPath) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, path / entry.name)
        else:
            yield str(path / entry.name)
