"""A real model, small and in a package, reads a report through the verb: the protocol, what is believed, what is
counted; not what it knows. Run by `make test-llm`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from finlore.adapters.language_model import OpenAIModel
from finlore.knowledge.quality.correct import Reader, correct, readings_of
from finlore.knowledge.schema import load_schema
from finlore.records.document import Document, Metadata, Passage, Sentence
from finlore.records.fact import Evidence, Fact, Party
from tests.adapters.language_model.packaged_model import packaged_model
from tests.serve.driver import Finlore
from tests.small_world import jsonl, workspace

pytestmark = pytest.mark.real_model

TEXT = "Orvane Ltd supplies pumps to Quillmark Devices. The target price of Orvane Ltd is 42 dollars."
REPORT = {"id": "orvane", "title": "Orvane Ltd: pumps", "text": TEXT, "published_at": "2024-05-10", "language": "en"}
SMALL = {
    "attributes": """
[target_price]
zh = "目标价"
en = "target price"
description = "The price expected."
value = "number"
quantity = "price"
domain = ["security", "company"]
""",
    "links": """
[supplies]
zh = "供应"
en = "supplies"
inverse_zh = "采购自"
inverse_en = "is supplied by"
description = "The subject sells to the object."
domain = ["security", "company", "organisation"]
range = ["security", "company", "organisation"]
""",
    "drivers": """
[demand]
zh = "需求"
en = "demand"
description = "What is wanted."
[demand.events.sales]
zh = "销售"
en = "sales"
description = "Orders."
""",
}


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with packaged_model() as address:
        yield address


@pytest.fixture
def reading(finlore: Finlore, base_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Finlore:
    """The command line on a workspace of one report, with a small schema: the model is slow."""
    for name, table in SMALL.items():
        (tmp_path / "resources" / "schema").mkdir(parents=True, exist_ok=True)
        (tmp_path / "resources" / "schema" / f"{name}.toml").write_text(table, encoding="utf-8")
    settings = {"BASE_URL": base_url, "MODEL": "smollm2", "SECONDS": "300"}
    for name, value in settings.items():
        monkeypatch.setenv(f"FINLORE_LLM_{name}", value)
    monkeypatch.setenv("FINLORE_RESOURCES", str(tmp_path / "resources"))
    with workspace(tmp_path / "w", resources=tmp_path / "resources") as made:
        made.ingest([jsonl(tmp_path / "orvane.jsonl", REPORT)])
    return lambda *arguments: finlore("--workspace", tmp_path / "w", *arguments, "--json")


def test_what_it_says_is_checked_counted_and_not_asked_for_twice(reading: Finlore) -> None:
    expected = reading("extract", "--dry-run").json["estimate"]
    ran = reading("extract")
    assert ran.code in (0, 3)
    assert (ran.json["extracted"], ran.json["remaining"]) == (1, 0)
    assert ran.json["calls"] >= expected["calls"] == 1
    assert ran.json["tokens"] > 100
    stated = reading("facts").json["facts"]
    assert all(row["source"]["quote"] in TEXT for row in stated if "llm/" in row["extractor"])
    again = reading("extract").json
    assert (again["extracted"], again["calls"], again["tokens"]) == (0, 0, 0)


def test_a_budget_is_kept(reading: Finlore) -> None:
    ran = reading("extract", "--budget", 300)
    assert (ran.code, ran.json["calls"], ran.json["tokens"], ran.json["remaining"]) == (5, 0, 0, 1)


def test_a_correction_stands_in_the_passage_or_is_dropped(base_url: str, tmp_path: Path) -> None:
    passage = Passage(0, len(TEXT), (Sentence(0, len(TEXT)),))
    document = Document("orvane", "orvane.md", "md", TEXT, Metadata(), (), (passage,))
    missing = Fact(Party("Orvane Ltd", "orvane ltd", "company"), "target_price", Evidence(0, len(TEXT), 0), "N/A")
    model = OpenAIModel(base_url=base_url, model="smollm2", folder=tmp_path, seconds=300)
    facts, notes = correct([missing], Reader(document, load_schema(), readings_of(()), model))
    model.close()
    assert len(notes) == 1
    assert model.usage().calls >= 1
    assert all(fact.text in TEXT and fact.status == "corrected" for fact in facts)
