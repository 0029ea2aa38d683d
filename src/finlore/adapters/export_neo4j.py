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

from finlore.formats.exported import entities_of, linked, parts_of
from finlore.ports import View
from finlore.records.document import StoredPassage
from finlore.records.fact import StoredEvent, StoredFact
from finlore.records.instant import isoformat
from finlore.records.schema import Schema

_Cell = str | float | None
_NO_NAME = re.compile(r"[^A-Za-z0-9]+")
_BREAK = re.compile(r"[\r\n\x00\x0b\x0c\x85\u2028\u2029]+")
_STATED: Final = (
    "text", "value:double", "unit", "period", "valid_from:datetime", "valid_to:datetime", "known_at:datetime",
    "until:datetime", "confidence:double", "status", "document", "quote",
)  # fmt: skip
_SCRIPT: Final = """\
// Loads the files of this folder. Run with a parameter, as in:
//   cypher-shell --param "folder => 'file:///finlore'" --file load.cypher
// Several thousand rows at a time; running it again changes nothing. Do not open the files in a spreadsheet: cells may
// begin with = + - @.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE e.id IS UNIQUE;
CREATE CONSTRAINT value_id IF NOT EXISTS FOR (v:Value) REQUIRE v.id IS UNIQUE;
CREATE CONSTRAINT event_id IF NOT EXISTS FOR (e:Event) REQUIRE e.id IS UNIQUE;
LOAD CSV WITH HEADERS FROM $folder + '/entities.csv' AS row
CALL { WITH row MERGE (e:Entity {id: row.`id:ID`})
  SET e.name = row.name, e.kind = row.kind, e.aliases = split(row.`aliases:string[]`, ';') } IN TRANSACTIONS;
LOAD CSV WITH HEADERS FROM $folder + '/values.csv' AS row
CALL { WITH row MERGE (v:Value {id: row.`id:ID`})
  SET v.text = row.text, v.value = toFloat(row.`value:double`), v.unit = row.unit } IN TRANSACTIONS;
LOAD CSV WITH HEADERS FROM $folder + '/facts.csv' AS row
CALL { WITH row MATCH (a:Entity {id: row.`:START_ID`})
  OPTIONAL MATCH (e:Entity {id: row.`:END_ID`}) OPTIONAL MATCH (v:Value {id: row.`:END_ID`})
  WITH row, a, coalesce(e, v) AS b WHERE b IS NOT NULL
  MERGE (a)-[f:FACT {id: row.id}]->(b)
  SET f.relation = row.relation, f.text = row.text, f.value = toFloat(row.`value:double`), f.unit = row.unit,
    f.period = row.period, f.valid_from = datetime(row.`valid_from:datetime`),
    f.valid_to = datetime(row.`valid_to:datetime`), f.known_at = datetime(row.`known_at:datetime`),
    f.until = datetime(row.`until:datetime`), f.confidence = toFloat(row.`confidence:double`),
    f.status = row.status, f.document = row.document, f.quote = row.quote } IN TRANSACTIONS;
LOAD CSV WITH HEADERS FROM $folder + '/events.csv' AS row
CALL { WITH row MERGE (e:Event {id: row.`id:ID`})
  SET e.driver = row.driver, e.subtype = row.subtype, e.direction = row.direction, e.relation = row.relation,
    e.reasoning = row.reasoning, e.valid_from = datetime(row.`valid_from:datetime`),
    e.known_at = datetime(row.`known_at:datetime`), e.document = row.document, e.quote = row.quote } IN TRANSACTIONS;
LOAD CSV WITH HEADERS FROM $folder + '/parts.csv' AS row
CALL { WITH row MATCH (a:Entity {id: row.`:START_ID`}) MATCH (e:Event {id: row.`:END_ID`})
  MERGE (a)-[:PART {role: row.role}]->(e) } IN TRANSACTIONS;
"""


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
    parts = ((part.entity, event.id, part.role, part.role.upper()) for event in events for part in parts_of(event))
    script = out / "load.cypher"
    script.write_text(_SCRIPT, encoding="utf-8")
    return [
        _write(out / "entities.csv", ("id:ID", "name", "kind", "aliases:string[]", ":LABEL"), entities),
        _write(out / "values.csv", ("id:ID", "text", "value:double", "unit", ":LABEL"), values),
        _write(
            out / "facts.csv",
            (":START_ID", ":END_ID", ":TYPE", "id", "relation", *_STATED),
            ((f.subject, end, _label(f.fact.relation).upper(), f.id, f.fact.relation, *_stated(f)) for f, end in ends),
        ),
        _write(
            out / "events.csv",
            (
                *("id:ID", "driver", "subtype", "direction", "relation", "reasoning", "valid_from:datetime"),
                *("known_at:datetime", "document", "quote", ":LABEL"),
            ),
            map(_event, events),
        ),
        _write(out / "parts.csv", (":START_ID", ":END_ID", "role", ":TYPE"), parts),
        script,
    ]


def _stated(stored: StoredFact) -> tuple[_Cell, ...]:
    fact, source = stored.fact, stored.source
    days = (fact.valid_from, fact.valid_to, stored.known_at, stored.until)
    return (
        *(fact.text, fact.value, fact.unit, fact.period, *map(isoformat, days)),
        *(fact.confidence, fact.status, source.document, source.quote),
    )


def _event(stored: StoredEvent) -> tuple[_Cell, ...]:
    event, source = stored.event, stored.source
    return (
        *(stored.id, event.driver, event.subtype, event.direction, event.relation, event.reasoning),
        *(isoformat(event.valid_from), isoformat(stored.known_at), source.document, source.quote, "Event"),
    )


def _write(file: Path, header: Iterable[str], rows: Iterable[Iterable[_Cell]]) -> Path:
    with file.open("w", encoding="utf-8", errors="replace", newline="") as out:
        writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([_written(cell) for cell in row] for row in rows)
    return file


def _written(cell: _Cell) -> str:
    return "" if cell is None else _BREAK.sub(" ", str(cell)).replace("\\", "＼")


def _label(name: str) -> str:
    """A name as label or type: letters, digits and underscores, which need no quoting."""
    return _NO_NAME.sub("_", name).strip("_") or "unnamed"
