"""The port `LanguageModel` at one endpoint: what was answered before, else an asking."""

import random
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from finlore.adapters.language_model import ladder
from finlore.adapters.language_model.asking import Asking, worst
from finlore.adapters.language_model.budget import NOTHING, Ledger, Prices, total
from finlore.adapters.language_model.endpoint import Endpoint
from finlore.adapters.language_model.exchange import Failure, Received
from finlore.adapters.language_model.ladder import Rung
from finlore.adapters.language_model.memory import Memory, Remembered, key_of
from finlore.adapters.language_model.pace import Pace
from finlore.adapters.language_model.reading import Check, check_of, read_json
from finlore.errors import ConfigurationError
from finlore.records.llm import Budget, Capabilities, Message, Prompt, Refusal, Reply, Usage

_NO_LIMIT: Final = Budget()
_PROBED: Final[tuple[Rung, ...]] = ("schema", "tool", "object")
_COLOUR: Final = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["green", "red"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
_PROBE: Final = Prompt(
    name="probe",
    version=1,
    role="judge",
    messages=(Message("user", "What colour is fresh grass, green or red? One word."),),
    schema=_COLOUR,
    most_tokens=64,
)


class OpenAIModel:
    """Answers by an OpenAI-compatible endpoint; threads may share it.

    `folder` keeps replies and what the endpoint was found to understand. With `cache` a prompt that was answered before
    is not sent again, with `replay` nothing is sent at all. Prices are per million tokens. `shares`: a model whose
    budget this one spends, in place of its own. ConfigurationError where the key, the address or the model is at fault.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str = "",
        folder: Path | None = None,
        cache: bool = True,
        replay: bool = False,
        budget: Budget = _NO_LIMIT,
        shares: "OpenAIModel | None" = None,
        price_prompt: float | None = None,
        price_reply: float | None = None,
        seconds: float = 120,
        retries: int = 3,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        concurrency: int = 4,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        draw: Callable[[], float] = random.random,
    ) -> None:
        prices = Prices(price_prompt, price_reply)
        ledger = shares.ledger if shares else Ledger(budget, clock=clock)
        if ledger.bounds_cost and not prices.are_known:
            raise ConfigurationError(
                f"a budget of money cannot be kept where the price of '{model}' is not known",
                hint="set llm_price_prompt and llm_price_reply, or llm_budget_tokens in place of llm_budget_cost",
            )
        self._memory = Memory(folder)
        self._caches, self._replays = cache or replay, replay
        self._endpoint = Endpoint(
            base_url=base_url, model=model, api_key=api_key,
            seconds=seconds, retries=retries, concurrency=concurrency,
            prices=prices, ledger=ledger, memory=self._memory, sleep=sleep, draw=draw,
            pace=Pace(requests=requests_per_minute, tokens=tokens_per_minute, clock=clock, sleep=sleep),
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name})"

    @property
    def ledger(self) -> Ledger:
        """What the budget is kept in."""
        return self._endpoint.ledger

    @property
    def name(self) -> str:
        """The model and where it is."""
        return f"{self._endpoint.model} at {self._endpoint.address}"

    @staticmethod
    def forget(folder: Path, document: str) -> int:
        return Memory(folder).forget(document)

    def close(self) -> None:
        """Let go of connections; what is used again opens again."""
        self._endpoint.close()

    def ask(self, prompt: Prompt) -> Reply | Refusal:
        key = key_of(prompt, self._endpoint.model)
        check = check_of(prompt.accepts or prompt.schema) if prompt.schema is not None else None
        if known := self._known(key, check):
            return known
        if self._replays:
            return Refusal(f"not recorded: no reply to the prompt '{prompt.name}'", NOTHING, "not recorded")
        reply = Asking(self._endpoint, prompt, check).outcome()
        if isinstance(reply, Reply) and self._caches:
            self._memory.keep_reply(key, Remembered(reply.text, reply.model), sources=prompt.sources)
        return reply

    def estimate(self, prompts: Iterable[Prompt]) -> Usage:
        """One request for each prompt that is not cached, with the longest reply that it allows."""
        needed = self._endpoint.prices.usage(0, 0, calls=0, is_estimate=True)
        seen: set[str] = set()
        for prompt in prompts:
            key = key_of(prompt, self._endpoint.model)
            if self._caches and (key in seen or self._memory.reply(key)):
                continue
            seen.add(key)
            needed = total([worst(prompt, prompt.messages, self._endpoint)], start=needed)
        return needed

    def usage(self) -> Usage:
        return self._endpoint.spent

    def probe(self) -> Capabilities:
        """By four requests, five where streaming is refused. The best rung that works is remembered."""
        told = self._send("text", stream=True)
        streams = isinstance(told, Received) and told.is_streamed
        if isinstance(told, Failure) and told.trouble == "declined":
            told = self._send("text")
        if isinstance(told, Failure):
            return Capabilities(self._endpoint.model, False, False, False, False, False, told.message)
        check, any_json = check_of(_COLOUR), check_of({})
        replies = {rung: self._send(rung) for rung in _PROBED}
        works = {rung: _is_heeded(got, any_json if rung == "object" else check) for rung, got in replies.items()}
        best: Rung = next((rung for rung in _PROBED if works[rung]), "text")
        self._endpoint.learn(replace(self._endpoint.manner, rung=best))
        model = told.model or self._endpoint.model
        return Capabilities(model, True, works["schema"], works["tool"], works["object"], streams)

    def _known(self, key: str, check: Check | None) -> Reply | None:
        """A remembered reply; one that does not meet the schema (somebody wrote into the file) is none."""
        found = self._memory.reply(key) if self._caches else None
        if found is None:
            return None
        data, fault = read_json(found.text, check) if check else (None, "")
        return None if fault else Reply(found.text, data, found.model, NOTHING, is_cached=True)

    def _send(self, rung: Rung, **options: object) -> Received | Failure:
        manner = replace(self._endpoint.manner, rung=rung)
        body = ladder.request(_PROBE, _PROBE.messages, model=self._endpoint.model, manner=manner)
        return self._endpoint.send(body | options, worst(_PROBE, _PROBE.messages, self._endpoint), attempts=1)


def _is_heeded(got: Received | Failure, check: Check) -> bool:
    """A plain answer would be short: one that is cut short was bound, or thinks, and has the benefit of the doubt."""
    return isinstance(got, Received) and (not got.is_whole or not read_json(got.text, check)[1])
