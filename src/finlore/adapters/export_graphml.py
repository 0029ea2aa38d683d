"""GraphML of the context graph: entities and passages as nodes, mentions as edges that carry their counts."""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from finlore.ports import View
from finlore.records.document import StoredPassage
from finlore.records.instant import isoformat

_KEYS = (
    ("type", "node"), ("name", "node"), ("kind", "node"), ("document", "node"), ("known_at", "node"), ("count", "edge"),
)  # fmt: skip
_KEPT_OUT = "\ufffe\uffff\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def export(view: View, passages: Sequence[StoredPassage], out: Path) -> list[Path]:
    """One file at `out`, as known at the view's date; text that XML cannot hold is left out."""
    with out.open("w", encoding="utf-8", errors="replace") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
        for name, domain in _KEYS:
            kind = "long" if name == "count" else "string"
            file.write(f'<key id="{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>\n')
        file.write('<graph edgedefault="undirected">\n')
        for number, entity_id in enumerate(view.entity_ids):
            entity = view.entity(number)
            file.write(_node(entity_id, type="entity", name=entity.name, kind=entity.kind))
        for passage in passages:
            known = isoformat(passage.known_at) or ""
            file.write(_node(f"passage:{passage.id}", type="passage", document=passage.document, known_at=known))
        rows = {int(view.keys[row]): int(row) for row in np.flatnonzero(view.alive)}
        for passage in passages:
            entities, counts, _ = view.row_entities(np.array([rows[passage.key]]))
            for entity, count in zip(entities.tolist(), counts.tolist(), strict=True):
                source, target = _attribute(f"passage:{passage.id}"), _attribute(view.entity_ids[entity])
                file.write(f'<edge source={source} target={target}><data key="count">{count}</data></edge>\n')
        file.write("</graph>\n</graphml>\n")
    return [out]


def _node(node_id: str, /, **data: str) -> str:
    fields = "".join(f'<data key="{key}">{escape(_valid(value))}</data>' for key, value in data.items())
    return f"<node id={_attribute(node_id)}>{fields}</node>\n"


def _attribute(text: str) -> str:
    return quoteattr(_valid(text))


def _valid(text: str) -> str:
    """Without the characters that XML 1.0 does not allow, and those that turn around how a label is shown."""
    return "".join(
        c for c in text if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in _KEPT_OUT)
    )
