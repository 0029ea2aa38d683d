"""A language model in memory: answers as it is told, remembers what it was asked."""

from collections.abc import Callable, Iterable
from pathlib import Path

from finlore.records.llm import Capabilities, Prompt, Refusal, Reply, Usage


class FakeLanguageModel:
    def __init__(self, reply: Callable[[Prompt], Reply | Refusal]) -> None:
        self._reply = reply
        self.asked: list[Prompt] = []

    def ask(self, prompt: Prompt) -> Reply | Refusal:
        self.asked.append(prompt)
        return self._reply(prompt)

    def estimate(self, prompts: Iterable[Prompt]) -> Usage:
        return Usage(calls=len(list(prompts)), is_estimate=True)

    def usage(self) -> Usage:
        return Usage(calls=len(self.asked))

    def probe(self) -> Capabilities:
        return Capabilities("fake", True, True, False, False, False)

    @staticmethod
    def forget(folder: Path, document: str) -> int:
        return 0

    def close(self) -> None:
        """Nothing is open."""
