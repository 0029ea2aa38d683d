"""Links read out of sentences, scored against FinRE (pairs of names in news) and the fictional finance_multihop world.

FinRE states relations that a reader knows and its sentence often does not (competitors that are merely named together),
so that recall has a low ceiling. Its labels are mapped to the link types that may express them; 自己 (one company under
two names) and unknown are no links. *pair*: the two names are given; *text*: they are found by the recognisers.
"""

import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from extraction_texts import Score, read_text
from finlore import registry
from finlore.graph.folded import surface_of
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.names import find_names
from finlore.intake.prepare import prepare
from finlore.knowledge.lexicon.links import find_links
from finlore.knowledge.schema import load_schema
from finlore.knowledge.sentences import Named, Reading, readings
from finlore.ports import Recogniser
from finlore.records.document import Block, Metadata, ParsedDocument
from finlore.records.fact import Fact, Party
from finlore.records.instant import MARKET_ZONE, now
from finlore.records.names import Alias, EntityKind
from finlore.records.schema import Schema

Link = tuple[str, str, str]
"""(relation, subject, object)"""
Mode = Literal["pair", "text"]

MEANS: Final[Mapping[str, tuple[str, ...]]] = {
    "注资": ("invests_in",), "拥有": ("controls", "~subsidiary_of", "owns"), "纠纷": ("litigates_with",),
    "增持": ("increases_holding",), "重组": ("merges_with",), "买资": ("~transfers_to", "acquires"),
    "签约": ("partners_with",), "持股": ("owns", "controls"), "入股": ("invests_in", "owns", "increases_holding"),
    "交易": ("transfers_to", "~transfers_to", "supplies", "~supplies"), "转让": ("transfers_to",), "成立": ("founds",),
    "分析": ("rates",), "合作": ("partners_with",), "发行": ("~invests_in",), "商讨": ("negotiates_with",),
    "合并": ("merges_with",), "竞争": ("competes_with",), "合资": ("partners_with",), "减持": ("reduces_holding",),
    "订单": ("supplies", "~supplies", "customer_of", "~customer_of"), "收购": ("acquires",), "拟收购": ("acquires",),
    "借壳": ("acquires",), "欠款": ("~lends_to",), "帮助": ("guarantees", "lends_to", "invests_in"),
}  # fmt: skip
"""What may express a label of FinRE; ``~``: from its second name to its first."""
_SEED: Final = 7
_NOT_SCORED: Final = frozenset(("affects", "regulates"))  # FinRE has no label for them
WORLD: Final[Mapping[str, tuple[str, ...]]] = {
    "supplies": ("supplies s o", "customer_of o s"), "newsup": ("supplies s o", "customer_of o s"),
    "guarantee": ("guarantees s o",), "owns": ("owns s o", "controls s o"), "chair": ("executive_of x s",),
    "sub": ("subsidiary_of o s", "owns s o", "controls s o", "founds s o"), "newchair": ("executive_of x s",),
    "indep": ("executive_of x s",), "competes": ("competes_with s o",), "industry": ("belongs_to_industry s i",),
    "uses": ("uses_material s m", "uses_material p m"), "rating": ("rates a s",), "policy": ("issued_policy g k",),
    "base": ("located_in s r",),
}  # fmt: skip
_MADE: Final = ("base", "uses")  # facts whose p is what s produces
_KINDS: Final[Mapping[str, EntityKind]] = {
    "company": "company", "person": "person", "product": "product", "material": "material", "region": "region",
    "broker": "broker", "industry": "industry", "policy": "policy", "place": "region", "ministry": "regulator",
    "agency": "rating_agency",
}  # fmt: skip


@dataclass(slots=True)
class Statement:
    """A sentence of FinRE with its pairs of names and their labels, and how it was read."""

    text: str
    labels: list[tuple[str, str, str]]
    readings: list[Reading] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        return {name for one, other, _ in self.labels for name in (one, other)}


@dataclass(slots=True)
class PairScore:
    """Links of the labelled pairs. `reversed`: of the missed ones, those read with doer and other exchanged."""

    total: Score = field(default_factory=Score)
    labels: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    wrong: Counter[str] = field(default_factory=Counter)
    reversed: int = 0
    cpu_ms: float = 0.0  # per 300 characters

    def row(self) -> dict[str, object]:
        return {
            **self.total.row(),
            "f1": round(f1(self.total), 4),
            "reversed": self.reversed,
            "cpu_ms_per_300_characters": round(self.cpu_ms, 3),
            "recall_by_label": {label: f"{score.right}/{score.gold}" for label, score in sorted(self.labels.items())},
            "wrong_by_type": dict(self.wrong.most_common()),
        }


def f1(score: Score) -> float:
    both = score.precision + score.recall
    return 2 * score.precision * score.recall / both if both else 0.0


