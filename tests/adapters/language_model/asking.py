"""What the tests of the language model ask, and a model that waits for nobody."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from finlore.adapters.language_model import OpenAIModel
from finlore.records.llm import Message, Prompt, Refusal, Reply
from tests.adapters.language_model.scripted_server import Endpoint, Script, serve

KEY = "canary-7f3a91c2e5"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"company": {"type": "string"}, "target": {"type": "number"}},
    "required": ["company", "target"],
    "additionalProperties": False,
}
DATA = {"company": "渡口控股", "target": 46.4}
WELL = '{"company": "渡口控股", "target": 46.4}'


def facts(text: str = "渡口控股目标价46.4元。", *, version: int = 1, most_tokens: int = 100) -> Prompt:
    messages = (Message("system", "Extract."), Message("user", f"<report>\n{text}\n</report>"))
    return Prompt("facts", version, "extract", messages, SCHEMA, most_tokens)


def prose(text: str = "Say something.") -> Prompt:
    return Prompt("prose", 1, "write", (Message("user", text),), most_tokens=100)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.now += seconds


@contextmanager
def model_at(endpoint: Endpoint, *, clock: Clock | None = None, **options: Any) -> Iterator[OpenAIModel]:
    clock = clock or Clock()
    made = OpenAIModel(
        base_url=endpoint.base_url, model="m", api_key=KEY, clock=clock, sleep=clock.sleep, draw=lambda: 1.0, **options
    )
    try:
        yield made
    finally:
        made.close()


def asked(script: Script, prompt: Prompt | None = None, **options: Any) -> tuple[Reply | Refusal, Endpoint]:
    """What comes of one prompt, and what the endpoint saw."""
    with serve(script) as endpoint, model_at(endpoint, **options) as model:
        return model.ask(prompt or facts()), endpoint


def data_of(outcome: Reply | Refusal) -> object:
    assert isinstance(outcome, Reply), outcome
    return outcome.data
