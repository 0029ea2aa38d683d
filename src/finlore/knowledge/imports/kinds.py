"""What other programs call the kinds of entities."""

from collections.abc import Sequence
from typing import Final, get_args

from finlore.records.names import EntityKind

_CALLED: Final[dict[EntityKind, tuple[str, ...]]] = {
    "security": ("stock", "stocks", "share", "equity", "ticker", "股票", "证券", "上市公司", "个股"),
    "company": ("companies", "corporation", "enterprise", "firm", "issuer", "legalentity", "企业", "公司", "公司名称"),
    "person": ("people", "persons", "executive", "human", "manager", "人物", "人", "人员", "个人", "高管", "股东个人"),
    "broker": ("brokerage", "securities firm", "券商", "证券公司"),
    "rating_agency": ("rating agency", "评级机构"),
    "regulator": ("government", "authority", "监管机构", "政府", "政府机构"),
    "exchange": ("market", "stock exchange", "交易所", "证券交易所"),
    "policy": ("law", "regulation", "政策", "法规", "法律"),
    "industry": ("sector", "industries", "行业", "产业", "板块"),
    "concept": ("concepts", "theme", "category", "概念", "主题", "类别", "技术", "technology"),
    "index": ("indices", "指数"),
    "product": ("products", "goods", "brand", "产品", "品牌", "商品"),
    "material": ("materials", "raw material", "commodity", "原料", "原材料", "材料"),
    "region": ("location", "geo", "place", "country", "city", "地理位置", "地区", "地点", "国家", "城市", "地理"),
    "metric": ("indicator", "指标"),
    "organisation": ("organization", "org", "institution", "agency", "组织", "机构", "团体"),
}
_KINDS: Final[dict[str, EntityKind]] = {
    **{kind: kind for kind in get_args(EntityKind)},
    **{word: kind for kind, words in _CALLED.items() for word in words},
}
_PREFERRED: Final[tuple[EntityKind, ...]] = (
    "company", "person", "product", "industry", "concept", "index", "region", "policy", "metric", "regulator",
)  # fmt: skip


def kind_called(word: str) -> EntityKind | None:
    """The kind that a label stands for (Company, 组织, :Person); None where nobody calls one so."""
    return _KINDS.get(word.strip().strip(":").lower())


def usual(kinds: Sequence[EntityKind]) -> EntityKind:
    """Of what kind a mere name is most likely, where a relation admits several."""
    return next((kind for kind in _PREFERRED if kind in kinds), kinds[0])


def admits_securities(kinds: Sequence[EntityKind]) -> bool:
    """Whether a code of a share may stand there."""
    return "security" in kinds or "company" in kinds
