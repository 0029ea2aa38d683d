"""Triggers, types and roles of financial events in sentences, scored against FewFC (train_base.json, train_trans.json).

Each file is annotated with five types only and is scored on these. Half of the sentences, those whose id hashes to an
even number, is what rules are made on; what is reported is the hidden half. Gold roles are scored without what they are
(sub-org, sub-per).
"""

import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from finlore.graph.gazetteer import Gazetteer
from finlore.graph.names import find_names
from finlore.intake.prepare import prepare
from finlore.knowledge.lexicon.events import find_events
from finlore.knowledge.lexicon.frames import frame_of
from finlore.knowledge.schema import load_schema
from finlore.knowledge.sentences import readings
from finlore.ports import Recogniser
from finlore.records.document import Block, ParsedDocument
from finlore.records.fact import Event, Party
from finlore.records.instant import MARKET_ZONE, Instant
from finlore.records.schema import Schema

FILES: Final = {
    "train_base.json": ("质押", "股份股权转让", "投资", "减持", "起诉"),
    "train_trans.json": ("收购", "判决", "中标", "担保", "签署合同"),
}
_TYPES: Final = {
    "pledge": ("质押",), "reduction": ("减持", "股份股权转让"), "stake": ("投资", "股份股权转让"),
    "purchase": ("投资", "股份股权转让", "收购"), "investment": ("投资",), "buyback": ("股份股权转让",),
    "sale": ("股份股权转让",), "lawsuit": ("起诉",), "ruling": ("起诉", "判决"), "award": ("中标",),
    "contract": ("签署合同",), "guarantee": ("担保",),
}  # fmt: skip
_ROLES: Final = {
    "质押": {"doer": "sub", "other": "obj", "collateral": "collateral", "number": "number", "money": "money",
             "proportion": "proportion", "date": "date"},
    "股份股权转让": {"doer": "sub", "other": "obj", "target": "target", "collateral": "collateral", "number": "number",
               "money": "money", "proportion": "proportion", "date": "date"},
    "投资": {"doer": "sub", "target": "obj", "money": "money", "date": "date"},
    "减持": {"doer": "sub", "target": "obj", "office": "title", "proportion": "share", "date": "date"},
    "起诉": {"doer": "sub", "other": "obj", "date": "date"},
    "收购": {"doer": "sub", "target": "obj", "money": "money", "date": "date", "proportion": "proportion", "way": "way",
           "number": "number"},
    "判决": {"doer": "sub", "other": "obj", "court": "institution", "money": "money", "date": "date"},
    "中标": {"doer": "sub", "other": "obj", "date": "date", "money": "amount"},
    "签署合同": {"doer": "sub", "other": "obj", "date": "date", "money": "amount"},
    "担保": {"doer": "sub", "other": "obj", "date": "date", "money": "amount", "way": "way"},
}  # fmt: skip
_TAKES_SHARES: Final = frozenset({"purchase", "stake", "buyback"})  # FewFC: who gets the shares is the object
_SEED: Final = 7

Item = tuple[str | int, ...]


