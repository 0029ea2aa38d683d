"""What a workspace knows of names does not depend on the order in which documents come."""

from pathlib import Path

from tests.small_world import jsonl, workspace

TEACHES = {
    "id": "teaches",
    "title": "骊阡新材（609990）点评",
    "text": "骊阡新材（609990.SH, Liqian Materials Co., Ltd.）公告。骊阡新材料销售有限公司成立。",
    "published_at": "2024-02-01",
    "broker": "霜桥证券研究所",
}
MARKED = {
    "id": "marked",
    "title": "霜桥证券谈Liqian Materials",
    "text": "与**骊阡**新材签约，骊阡新材料销售有限公司参加。",
    "published_at": "2024-03-01",
}
LISTED_LATER = {"id": "later", "title": "周报", "text": "骊阡新材料销售有限公司扩产。", "published_at": "2023-02-01"}


def known(folder: Path, *documents: dict[str, object]) -> tuple[str, dict[str, tuple[str, int]]]:
    """The digest, and entity -> (name, passages)."""
    with workspace(folder / "store") as made:
        for document in documents:
            made.ingest([jsonl(folder / "one.jsonl", document)])
        ids = ("609990.SH", "broker:霜桥证券", "company:骊阡新材料销售有限公司")
        pages = [made.entity(id_, as_of="2024-12-31").entity for id_ in ids]
        return made.status().digest, {page.id: (page.name, page.n_passages) for page in pages}


def test_any_order_gives_the_same_names(tmp_path: Path) -> None:
    orders = (
        (TEACHES, MARKED, LISTED_LATER),
        (LISTED_LATER, MARKED, TEACHES),
        (MARKED, TEACHES, LISTED_LATER),
    )
    found = []
    for number, order in enumerate(orders):
        (tmp_path / str(number)).mkdir()
        found.append(known(tmp_path / str(number), *order))
    assert all(each == found[0] for each in found)
    assert found[0][1] == {
        "609990.SH": ("骊阡新材", 2),
        "broker:霜桥证券": ("霜桥证券", 2),
        "company:骊阡新材料销售有限公司": ("骊阡新材料销售有限公司", 3),
    }
