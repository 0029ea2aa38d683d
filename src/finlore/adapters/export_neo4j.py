"""CSV files for `neo4j-admin database import`, and a constant Cypher script that loads them into a running server.

Nothing that a document says becomes part of a query: the script takes the folder as a parameter and values out of
rows; labels and types are made of letters, digits and underscores. Every cell is quoted. A line break becomes a space
and a backslash ＼, which some readers of CSV take for an escape. Cells that begin with = + - @ are kept as they are,
because a database must hold the names that people use: these files are not for spreadsheets.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from finlore.formats.exported import (
    EVENT_COLUMNS,
    FACT_COLUMNS,
    INSTANTS,
    NUMBERS,
    Cell,
    entities_of,
    linked,
    parts_of,
    told,
)
from finlore.ports import View
from finlore.records.document import StoredPassage
from finlore.records.fact import StoredEvent, StoredFact
from finlore.records.schema import Schema
from finlore.resources import read_text

_NO_NAME = re.compile(r"[^A-Za-z0-9]+")
_BREAK = re.compile(r"[\r\n\x00\x0b\x0c\x85\u2028\u2029]+")
_ENDS: Final = frozenset({"subject", "object"})


def export(
    view: View,
    passages: Sequence[StoredPassage],
    out: Path,
    *,
    facts: Sequence[StoredFact],
    events: Sequence[StoredEvent],
    schema: Schema,
) -> list[Path]:
    """``entities``, ``values``, ``facts``, ``events`` and ``parts.csv`` and ``load.cypher`` in the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    entities = (
        (
            e.id,
            e.name,
            e.kind,
            ";".join(a.replace(";", ",") for a in e.aliases),
            f"Entity;{_label(e.kind).capitalize()}",
        )
        for e in entities_of(view, facts, events)
    )
    valued = [fact for fact in facts if fact.object is None]
    values = ((f"value:{f.id}", f.fact.text, f.fact.value, f.fact.unit, "Value") for f in valued)
    ends = [*linked(facts), *((fact, f"value:{fact.id}") for fact in valued)]
    stated = ((f.subject, end, _label(f.fact.relation).upper(), *_cells(f)) for f, end in ends)
    parts = ((part.entity, event.id, part.role, part.role.upper()) for event in events for part in parts_of(event))
    script = out / "load.cypher"
    script.write_text(read_text("neo4j/load.cypher"), encoding="utf-8")
    return [
        _write(out / "entities.csv", ("id:ID", "name", "kind", "aliases:string[]", ":LABEL"), entities),
        _write(out / "values.csv", ("id:ID", "text", "value:double", "unit", ":LABEL"), values),
        _write(out / "facts.csv", (":START_ID", ":END_ID", ":TYPE", *_header(FACT_COLUMNS)), stated),
        _write(
            out / "events.csv",
            (":LABEL", *("id:ID" if name == "id" else name for name in _header(EVENT_COLUMNS))),
            (("Event", *_cells(event)) for event in events),
        ),
        _write(out / "parts.csv", (":START_ID", ":END_ID", "role", ":TYPE"), parts),
        script,
    ]


def _header(columns: Iterable[str]) -> list[str]:
    types = dict.fromkeys(INSTANTS, ":datetime") | dict.fromkeys(NUMBERS, ":double")
    return [name + types.get(name, "") for name in columns if name not in _ENDS]


def _cells(stored: StoredFact | StoredEvent) -> list[Cell]:
    return [cell for name, cell in told(stored).items() if name not in _ENDS]


def _write(file: Path, header: Iterable[str], rows: Iterable[Iterable[Cell]]) -> Path:
    with file.open("w", encoding="utf-8", errors="replace", newline="") as out:
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([_written(cell) for cell in row] for row in rows)
    return file


def _written(cell: Cell) -> str:
    return "" if cell is None else _BREAK.sub(" ", str(cell)).replace("\\", "＼")


def _label(name: str) -> str:
    """A name as label or type: letters, digits and underscores, which need no quoting."""
    return _NO_NAME.sub("_", name).strip("_") or "unnamed"
