"""Adapters by name, among the entry points of one group: `finlore.embedders`, `finlore.parsers`, …

An adapter is imported when it is asked for, not before. One that needs an extra says so in its entry point
(`lac = "finlore.adapters.recognise_lac:LacRecogniser [zh]"`), so that a missing package becomes a named remedy.
"""

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, TypeAlias

from finlore.errors import ConfigurationError, MissingExtra

Group = Literal[
    "parsers",
    "renderers",
    "page_readers",
    "recognisers",
    "embedders",
    "language_models",
    "markets",
    "calendars",
    "stores",
    "executors",
    "exporters",
    "importers",
]
Adapter: TypeAlias = Any  # a class whose instances have the methods of their port; of exporters, a function


def names(group: Group) -> list[str]:
    """Sorted names of the adapters that some installed package declares, whether or not their extras are there."""
    return sorted(_declared(group))


def load(group: Group, name: str) -> Adapter:
    """The adapter itself. ConfigurationError lists what there is; MissingExtra names what to install."""
    declared = _declared(group)
    if name not in declared:
        raise ConfigurationError(
            f"there is no '{name}' among the {group}", hint=f"installed: {', '.join(sorted(declared)) or 'none'}"
        )
    point = declared[name]
    try:
        adapter: Adapter = point.load()
    except (ImportError, AttributeError) as error:
        raise _missing(group, point, error) from error
    return adapter


def load_available(group: Group) -> Mapping[str, Adapter]:
    """All adapters whose extras are installed, by name, in order of name."""
    found: dict[str, Adapter] = {}
    for name in names(group):
        try:
            found[name] = load(group, name)
        except MissingExtra:
            continue
    return found


def _declared(group: Group) -> Mapping[str, EntryPoint]:
    return _scanned(group, tuple(sys.path))


@cache
def _scanned(group: Group, path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """Read once for each search path: a scan takes milliseconds, and some callers ask once per document."""
    declared: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"finlore.{group}"):
        other = declared.setdefault(point.name, point)
        if other.value != point.value:  # the same value twice is one package found on two paths
            raise ConfigurationError(
                f"two packages declare '{point.name}' among the {group}: {other.value} and {point.value}",
                hint="uninstall one of them",
            )
    return declared


def _missing(group: Group, point: EntryPoint, error: ImportError | AttributeError) -> ConfigurationError:
    adapter = f"'{point.name}' ({group})"
    if point.extras and isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("finlore"):
        return MissingExtra(point.extras[0], needed_for=adapter)
    return ConfigurationError(f"{adapter} cannot be imported: {error}", hint=f"it is declared as {point.value}")
