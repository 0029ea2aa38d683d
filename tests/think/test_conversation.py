"""Follow-up questions take from the question before them what they leave unsaid."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from finlore.index.cues import shipped_cues
from finlore.ports import View
from finlore.records.instant import now
from finlore.retrieve.question import read_question
from finlore.think.conversation import continued
from tests.small_world import WORLD, jsonl, workspace


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    folder: Path = tmp_path_factory.mktemp("conversation")
    with workspace(folder / "store") as made:
        made.ingest([jsonl(folder / "world.jsonl", *WORLD)])
        yield made._store.view(now())


def entities(view: View, question: str, previous: str) -> set[str]:
    whole = continued(view, question, previous, shipped_cues())
    return {view.entity_ids[number] for number in read_question(view, whole, shipped_cues()).entities}


def test_a_pronoun_keeps_the_company_and_changes_the_measure(view: View) -> None:
    assert entities(view, "它的目标价是多少？", "漠川材料2023年的ROA是多少？") == {"609901.SH", "metric:target_price"}


def test_a_new_year_keeps_company_and_measure(view: View) -> None:
    whole = continued(view, "2024年呢？", "漠川材料2023年的ROA是多少？", shipped_cues())
    assert "2023" not in whole
    assert entities(view, "2024年呢？", "漠川材料2023年的ROA是多少？") == {"609901.SH", "metric:roa"}


def test_a_question_that_says_everything_is_left_as_it_is(view: View) -> None:
    question = "桐远电池2023年的营业收入是多少？"
    assert continued(view, question, "漠川材料2023年的ROA是多少？", shipped_cues()) == question


def test_a_measure_is_carried_over_in_the_spelling_that_was_used(view: View) -> None:
    assert "roa" in continued(view, "桐远电池呢？", "漠川材料2023年的ROA是多少？", shipped_cues())
    assert entities(view, "桐远电池呢？", "漠川材料2023年的ROA是多少？") == {"309902.SZ", "metric:roa"}
