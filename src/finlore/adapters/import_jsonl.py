"""Tables as JSON: one object a line, or one list of objects; lists and mappings inside them are cells of several."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from finlore.formats.decode import NotText, canonical
from finlore.formats.encoded import LONGEST_LINE, TextFile, text_file
from finlore.formats.nested import cell_of
from finlore.records.imported import ImportedRow, ImportedTable, UnreadableTable

_MOST_COLUMNS = 1_000
_BETWEEN = " \t\r\n,"


class JsonImporter:
    """Columns are the keys in the order in which they come up; numbers stay as they are printed. Of a list the line of
    a row counts its items."""

    suffixes = (".jsonl", ".ndjson", ".json")

    def read(self, file: Path) -> ImportedTable:
        try:
            text = text_file(file)
            first = next(text.pieces(), "")
            objects = _Items(text) if first.lstrip().startswith("[") else _Lines(text)
            columns, n_rows = dict[str, None](), 0
            for _, found in objects:
                if isinstance(found, dict):
                    columns |= dict.fromkeys(found)
                    n_rows += 1
                if len(columns) > _MOST_COLUMNS:
                    raise UnreadableTable(f"its objects have more than {_MOST_COLUMNS} different keys")
        except NotText as error:
            raise UnreadableTable(str(error)) from error
        if not columns:
            raise UnreadableTable("it holds no JSON objects, neither one a line nor in a list")
        return ImportedTable("json", tuple(map(canonical, columns)), _Rows(objects, tuple(columns)), n_rows=n_rows)


@dataclass(frozen=True, slots=True)
class _Lines:
    """(line, value) of each line that is not empty; None where it is not JSON."""

    text: TextFile

    def __iter__(self) -> Iterator[tuple[int, object]]:
        for number, line in enumerate(self.text.lines(), 1):
            if line.strip():
                yield number, _parsed(line)


@dataclass(frozen=True, slots=True)
class _Items:
    """(number, value) of each item of a list, read as far as it goes."""

    text: TextFile

    def __iter__(self) -> Iterator[tuple[int, object]]:
        pieces = self.text.pieces()
        held, number = next(pieces, "").lstrip()[1:], 0
        while True:
            held = held.lstrip(_BETWEEN)
            if held.startswith("]"):
                return
            try:
                value, end = _DECODER.raw_decode(held) if held else (None, 0)
            except (ValueError, RecursionError):
                end = 0
            if end and end < len(held):  # a number at the end of what is held may go on
                number += 1
                yield number, value
                held = held[end:]
                continue
            more = self._more(pieces, len(held))
            if not more:
                raise UnreadableTable(f"it is not a JSON list: something is wrong after item {number}")
            held += more

    def _more(self, pieces: Iterator[str], n_held: int) -> str:
        """As much as is held already, so that each character is looked at a few times."""
        found, size = [], 0
        while size <= n_held and (piece := next(pieces, "")):
            found.append(piece)
            size += len(piece)
        if n_held + size > 2 * LONGEST_LINE:
            raise UnreadableTable(f"one of its objects is longer than {LONGEST_LINE >> 20} million characters")
        return "".join(found)


@dataclass(frozen=True, slots=True)
class _Rows:
    objects: _Lines | _Items
    keys: tuple[str, ...]

    def __iter__(self) -> Iterator[ImportedRow]:
        try:
            for line, found in self.objects:
                if isinstance(found, dict):
                    yield ImportedRow(line, tuple([cell_of(found.get(key)) for key in self.keys]))
                else:
                    yield ImportedRow(line, (), "not a JSON object")
        except (NotText, UnicodeDecodeError) as error:
            raise UnreadableTable(str(error)) from error


_DECODER = json.JSONDecoder(parse_float=str, parse_int=str)


def _parsed(text: str) -> object:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
