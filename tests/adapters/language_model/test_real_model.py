"""A real server and a real model, small and in a package: the protocol, not what it knows. Run by `make test-llm`."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from finlore.adapters.language_model import OpenAIModel
from finlore.records.llm import Budget, Message, Prompt, Refusal, Reply
from tests.adapters.language_model.packaged_model import packaged_model

pytestmark = pytest.mark.real_model

REPORT = "The analyst rates Orvane Ltd Buy with a target price of 42 dollars. Pump orders rose 12% in the quarter."
FACTS = Prompt(
    name="facts",
    version=1,
    role="extract",
    messages=(
        Message("system", "Extract what the report says."),
        Message("user", f"<report>\n{REPORT}\n</report>"),
    ),
    schema={
        "type": "object",
        "properties": {
            "company": {"type": "string", "maxLength": 40},
            "rating": {"type": "string", "enum": ["Buy", "Hold", "Sell"]},
            "target": {"type": ["number", "null"]},
        },
        "required": ["company", "rating", "target"],
        "additionalProperties": False,
    },
    most_tokens=120,
)
PROSE = Prompt("summary", 1, "write", (Message("user", f"Say in a few words: {REPORT}"),), most_tokens=160)


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with packaged_model() as address:
        yield address


@pytest.fixture
def model(base_url: str, tmp_path: Path) -> Iterator[OpenAIModel]:
    made = OpenAIModel(base_url=base_url, model="smollm2", folder=tmp_path, price_prompt=1.0, price_reply=2.0)
    yield made
    made.close()


def test_it_is_found_to_stream_and_to_heed_schemas(model: OpenAIModel) -> None:
    found = model.probe()
    assert (found.answers, found.schema, found.streams, found.message) == (True, True, True, "")
    assert 4 <= model.usage().calls <= 5


def test_its_reply_meets_the_schema_is_counted_and_comes_from_memory_the_second_time(model: OpenAIModel) -> None:
    reply = model.ask(FACTS)
    assert isinstance(reply, Reply)
    assert isinstance(reply.data, dict)
    assert set(reply.data) == {"company", "rating", "target"}
    assert reply.data["rating"] in ("Buy", "Hold", "Sell")
    usage = reply.usage
    assert not usage.is_estimate
    assert usage.prompt_tokens > 30
    assert 0 < usage.reply_tokens <= FACTS.most_tokens * usage.calls
    assert usage.cost == pytest.approx((usage.prompt_tokens + 2 * usage.reply_tokens) / 1e6)
    again = model.ask(FACTS)
    assert again == replace(reply, usage=again.usage, is_cached=True)
    assert model.usage() == usage


def test_what_was_estimated_bounds_what_was_taken(model: OpenAIModel) -> None:
    estimated = model.estimate([FACTS])
    reply = model.ask(FACTS)
    assert isinstance(reply, Reply)
    assert reply.usage.prompt_tokens <= 2 * estimated.prompt_tokens
    assert reply.usage.reply_tokens <= estimated.reply_tokens * reply.usage.calls


def test_it_writes_prose(model: OpenAIModel) -> None:
    reply = model.ask(PROSE)
    assert isinstance(reply, Reply | Refusal)
    if isinstance(reply, Reply):
        assert reply.text
        assert reply.data is None
    else:  # it likes to go on
        assert reply.kind == "truncated"


def test_a_reply_that_is_cut_short_is_refused(model: OpenAIModel) -> None:
    refused = model.ask(replace(FACTS, most_tokens=4))
    assert isinstance(refused, Refusal)
    assert (refused.kind, refused.usage.calls) == ("truncated", 1)


def test_a_budget_ends_the_work(base_url: str) -> None:
    model = OpenAIModel(base_url=base_url, model="smollm2", budget=Budget(tokens=600))
    outcomes = [model.ask(replace(FACTS, version=version)) for version in range(1, 6)]
    model.close()
    assert isinstance(outcomes[0], Reply)
    assert isinstance(outcomes[-1], Refusal)
    assert outcomes[-1].kind == "budget"
    spent = model.usage()
    assert spent.prompt_tokens + spent.reply_tokens <= 600


def test_a_request_that_takes_too_long_is_given_up(base_url: str) -> None:
    model = OpenAIModel(base_url=base_url, model="smollm2", seconds=0.05, retries=0)
    started = time.monotonic()
    refused = model.ask(replace(PROSE, most_tokens=1_500))
    model.close()
    assert isinstance(refused, Refusal)
    assert "within 0.05 s" in refused.reason
    assert time.monotonic() - started < 10
