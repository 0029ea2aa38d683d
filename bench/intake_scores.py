"""How right a reading is: cells against a truth file, numeric rows against another program's, jumps between columns."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

Grid = Sequence[Sequence[str]]
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_UNIT = re.compile(r"[（(]([^()（）]+)[)）]\s*$")
_PERIOD = re.compile(r"(\d{4}(?:[QH]\d)?)([AEF]?)$")
_WINDOW = 6  # characters that tell a column
_MOSTLY = 0.8


@dataclass(frozen=True)
class Truth:
    """`tables`: rows of a label and one value per header; `pairs`: labels with one value; `prose`: whole paragraphs."""

    header: tuple[str, ...]
    tables: Mapping[str, tuple[tuple[str, ...], ...]]
    pairs: tuple[tuple[str, str], ...]
    prose: tuple[str, ...]

    @property
    def n_cells(self) -> int:
        return sum(len(row) - 1 for rows in self.tables.values() for row in rows)


@dataclass(frozen=True)
class Expected:
    """One number of a table, as a person reads it. `of` is the row above, for rows that say how it grew; `unit` is ""
    where the label states none."""

    label: str
    of: str
    value: float
    unit: str
    period: str
    basis: str


def read_truth(stated: Mapping[str, Any]) -> Truth:
    """The truth file: `H` is the header of every list of rows that is as wide; rows of two are the side bar's."""
    header = tuple(stated.get("H", ()))
    rows = {name: value for name, value in stated.items() if _is_rows(value)}
    return Truth(
        header=header,
        tables={n: tuple(map(tuple, value)) for n, value in rows.items() if len(value[0]) == len(header) != 2},
        pairs=tuple((row[0], row[1]) for value in rows.values() if len(value[0]) == 2 for row in value),
        prose=tuple(text for name, value in stated.items() if name != "H" for text in _texts(value)),
    )


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], list)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def cells_right(truth: Truth, grids: Iterable[Grid]) -> int:
    """Values that stand, spelled exactly, in the row of their label and in the column of their header."""
    found = list(grids)
    return sum(len(set().union(*(_right_in(grid, truth.header, rows) for grid in found)) if found else ())
               for rows in truth.tables.values())  # fmt: skip


def rows_right(truth: Truth, grids: Iterable[Grid]) -> int:
    """Rows whose label is followed by all their values, spelled exactly, under whatever header."""
    found = [[cell.strip() for cell in row] for grid in grids for row in grid]
    wanted = [[row[0].strip(), *row[1:]] for rows in truth.tables.values() for row in rows]
    return sum(
        any(line[at : at + len(row)] == row for line in found for at in range(len(line) - len(row) + 1))
        for row in wanted
    )


def _right_in(grid: Grid, header: Sequence[str], rows: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
    """(row, column) of the truth's cells that this grid has right. Labels that occur again are taken in order."""
    right: set[tuple[int, int]] = set()
    for at, row in enumerate(rows):
        nth = sum(earlier[0].strip() == row[0].strip() for earlier in rows[:at])
        places = [
            (r, c) for r, line in enumerate(grid) for c, cell in enumerate(line) if cell.strip() == row[0].strip()
        ]
        if nth < len(places):
            label_row, label_column = places[nth]
            for column in range(1, len(header)):
                value_column = _column_of(grid, header[column], label_row, label_column)
                if value_column is not None and _cell(grid[label_row], value_column) == row[column]:
                    right.add((at, column))
    return right


def _column_of(grid: Grid, header: str, row: int, after: int) -> int | None:
    """The first column to the right of `after` that has this header in the nearest row above with it."""
    for line in reversed(grid[:row]):
        for column in range(after + 1, len(line)):
            if line[column].strip() == header:
                return column
    return None


def _cell(line: Sequence[str], column: int) -> str:
    return line[column].strip() if column < len(line) else ""


def pairs_right(truth: Truth, grids: Iterable[Grid]) -> int:
    """Labels of the side bar whose value is the next cell of their row."""
    rows = {
        tuple(filled) for grid in grids for line in grid if len(filled := [c.strip() for c in line if c.strip()]) > 1
    }
    return sum(any(pair in pairwise(row) for row in rows) for pair in truth.pairs)


def prose_whole(truth: Truth, text: str) -> int:
    """Paragraphs that are there from the first to the last character, spaces and line ends apart."""
    there = compact(text)
    return sum(compact(paragraph) in there for paragraph in truth.prose)


def expected_records(truth: Truth) -> list[Expected]:
    """Every number of the tables; indented rows belong to the row above."""
    found: list[Expected] = []
    for rows in truth.tables.values():
        above = ""
        for label, *values in rows:
            name, unit = _UNIT.sub("", label).strip(), _UNIT.search(label)
            is_indented = label[:1].isspace()
            above = above if is_indented else name
            found += [
                Expected(name, above if is_indented else "", value, unit[1] if unit else "", *_period(header))
                for header, value in zip(truth.header[1:], map(number_of, values), strict=True)
                if value is not None
            ]
    return found


def number_of(text: str) -> float | None:
    """The value of a printed number; brackets are a minus."""
    plain = unicodedata.normalize("NFKC", text).replace(",", "").strip()
    bare = plain.strip("()").rstrip("%")
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", bare):
        return None
    return -float(bare) if plain.startswith("(") else float(bare)


def _period(header: str) -> tuple[str, str]:
    match = _PERIOD.match(header.strip())
    if not match:
        return header, ""
    return match[1], {"A": "actual", "E": "forecast", "F": "forecast", "": ""}[match[2]]


def numbers_in(line: str) -> tuple[str, ...]:
    return tuple(_NUMBER.findall(unicodedata.normalize("NFKC", line)))


def rows_kept(reference: Sequence[Sequence[str]], pages: Sequence[Sequence[str]], *, least: int = 3) -> tuple[int, int]:
    """(kept, all) rows of at least `least` numbers of the reference, page by page: kept are those whose numbers stand
    in one line of `pages` in the same order."""
    kept = total = 0
    for number, lines in enumerate(reference):
        ours = [numbers_in(line) for line in pages[number]] if number < len(pages) else []
        for wanted in map(numbers_in, lines):
            if len(wanted) >= least:
                total += 1
                kept += any(_stands_in(wanted, row) for row in ours if len(row) >= len(wanted))
    return kept, total


def _stands_in(wanted: Sequence[str], row: Sequence[str]) -> bool:
    rest = iter(row)
    return all(number in rest for number in wanted)


def switches(lines: Iterable[str], main: str, side: str) -> int:
    """Jumps between main column and side bar in the order of the lines; `main` and `side` are their texts."""
    main_windows, side_windows = _windows(compact(main)), _windows(compact(side))
    order: list[str] = []
    for line in lines:
        windows = _windows(compact(line))
        in_main, in_side = len(windows & (main_windows - side_windows)), len(windows & (side_windows - main_windows))
        if in_main + in_side:
            share = in_main / (in_main + in_side)
            order += ["main"] if share > _MOSTLY else ["side"] if share < 1 - _MOSTLY else ["main", "side"]
    return changes(order)


def changes(order: Iterable[str]) -> int:
    return max(sum(1 for _ in groupby(order)) - 1, 0)


def _windows(text: str) -> frozenset[str]:
    return frozenset(text[at : at + _WINDOW] for at in range(len(text) - _WINDOW + 1)) or frozenset({text} - {""})


def compact(text: str) -> str:
    """The text without spaces, line ends and marks of Markdown."""
    return re.sub(r"[\s|#*]|<[^<>]{1,9}>", "", unicodedata.normalize("NFKC", text))
