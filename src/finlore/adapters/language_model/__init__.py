"""A language model behind an OpenAI-compatible endpoint, spoken to in the best manner that the endpoint understands."""

from finlore.adapters.language_model.model import OpenAIModel

__all__ = ["OpenAIModel"]
