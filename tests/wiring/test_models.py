"""Which language model does which kind of work, where it is, and which key it is sent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from finlore import Workspace
from finlore.errors import ConfigurationError
from finlore.ports import LanguageModel
from finlore.records.llm import Budget, Message, Prompt, Refusal, Reply, Role
from finlore.settings import Settings
from finlore.wiring import language_models
from tests.adapters.language_model.scripted_server import Endpoint, in_turn, said, serve

WELL = in_turn(said("fine"))


def models(folder: Path, *, budget: Budget | None = None, **values: Any) -> Mapping[Role, LanguageModel]:
    return language_models(Settings(workspace=folder, **values), budget=budget)


def ask(found: Mapping[Role, LanguageModel], role: Role, text: str = "Go.") -> Reply | Refusal:
    try:
        return found[role].ask(Prompt("p", 1, role, (Message("user", text),), most_tokens=50))
    finally:
        found[role].close()


def last(endpoint: Endpoint) -> tuple[str, str | None]:
    """(model, key) of the last request."""
    return endpoint.asked[-1]["model"], endpoint.keys[-1]


def test_without_an_endpoint_there_is_none(tmp_path: Path) -> None:
    assert models(tmp_path, llm_model="m") == {}


def test_one_endpoint_does_all_work_and_keeps_its_replies_in_the_workspace(tmp_path: Path) -> None:
    with serve(WELL) as endpoint:
        found = models(tmp_path, llm_base_url=endpoint.base_url, llm_model="m", llm_api_key="canary")
        assert sorted(found) == ["extract", "judge", "see", "write"]
        assert len(set(map(id, found.values()))) == 1
        ask(found, "write")
        assert last(endpoint) == ("m", "Bearer canary")
        assert [path.name for path in (tmp_path / "llm").iterdir()] == ["replies.sqlite"]


def test_a_role_can_have_a_model_of_its_own_at_the_same_endpoint(tmp_path: Path) -> None:
    with serve(WELL) as endpoint:
        found = models(
            tmp_path, llm_base_url=endpoint.base_url, llm_model="m", llm_api_key="canary", llm_judge_model="larger"
        )
        ask(found, "judge")
        assert last(endpoint) == ("larger", "Bearer canary")
        ask(found, "write")
        assert last(endpoint) == ("m", "Bearer canary")


def test_the_key_of_one_endpoint_is_not_sent_to_another(tmp_path: Path) -> None:
    with serve(WELL) as endpoint, serve(WELL) as other:
        values: dict[str, Any] = {
            "llm_base_url": endpoint.base_url,
            "llm_model": "m",
            "llm_api_key": "canary",
            "llm_see_base_url": other.base_url,
        }
        ask(models(tmp_path / "a", **values), "see")
        assert last(other) == ("m", "Bearer none")
        ask(models(tmp_path / "b", **values, llm_see_api_key="its own"), "see")
        assert last(other) == ("m", "Bearer its own")
        assert endpoint.asked == []


def test_a_role_alone_can_have_an_endpoint(tmp_path: Path) -> None:
    found = models(tmp_path, llm_extract_base_url="http://127.0.0.1:1/v1", llm_extract_model="m")
    assert list(found) == ["extract"]


def test_an_endpoint_needs_a_model(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="llm_model"):
        models(tmp_path, llm_base_url="http://127.0.0.1:1/v1")


def test_all_roles_spend_one_budget(tmp_path: Path) -> None:
    with serve(WELL) as endpoint:
        values = {"llm_base_url": endpoint.base_url, "llm_model": "m", "llm_judge_model": "larger"}
        found = models(tmp_path, **values, budget=Budget(calls=1))
        assert isinstance(ask(found, "extract"), Reply)
        refused = ask(found, "judge")
        assert isinstance(refused, Refusal)
        assert refused.kind == "budget"


def test_the_prices_are_those_of_the_model_that_they_were_set_for(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "llm_base_url": "http://127.0.0.1:1/v1",
        "llm_model": "m",
        "llm_judge_model": "larger",
        "llm_price_prompt": 1.0,
        "llm_price_reply": 2.0,
    }
    found = models(tmp_path, **values)
    assert (found["write"].usage().cost, found["judge"].usage().cost) == (0.0, None)
    with pytest.raises(ConfigurationError, match="price of 'larger'"):
        models(tmp_path, **values, llm_budget_cost=5.0)


def test_a_replay_sends_nothing(tmp_path: Path) -> None:
    with serve(WELL) as endpoint:
        values = {"llm_base_url": endpoint.base_url, "llm_model": "m"}
        ask(models(tmp_path, **values), "write")
        again = models(tmp_path, **values, llm_cache="replay")
        assert isinstance(ask(again, "write"), Reply)
        assert isinstance(ask(again, "write", "Something else."), Refusal)
        assert len(endpoint.asked) == 1


def test_a_document_is_forgotten_with_the_replies_that_quote_it_when_no_endpoint_is_left(tmp_path: Path) -> None:
    with serve(WELL) as endpoint:
        values = {"llm_base_url": endpoint.base_url, "llm_model": "m"}
        ask(models(tmp_path, **values), "write")
        with Workspace(settings=Settings(workspace=tmp_path, embedder="none", recognisers=())) as made:
            made.forget("whatever")  # the prompt did not say what it quotes
        assert isinstance(ask(models(tmp_path, **values, llm_cache="replay"), "write"), Refusal)
