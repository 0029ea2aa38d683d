"""A store in one SQLite file: the truth, beside derived files that are made again when they are absent or damaged."""

from finlore.adapters.store_embedded.store import EmbeddedStore

__all__ = ["EmbeddedStore"]
