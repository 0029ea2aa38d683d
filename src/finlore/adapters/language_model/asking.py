"""One prompt on its way: down the ladder, and back with what is wrong in a reply, at most twice."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from finlore.adapters.language_model import ladder
from finlore.adapters.language_model.budget import prompt_tokens, total
from finlore.adapters.language_model.endpoint import Endpoint
from finlore.adapters.language_model.exchange import Failure, Received
from finlore.adapters.language_model.ladder import TOLD
from finlore.adapters.language_model.reading import Check, read_json, without_thought
from finlore.errors import ConfigurationError
from finlore.records.llm import Message, Prompt, Refusal, RefusalKind, Reply, Usage

REPAIRS: Final = 2
_REMEDIES: Final[Mapping[str, str]] = {
    "key": "set FINLORE_LLM_API_KEY, or the key of the role",
    "redirect": "set llm_base_url to the address that it really has",
}


def worst(prompt: Prompt, turns: Sequence[Message], endpoint: Endpoint) -> Usage:
    """What one request takes at most, by the rule of thumb."""
    schema = ladder.compact(prompt.schema) if prompt.schema is not None else ""
    return endpoint.prices.usage(prompt_tokens(turns, schema), prompt.most_tokens, is_estimate=True)


class Asking:
    """The state of one asking. `check` is that of the prompt's schema, None for prose."""

    def __init__(self, endpoint: Endpoint, prompt: Prompt, check: Check | None) -> None:
        self._endpoint = endpoint
        self._prompt = prompt
        self._check = check
        self._turns: Sequence[Message] = prompt.messages
        self._manner = endpoint.manner
        self._took = endpoint.prices.usage(0, 0, calls=0)

    def outcome(self) -> Reply | Refusal:
        """The reply, or why there is none. ConfigurationError where the settings are at fault."""
        fault = ""
        for _ in range(1 + REPAIRS):
            got = self._climb_down()
            if isinstance(got, Failure):
                return self._refused(got)
            if not got.is_whole:
                limit = f"{self._prompt.most_tokens:,} tokens"
                return self._refusal(f"truncated: the reply does not end within {limit}", "truncated")
            if got.is_filtered:
                return self._refusal(f"the endpoint {self._endpoint.address} withholds its reply", "endpoint")
            text, data, fault = self._read(got.text)
            if not fault:
                self._endpoint.learn(self._manner)
                return Reply(text, data, got.model or self._endpoint.model, self._took)
            self._ask_again(got.text, fault)
        return self._refusal(f"invalid: after {REPAIRS} repairs the reply cannot be used: {fault}", "invalid")

    def _climb_down(self) -> Received | Failure:
        """What comes of the best manner that the endpoint understands."""
        while True:
            body = ladder.request(self._prompt, self._turns, model=self._endpoint.model, manner=self._manner)
            got = self._endpoint.send(body, worst(self._prompt, self._turns, self._endpoint))
            self._took = total([got.usage], start=self._took)
            if isinstance(got, Received) or got.trouble != "declined":
                return got
            other = ladder.adapted(self._manner, got.message)
            if other is None and self._prompt.schema is not None:
                other = ladder.lower(self._manner)
            if other is None:
                return got
            self._manner = other

    def _read(self, text: str) -> tuple[str, object, str]:
        """(what was said, its data, what is wrong with it)"""
        if self._check is None:
            said = without_thought(text)
            return said, None, "" if said else "it is empty"
        return text, *read_json(text, self._check)

    def _ask_again(self, text: str, fault: str) -> None:
        """A server that lets through what a schema forbids does not heed it: from now on the model is told."""
        self._turns = ladder.repair(self._turns, without_thought(text), fault, self._prompt.schema)
        if self._prompt.schema is not None and self._manner.rung not in TOLD:
            self._manner = replace(self._manner, rung="object")

    def _refused(self, failure: Failure) -> Refusal:
        if failure.trouble == "budget":
            return self._refusal(f"budget: {failure.message}", "budget")
        what, hint = f"the endpoint {self._endpoint.address}: {failure.message}", _REMEDIES.get(failure.trouble, "")
        if failure.status == 404:
            hint = hint or f"does it serve the model '{self._endpoint.model}'? see llm_model and llm_base_url"
        if hint:
            raise ConfigurationError(what, hint=hint)
        return self._refusal(what, "endpoint")

    def _refusal(self, reason: str, kind: RefusalKind) -> Refusal:
        return Refusal(reason, self._took, kind)
