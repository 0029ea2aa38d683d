"""`facts`, `events`, `timeline` and `entity` as others build on them, and as people read them."""

import shutil
from pathlib import Path

import pytest

from tests.fake_extractor import extract
from tests.serve.driver import Finlore
from tests.small_world import RAISED, SUPPLY, TARGET, jsonl, workspace

OTHER = {
    "id": "other", "title": "漠川材料（609901）快评", "text": "雁洲证券给予漠川材料目标价23.00元。",
    "published_at": "2024-06-01", "security": "609901", "broker": "雁洲证券",
}  # fmt: skip
GUARANTEE = {
    "id": "guarantee", "title": "漠川材料公告", "text": "漠川材料（609901）为桐远电池提供担保，担保额30亿元。",
    "published_at": "2024-07-01", "security": "609901",
}  # fmt: skip
FACT = {
    "id", "subject", "relation", "label", "object", "value", "unit", "valid_from", "valid_to", "known_at", "until",
    "contradicts", "source", "extractor", "confidence", "status",
}  # fmt: skip
EVENT = {"id", "subject", "driver", "subtype", "label", "direction", "object", "involved", "known_at", "source"}


@pytest.fixture(scope="session")
def stated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with facts and events, which only reads."""
    folder = tmp_path_factory.mktemp("stated")
    with workspace(folder / "store", extractor="none") as made:
        made.ingest([jsonl(folder / "world.jsonl", SUPPLY, TARGET, RAISED, OTHER, GUARANTEE)])
    extract(folder / "store")
    return folder / "store"


def told(rows: list[dict]) -> list[tuple[object, ...]]:
    return [
        (row["value"] or row["object_name"], row["known_at"][:10], row["until"] and row["until"][:10]) for row in rows
    ]


def test_facts_tell_what_was_stated_when_and_until_when(finlore: Finlore, stated: Path) -> None:
    ran = finlore("--workspace", stated, "facts", "--subject", "漠川材料", "--json")
    assert (ran.code, ran.out.isascii()) == (0, True)
    assert told(ran.json["facts"]) == [
        ("桐远电池", "2024-03-01", None),
        (21.5, "2024-05-10", "2024-09-20"),  # superseded by the same institution,
        (23.0, "2024-06-01", None),  # not by another
        (26.8, "2024-09-20", None),
    ]
    supplies, target, *_ = ran.json["facts"]
    assert target.keys() >= FACT
    assert (target["subject"], target["label"], target["status"]) == (
        "609901.SH",
        {"zh": "目标价", "en": "target price"},
        "stated",
    )
    assert target["source"].items() >= {"document": "target", "page": None, "quote": "漠川材料目标价21.50元"}.items()
    assert (supplies["relation"], supplies["object"]) == ("supplies", "309902.SZ")


def test_facts_and_events_are_asked_for_as_they_are_called(finlore: Finlore, stated: Path) -> None:
    for relation in ("target_price", "目标价", "Target Price"):
        rows = finlore("--workspace", stated, "facts", "--relation", relation, "--as-of", "2024-06-30", "--json").json
        assert told(rows["facts"]) == [(21.5, "2024-05-10", None), (23.0, "2024-06-01", None)]
    for driver in ("supply", "供给", "is_provided_by", "is provided by"):
        (row,) = finlore("--workspace", stated, "events", "--driver", driver, "--json").json["events"]
        assert row.keys() >= EVENT
        assert (row["subject"], row["object"], row["cause"]) == ("609901.SH", "309902.SZ", "x")
    assert finlore("--workspace", stated, "events", "--driver", "demand").code == 1
    ran = finlore("--workspace", stated, "facts", "--relation", "target prize")
    assert (ran.code, "target price" in ran.err) == (2, True)


def test_nothing_is_told_before_it_was_known(finlore: Finlore, stated: Path) -> None:
    asked = ("--subject", "漠川材料", "--as-of", "2024-02-28")
    assert finlore("--workspace", stated, "facts", *asked).code == 1
    for verb in ("facts", "events"):
        assert finlore("--workspace", stated, verb, "--as-of", "2024-02-28", "--json").json == {verb: []}


def test_a_timeline_tells_each_step_and_how_its_ends_differ(finlore: Finlore, stated: Path) -> None:
    window = ("--from", "2024-05-31", "--to", "2024-12-31")
    found = finlore("--workspace", stated, "timeline", "漠川材料", *window, "--json").json
    assert found.keys() == {"entity", "from", "to", "timeline", "difference", "events", "days"}
    steps = [(row["change"], row["value"], row["before"] and row["before"]["value"]) for row in found["timeline"]]
    assert steps == [("added", 23.0, None), ("superseded", 26.8, 21.5)]
    differs = [(row["change"], row["value"], row["at"][:10]) for row in found["difference"]]
    assert differs == [("added", 23.0, "2024-06-01"), ("superseded", 26.8, "2024-09-20")]
    assert [event["source"]["document"] for event in found["events"]] == ["guarantee"]
    days = [(row["day"], row["added"], row["superseded"], row["events"]) for row in found["days"]]
    assert days == [("2024-06-01", 1, 0, 0), ("2024-07-01", 0, 0, 1), ("2024-09-20", 0, 1, 0)]
    whole = finlore("--workspace", stated, "timeline", "漠川材料", "--as-of", "2024-06-30", "--json").json
    assert [row["change"] for row in whole["timeline"]] == ["added", "added", "added"]
    assert (whole["from"], whole["to"][:10], whole["events"]) == (None, "2024-06-30", [])


def test_facts_and_events_between_two_days_are_what_changed_there(finlore: Finlore, stated: Path) -> None:
    window = ("--from", "2024-05-31", "--to", "2024-12-31", "--json")
    rows = finlore("--workspace", stated, "facts", "--relation", "目标价", *window).json["facts"]
    told = [(row["change"], row["value"], row["before"] and row["before"]["value"]) for row in rows]
    assert told == [("added", 23.0, None), ("superseded", 26.8, 21.5)]
    (row,) = finlore("--workspace", stated, "events", *window).json["events"]
    assert row["source"]["document"] == "guarantee"
    assert finlore("--workspace", stated, "events", "--from", "2024-12-31").code == 1
    assert finlore("--workspace", stated, "facts", "--from", "2024-12-31", "--to", "2025-01-31").code == 1
    rows = finlore("--workspace", stated, "facts", "--relation", "目标价", "--to", "2024-05-31", "--json").json["facts"]
    assert [row["value"] for row in rows] == [21.5]
    changed, source = finlore("--workspace", stated, "facts", *window[:4]).out.splitlines()[-2:]
    assert changed.endswith("  ~ 漠川材料 609901.SH  目标价 target price  21.5元 → 26.8元")
    assert source == "   霜桥证券, 漠川材料（609901）点评：上调目标价"


def test_a_timeline_is_refused_where_it_ends_before_it_begins(finlore: Finlore, stated: Path) -> None:
    for end in (("--to", "2024-01-01"), ("--as-of", "2024-01-01")):
        assert finlore("--workspace", stated, "timeline", "漠川材料", "--from", "2024-02-01", *end).code == 2
    assert finlore("--workspace", stated, "timeline", "绯屿控股").code == 1


def test_an_entity_comes_with_its_facts_and_events_in_either_role(finlore: Finlore, stated: Path) -> None:
    found = finlore("--workspace", stated, "entity", "桐远电池", "--json").json
    assert [(row["subject"], row["relation"]) for row in found["facts"]] == [("609901.SH", "supplies")]
    assert [row["subject"] for row in found["events"]] == ["609901.SH"]


def test_status_counts_facts_and_events(finlore: Finlore, stated: Path) -> None:
    counts = finlore("--workspace", stated, "status", "--json").json["counts"]
    assert (counts["facts"], counts["events"], counts["open_reviews"]) == (4, 1, 0)


def test_status_shows_the_graph_beside_published_ones(finlore: Finlore, stated: Path) -> None:
    graphs = finlore("--workspace", stated, "status", "--json").json["graphs"]
    ours = graphs["ours"]
    assert (ours["relation_types"], ours["triples"], ours["n_events"], ours["n_metrics"]) == (3, 5, 1, 0)
    assert ours["entities"] == 2  # 漠川材料 and 桐远电池
    paper = next(row for row in graphs["published"] if row["graph"] == "FinKario")
    assert (paper["entities"], paper["relation_types"], paper["triples"]) == (305360, 19, 9625)
    assert next(row for row in graphs["published"] if row["graph"] == "EKG")["entities"] is None
    brief, shown = (
        finlore("--workspace", stated, "status").out,
        finlore("--workspace", stated, "status", "--graphs").out,
    )
    assert ("305,360" in brief, "FEEKG" in brief) == (True, False)
    assert ("305,360" in shown, "FEEKG" in shown) == (True, True)
    assert max(map(len, shown.splitlines())) <= 120


def test_people_read_lines_with_their_sources(finlore: Finlore, stated: Path) -> None:
    shown = finlore("--workspace", stated, "facts", "--subject", "漠川材料").out
    assert all(word in shown for word in ("目标价", "21.5元", "2024-09-20", "点评"))
    shown = finlore("--workspace", stated, "timeline", "漠川材料", "--from", "2024-05-31", "--to", "2024-12-31").out
    assert "2024-05-31 and 2024-12-31 differ: 1 added, 1 superseded" in shown
    assert "2024-09-20  1 superseded\n  霜桥证券, 漠川材料（609901）点评：上调目标价\n" in shown
    assert "    ~ 目标价 target price  21.5元 → 26.8元\n" in shown
    assert "    ! 由…提供 is provided by (bad)" in shown
    shown = finlore("--workspace", stated, "events").out
    assert "(bad for 漠川材料 609901.SH)" in shown
    assert "   漠川材料（609901）为桐远电池提供担保，担保额30亿元" in shown
    assert "提供担保" in finlore("--workspace", stated, "entity", "漠川材料").out


def test_a_fact_is_two_lines_that_tell_who_says_it_and_quote_what_is_no_number(finlore: Finlore, stated: Path) -> None:
    lines = finlore("--workspace", stated, "facts", "--subject", "漠川材料").out.splitlines()
    assert len(lines) == 2 * 4
    supplies, other = lines[1], lines[5]
    assert supplies == "   霜桥证券, 漠川材料（609901）深度报告：量价齐升  “公司向桐远电池（309902）独家供应”"
    assert other == "   雁洲证券, 漠川材料（609901）快评"  # a number needs no quote


def test_a_company_has_one_name_with_its_code_however_documents_write_it(finlore: Finlore, stated: Path) -> None:
    asked = ("--workspace", stated, "facts", "--subject", "漠川材料")
    rows = finlore(*asked, "--json").json["facts"]
    assert {row["subject_name"] for row in rows} == {"公司", "漠川材料"}
    assert {row["name"] for row in rows} == {"漠川材料"}
    assert rows[0]["name_of_object"] == "桐远电池"
    assert all("  漠川材料 609901.SH  " in line for line in finlore(*asked).out.splitlines()[::2])


def test_whom_no_passage_names_is_called_as_a_table_calls_it(finlore: Finlore, tmp_path: Path) -> None:
    table = tmp_path / "supplies.csv"
    table.write_text(
        "code,company,object\n609901,漠川材料,白屿电池\n609901,,远汀汽车\n609907,,远汀汽车\n", encoding="utf-8"
    )
    finlore("--workspace", tmp_path / "w", "import", table, "--as", "supplies")
    lines = finlore("--workspace", tmp_path / "w", "facts").out.splitlines()
    called = [line.split("  ")[1] for line in lines[::2]]
    assert called == ["漠川材料 609901.SH", "漠川材料 609901.SH", "609907.SH"]


def test_what_is_forgotten_is_stated_no_more(finlore: Finlore, stated: Path, tmp_path: Path) -> None:
    own = shutil.copytree(stated, tmp_path / "own")
    finlore("--workspace", own, "forget", "raised")
    rows = finlore("--workspace", own, "facts", "--relation", "目标价", "--json").json["facts"]
    assert told(rows) == [(21.5, "2024-05-10", None), (23.0, "2024-06-01", None)]


@pytest.mark.parametrize("extractor", ["lexicon", "none"])
def test_ingest_reads_facts_out_of_documents_unless_it_is_told_not_to(tmp_path: Path, extractor: str) -> None:
    with workspace(tmp_path / "store", extractor=extractor) as made:
        made.ingest([jsonl(tmp_path / "world.jsonl", TARGET)])
        found = made.facts(subject="漠川材料", relation="目标价")
        assert [(fact.fact.value, fact.extractor.partition("+")[0]) for fact in found] == (
            [(21.5, "lexicon/1")] if extractor == "lexicon" else []
        )
