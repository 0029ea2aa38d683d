"""Tables as JSON: one object a line, or one list of objects; lists and mappings inside them are cells of several."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from finlore.formats.decode import NotText, canonical, decode
from finlore.records.imported import Cell, ImportedRow, ImportedTable, UnreadableTable

_MOST_COLUMNS = 1_000


class JsonImporter:
    """Columns are the keys in the order in which they come up; numbers stay as they are printed."""

    suffixes = (".jsonl", ".ndjson", ".json")

    def read(self, content: bytes) -> ImportedTable:
        try:
            text = decode(content)
        except NotText as error:
            raise UnreadableTable(str(error)) from error
        objects = _whole(text) if text.lstrip().startswith("[") else _Lines(text)
        columns: dict[str, None] = {}
        for _, found in objects:
            if isinstance(found, dict):
                columns |= dict.fromkeys(found)
            if len(columns) > _MOST_COLUMNS:
                raise UnreadableTable(f"its objects have more than {_MOST_COLUMNS} different keys")
        return ImportedTable("json", tuple(map(canonical, columns)), _Rows(objects, tuple(columns)))


@dataclass(frozen=True, slots=True)
class _Rows:
    objects: Iterable[tuple[int, object]]
    keys: tuple[str, ...]

    def __iter__(self) -> Iterator[ImportedRow]:
        for line, found in self.objects:
            if isinstance(found, dict):
                yield ImportedRow(line, tuple(_cell(found.get(key)) for key in self.keys))
            else:
                yield ImportedRow(line, (), "not a JSON object")


@dataclass(frozen=True, slots=True)
class _Lines:
    """(line, value) of each line that is not empty; None where it is not JSON."""

    text: str

    def __iter__(self) -> Iterator[tuple[int, object]]:
        start, number = 0, 0
        while start < len(self.text):
            end = self.text.find("\n", start)
            end = len(self.text) if end < 0 else end
            line, number, start = self.text[start:end], number + 1, end + 1
            if line.strip():
                yield number, _parsed(line)


def _whole(text: str) -> list[tuple[int, object]]:
    found = _parsed(text)
    if not isinstance(found, list):
        raise UnreadableTable("it is not a JSON list")
    return list(enumerate(found, start=1))


def _parsed(text: str) -> object:
    try:
        return json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None


def _cell(value: object) -> Cell:
    if isinstance(value, dict):
        return tuple((canonical(key), _printed(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return tuple(_pair(inner) for inner in value)
    return _printed(value)


def _pair(value: object) -> tuple[str, str]:
    """An item of a list: a name, or {name, value}."""
    if isinstance(value, dict):
        return _printed(value.get("name")), _printed(value.get("value"))
    return _printed(value), ""


def _printed(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return canonical(value).strip()
    try:
        return canonical(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return ""
