"""A second look finds the passages known last, whatever the order in which they arrived."""

from pathlib import Path

from finlore.records.instant import now
from finlore.think.lookup import MOST_PASSAGES, passages_holding
from finlore.think.needs import Need
from tests.small_world import jsonl, workspace


def notes() -> list[dict[str, object]]:
    stated = {"title": "漠川材料（609901）点评", "security": "609901"}
    return [
        {"id": f"d{n:02}", "published_at": f"2024-01-{n + 1:02}", "text": f"漠川材料目标价{10 + n}元。", **stated}
        for n in range(MOST_PASSAGES + 4)
    ]


def latest(folder: Path, *batches: list[dict[str, object]]) -> list[str]:
    with workspace(folder / "store") as made:
        for batch in batches:
            made.ingest([jsonl(folder / "batch.jsonl", *batch)])
        view = made._store.view(now())
        company = list(view.entity_ids).index("609901.SH")
        keys = passages_holding(view, [Need(frozenset({company}), terms=frozenset({"~target_price"}))])
        return [passage.document for passage in made._store.passages(keys, as_of=view.as_of)]


def test_the_last_known_come_first_however_they_arrived(tmp_path: Path) -> None:
    expected = [f"d{n:02}" for n in range(MOST_PASSAGES + 3, 3, -1)]
    for name, batches in (("at once", [notes()]), ("the oldest last", [notes()[4:], notes()[:4]])):
        (tmp_path / name).mkdir()
        assert latest(tmp_path / name, *batches) == expected, name