def finre(path: Path) -> list[Statement]:
    """The sentences of a file, each once, with a digit for each masked number."""
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            one, other, label, text = line.split("\t")
            rows.setdefault(text, []).append((_unmasked(one), _unmasked(other), label))
    return [Statement(_unmasked(text), labels) for text, labels in sorted(rows.items())]


def _unmasked(text: str) -> str:
    return text.replace("<N>", "8")


def not_developed_on(statements: Sequence[Statement]) -> list[Statement]:
    """Two thirds; the first third of a fixed shuffle is what the rules were made on."""
    shuffled = list(statements)
    random.Random(_SEED).shuffle(shuffled)
    return shuffled[len(shuffled) // 3 :]


def with_names(statements: Iterable[Statement], gazetteer: Gazetteer, recognisers: Sequence[Recogniser]) -> None:
    """Read each sentence as a document of its own."""
    for number, statement in enumerate(statements):
        parsed = ParsedDocument(f"{number}", statement.text, (Block(0, len(statement.text)),), "text")
        document, _ = prepare(parsed, zone=MARKET_ZONE, received_at=now())
        if document is not None:
            statement.readings = list(readings(document, find_names(document, gazetteer, recognisers)))


def mentions_found(statements: Iterable[Statement]) -> dict[str, float]:
    """The shares of labelled names that our names hit exactly, and at least in part."""
    exact = part = n = 0
    for statement in statements:
        found = {named.party.name for reading in statement.readings for named in reading.names}
        for name in statement.names:
            n += 1
            exact += name in found
            part += any(name in other or other in name for other in found)
    return {"names": n, "exact": round(exact / max(n, 1), 4), "overlap": round(part / max(n, 1), 4)}


def score_pairs(statements: Sequence[Statement], schema: Schema, mode: Mode) -> PairScore:
    result, symmetric = PairScore(), {link.id for link in schema.links if link.symmetric}
    started = time.process_time()
    read = [
        find_links(
            [_given(reading, s.names) for reading in s.readings] if mode == "pair" else s.readings,
            None,
            Metadata(),
            schema,
        )
        for s in statements
    ]
    seconds = time.process_time() - started
    result.cpu_ms = 1000 * seconds * 300 / max(sum(len(s.text) for s in statements), 1)
    for statement, facts in zip(statements, read, strict=True):
        _count(result, statement, facts, symmetric)
    return result


def _count(result: PairScore, statement: Statement, facts: Iterable[Fact], symmetric: set[str]) -> None:
    pairs = {frozenset((one, other)) for one, other, _ in statement.labels}
    said = set()
    for fact in facts:
        assert fact.object is not None
        one, other = _nearest(fact.subject.name, statement.names), _nearest(fact.object.name, statement.names)
        if frozenset((one, other)) in pairs and one != other and fact.relation not in _NOT_SCORED:
            said.add(_link(fact.relation, one, other, symmetric))
    right: set[Link] = set()
    for label, meant in _gold(statement, symmetric):
        hit = said & meant
        right |= hit
        for score in (result.total, result.labels[label]):
            score.gold += 1
            score.right += bool(hit)
            score.said += bool(hit)
        result.reversed += not hit and any((kind, other, one) in meant for kind, one, other in said)
    result.total.said += len(said - right)
    result.wrong.update(kind for kind, _, _ in said - right)


def _gold(statement: Statement, symmetric: set[str]) -> set[tuple[str, frozenset[Link]]]:
    gold = set()
    for one, other, label in statement.labels:
        first, second = (other, one) if label.startswith("被") else (one, other)
        kinds = MEANS.get(label.removeprefix("被"), ())
        links = (
            _link(kind.lstrip("~"), *((second, first) if kind[0] == "~" else (first, second)), symmetric)
            for kind in kinds
        )
        if kinds:
            gold.add((label.removeprefix("被"), frozenset(links)))
    return gold


def _link(kind: str, one: str, other: str, symmetric: set[str]) -> Link:
    return (kind, min(one, other), max(one, other)) if kind in symmetric else (kind, one, other)


def _nearest(name: str, labelled: Iterable[str]) -> str:
    """The labelled name that a found one is, or is part of, or holds."""
    ordered = sorted(labelled, key=lambda other: (other != name, -len(other), other))
    return next((other for other in ordered if len(name) > 1 and (name in other or other in name)), name)


def _given(reading: Reading, names: Iterable[str]) -> Reading:
    """The reading with the labelled names in place of what was found there."""
    given: list[Named] = []
    for name in sorted(names, key=lambda name: (-len(name), name)):
        for match in re.finditer(re.escape(name), reading.text):
            if all(match.end() <= other.start or other.end <= match.start() for other in given):
                near = (n.party.kind for n in reading.names if n.start < match.end() and match.start() < n.end)
                kind = next((kind for kind in near if kind in ("security", "company", "broker", "person")), "company")
                given.append(Named(match.start(), match.end(), Party(name, surface_of(name), kind)))
    kept = [n for n in reading.names if all(n.end <= other.start or other.end <= n.start for other in given)]
    return replace(reading, names=tuple(sorted((*given, *kept), key=lambda named: named.start)))


def score_world(folder: Path, schema: Schema) -> dict[str, object]:
    """Facts of the fictional world recovered from the passages that state them, by type, and links that are not true
    there."""
    world = json.loads((folder / "world.json").read_text(encoding="utf-8"))
    entities = {entity["id"]: entity for entity in world["entities"]}
    surfaces = {
        surface_of(name): key
        for key, entity in entities.items()
        for name in (entity["zh"], entity.get("en"), *entity["aliases"])
        if name
    }
    gazetteer = Gazetteer(
        Alias(surface, key, _KINDS[entities[key]["type"]], entities[key]["zh"], 60) for surface, key in surfaces.items()
    )
    codes = {str(entity["code"]): key for key, entity in entities.items() if entity.get("code")}
    read = {
        passage["id"]: set(_world_links(passage, gazetteer, surfaces, codes, schema))
        for passage in map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))
    }
    return _against(world["facts"], read, {link.id for link in schema.links if link.symmetric})


