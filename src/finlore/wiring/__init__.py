"""Where stages meet adapters: what the settings name is made here, and sources become documents."""

from finlore.wiring.adapters import Adapters, exporter, write_synthetic_market
from finlore.wiring.journal import noted
from finlore.wiring.models import forget_replies, language_models, model_of
from finlore.wiring.reading import Reading, SourceRead, parsers

__all__ = [
    "Adapters",
    "Reading",
    "SourceRead",
    "exporter",
    "forget_replies",
    "language_models",
    "model_of",
    "noted",
    "parsers",
    "write_synthetic_market",
]
