"""Whom a sentence speaks of: its own names, those that its passage goes on about, and whom its document owns."""

from pathlib import Path

from tests.small_world import jsonl, workspace

ABOUT = {
    "id": "about",
    "title": "漠川材料（609901）点评",
    "text": "漠川材料的订单饱满。全年目标不变。",
    "published_at": "2024-03-01",
    "security": "609901",
}
NAMELESS = {
    "id": "nameless",
    "title": "营业收入一览",
    "text": "2025年营业收入为99.10亿元。",
    "published_at": "2024-03-02",
}


def test_a_passage_that_names_nobody_does_not_go_on_about_whom_the_passage_before_it_named(tmp_path: Path) -> None:
    with workspace(tmp_path / "workspace") as opened:
        opened.ingest([jsonl(tmp_path / "corpus.jsonl", ABOUT, NAMELESS)])
        assert not opened.ask("漠川材料2025年营业收入是多少？").answer.found


def test_a_year_is_read_where_a_letter_says_that_it_is_actual_or_expected(tmp_path: Path) -> None:
    sheet = {
        **NAMELESS,
        "title": "漠川材料（609901）点评",
        "text": "漠川材料2025E营业收入为99.10亿元。",
        "security": "609901",
    }
    with workspace(tmp_path / "workspace") as opened:
        opened.ingest([jsonl(tmp_path / "corpus.jsonl", sheet)])
        assert opened.ask("漠川材料2025年营业收入是多少？").answer.found
