"""Rows of cells as mark-up writes them: HTML tables with merged cells, pipe tables, cells between marks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, TypeVar

CELL_MARK = " | "
"""Stands between the cells of a row in the text of formats whose source cannot be shown (HTML, DOCX)."""
MOST_COLUMNS, MOST_ROWS = 200, 2_000
"""What a merged cell can reach over, and what is read of a table."""
Content = TypeVar("Content")
_TAG = re.compile(r"<(/?)(t[dhr]|table|thead|tbody|tfoot|caption)\b([^<>]*)>", re.IGNORECASE)
_SPAN = re.compile(r"\b(col|row)span\s*=\s*[\"']?\s*(\d{1,5})", re.IGNORECASE)
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Merged(Generic[Content]):
    """A cell as the source has it: what is in it, and over how many columns and rows it reaches."""

    content: Content
    columns: int = 1
    rows: int = 1


def expanded(rows: Iterable[Sequence[Merged[Content]]]) -> list[list[Content | None]]:
    """The grid that merged cells cover, row by row; None where one goes on. Rows may differ in length.

    What a source claims to span is believed up to MOST_COLUMNS and MOST_ROWS; no cell that it prints is lost.
    """
    grid: list[list[Content | None]] = []
    reaching: dict[int, int] = {}  # column -> how many more rows it is taken
    for row in rows:
        line: list[Content | None] = []
        for cell in row:
            _skip_taken(line, reaching)
            for nth in range(max(min(cell.columns, MOST_COLUMNS - len(line)), 1)):
                if cell.rows > 1:
                    reaching[len(line)] = cell.rows - 1
                line.append(cell.content if nth == 0 else None)
        _skip_taken(line, reaching)
        grid.append(line)
    return grid


def _skip_taken(line: list[Content | None], reaching: dict[int, int]) -> None:
    while (left := reaching.get(len(line), 0)) > 0:
        reaching[len(line)] = left - 1
        line.append(None)


def spans_of(attributes: str) -> tuple[int, int]:
    """(columns, rows) that the attributes of a cell claim, at least one."""
    found = {name.lower(): int(number) for name, number in _SPAN.findall(attributes)}
    return max(found.get("col", 1), 1), min(max(found.get("row", 1), 1), MOST_ROWS)


def html_rows(source: str, start: int, end: int) -> list[list[tuple[int, int]]]:
    """Where the contents of the cells of an HTML table stand in its source; empty ranges where a merged cell goes on.

    End tags may be missing, as in much that programs write.
    """
    grid = expanded(_html_cells(source, start, end))
    at, placed = start, []
    for row in grid:
        line = []
        for span in row:
            at = span[1] if span else at
            line.append(span or (at, at))
        placed.append(line)
    return placed


def _html_cells(source: str, start: int, end: int) -> Iterator[list[Merged[tuple[int, int]]]]:
    row: list[Merged[tuple[int, int]]] = []
    opened: tuple[int, str] | None = None
    in_row = False
    for tag in _TAG.finditer(source, start, end):
        closes, name = bool(tag[1]), tag[2].lower()
        if opened is not None:
            row.append(Merged(trimmed(source, opened[0], tag.start()), *spans_of(opened[1])))
            opened = None
        if name in {"td", "th"}:
            if not closes:
                opened = (tag.end(), tag[3])
        elif in_row or row:
            yield row
            row, in_row = [], False
        if name == "tr" and not closes:
            in_row = True
    if opened is not None:
        row.append(Merged(trimmed(source, opened[0], end), *spans_of(opened[1])))
    if row:
        yield row


def pipe_cells(source: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the cells of one row of a pipe table stand, without the pipes at its ends; an escaped pipe is text."""
    start, end = trimmed(source, start, end)
    cuts = [start - 1, *(pipe.start() for pipe in _PIPE.finditer(source, start, end)), end]
    if len(cuts) > 2 and cuts[1] == start:
        cuts = cuts[1:]
    if len(cuts) > 2 and cuts[-2] == end - 1:
        cuts = cuts[:-1]
    return [trimmed(source, left + 1, right) for left, right in pairwise(cuts)]


def marked_cells(source: str, start: int, end: int, mark: str) -> list[tuple[int, int]]:
    """Where the cells of one row stand that have `mark` between them."""
    cells = []
    at = start
    for piece in source[start:end].split(mark):
        cells.append(trimmed(source, at, at + len(piece)))
        at += len(piece) + len(mark)
    return cells


def trimmed(source: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends; an empty one at its start where there is nothing else."""
    piece = source[start:end]
    first = start + len(piece) - len(piece.lstrip())
    return (first, start + len(piece.rstrip())) if first < end else (start, start)
