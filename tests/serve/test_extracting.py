"""The verb `extract`: what it prints, how it ends, and what it makes of endpoints that misbehave."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.language_model.scripted_server import (
    Answer,
    Asked,
    Endpoint,
    Script,
    document,
    failure,
    in_turn,
    kind,
    said,
    serve,
)
from tests.reading_model import capable, reply
from tests.serve.driver import Finlore

AT_ONCE = "0.01"  # seconds that an endpoint asks to be waited for
KEYS = {
    "extracted",
    "facts",
    "events",
    "links",
    "failed",
    "estimate",
    "cost",
    "calls",
    "tokens",
    "remaining",
    "pruned",
    "notes",
}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint that the settings name, at first a capable one."""
    with serve(capable) as running:
        monkeypatch.setenv("FINLORE_LLM_BASE_URL", running.base_url)
        monkeypatch.setenv("FINLORE_LLM_MODEL", "m")
        yield running


def well(asked: Asked) -> str:
    return json.dumps(reply(asked), ensure_ascii=False)


def refuses_schemas(asked: Asked) -> Answer:
    return failure(400, "response_format is unavailable") if kind(asked) in ("schema", "tool") else said(well(asked))


def ignores_schemas(asked: Asked) -> Answer:
    return said("Here are the facts you asked for.") if len(asked["messages"]) == 2 else said(well(asked))


def busy_first() -> Script:
    return in_turn_then(failure(429, Retry_After=AT_ONCE), failure(500, Retry_After=AT_ONCE))


def in_turn_then(*answers: Answer) -> Script:
    """These answers, then those of the capable model."""
    left = list(answers)
    return lambda asked: left.pop(0) if left else capable(asked)


def endless() -> Iterator[bytes]:
    while True:
        yield b" " * 65_536


class TestWhatItSays:
    def test_without_an_endpoint_it_names_the_setting(self, finlore: Finlore, own: Path) -> None:
        ran = finlore("--workspace", own, "extract", "--json")
        assert ran.code == 4
        assert "llm_base_url" in ran.json["error"]["hint"]

    def test_a_dry_run_only_estimates(self, finlore: Finlore, own: Path, endpoint: Endpoint) -> None:
        ran = finlore("--workspace", own, "extract", "--dry-run", "--json")
        assert (ran.code, endpoint.asked) == (0, [])
        assert ran.json["estimate"]["calls"] == 1
        assert ran.json["estimate"]["tokens"] > 1_000
        assert (ran.json["extracted"], ran.json["calls"], ran.json["remaining"]) == (0, 0, 5)

    def test_it_reads_all_says_what_it_took_and_shows_it(self, finlore: Finlore, own: Path, endpoint: Endpoint) -> None:
        ran = finlore("--workspace", own, "extract", "--json")
        assert ran.code == 0
        assert set(ran.json) >= KEYS
        assert (ran.json["extracted"], ran.json["facts"], ran.json["links"], ran.json["failed"]) == (5, 4, 1, 0)
        assert (ran.json["calls"], ran.json["cost"], ran.json["remaining"]) == (1, None, 0)
        assert "at most 1 calls" in ran.err
        facts = finlore("--workspace", own, "facts", "--relation", "target_price", "--json").json["facts"]
        assert [row["value"] for row in facts] == [21.5, 26.8]
        assert all("llm/" in row["extractor"] and "lexicon/" in row["extractor"] for row in facts)

    def test_a_person_reads_a_few_lines(self, finlore: Finlore, own: Path, endpoint: Endpoint) -> None:
        ran = finlore("--workspace", own, "extract")
        assert "5 documents read: 4 facts, 1 links, 0 events; 1 calls" in ran.out

    def test_a_budget_ends_it_and_the_next_run_goes_on(self, finlore: Finlore, own: Path, endpoint: Endpoint) -> None:
        stopped = finlore("--workspace", own, "extract", "--budget", 50, "--json")
        assert (stopped.code, stopped.json["remaining"], stopped.json["stopped"]) == (5, 5, "budget")
        assert finlore("--workspace", own, "extract", "--json").json["extracted"] == 5

    def test_rules_need_no_endpoint_and_cost_nothing(self, finlore: Finlore, own: Path) -> None:
        ran = finlore("--workspace", own, "extract", "--extractor", "lexicon", "--json")
        assert (ran.code, ran.json["cost"], ran.json["estimate"]["calls"], ran.json["remaining"]) == (0, 0.0, 0, 0)

    def test_of_an_empty_workspace_there_is_nothing_to_read(
        self, finlore: Finlore, tmp_path: Path, endpoint: Endpoint
    ) -> None:
        ran = finlore("--workspace", tmp_path / "new", "extract", "--json")
        assert (ran.code, ran.json["extracted"], endpoint.asked) == (0, 0, [])


