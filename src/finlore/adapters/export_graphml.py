"""GraphML of the context graph and of what is stated: entities, passages, values and events as nodes; mentions, which
carry their counts, facts, and the parts that entities play in events as edges, all of them directed."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from finlore.formats.exported import entities_of, parts_of
from finlore.ports import View
from finlore.records.document import StoredPassage
from finlore.records.fact import StoredEvent, StoredFact
from finlore.records.instant import isoformat
from finlore.records.schema import Schema

_KEYS = (
    ("type", "node"), ("name", "node"), ("kind", "node"), ("document", "all"), ("known_at", "all"), ("count", "edge"),
    ("relation", "edge"), ("text", "all"), ("value", "all"), ("unit", "all"), ("quote", "all"), ("valid_from", "all"),
    ("valid_to", "all"), ("until", "edge"), ("driver", "node"), ("subtype", "node"), ("direction", "node"),
    ("role", "edge"),
)  # fmt: skip
_TYPES = {"count": "long", "value": "double"}
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
        for name, domain in _KEYS:
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
                source, target = _attribute(f"passage:{passage.id}"), _attribute(view.entity_ids[entity])
                file.write(f'<edge source={source} target={target}><data key="count">{count}</data></edge>\n')
        file.writelines(_stated(facts, events))
        file.write("</graph>\n</graphml>\n")
    return [out]


def _stated(facts: Sequence[StoredFact], events: Sequence[StoredEvent]) -> Iterator[str]:
    """Facts as edges, to a node of their own where there is no object; events as nodes with their parts."""
    for stored in facts:
        fact = stored.fact
        if stored.object is None:
            value = "" if fact.value is None else str(fact.value)
            yield _node(f"value:{stored.id}", type="value", text=fact.text, value=value, unit=fact.unit)
        yield _edge(
            stored.subject,
            stored.object or f"value:{stored.id}",
            relation=fact.relation,
            text=fact.text,
            value="" if fact.value is None else str(fact.value),
            unit=fact.unit,
            valid_from=isoformat(fact.valid_from),
            valid_to=isoformat(fact.valid_to),
            until=isoformat(stored.until),
            known_at=isoformat(stored.known_at),
            document=stored.source.document,
            quote=stored.source.quote,
        )
    for found in events:
        event = found.event
        yield _node(
            found.id,
            type="event",
            driver=event.driver,
            subtype=event.subtype,
            direction=event.direction,
            text=event.relation,
            valid_from=isoformat(event.valid_from),
            valid_to=isoformat(event.valid_to),
            known_at=isoformat(found.known_at),
            document=found.source.document,
            quote=found.source.quote,
        )
        yield from (_edge(part.entity, found.id, role=part.role) for part in parts_of(found))


def _node(node_id: str, /, **data: str | None) -> str:
    return f"<node id={_attribute(node_id)}>{_data(data)}</node>\n"


def _edge(source: str, target: str, /, **data: str | None) -> str:
    ends = f"source={_attribute(source)} target={_attribute(target)}"
    return f"<edge {ends}>{_data(data)}</edge>\n"


def _data(data: Mapping[str, str | None]) -> str:
    return "".join(f'<data key="{key}">{escape(_valid(value))}</data>' for key, value in data.items() if value)


def _attribute(text: str) -> str:
    return quoteattr(_valid(text))


def _valid(text: str) -> str:
    """Without the characters that XML 1.0 does not allow, and those that turn around how a label is shown."""
    return "".join(
        c for c in text if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in _KEPT_OUT)
    )
