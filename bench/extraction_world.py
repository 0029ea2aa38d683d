"""Attributes and figures of the fictional finance_multihop world: target price, rating, earnings per share, returns,
margin, revenue and profit, industry, each in the document that states it and of the company that it is of.

Precision counts, of the facts of these relations in these documents, those whose number or word is in the world's truth
for the document; subjects count in `right` only when they are the company, by any of its names.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from extraction_texts import Score, read_text
from finlore.graph.gazetteer import Gazetteer
from finlore.intake.tables.numbers import read_number
from finlore.knowledge.lexicon.amounts import base_value
from finlore.knowledge.lexicon.extract import extract_facts
from finlore.knowledge.lexicon.ratings import grade_of, rating_of
from finlore.knowledge.schema import load_schema
from finlore.language.normal import fold
from finlore.records.fact import Fact
from finlore.records.names import FoundNames

_SLOTS: Final = {
    "view": (("t", "target_price"), ("rt", "investment_rating")), "eps": (("e", "metric:eps"),),
    "roe": (("roe", "metric:roe"),), "roa": (("roa", "metric:roa"),), "gm": (("gm", "metric:gross_margin"),),
    "roe_roa": (("roe", "metric:roe"), ("roa", "metric:roa")),
    "rev_np": (("rev", "metric:revenue"), ("np", "metric:net_profit")),
}  # fmt: skip
_SAME: Final = {"metric:net_profit_parent": "metric:net_profit", "metric:roe_weighted": "metric:roe"}


@dataclass(frozen=True, slots=True)
class Stated:
    """What a document states: of which company, which relation, the number in its plain unit, else the word, of a
    rating its grade (the world words it in two languages)."""

    company: str
    relation: str
    value: float | str


def measure(data: Path) -> dict[str, Score]:
    """Scores by relation, over all documents with such facts."""
    folder = data / "finance_multihop"
    world = json.loads((folder / "world.json").read_text("utf-8"))
    names = {entity["id"]: _names(entity) for entity in world["entities"]}
    stated = _stated(folder, world["facts"])
    gazetteer, schema = Gazetteer.load(), load_schema()
    scores: dict[str, Score] = {}
    for line in (folder / "documents.jsonl").read_text("utf-8").splitlines():
        row = {name: value for name, value in json.loads(line).items() if value is not None}
        gold = stated.get(row["id"], set())
        read = read_text({**row, "format": "text"}, gazetteer) if gold else None
        if read is not None:
            _add(scores, gold, list(extract_facts(*read, schema).facts), names, own=_own(read[1]), where=row["id"])
    return scores


def _names(entity: Mapping[str, Any]) -> frozenset[str]:
    aliases = [alias if isinstance(alias, str) else alias.get("value", "") for alias in entity.get("aliases", [])]
    spelled = (entity.get("zh"), entity.get("en"), entity.get("code"), *aliases)
    return frozenset(fold(name) for name in spelled if name)


def _stated(folder: Path, facts: list[dict[str, Any]]) -> dict[str, set[Stated]]:
    documents = {}
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        passage = json.loads(line)
        documents[passage["id"]] = passage["document"]
    stated: dict[str, set[Stated]] = defaultdict(set)
    for fact in facts:
        for slot, relation in _SLOTS.get(fact["rel"], ()):
            text = fact["slots"][slot]
            value = grade_of(text) or text if relation == "investment_rating" else _plain(text)
            one = Stated(fact["slots"]["s"], relation, value)
            for passage in fact["passages"]:
                stated[documents[passage]].add(one)
    return stated


def _plain(text: str) -> float | str:
    number = read_number(text)
    return text if number is None else round(base_value(number.value, number.unit)[0], 4)


def _own(found: FoundNames) -> frozenset[str]:
    """The names of whom a document covers."""
    return frozenset(alias.surface for alias in found.aliases if alias.entity == found.subject)


def _add(
    scores: dict[str, Score], gold: set[Stated], facts: list[Fact], names: Mapping[str, frozenset[str]],
    *, own: frozenset[str], where: str,
) -> None:  # fmt: skip
    relations = {one.relation for one in gold}
    said = [(fact, key) for fact in facts if (key := _SAME.get(fact.relation, fact.relation)) in relations]
    for one in gold:
        score = scores.setdefault(one.relation, Score())
        score.gold += 1
        near = [fact for fact, relation in said if relation == one.relation and _value(fact) == one.value]
        if any({fact.subject.surface, *(own if fact.subject.entity else ())} & names[one.company] for fact in near):
            score.right += 1
        else:
            score.missed.append(f"{where} {one.relation} {one.value}: {[fact.subject.name for fact in near]}")
    values = {(one.relation, one.value) for one in gold}
    for fact, relation in said:
        scores[relation].said += 1
        if (relation, _value(fact)) not in values:
            scores[relation].wrong.append(f"{where} {fact.relation} {fact.text} {fact.period} {fact.subject.name}")


def _value(fact: Fact) -> float | str:
    if rating := rating_of(fact):
        return rating.grade
    return fact.text if fact.value is None else round(base_value(fact.value, fact.unit)[0], 4)