class TestEndpointsThatMisbehave:
    @pytest.mark.parametrize(
        "script",
        [
            refuses_schemas,
            ignores_schemas,
            busy_first(),
            lambda asked: said(f'<think>Which facts? {{"facts": 1}}</think>\n{well(asked)}'),
            lambda asked: said(f"```json\n{well(asked)}\n```"),
            in_turn_then(said("   ")),
            in_turn_then(said('{"facts": [], "events": [{"t": "earthquake"}]}')),
        ],
        ids=["schema refused", "schema ignored", "429 and 500", "thinks", "fenced", "blank once", "wrong once"],
    )
    def test_right_answers_are_read_however_they_come(
        self, script: Script, finlore: Finlore, own: Path, endpoint: Endpoint
    ) -> None:
        endpoint.script = script
        ran = finlore("--workspace", own, "extract", "--json")
        assert (ran.code, ran.json["facts"], ran.json["links"], ran.json["failed"]) == (0, 4, 1, 0)

    @pytest.mark.parametrize(
        "answer",
        [said(" "), said('{"facts": 1}'), said("sorry"), said('{"facts": [', finish="length")],
        ids=["blank", "wrong", "prose", "truncated"],
    )
    def test_what_is_no_answer_fails_visibly_and_is_read_again(
        self, answer: Answer, finlore: Finlore, own: Path, endpoint: Endpoint
    ) -> None:
        endpoint.script = in_turn(answer)
        ran = finlore("--workspace", own, "extract", "--json")
        assert (ran.code, ran.json["extracted"], ran.json["failed"], ran.json["facts"]) == (3, 5, 5, 0)
        assert finlore("--workspace", own, "extract", "--json").json["extracted"] == 0
        assert finlore("--workspace", own, "status", "--json").json["counts"]["failed_passages"] == 5
        endpoint.script = capable
        again = finlore("--workspace", own, "extract", "--retry", "--json")
        assert (again.code, again.json["failed"], again.json["facts"]) == (0, 0, 4)

    @pytest.mark.parametrize(
        "answer",
        [
            failure(402, "insufficient_quota"),
            Answer([b"x" * (2 << 20)]),
            document({"nothing": True}),
            Answer(endless()),
        ],
        ids=["no money", "two megabytes", "no completion", "endless"],
    )
    def test_without_an_answer_nothing_is_written_and_the_endpoint_is_named(
        self, answer: Answer, finlore: Finlore, own: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("FINLORE_LLM_SECONDS", "1")
        endpoint.script = in_turn(answer)
        ran = finlore("--workspace", own, "extract", "--json")
        assert (ran.code, ran.json["extracted"], ran.json["remaining"], ran.json["stopped"]) == (4, 0, 5, "endpoint")
        assert endpoint.base_url in ran.json["notes"][0]

    def test_a_key_that_is_not_taken_is_an_error_of_the_settings(
        self, finlore: Finlore, own: Path, endpoint: Endpoint
    ) -> None:
        endpoint.script = in_turn(failure(401))
        assert finlore("--workspace", own, "extract", "--json").code == 4
        endpoint.script = capable
        assert finlore("--workspace", own, "extract", "--json").json["extracted"] == 5