@dataclass(slots=True)
class Score:
    """Counts of one kind of item."""

    right: int = 0
    said: int = 0
    gold: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, said: set[Item], gold: set[Item]) -> None:
        self.right += len(said & gold)
        self.said += len(said)
        self.gold += len(gold)

    def row(self) -> dict[str, float]:
        precision, recall = self.right / max(self.said, 1), self.right / max(self.gold, 1)
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        rounded = {"precision": precision, "recall": recall, "f1": f1}
        return {name: round(value, 3) for name, value in rounded.items()} | {"gold": self.gold, "said": self.said}


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with its gold: triggers (type, start, end) and roles (type, role, start, end)."""

    text: str
    types: tuple[str, ...]
    triggers: frozenset[tuple[str, int, int]]
    roles: frozenset[tuple[str, str, int, int]]


def load(folder: Path, *, develop: bool = False) -> list[Labelled]:
    """The sentences of both files: those for reporting, or the half for developing."""
    chosen = []
    for file, types in FILES.items():
        rows = [json.loads(line) for line in (folder / file).read_text(encoding="utf-8").splitlines() if line.strip()]
        chosen += [_labelled(row, types) for row in rows if _is_seen(row["id"]) == develop]
    return chosen


def _is_seen(key: str) -> bool:
    return hashlib.sha256(key.encode()).digest()[0] % 2 == 0


def _labelled(row: dict[str, object], types: tuple[str, ...]) -> Labelled:
    triggers, roles = set(), set()
    for event in row["events"]:  # type: ignore[attr-defined]
        for mention in event["mentions"]:
            start, end = mention["span"]
            if mention["role"] == "trigger":
                triggers.add((event["type"], start, end))
            else:
                roles.add((event["type"], mention["role"].split("-")[0], start, end))
    return Labelled(str(row["content"]), types, frozenset(triggers), frozenset(roles))


def said(
    text: str, gazetteer: Gazetteer, schema: Schema, recognisers: Sequence[Recogniser] = ()
) -> tuple[list[Event], float]:
    """The events of a sentence of a report on some company, and the CPU seconds that reading them took."""
    parsed = ParsedDocument("sentence.txt", text, (Block(0, len(text)),), "text")
    document, _ = prepare(parsed, zone=MARKET_ZONE, received_at=Instant(0))
    if document is None:
        return [], 0.0
    found = list(readings(document, find_names(document, gazetteer, recognisers)))
    began = time.process_time()
    events = find_events(found, Party("公司", "公司", "company"), document.metadata, schema)
    return events, time.process_time() - began


def _typed(event: Event, types: Sequence[str]) -> Iterator[str]:
    framed = frame_of(event.relation)
    if framed is None:
        return
    for name in _TYPES[framed[0]]:
        of_shares = any(role.name == "collateral" for role in event.roles)
        counted = any(role.name in {"number", "money", "proportion"} for role in event.roles)
        if name in types and (name != "股份股权转让" or (of_shares and (counted or framed[0] != "reduction"))):
            yield name


def items(events: Sequence[Event], types: Sequence[str]) -> tuple[set[Item], set[Item]]:
    """(triggers, roles) of events in the words of the gold."""
    triggers: set[Item] = set()
    roles: set[Item] = set()
    for event in events:
        framed = frame_of(event.relation)
        for name in _typed(event, types):
            for role in event.roles:
                if role.name == "trigger":
                    triggers.add((name, role.start, role.end))
                elif (mapped := _ROLES[name].get(role.name)) is not None:
                    if name == "股份股权转让" and framed and framed[0] in _TAKES_SHARES and mapped == "sub":
                        mapped = "obj"
                    roles.add((name, mapped, role.start, role.end))
    return triggers, roles


def overlapping(said_roles: set[Item], gold: set[Item]) -> tuple[set[Item], set[Item]]:
    """Both with the span of each said role replaced by that of a gold one of the same type and name that it overlaps
    by half of the longer of the two."""
    moved: set[Item] = set()
    for name, role, start, end in said_roles:
        same = [g for g in gold if g[:2] == (name, role) and _share((start, end), g[2:]) >= 0.5]
        moved.add(same[0] if same else (name, role, start, end))
    return moved, gold


def _share(one: Item, other: Item) -> float:
    """The common part of two spans, of the longer one."""
    (start, end), (other_start, other_end) = map(int, one), map(int, other)
    return (min(end, other_end) - max(start, other_start)) / max(end - start, other_end - other_start)


def measure(
    folder: Path, *, develop: bool = False, limit: int | None = None, recognisers: Sequence[Recogniser] = ()
) -> dict[str, object]:
    """Scores over the sentences of the folder, in all and by type and role, with misses."""
    gazetteer, schema = Gazetteer.load(), load_schema()
    said("公司收购工厂。", gazetteer, schema)  # compiles the wordings
    labelled = load(folder, develop=develop)
    random.Random(_SEED).shuffle(labelled)
    scores = {name: Score() for name in ("trigger", "type", "roles", "roles_overlap")}
    by_type: dict[str, Score] = {}
    by_role: dict[str, Score] = {}
    missed: Counter[str] = Counter()
    examples: list[str] = []
    cpu, characters = 0.0, 0
    for sentence in labelled[:limit]:
        events, seconds = said(sentence.text, gazetteer, schema, recognisers)
        cpu, characters = cpu + seconds, characters + len(sentence.text)
        triggers, roles = items(events, sentence.types)
        gold_triggers, gold_roles = set[Item](sentence.triggers), set[Item](sentence.roles)
        scores["trigger"].add({item[1:] for item in triggers}, {item[1:] for item in gold_triggers})
        scores["type"].add(triggers, gold_triggers)
        scores["roles"].add(roles, gold_roles)
        near, gold_near = overlapping(roles, gold_roles)
        scores["roles_overlap"].add(near, gold_near)
        for name in sentence.types:
            mine, theirs = ({item for item in part if item[0] == name} for part in (triggers, gold_triggers))
            by_type.setdefault(name, Score()).add(mine, theirs)
        for key in {f"{item[0]}.{item[1]}" for item in (*near, *gold_near)}:
            parts = ({item for item in part if f"{item[0]}.{item[1]}" == key} for part in (near, gold_near))
            by_role.setdefault(key, Score()).add(*parts)
        for name, start, end in sorted(sentence.triggers - triggers):
            missed[f"{name} {sentence.text[start:end]}"] += 1
            examples.append(f"{name} {sentence.text[start:end]}: {sentence.text}")
    return {
        "sentences": len(labelled[:limit]),
        **{name: score.row() for name, score in scores.items()},
        "by_type": {name: score.row() for name, score in sorted(by_type.items())},
        "by_role_overlap": {name: score.row() for name, score in sorted(by_role.items())},
        "missed_triggers": missed.most_common(30),
        "examples_of_misses": examples[:10],
        "cpu_ms_per_300_characters": round(cpu * 1000 / max(characters / 300, 1), 2),
    }
