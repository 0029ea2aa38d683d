"""One prompt against endpoints of every kind of behaviour."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from finlore.adapters.language_model import OpenAIModel
from finlore.errors import ConfigurationError
from finlore.records.llm import Budget, Refusal, Reply
from tests.adapters.language_model.asking import DATA, KEY, WELL, Clock, asked, data_of, facts, model_at, prose
from tests.adapters.language_model.scripted_server import (
    Answer,
    Asked,
    Script,
    called,
    document,
    failure,
    in_turn,
    kind,
    said,
    serve,
    streamed,
)


def knows_only(*rungs: str, status: int = 400) -> Script:
    """A server that refuses the other rungs."""

    def script(asked: Asked) -> Answer:
        if kind(asked) not in rungs:
            return failure(status, "this response_format is unavailable now")
        return called(WELL) if kind(asked) == "tool" else said(WELL)

    return script


def refusal(outcome: Reply | Refusal) -> Refusal:
    assert isinstance(outcome, Refusal), outcome
    return outcome


class TestTheLadder:
    @pytest.mark.parametrize("status", [400, 404, 422])
    @pytest.mark.parametrize(
        ("known", "tried"),
        [
            (("schema", "tool", "object", "text"), ["schema"]),
            (("tool", "text"), ["schema", "tool"]),
            (("object", "text"), ["schema", "tool", "object"]),
            (("text",), ["schema", "tool", "object", "text"]),
        ],
    )
    def test_a_refused_rung_leads_to_the_next(self, status: int, known: tuple[str, ...], tried: list[str]) -> None:
        outcome, endpoint = asked(knows_only(*known, status=status))
        assert data_of(outcome) == DATA
        assert [kind(request) for request in endpoint.asked] == tried

    def test_the_rung_is_remembered_so_that_the_second_prompt_costs_one_request(self, tmp_path: Path) -> None:
        with serve(knows_only("text")) as endpoint:
            with model_at(endpoint, folder=tmp_path) as model:
                model.ask(facts(version=1))
                model.ask(facts(version=2))
                assert len(endpoint.asked) == 4 + 1
            with model_at(endpoint, folder=tmp_path) as later:
                later.ask(facts(version=3))
            assert len(endpoint.asked) == 4 + 1 + 1

    def test_what_no_rung_can_do_is_refused_and_spoils_no_rung(self, tmp_path: Path) -> None:
        with serve(knows_only(status=422)) as endpoint, model_at(endpoint, folder=tmp_path) as model:
            assert "unavailable" in refusal(model.ask(facts(version=1))).reason
            endpoint.script = knows_only("schema")
            assert data_of(model.ask(facts(version=2))) == DATA
            assert [kind(request) for request in endpoint.asked[4:]] == ["schema"]

    def test_below_the_tool_the_schema_stands_in_the_prompt(self) -> None:
        _, endpoint = asked(knows_only("text"))
        systems = [request["messages"][0]["content"] for request in endpoint.asked]
        assert ["JSON schema" in system for system in systems] == [False, False, True, True]

    @pytest.mark.parametrize(
        ("complaint", "renamed"),
        [
            ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_completion_tokens"),
            ("'temperature' does not support 0 with this model.", "max_tokens"),
        ],
    )
    def test_a_parameter_that_a_model_cannot_have_costs_no_rung(self, complaint: str, renamed: str) -> None:
        outcome, endpoint = asked(in_turn(failure(400, complaint), said(WELL)))
        assert data_of(outcome) == DATA
        last = endpoint.asked[-1]
        assert (kind(last), last[renamed]) == ("schema", 100)
        assert ("temperature" in last) == (renamed == "max_completion_tokens")

    def test_a_model_that_is_not_there_is_a_matter_of_settings(self) -> None:
        with pytest.raises(ConfigurationError, match=r"404.*llm_model"):
            asked(lambda request: failure(404, "no model 'm'"))


class TestReplies:
    @pytest.mark.parametrize(
        "text",
        [
            WELL,
            f"```json\n{WELL}\n```",
            f"Here it is:\n{WELL}\nAnything else?",
            f"<think>Is it {{42}}? No.</think>\n{WELL}",
            f"It says 46.4.</think>{WELL}",
            "{'company': '渡口控股', 'target': 46.4,}",
        ],
        ids=["plain", "fenced", "among words", "after a thought", "after a thought begun by the template", "mended"],
    )
    def test_json_is_found_where_models_put_it(self, text: str) -> None:
        outcome, endpoint = asked(in_turn(said(text)))
        assert data_of(outcome) == DATA
        assert len(endpoint.asked) == 1

    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("", "empty"),
            (None, "empty"),
            ("   \n \n", "empty"),
            ("<think>It never ends, " + WELL, "empty"),
            ("I cannot say.", "not JSON"),
            ('{"company": "渡口控股", "target": "46.4"}', "is not of type 'number'"),
            ('{"company": "渡口控股", "target": NaN}', "target"),
            ('{"name": "渡口控股"}', "'company' is a required property"),
            ("[" * 100_000, "deep|recursion|JSON"),
        ],
        ids=["blank", "null", "spaces", "thought without end", "words", "wrong type", "NaN", "other schema", "deep"],
    )
    def test_what_cannot_be_used_is_asked_for_again_with_the_reason(self, text: str | None, fault: str) -> None:
        outcome, endpoint = asked(in_turn(said(text), said(WELL)))
        assert data_of(outcome) == DATA
        told = endpoint.asked[1]["messages"][-1]["content"]
        assert "cannot be used" in told
        assert any(part in told for part in fault.split("|"))
        assert "渡口控股目标价" not in told

    def test_what_is_enough_for_a_prompt_is_not_asked_for_again_though_more_is_asked_for(self) -> None:
        prompt = replace(facts(), accepts={"type": "object", "required": ["company"]})
        outcome, endpoint = asked(in_turn(said('{"name": "?"}'), said('{"company": 7}'), said(WELL)), prompt)
        assert data_of(outcome) == {"company": 7}
        assert [kind(request) for request in endpoint.asked] == ["schema", "object"]
        assert endpoint.asked[0]["response_format"]["json_schema"]["schema"] == prompt.schema

    def test_two_repairs_are_all(self) -> None:
        outcome, endpoint = asked(in_turn(said("no"), said("no"), said("no"), said(WELL)))
        assert refusal(outcome).kind == "invalid"
        assert len(endpoint.asked) == 3

    def test_a_server_that_ignores_the_schema_is_told_it_in_the_prompt_from_then_on(self) -> None:
        def ignores(asked: Asked) -> Answer:
            is_told = any("JSON schema" in message["content"] for message in asked["messages"])
            return said(WELL if is_told else "渡口控股, 46.4")

        with serve(ignores) as endpoint, model_at(endpoint) as model:
            assert data_of(model.ask(facts(version=1))) == DATA
            assert data_of(model.ask(facts(version=2))) == DATA
            assert [kind(request) for request in endpoint.asked] == ["schema", "object", "object"]

    @pytest.mark.parametrize("prompt", [facts(), prose()], ids=["JSON", "prose"])
    def test_a_reply_that_is_cut_short_is_refused_and_never_mended(self, prompt: Any) -> None:
        outcome, endpoint = asked(in_turn(said('{"company": "渡口控股", "target": 46', finish="length")), prompt)
        assert refusal(outcome).kind == "truncated"
        assert len(endpoint.asked) == 1

    @pytest.mark.parametrize("answer", [said("", finish="content_filter"), said(WELL, finish="content_filter")])
    def test_what_a_filter_withholds_is_refused(self, answer: Answer) -> None:
        assert "withholds" in refusal(asked(in_turn(answer))[0]).reason

    def test_prose_comes_without_the_thought_before_it(self) -> None:
        outcome, _ = asked(in_turn(said("<think>hm</think>\n\n渡口控股。")), prose())
        assert isinstance(outcome, Reply)
        assert (outcome.text, outcome.data) == ("渡口控股。", None)

    def test_a_blank_reply_to_prose_is_asked_for_again(self) -> None:
        outcome, endpoint = asked(in_turn(said(" "), said("渡口控股。")), prose())
        assert isinstance(outcome, Reply)
        assert [message["role"] for message in endpoint.asked[1]["messages"]] == ["user", "assistant", "user"]
        assert endpoint.asked[1]["messages"][1]["content"].strip()


class TestTroubleOnTheWay:
    def test_retry_after_is_waited_for(self) -> None:
        clock = Clock()
        outcome, endpoint = asked(in_turn(failure(429, Retry_After="7"), said(WELL)), clock=clock)
        assert data_of(outcome) == DATA
        assert clock.slept == [7.0]
        assert len(set(endpoint.idempotency_keys)) == 1

    def test_nobody_waits_for_an_hour(self) -> None:
        clock = Clock()
        outcome, endpoint = asked(lambda request: failure(429, Retry_After="3600"), clock=clock)
        assert "429" in refusal(outcome).reason
        assert (clock.slept, len(endpoint.asked)) == ([], 1)

    @pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
    def test_a_server_that_stumbles_is_asked_again_ever_later(self, status: int) -> None:
        clock = Clock()
        outcome, _ = asked(in_turn(*[failure(status)] * 3, said(WELL)), clock=clock)
        assert data_of(outcome) == DATA
        assert clock.slept == [1.0, 2.0, 4.0]

    def test_retries_are_bounded(self) -> None:
        outcome, endpoint = asked(lambda request: failure(500, "boom"), retries=2)
        assert "500" in refusal(outcome).reason
        assert refusal(outcome).usage.calls == len(endpoint.asked) == 3

    def test_an_allowance_that_is_used_up_does_not_come_back_by_asking(self) -> None:
        outcome, endpoint = asked(lambda request: failure(429, "insufficient_quota"))
        assert "insufficient_quota" in refusal(outcome).reason
        assert len(endpoint.asked) == 1

    @pytest.mark.parametrize("status", [401, 403])
    def test_a_refused_key_is_a_matter_of_settings_and_not_tried_again(self, status: int) -> None:
        with serve(lambda request: failure(status, f"Incorrect API key provided: {KEY}")) as endpoint:
            with model_at(endpoint) as model, pytest.raises(ConfigurationError, match="FINLORE_LLM_API_KEY") as caught:
                model.ask(facts())
            assert len(endpoint.asked) == 1
        assert KEY not in str(caught.value)
        assert caught.value.__cause__ is caught.value.__context__ is None

    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    def test_neither_request_nor_key_follows_a_redirect(self, status: int) -> None:
        with serve(in_turn(said(WELL))) as other:
            with pytest.raises(ConfigurationError, match="another address"):
                asked(lambda request: failure(status, Location=f"{other.base_url}/chat/completions"))
            assert other.asked == []

    def test_a_slow_reply_is_given_up(self) -> None:
        outcome, _ = asked(lambda request: Answer(slowly()), seconds=0.2, retries=0)
        assert "in time" in refusal(outcome).reason

    def test_silence_is_given_up(self) -> None:
        outcome, _ = asked(lambda request: Answer(silently()), seconds=0.2, retries=0)
        assert "within 0.2 s" in refusal(outcome).reason
        assert refusal(outcome).usage.is_estimate  # it may well have been charged

    @pytest.mark.parametrize("pause", [0.02, 0.5])
    def test_who_is_given_up_is_told_so_that_he_stops(self, pause: float) -> None:
        """A server with one place would go on for nobody, and let the next request wait."""
        is_hung_up = Event()
        asked(lambda request: Answer(goes_on(pause, is_hung_up)), seconds=0.2, retries=0)
        assert is_hung_up.wait(20)

    @pytest.mark.parametrize("status", [200, 500])
    def test_a_stream_without_end_is_cut_off(self, status: int) -> None:
        outcome, endpoint = asked(lambda request: Answer(endlessly(), status))
        assert "longer than a megabyte" in refusal(outcome).reason
        assert len(endpoint.asked) == 1

    def test_a_reply_of_more_than_a_megabyte_is_not_read(self) -> None:
        outcome, _ = asked(in_turn(said(json.dumps({"company": "x" * 1_100_000, "target": 1}))))
        assert "longer than a megabyte" in refusal(outcome).reason

    def test_a_reply_that_came_packed_is_not_unpacked(self) -> None:
        outcome, _ = asked(lambda request: Answer([b"\x1f\x8b"], headers={"Content-Encoding": "gzip"}))
        assert "packed" in refusal(outcome).reason

    def test_a_connection_that_breaks_is_tried_again(self) -> None:
        half = Answer([b'{"choices": [{"mess'], length=500)
        outcome, endpoint = asked(in_turn(half, said(WELL)))
        assert data_of(outcome) == DATA
        assert len(endpoint.asked) == 2

    @pytest.mark.parametrize(
        "answer",
        [
            Answer([b"<html>Welcome</html>"]),
            Answer([b""]),
            document([]),
            document({"choices": []}),
            document({"choices": [{"message": "hello"}]}),
            document({"error": {"message": "overloaded"}}),
            Answer([b"\xff\xfe\x00"]),
        ],
    )
    def test_what_is_no_completion_is_tried_again_then_refused(self, answer: Answer) -> None:
        outcome, endpoint = asked(in_turn(answer), retries=1)
        assert "no chat completion" in refusal(outcome).reason
        assert len(endpoint.asked) == 2

    def test_nobody_listening_is_said(self) -> None:
        with serve(in_turn(said(WELL))) as endpoint:
            pass
        with model_at(endpoint) as model:
            assert "cannot be reached" in refusal(model.ask(facts())).reason


def slowly() -> Iterator[bytes]:
    for _ in range(20):
        time.sleep(0.03)
        yield b" "


def goes_on(pause: float, is_hung_up: Event) -> Iterator[bytes]:
    """Until nobody listens."""
    try:
        while True:
            time.sleep(pause)
            yield b" "
    finally:
        is_hung_up.set()


def silently() -> Iterator[bytes]:
    time.sleep(0.5)
    yield b" "


def endlessly() -> Iterator[bytes]:
    while True:
        yield b" " * 10_000


class TestMeterAndBudget:
    def test_usage_is_what_the_endpoint_counted(self) -> None:
        outcome, _ = asked(in_turn(said(WELL, usage=(1000, 500))), price_prompt=2.0, price_reply=8.0)
        usage = outcome.usage
        assert (usage.calls, usage.prompt_tokens, usage.reply_tokens) == (1, 1000, 500)
        assert usage.cost == pytest.approx(0.006)
        assert not usage.is_estimate

    @pytest.mark.parametrize("usage", [None, (-5, 5)], ids=["absent", "nonsense"])
    def test_usage_that_nobody_counted_is_estimated(self, usage: tuple[int, int] | None) -> None:
        taken = asked(in_turn(said(WELL, usage=usage)))[0].usage
        assert taken.is_estimate
        assert taken.prompt_tokens > 20

    def test_an_unknown_price_is_shown_as_unknown(self) -> None:
        with serve(in_turn(said(WELL))) as endpoint, model_at(endpoint) as model:
            assert model.usage().cost is model.ask(facts()).usage.cost is model.usage().cost is None
            assert model.estimate([facts(version=2)]).cost is None

    def test_a_budget_of_money_needs_prices(self) -> None:
        with pytest.raises(ConfigurationError, match="llm_price_prompt"):
            OpenAIModel(base_url="http://127.0.0.1:1/v1", model="m", budget=Budget(cost=1.0))

    @pytest.mark.parametrize(
        "budget", [Budget(tokens=1000), Budget(calls=3), Budget(cost=0.001)], ids=["tokens", "calls", "money"]
    )
    def test_a_budget_that_runs_out_in_the_middle_is_not_exceeded(self, budget: Budget) -> None:
        with (
            serve(in_turn(said(WELL, usage=(50, 100)))) as endpoint,
            model_at(endpoint, budget=budget, price_prompt=1.0, price_reply=1.0) as model,
        ):
            outcomes = [model.ask(facts(version=version)) for version in range(10)]
            spent = model.usage()
        answered = [isinstance(outcome, Reply) for outcome in outcomes]
        n_answered = answered.index(False)
        assert 2 < n_answered < 7
        assert answered == [True] * n_answered + [False] * (10 - n_answered)
        assert {refusal(outcome).kind for outcome in outcomes[n_answered:]} == {"budget"}
        assert len(endpoint.asked) == spent.calls == n_answered
        assert spent.prompt_tokens + spent.reply_tokens <= 1000

    def test_a_repair_that_the_budget_does_not_allow_is_not_sent(self) -> None:
        outcome, endpoint = asked(in_turn(said("no"), said(WELL)), budget=Budget(calls=1))
        assert (refusal(outcome).kind, refusal(outcome).usage.calls, len(endpoint.asked)) == ("budget", 1, 1)

    def test_time_is_a_budget_too(self) -> None:
        clock = Clock()
        outcome, _ = asked(in_turn(failure(429, Retry_After="50"), said(WELL)), clock=clock, budget=Budget(seconds=30))
        assert refusal(outcome).reason == "budget: 30 s are over"

    def test_an_endpoint_that_counts_twice_the_estimate_stays_within_the_budget(self) -> None:
        estimate = OpenAIModel(base_url="http://127.0.0.1:1/v1", model="m").estimate([facts()])
        script = in_turn(said(WELL, usage=(2 * estimate.prompt_tokens, estimate.reply_tokens)))
        with serve(script) as endpoint, model_at(endpoint, budget=Budget(tokens=1000)) as model:
            for version in range(9):
                model.ask(facts(version=version))
            spent = model.usage()
        assert 700 < spent.prompt_tokens + spent.reply_tokens <= 1000

    def test_models_can_spend_one_budget(self) -> None:
        with (
            serve(in_turn(said(WELL))) as endpoint,
            model_at(endpoint, budget=Budget(calls=2)) as first,
            model_at(endpoint, shares=first) as second,
        ):
            outcomes = [first.ask(facts(version=1)), second.ask(facts(version=2)), first.ask(facts(version=3))]
            assert [isinstance(outcome, Reply) for outcome in outcomes] == [True, True, False]
            assert (first.usage().calls, second.usage().calls) == (1, 1)

    def test_an_estimate_sends_nothing_and_counts_what_is_new_once(self, tmp_path: Path) -> None:
        with serve(in_turn(said(WELL))) as endpoint, model_at(endpoint, folder=tmp_path) as model:
            model.ask(facts(version=1))
            estimate = model.estimate([facts(version=1), facts(version=2), facts(version=2), prose()])
            assert (estimate.calls, estimate.reply_tokens, estimate.is_estimate) == (2, 200, True)
            assert len(endpoint.asked) == 1


class TestMemory:
    def test_a_prompt_that_was_answered_is_not_sent_again(self, tmp_path: Path) -> None:
        with serve(in_turn(said(WELL))) as endpoint, model_at(endpoint, folder=tmp_path) as model:
            first, again = model.ask(facts()), model.ask(facts())
            assert isinstance(first, Reply)
            assert again == replace(first, usage=again.usage, is_cached=True)
            assert (again.usage.calls, again.usage.cost, len(endpoint.asked)) == (0, 0.0, 1)

    def test_without_the_cache_it_is(self, tmp_path: Path) -> None:
        with serve(in_turn(said(WELL))) as endpoint, model_at(endpoint, folder=tmp_path, cache=False) as model:
            model.ask(facts())
            model.ask(facts())
            assert len(endpoint.asked) == 2

    def test_a_replay_answers_what_was_recorded_and_refuses_the_rest_without_sending(self, tmp_path: Path) -> None:
        with serve(in_turn(said(WELL))) as endpoint, model_at(endpoint, folder=tmp_path) as model:
            recorded = model.ask(facts())
        with model_at(endpoint, folder=tmp_path, replay=True) as model:
            replayed = model.ask(facts())
            assert data_of(replayed) == data_of(recorded)
            assert refusal(model.ask(facts(version=2))).kind == "not recorded"
            assert model.usage().calls == 0

    def test_a_refusal_is_not_remembered(self, tmp_path: Path) -> None:
        script = in_turn(said("", finish="length"), said(WELL))
        with serve(script) as endpoint, model_at(endpoint, folder=tmp_path) as model:
            refusal(model.ask(facts()))
            assert data_of(model.ask(facts())) == DATA


class TestProbe:
    def test_everything_works(self) -> None:
        with serve(told) as endpoint, model_at(endpoint) as model:
            found = model.probe()
            assert (found.answers, found.schema, found.tools, found.json_object, found.streams) == (True,) * 5
            assert (found.model, len(endpoint.asked)) == ("served", 4)

    def test_a_server_that_accepts_and_ignores_is_found_out_and_remembered(self) -> None:
        def script(request: Asked) -> Answer:
            return called('{"colour": "green"}') if kind(request) == "tool" else said("Green.")

        with serve(script) as endpoint, model_at(endpoint) as model:
            found = model.probe()
            assert (found.answers, found.schema, found.tools, found.json_object, found.streams) == (
                True, False, True, False, False,
            )  # fmt: skip
            endpoint.script = in_turn(called(WELL))
            model.ask(facts())
            assert kind(endpoint.asked[-1]) == "tool"

    def test_a_server_that_cannot_stream_is_asked_once_more(self) -> None:
        def script(request: Asked) -> Answer:
            return failure(400, "no stream") if request.get("stream") else said('{"colour": "green"}')

        with serve(script) as endpoint, model_at(endpoint) as model:
            found = model.probe()
            assert (found.answers, found.streams, found.schema) == (True, False, True)
            assert len(endpoint.asked) == 5

    @pytest.mark.parametrize("status", [401, 404, 500])
    def test_what_does_not_answer_is_asked_no_more(self, status: int) -> None:
        with serve(lambda request: failure(status, f"sorry {KEY}")) as endpoint, model_at(endpoint) as model:
            found = model.probe()
            assert not found.answers
            assert (str(status) in found.message, KEY in found.message) == (True, False)
            assert len(endpoint.asked) <= 2


def told(request: Asked) -> Answer:
    """What a server says that knows everything."""
    if request.get("stream"):
        return streamed("Gre", "en.")
    return called('{"colour": "green"}') if kind(request) == "tool" else said('{"colour": "green"}')
