"""Which column of a table holds what: as a person says, else by the headers of a Neo4j import, else by usual names."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from finlore.errors import UsageError
from finlore.knowledge.imports.kinds import called, kind_called
from finlore.language.normal import fold
from finlore.records.imported import Cell, ImportedRow, ImportedTable
from finlore.records.names import EntityKind

Part = Literal[
    "subject", "object", "subject_name", "object_name", "value", "unit", "text", "period", "valid_from", "valid_to",
    "known_at", "type",
]  # fmt: skip
NodePart = Literal["id", "name", "kind", "code", "alias", "known_at"]

_HEADER = re.compile(
    r"(?P<name>[^:]*):(?P<role>ID|START_ID|END_ID|TYPE|LABEL|IGNORE|[A-Za-z]+(?:\[\])?)(?:\{[^}]*\})?(?:\((?P<space>.*)\))?"
)
_BETWEEN_WORDS = re.compile(r"[,，、;；|]|<SEP>")
_NEO4J: Final = {"START_ID": "subject", "END_ID": "object", "ID": "id", "LABEL": "kind", "TYPE": "type"}


@dataclass(frozen=True, slots=True)
class Columns:
    """Places of columns by the part that they play. `kinds`: of what kind the subject and the object are, where a
    person says so; `spaces`: in which group of ids (Neo4j) they are looked up."""

    names: tuple[str, ...]
    places: Mapping[str, int]
    kinds: Mapping[str, EntityKind] = field(default_factory=dict)
    spaces: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, part: str) -> bool:
        return part in self.places

    def is_array(self, part: str) -> bool:
        """Whether its column is declared as a list of Neo4j (`string[]`)."""
        return part in self.places and self.names[self.places[part]].endswith("[]")

    def cell(self, row: ImportedRow, part: str) -> Cell:
        """What a row holds for a part; nothing where no column does."""
        place = self.places.get(part)
        return "" if place is None else row.cells[place]

    def printed(self, row: ImportedRow, part: str) -> str:
        cell = self.cell(row, part)
        return cell if isinstance(cell, str) else "、".join(name for name, _ in cell)


def columns_of_rows(names: Sequence[str], stated: Mapping[str, str]) -> Columns:
    """The columns of a table of facts. `stated` maps parts (`subject`, `object:industry`, `known_at` …) to names of
    columns; UsageError lists what there is when it names others."""
    columns = _columns(names, stated, "facts", get_args(Part))
    places = dict(columns.places)
    for part in ("subject", "object"):
        if part not in places and f"{part}_name" in places:
            places[part] = places.pop(f"{part}_name")
    if places.get("object", -1) == places.get("subject", -2):
        raise UsageError(f"one column cannot be subject and object: {names[places['object']]!r}")
    return Columns(columns.names, places, columns.kinds, columns.spaces)


def of_type(table: ImportedTable, columns: Columns, word: str) -> ImportedTable:
    """The rows whose type is, or has among its words, this one; UsageError where no column holds types."""
    if "type" not in columns:
        raise UsageError(f"no column holds types: {_listed(columns.names)}", hint="--map type=COLUMN")
    return replace(table, rows=_OfType(table.rows, columns, fold(word)))


@dataclass(frozen=True, slots=True)
class _OfType:
    rows: Iterable[ImportedRow]
    columns: Columns
    word: str

    def __iter__(self) -> Iterator[ImportedRow]:
        for row in self.rows:
            words = () if row.fault else _BETWEEN_WORDS.split(self.columns.printed(row, "type"))
            if row.fault or self.word in map(fold, words):
                yield row


def columns_of_nodes(names: Sequence[str], stated: Mapping[str, str] | None = None) -> Columns:
    """The columns of a list of entities: id, name, kind, code, alias, known_at."""
    columns = _columns(names, stated or {}, "nodes", get_args(NodePart))
    places = dict(columns.places)
    if "name" not in places and "id" in places:
        places["name"] = places["id"]
    if "name" not in places:
        raise UsageError(f"no column holds names: {_listed(names)}", hint="a list of names has a column 'name'")
    return Columns(columns.names, places, columns.kinds, columns.spaces)


def _columns(
    names: Sequence[str], stated: Mapping[str, str], what: Literal["facts", "nodes"], parts: Iterable[str]
) -> Columns:
    headers = [_HEADER.fullmatch(name) for name in names]
    plain: dict[str, int] = {}
    for n, (name, match) in enumerate(zip(names, headers, strict=True)):
        plain.setdefault(_plain(match["name"] if match else name), n)
    places, kinds, spaces = dict[str, int](), dict[str, EntityKind](), dict[str, str]()
    for part, column in stated.items():
        role, _, kind = part.partition(":")
        if role not in parts:
            raise UsageError(f"there is no part {role[:40]!r} to map", hint=f"parts are {', '.join(parts)}")
        if kind:
            kinds[role] = _stated_kind(kind)
        places[role] = _place(column, names, plain)
    for n, match in enumerate(headers):
        part = _NEO4J.get(match["role"], "") if match else ""
        if match and part in parts and places.setdefault(part, n) == n and match["space"]:
            spaces[part] = match["space"]
    taken = set(places.values())
    for part, spellings in called(what).items():
        if part not in places:
            found = next((plain[_plain(s)] for s in spellings if _plain(s) in plain), None)
            if found is not None and (found not in taken or what == "nodes"):
                places[part] = found
                taken.add(found)
    return Columns(tuple(names), {part: n for part, n in places.items() if part in parts}, kinds, spaces)


def _place(column: str, names: Sequence[str], plain: Mapping[str, int]) -> int:
    if column in names:
        return names.index(column)
    if _plain(column) in plain:
        return plain[_plain(column)]
    raise UsageError(f"there is no column {column[:80]!r}", hint=f"columns are {_listed(names)}")


def _stated_kind(word: str) -> EntityKind:
    kind = kind_called(word)
    if kind is None:
        raise UsageError(f"there is no kind {word[:40]!r}", hint=f"kinds are {', '.join(get_args(EntityKind))}")
    return kind


def _plain(name: str) -> str:
    return fold(name).replace("_", "").replace(" ", "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(name[:40] for name in names[:30]) + (", …" if len(names) > 30 else "")
