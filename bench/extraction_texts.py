"""Documents for the extraction benchmark: texts of the data folder prepared and named as ingest does, in memory."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeVar

from finlore import registry
from finlore.adapters.parse_jsonl import JsonLinesParser
from finlore.graph.gazetteer import Gazetteer
from finlore.graph.names import find_names
from finlore.intake.prepare import prepare
from finlore.ports import Recogniser, Source
from finlore.records.document import Document
from finlore.records.instant import MARKET_ZONE, now
from finlore.records.names import FoundNames

SEED: Final = 11
Item = TypeVar("Item")


@cache
def load_settled() -> tuple[Recogniser, ...]:
    """The statistical recognisers that are installed, as ingest uses them."""
    return tuple(recogniser() for recogniser in registry.load_available("recognisers").values())


def read_text(
    fields: Mapping[str, Any], gazetteer: Gazetteer, recognisers: Sequence[Recogniser] = ()
) -> tuple[Document, FoundNames] | None:
    """A document of stated fields (id, text, title, published_at …) with its names; None where it has no text."""
    line = json.dumps(dict(fields), ensure_ascii=False).encode()
    parsed, issues = JsonLinesParser().parse(Source(str(fields["id"]), ".jsonl", line))
    if not parsed:
        raise ValueError(issues[0].message)
    document, _ = prepare(parsed[0], zone=MARKET_ZONE, received_at=now())
    return (document, find_names(document, gazetteer, recognisers)) if document else None


def split(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """(a third to develop on, the rest to report), drawn by a fixed seed."""
    shuffled = list(items)
    random.Random(SEED).shuffle(shuffled)
    third = len(shuffled) // 3
    return shuffled[:third], shuffled[third:]


@dataclass(slots=True)
class Score:
    """Counts of one kind of item, with examples of what went wrong."""

    right: int = 0
    said: int = 0
    gold: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / max(self.said, 1)

    @property
    def recall(self) -> float:
        return self.right / max(self.gold, 1)

    def row(self) -> dict[str, float]:
        """The figures alone: what documents say stays with them."""
        return {
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "right": self.right,
            "said": self.said,
            "gold": self.gold,
        }


def examples(lines: Sequence[str], n: int = 10) -> list[str]:
    """At most `n`, drawn by the fixed seed."""
    return random.Random(SEED).sample(list(lines), min(n, len(lines)))
