"""Entities, relations and report attributes of the CCKS 2020 sample (FR2KG), as far as its texts hold them.

Only pairs whose names both stand in one of the texts count; each relation counts as found where a fact of one of the
types below joins the two, in either direction. Recall alone: the sample labels only a part of what its texts say.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from extraction_texts import Score, load_settled, read_text
from finlore.graph.gazetteer import Gazetteer
from finlore.intake.tables.labels import read_label
from finlore.knowledge.lexicon.extract import extract_facts
from finlore.knowledge.lexicon.measure_words import find_words
from finlore.knowledge.lexicon.ratings import rating_of
from finlore.knowledge.schema import load_schema
from finlore.language.normal import fold, normalise
from finlore.records.document import Document
from finlore.records.fact import Extracted, Fact, Party
from finlore.records.instant import as_datetime
from finlore.records.names import FoundNames

_OWNING: Final = (
    "owns",
    "controls",
    "invests_in",
    "acquires",
    "subsidiary_of",
    "major_shareholders",
    "increases_holding",
)
RELATIONS: Final = {
    "客户": ("customer_of", "supplies"), "投资": _OWNING, "并购": _OWNING, "隶属": _OWNING,
    "生产销售": ("produces", "key_products"), "开展": ("produces", "key_products"),
    "属于": ("belongs_to_industry", "primary_industry"),
}  # fmt: skip
KINDS: Final = ("机构", "行业", "品牌", "产品", "业务", "风险", "指标")


def measure(data: Path) -> dict[str, Score]:
    """Scores by kind of entity, by relation and by attribute of reports."""
    folder = data / "reports" / "graph_gold"
    entities, relations, attributes = (
        json.loads((folder / name).read_text("utf-8")) for name in ("entities.json", "relationships.json", "attrs.json")
    )
    gazetteer, schema = Gazetteer.load(), load_schema()
    read = []
    for path in sorted((folder / "yanbao_txt").glob("*.txt")):
        text = path.read_text("utf-8")
        fields = {"id": path.name, "text": text, "format": "text"}
        named = read_text(fields, gazetteer, load_settled())
        if named is not None:
            read.append(_Read(text, *named, extract_facts(*named, schema)))
    scores: dict[str, Score] = {}
    for kind in KINDS:
        _entities(scores.setdefault(f"entities {kind}", Score()), kind, entities[kind], read)
    for head, relation, tail in relations["relationships"]:
        _relation(scores, head, relation, tail, read)
    _attributes(scores, attributes["attrs"], read)
    return scores


class _Read:
    """One text with all that was read out of it."""

    def __init__(self, text: str, document: Document, names: FoundNames, extracted: Extracted) -> None:
        self.text, self.document, self.facts = text, document, extracted.facts
        self._own = {alias.surface for alias in names.aliases if alias.entity == names.subject}
        parties = [party for fact in extracted.facts for party in (fact.subject, fact.object) if party]
        self.surfaces = {mention.surface for mention in names.mentions} | {party.surface for party in parties}
        self.risks = [fold(fact.text) for fact in extracted.facts if fact.relation == "risk_assessment"]
        self.measures = {word.id for word in find_words(normalise(text).text) if word.kind == "measure"}

    def is_named(self, party: Party | None, name: str) -> bool:
        if party is None:
            return False
        surface = fold(name)
        return party.surface == surface or (bool(party.entity) and surface in self._own)

    def knows(self, kind: str, name: str) -> bool:
        if kind == "风险":
            return any(fold(name) in risk or risk in fold(name) for risk in self.risks)
        if kind == "指标":
            label = read_label(name)
            return bool(label.metric) and label.metric in self.measures
        return fold(name) in self.surfaces


def _entities(score: Score, kind: str, names: Iterable[str], read: list[_Read]) -> None:
    for name in names:
        holding = [one for one in read if name in one.text]
        if holding:
            score.gold += 1
            if any(one.knows(kind, name) for one in holding):
                score.right += 1
            else:
                score.missed.append(f"{kind} {name}")


def _relation(scores: dict[str, Score], head: str, relation: str, tail: str, read: list[_Read]) -> None:
    holding = [one for one in read if head in one.text and tail in one.text]
    wanted = RELATIONS.get(relation, ())
    if not holding or not (wanted or relation in ("涉及", "拥有", "采用")):
        return
    score = scores.setdefault(f"relations {relation}", Score())
    score.gold += 1
    if any(_states(one, head, relation, tail, wanted) for one in holding):
        score.right += 1
    else:
        score.missed.append(f"{head} {relation} {tail}")


def _states(one: _Read, head: str, relation: str, tail: str, wanted: tuple[str, ...]) -> bool:
    if relation == "涉及":
        return one.knows("机构", tail)
    if relation == "采用":
        return one.knows("指标", tail)
    if relation == "拥有":
        return one.knows("风险", tail) or any(_joins(one, fact, head, tail) for fact in one.facts)
    return any(fact.relation in wanted and _joins(one, fact, head, tail) for fact in one.facts)


def _joins(one: _Read, fact: Fact, head: str, tail: str) -> bool:
    ends = ((fact.subject, fact.object), (fact.object, fact.subject))
    return any(one.is_named(first, head) and one.is_named(second, tail) for first, second in ends)


def _attributes(scores: dict[str, Score], attributes: list[list[Any]], read: list[_Read]) -> None:
    for title, name, value in attributes:
        holding = [one for one in read if title in one.text]
        if not holding or name not in ("评级", "上次评级", "发布时间"):
            continue
        score = scores.setdefault(f"reports {name}", Score())
        score.gold += 1
        if any(str(value) in _said(one, name) for one in holding):
            score.right += 1
        else:
            score.missed.append(f"{title} {name} {value}: {[sorted(_said(one, name)) for one in holding]}")


def _said(one: _Read, name: str) -> set[str]:
    if name == "发布时间":
        published = one.document.metadata.published_at
        day = as_datetime(published).date() if published else None
        return (
            {f"{day.year}/{m}/{d}" for m in (day.month, f"{day.month:02}") for d in (day.day, f"{day.day:02}")}
            if day
            else set()
        )
    ratings = [
        (fact, rating) for fact in one.facts if fact.relation == "investment_rating" and (rating := rating_of(fact))
    ]
    if name == "评级":
        return {fact.text for fact, _ in ratings}
    return {rating.previous or (fact.text if rating.change == "maintain" else "") for fact, rating in ratings}
