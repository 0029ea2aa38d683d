"""What a language model takes or took, for people and machines."""

from dataclasses import asdict

from finlore.records.llm import Usage
from finlore.serve.terminal import note
from finlore.serve.words import Json


def usage(counted: Usage) -> Json:
    return {**asdict(counted), "tokens": _tokens(counted)}


def tell_estimate(estimate: Usage) -> None:
    """Says on stderr what will be taken at most, before it is."""
    cost = "at no known price" if estimate.cost is None else f"cost {estimate.cost:.4g}"
    note(f"at most {estimate.calls} calls, {_tokens(estimate):,} tokens, {cost}, beside what has to be asked again")


def _tokens(counted: Usage) -> int:
    return counted.prompt_tokens + counted.reply_tokens