def _world_links(
    passage: Mapping[str, Any],
    gazetteer: Gazetteer,
    surfaces: Mapping[str, str],
    codes: Mapping[str, str],
    schema: Schema,
) -> Iterator[Link]:
    fields = {key: passage[key] for key in ("id", "text", "title", "broker") if passage.get(key)}
    found = read_text(fields, gazetteer)
    if found is None:
        return
    security = next((key for code, key in codes.items() if code in str(passage.get("security"))), None)
    subject = Party(security, security, "company", entity=security) if security else None
    document, names = found
    for fact in find_links(readings(document, names), subject, document.metadata, schema):
        assert fact.object is not None
        one, other = (party.entity or surfaces.get(party.surface, "") for party in (fact.subject, fact.object))
        yield fact.relation, one, other


def _against(
    facts: Iterable[Mapping[str, Any]], read: Mapping[str, set[Link]], symmetric: set[str]
) -> dict[str, object]:
    true: set[Link] = set()
    scores: dict[str, Score] = defaultdict(Score)
    for fact in facts:
        slots = fact["slots"]
        meant = set()
        for kind, one, other in (form.split() for form in WORLD.get(fact["rel"], ())):
            meant.add((kind, slots[one], slots[other]))
            if kind in symmetric:
                meant.add((kind, slots[other], slots[one]))
        true |= meant
        if fact["rel"] in _MADE:
            true.add(("produces", slots["s"], slots["p"]))
        for passage in fact["passages"] if meant else ():
            scores[fact["rel"]].gold += 1
            scores[fact["rel"]].right += not meant.isdisjoint(read[passage])
    said = Counter(kind for links in read.values() for kind, _, _ in links)
    wrong = Counter(link[0] for links in read.values() for link in links if link not in true)
    turned = sum((kind, other, one) in true and (kind, one, other) not in true
                 for links in read.values() for kind, one, other in links)  # fmt: skip
    return {
        "recall": {kind: f"{score.right}/{score.gold}" for kind, score in sorted(scores.items())},
        "said": dict(said),
        "not_true_in_the_world": dict(wrong),
        "reversed": turned,
    }


def run(data: Path, gazetteer: Gazetteer, recognisers: Sequence[Recogniser], *, limit: int = 600) -> dict[str, object]:
    """All figures; `limit` sentences of each part of FinRE, drawn by a fixed seed."""
    schema = load_schema()
    folder = data / "extraction" / "relations"
    rest = not_developed_on(finre(folder / "train.txt"))
    parts = {"train (not developed on)": rest, "valid": finre(folder / "valid.txt")}
    result: dict[str, object] = {}
    for part, statements in parts.items():
        drawn = random.Random(0).sample(statements, min(limit, len(statements)))
        with_names(drawn, gazetteer, recognisers)
        result[f"FinRE {part}"] = {
            "names": mentions_found(drawn),
            "pair": score_pairs(drawn, schema, "pair").row(),
            "text": score_pairs(drawn, schema, "text").row(),
        }
    result["finance_multihop"] = score_world(data / "finance_multihop", schema)
    return result


def main() -> None:
    """usage: extraction_links.py FOLDER [N]"""
    recognisers = [registry.load("recognisers", name)() for name in ("lac",)]
    limit = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    figures = run(Path(sys.argv[1]), Gazetteer.load(), recognisers, limit=limit)
    print(json.dumps(figures, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
