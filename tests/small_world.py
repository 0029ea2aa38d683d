"""A small invented world, written into files by the tests: three companies, two brokers, a few dated documents."""

import json
from pathlib import Path

from finlore.flows import Workspace
from finlore.settings import Settings

SUPPLY = {
    "id": "supply",
    "title": "漠川材料（609901）深度报告：量价齐升",
    "text": "漠川材料（609901）是负极材料企业。公司向桐远电池（309902）独家供应硅碳负极。"
    "公司2023年的总资产收益率（ROA）为4.7%。",
    "published_at": "2024-03-01",
    "kind": "report",
    "security": "609901",
    "broker": "霜桥证券",
}
TARGET = {
    "id": "target",
    "title": "漠川材料（609901）点评",
    "text": "霜桥证券给予漠川材料目标价21.50元，评级为买入。",
    "published_at": "2024-05-10",
    "security": "609901",
    "broker": "霜桥证券",
}
RAISED = {
    "id": "raised",
    "title": "漠川材料（609901）点评：上调目标价",
    "text": "霜桥证券将漠川材料目标价上调至26.80元，评级为买入。",
    "published_at": "2024-09-20",
    "security": "609901",
    "broker": "霜桥证券",
}
CUSTOMER = {
    "id": "customer",
    "title": "桐远电池（309902）首次覆盖",
    "text": "桐远电池（309902）的董事长为闵若溪。桐远电池2023年营业收入为88.20亿元。",
    "published_at": "2024-04-02",
    "security": "309902",
    "broker": "雁洲证券",
}
ENGLISH = {
    "id": "english",
    "title": "Harrow Lane Optics: first look",
    "text": "Harrow Lane Optics makes lenses. Its largest customer is Quillmark Devices. "
    "Revenue in 2023 was USD 120 million.",
    "published_at": "2024-02-02",
    "kind": "report",
    "language": "en",
}
WORLD = (SUPPLY, TARGET, RAISED, CUSTOMER, ENGLISH)


def settings(folder: Path, **changes: object) -> Settings:
    """Fast and the same everywhere: no statistical recogniser, no vectors, no OCR."""
    return Settings(workspace=folder, **{"recognisers": (), "embedder": "none", "ocr": "none", **changes})


def workspace(folder: Path, **changes: object) -> Workspace:
    return Workspace(settings=settings(folder, **changes))


def jsonl(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
