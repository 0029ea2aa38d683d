"""GraphML of the context graph and of what is stated: entities, passages, values and events as nodes; mentions, which
carry their counts, facts, and the parts that entities play in events as edges, all of them directed."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from finlore.formats.exported import EVENT_COLUMNS, FACT_COLUMNS, NUMBERS, Cell, entities_of, parts_of, told
from finlore.ports import View
from finlore.records.document import StoredPassage
from finlore.records.fact import StoredEvent, StoredFact
from finlore.records.instant import isoformat
from finlore.records.schema import Schema

_TYPES = {"count": "long", **dict.fromkeys(NUMBERS, "double")}
_ENDS = frozenset({"id", "subject", "object"})  # said by what a node is called and what an edge joins
_KEYS = (
    {"type": "node", "name": "node", "kind": "node", "count": "edge", "role": "edge"}
    | {name: "all" for name in (*FACT_COLUMNS, *EVENT_COLUMNS) if name not in _ENDS}
)  # fmt: skip
_KEPT_OUT = "\ufffe\uffff\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def export(
    view: View,
    passages: Sequence[StoredPassage],
    out: Path,
    *,
    facts: Sequence[StoredFact],
    events: Sequence[StoredEvent],
    schema: Schema,
) -> list[Path]:
    """One file at `out`, as known at the view's date; text that XML cannot hold is left out."""
    with out.open("w", encoding="utf-8", errors="replace") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        for name, domain in _KEYS.items():
            kind = _TYPES.get(name, "string")
            file.write(f'<key id="{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>\n')
        file.write('<graph edgedefault="directed">\n')
        for entity in entities_of(view, facts, events):
            file.write(_node(entity.id, type="entity", name=entity.name, kind=entity.kind))
        for passage in passages:
            known = isoformat(passage.known_at) or ""
            file.write(_node(f"passage:{passage.id}", type="passage", document=passage.document, known_at=known))
        rows = {int(view.keys[row]): int(row) for row in np.flatnonzero(view.alive)}
        for passage in passages:
            entities, counts, _ = view.row_entities(np.array([rows[passage.key]]))
            for entity, count in zip(entities.tolist(), counts.tolist(), strict=True):
                file.write(_edge(f"passage:{passage.id}", view.entity_ids[entity], count=count))
        file.writelines(_stated(facts, events))
        file.write("</graph>\n</graphml>\n")
    return [out]


def _stated(facts: Sequence[StoredFact], events: Sequence[StoredEvent]) -> Iterator[str]:
    """Facts as edges, to a node of their own where there is no object; events as nodes with their parts."""
    for fact in facts:
        cells = told(fact)
        if fact.object is None:
            yield _node(f"value:{fact.id}", type="value", **{name: cells[name] for name in ("text", "value", "unit")})
        yield _edge(fact.subject, fact.object or f"value:{fact.id}", **cells)
    for event in events:
        yield _node(event.id, type="event", **told(event))
        yield from (_edge(part.entity, event.id, role=part.role) for part in parts_of(event))


def _node(node_id: str, /, **data: Cell) -> str:
    return f"<node id={_attribute(node_id)}>{_data(data)}</node>\n"


def _edge(source: str, target: str, /, **data: Cell) -> str:
    ends = f"source={_attribute(source)} target={_attribute(target)}"
    return f"<edge {ends}>{_data(data)}</edge>\n"


def _data(data: Mapping[str, Cell]) -> str:
    said = ((key, value) for key, value in data.items() if value not in (None, "") and key not in _ENDS)
    return "".join(f'<data key="{key}">{escape(_valid(str(value)))}</data>' for key, value in said)


def _attribute(text: str) -> str:
    return quoteattr(_valid(text))


def _valid(text: str) -> str:
    """Without the characters that XML 1.0 does not allow, and those that turn around how a label is shown."""
    return "".join(
        c for c in text if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in _KEPT_OUT)
    )
