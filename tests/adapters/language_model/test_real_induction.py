"""A schema derived by a real, small model: its types are poor, but what comes of them is a schema or a reason."""

from finlore.adapters.language_model import OpenAIModel
from finlore.knowledge.induce import expected_prompts, induce
from finlore.knowledge.schema import load_schema, parse_schema
from finlore.knowledge.schema_text import to_toml
from finlore.records.llm import Budget
from tests.adapters.language_model.test_real_model import base_url, pytestmark

__all__ = ["base_url", "pytestmark"]
TEMPLATE = "A report states the rating, the target price and the dividend yield. Demand and regulation move results."


def test_what_it_derives_is_a_schema_or_is_left_out_for_a_reason(base_url: str) -> None:
    model = OpenAIModel(base_url=base_url, model="smollm2", seconds=40, retries=0)  # it likes to go on for minutes
    known = load_schema()
    expected = model.estimate(expected_prompts([TEMPLATE], like=known))
    found = induce([TEMPLATE], model, known=known)
    spent = model.usage()
    assert 2 <= spent.calls <= 3 * expected.calls  # each question may be put three times
    assert not found.is_cut_short
    assert found.schema is not None or found.issues
    if found.schema is not None:
        assert parse_schema(to_toml(found.schema), name=found.schema.name) == found.schema
        assert found.schema.links == known.links
    model.close()


def test_a_budget_cuts_it_short(base_url: str) -> None:
    small = OpenAIModel(base_url=base_url, model="smollm2", budget=Budget(tokens=50))
    found = induce([TEMPLATE], small)
    small.close()
    assert (found.schema, found.is_cut_short) == (None, True)
