"""The verbs of review: what a person sees of doubts and decisions, and what scripts read of them."""

from pathlib import Path

import pytest

from finlore.serve.review_words import quality
from tests.serve.driver import Finlore
from tests.small_world import SUPPLY, jsonl

ONE = SUPPLY | {"text": "漠川材料（609901）2023年营业收入为32.10亿元。"}
OTHER = ONE | {"id": "other", "text": "漠川材料2023年营业收入为35.40亿元。", "broker": "雁洲证券"}


@pytest.fixture
def doubtful(finlore: Finlore, tmp_path: Path) -> tuple[Path, str]:
    """A workspace with one question, and its id."""
    store = tmp_path / "store"
    assert finlore("--workspace", store, "ingest", jsonl(tmp_path / "two.jsonl", ONE, OTHER)).code == 0
    (found,) = finlore("--workspace", store, "review", "list", "--json").json["reviews"]
    return store, found["id"]


def revenues(finlore: Finlore, store: Path) -> list[float]:
    ran = finlore("--workspace", store, "facts", "--subject", "609901", "--json")
    return sorted(row["value"] for row in ran.json["facts"] if row["relation"] == "metric:revenue")


def test_a_question_says_what_it_is_about_and_what_accepting_does(finlore: Finlore, doubtful: tuple[Path, str]) -> None:
    store, id_ = doubtful
    ran = finlore("--workspace", store, "review", "list")
    assert id_ in ran.out
    assert "32.1 亿元" in ran.out
    assert "accept: keep all" in ran.out


def test_an_answer_shows_in_facts_at_once_and_is_gone_when_undone(finlore: Finlore, doubtful: tuple[Path, str]) -> None:
    store, id_ = doubtful
    assert finlore("--workspace", store, "review", "reject", id_, "--note", "misprints").code == 0
    assert revenues(finlore, store) == []
    assert finlore("--workspace", store, "review", "undo", id_.removeprefix("review:")[:5]).code == 0
    assert revenues(finlore, store) == [32.1, 35.4]


def test_an_edit_names_what_to_keep(finlore: Finlore, doubtful: tuple[Path, str]) -> None:
    store, id_ = doubtful
    rows = finlore("--workspace", store, "facts", "--subject", "609901", "--json").json["facts"]
    kept = next(row["id"] for row in rows if row["value"] == 35.4)
    assert finlore("--workspace", store, "review", "edit", id_, f"keep={kept}").code == 0
    assert revenues(finlore, store) == [35.4]


def test_what_was_decided_is_listed_with_who_when_and_why(finlore: Finlore, doubtful: tuple[Path, str]) -> None:
    store, id_ = doubtful
    finlore("--workspace", store, "review", "reject", id_, "--note", "misprints")
    finlore("--workspace", store, "review", "accept", id_)
    assert finlore("--workspace", store, "review", "list").code == 1
    (row,) = finlore("--workspace", store, "review", "list", "--status", "accepted", "--json").json["reviews"]
    first, second = row["decisions"]
    assert (first["status"], first["note"], bool(first["undone_at"])) == ("rejected", "misprints", True)
    assert (second["status"], second["undone_at"]) == ("accepted", None)
    assert second["by"]
    assert "misprints" in finlore("--workspace", store, "review", "list", "--status", "all").out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("accept", "nothing"), 1),
        (("undo", "ID"), 2),
        (("edit", "ID", "keep"), 2),
        (("edit", "ID", "keep=fact:0"), 2),
        (("edit", "ID", "keep="), 2),
        (("edit", "ID", "value=3"), 2),
        (("list", "--kind", "doubt"), 2),
        (("list", "--kind", "merge"), 1),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    finlore: Finlore, doubtful: tuple[Path, str], words: tuple[str, ...], code: int
) -> None:
    store, id_ = doubtful
    assert finlore("--workspace", store, "review", *(id_ if word == "ID" else word for word in words)).code == code
    (row,) = finlore("--workspace", store, "review", "list", "--json").json["reviews"]
    assert (row["id"], row["status"], row["decisions"]) == (id_, "open", [])


def test_a_decision_that_came_to_nothing_is_shown_as_such_and_nothing_else_fails(
    finlore: Finlore, doubtful: tuple[Path, str], tmp_path: Path
) -> None:
    store, id_ = doubtful
    rows = finlore("--workspace", store, "facts", "--subject", "609901", "--json").json["facts"]
    kept = next(row["id"] for row in rows if row["value"] == 35.4)
    finlore("--workspace", store, "review", "edit", id_, f"keep={kept}")
    finlore("--workspace", store, "forget", "other")
    assert finlore("--workspace", store, "ingest", jsonl(tmp_path / "again.jsonl", OTHER)).code == 0
    verbs = ("facts",), ("timeline", "609901"), ("entity", "609901"), ("export", "turtle", "--out", tmp_path / "g.ttl")
    assert [finlore("--workspace", store, *verb).code for verb in verbs] == [0, 0, 0, 0]
    assert "does nothing any more" in finlore("--workspace", store, "review", "list", "--status", "edited").out
    (row,) = finlore("--workspace", store, "review", "undo", id_, "--json").json["reviews"]
    assert (row["void"], row["status"]) == (False, "open")


def test_what_quality_control_did_and_could_not_do_is_told_in_a_line_for_each_kind() -> None:
    notes = [
        "complete: market_capitalisation: left empty: nobody knows",
        "complete: stock_ticker: code of whom it covers",
    ]
    lines = list(quality([{"quality": notes}, {"quality": notes[:1]}]))
    assert lines == [
        "market capitalisation left empty 2 times, such as: nobody knows",
        "stock ticker completed 1 times, such as: code of whom it covers",
    ]
