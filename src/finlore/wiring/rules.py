"""What identifies the software that reads a source: another version may read it differently."""

import re
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from finlore import resources

_SHARED = ("finlore.formats", "finlore.intake", "finlore.language")  # what becomes of a parser's output
_IMPORT = re.compile(rb"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)


def rules_of(adapter: object) -> str:
    """A hash over the source of an adapter, of all that its documents pass through, of the shipped or replaced word
    lists, and over the versions of the packages that these import. It cannot go stale: nobody has to count it up."""
    digest = sha256()
    imported: set[str] = set()
    for path in _files([adapter.__module__, *_SHARED]):
        source = path.read_bytes()
        digest.update(source)
        imported |= {name.decode() for name in _IMPORT.findall(source)}
    for name in sorted(imported - sys.stdlib_module_names - {"finlore"}):
        digest.update(f"{name} {_version(name)}\n".encode())
    for name in resources.names("lexicon"):
        digest.update(resources.read_bytes(name))
    return digest.hexdigest()[:16]


def _files(modules: Iterable[str]) -> Iterator[Path]:
    """The source files of modules, of packages all that are in them."""
    for module in modules:
        found = find_spec(module)
        if found and found.submodule_search_locations:
            for folder in found.submodule_search_locations:
                yield from sorted(Path(folder).rglob("*.py"))
        elif found and found.origin:
            yield Path(found.origin)


def _version(package: str) -> str:
    """Of a package that is called as its module is; others are not told apart."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
