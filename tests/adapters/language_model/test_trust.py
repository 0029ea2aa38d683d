"""What an endpoint is trusted with: the key, and how many requests are under way."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest

from finlore.adapters.language_model import OpenAIModel
from finlore.records.llm import Budget, Reply
from tests.adapters.language_model.asking import DATA, KEY, WELL, data_of, facts, model_at
from tests.adapters.language_model.scripted_server import Answer, Asked, failure, in_turn, said, serve


class TestTheKey:
    def test_it_goes_to_the_endpoint_and_is_seen_nowhere_else(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "another")
        caplog.set_level(logging.DEBUG)
        script = in_turn(failure(500, KEY), said(f'{{"company": "{KEY}", "target": 1}}'))
        with serve(script) as endpoint, model_at(endpoint, folder=tmp_path) as model:
            reply = model.ask(facts())
            endpoint.script = in_turn(failure(422, KEY))
            refused = model.ask(facts(version=2))
            told = f"{reply} {refused} {model!r} {vars(model)} {model.name} {model.probe()} {caplog.text}"
        assert set(endpoint.keys) == {f"Bearer {KEY}"}
        assert "Sending HTTP Request" in caplog.text  # the package did log
        assert KEY not in told
        assert not [path for path in tmp_path.rglob("*") if KEY.encode() in path.read_bytes()]

    def test_without_one_none_is_borrowed_from_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        with serve(in_turn(said(WELL))) as endpoint:
            model = OpenAIModel(base_url=endpoint.base_url, model="m")
            model.ask(facts())
            model.close()
        assert endpoint.keys == ["Bearer none"]


class TestThreads:
    def test_no_more_requests_are_under_way_than_allowed_and_the_budget_holds(self) -> None:
        now, most = [0], [0]
        lock = Lock()

        def script(asked: Asked) -> Answer:
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            time.sleep(0.02)
            with lock:
                now[0] -= 1
            return said(WELL)

        with serve(script) as endpoint, model_at(endpoint, concurrency=2, budget=Budget(calls=9)) as model:
            with ThreadPoolExecutor(6) as threads:
                outcomes = list(threads.map(lambda version: model.ask(facts(version=version)), range(12)))
            assert model.usage().calls == len(endpoint.asked) == 9
        assert sum(isinstance(outcome, Reply) for outcome in outcomes) == 9
        assert most[0] == 2

    def test_a_model_that_was_closed_opens_again(self) -> None:
        with serve(in_turn(said(WELL))) as endpoint, model_at(endpoint) as model:
            model.close()
            assert data_of(model.ask(facts(version=1))) == DATA
            model.close()
            assert data_of(model.ask(facts(version=2))) == DATA
