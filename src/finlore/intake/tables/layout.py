"""Where a grid has its headers, its labels and its values: rows of headers, columns by what they hold, and panels,
which are tables that stand side by side in one grid (a balance sheet beside an income statement)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from finlore.intake.tables.grid import Grid
from finlore.intake.tables.labels import header_role, read_label
from finlore.intake.tables.numbers import holds_several, is_blank, read_number
from finlore.intake.tables.periods import find_period, is_period, left_over
from finlore.intake.tables.units import read_unit
from finlore.language.codes import canonical_security

Kind = Literal["text", "code", "ordinal", "period", "unit", "value", "empty"]
MOST_HEADER_ROWS: Final = 5
_MOST: Final = 0.6
_MEASURES: Final = 0.4  # share of labels that are measures, from which a column of text labels a statement
_BARE_YEAR = re.compile(r"(?:19|20)\d\d")
_CODE = re.compile(r"\d{6}|\d{3,6}\s?\.\s?[A-Z]{2}|\d{1,5}\s?HK|[A-Z]{1,5}\s(?:US|HK)|\d{6}\s(?:CH|SH|SZ)")
_STATED: Final[Mapping[str, Kind]] = {"code": "code", "ordinal": "ordinal", "unit": "unit", "time": "period"}
_NOTE = re.compile(r"(?:资料来源|数据来源|来源|注|备注|说明|sources?|notes?)\s*[:：]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Panel:
    """Columns of labels, and the columns of values that they label; `unit` is a column that holds units."""

    labels: tuple[int, ...]
    values: tuple[int, ...]
    unit: int | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """`kinds`: what each column holds. `paths`: the headers above each column, from the top."""

    n_header_rows: int
    kinds: tuple[Kind, ...]
    panels: tuple[Panel, ...]
    paths: tuple[tuple[str, ...], ...]


def read_layout(grid: Grid, *, n_header_rows: int | None = None) -> Layout:
    """The layout of a grid; `n_header_rows` where it is known already."""
    n_headers = count_header_rows(grid) if n_header_rows is None else n_header_rows
    headers = grid.rows[:n_headers]
    kinds = _kinds(grid, n_headers)
    panels = _panels(grid, kinds, headers)
    return Layout(n_headers, kinds, panels, _paths(grid, panels, n_headers))


def is_note(row: Sequence[str]) -> bool:
    """Whether a row is a note below the table: who says so, or what an asterisk means."""
    return next((_NOTE.match(cell) is not None for cell in row if cell), False)


def is_value(text: str) -> bool:
    """Whether a cell holds a number that is no year."""
    return read_number(text) is not None and not is_period(text)


def count_header_rows(grid: Grid) -> int:
    """How many rows stand above the first values; those that only open a section below the headers are none."""
    last = widest = 0
    has_periods = False
    for row in grid.rows[: MOST_HEADER_ROWS + 1]:
        others = [cell for cell in row[1:] if cell]
        if _has_values(row, others, is_first=last == 0):
            break
        if has_periods and len(others) <= widest and not all(map(_completes, others)):
            break
        if len(row) == 2 and last and others and not any(map(is_period, others)):
            break
        has_periods = has_periods or sum(find_period(cell) is not None for cell in others) > 1
        last, widest = last + 1, max(widest, len(others))
    else:
        last = 1 if last > MOST_HEADER_ROWS or last == len(grid.rows) else last
    if last == len(grid.rows):
        last = min(last, 1)
    while last > 1 and not any(grid.rows[last - 1][1:]) and any(any(row[1:]) for row in grid.rows[: last - 1]):
        last -= 1
    return last


def _has_values(row: Sequence[str], others: Sequence[str], *, is_first: bool) -> bool:
    """Whether a row holds values. The date of a price among years (8.20) is none."""
    values = sum(is_value(cell) or holds_several(cell) or (is_blank(cell) and not is_first) for cell in others)
    return values > 0 and (bool(row[0]) or 3 * values > sum(map(is_period, others)))


def _completes(cell: str) -> bool:
    """Whether a cell below a period may belong to the same header: a year, a part of a date, (unaudited), a unit."""
    return not left_over(cell) or bool(read_unit(cell))


def _kinds(grid: Grid, start: int) -> tuple[Kind, ...]:
    """What each column holds; one without a header before the labels belongs to them (a rank, a merged heading)."""
    kinds = [_kind(grid, column, start) for column in range(grid.n_columns)]
    is_headed = any(row[0] for row in grid.rows[:start])
    if start and not is_headed and kinds[0] == "value" and kinds[1:] and kinds[1] in {"ordinal", "code", "text"}:
        kinds[0] = "ordinal"
    return tuple(kinds)


def _kind(grid: Grid, column: int, start: int) -> Kind:
    """What a column holds below its headers."""
    role = next((role for row in reversed(grid.rows[:start]) if (role := header_role(row[column]))), "")
    if role in _STATED:
        return _STATED[role]
    cells = [row[column] for row in grid.rows[start:] if row[column] and sum(map(bool, row)) > 1]
    if not cells:
        return "text" if column == 0 else "empty"
    if role != "company" and (held := _held(cells, is_first=column == 0)):
        return held
    numbers = _share(cells, lambda cell: read_number(cell) is not None or holds_several(cell))
    blanks = _share(cells, is_blank)
    if role != "company" and numbers and numbers + blanks >= 0.5:
        return "value"
    return "empty" if blanks == 1 else "text"


def _held(cells: Sequence[str], *, is_first: bool) -> Kind | None:
    """Codes, periods or numbers from one, where most cells are; years alone may be values but in the first column."""
    if _share(cells, lambda cell: code_of(cell) is not None) > _MOST:
        return "code"
    if _share(cells, is_period) > _MOST and (is_first or not all(map(_BARE_YEAR.fullmatch, cells))):
        return "period"
    return "ordinal" if is_first and cells == [str(n) for n in range(1, len(cells) + 1)] else None


def _share(cells: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, cells)) / len(cells)


@lru_cache(maxsize=4096)
def code_of(text: str) -> str | None:
    """The security of a cell that holds its code and nothing else, in canonical form."""
    return canonical_security(re.sub(r"\s*\.\s*", ".", text)) if _CODE.fullmatch(text.strip()) else None


@dataclass(slots=True)
class _Open:
    """A panel that is being put together."""

    labels: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)
    units: list[int] = field(default_factory=list)


def _panels(grid: Grid, kinds: Sequence[Kind], headers: Sequence[Sequence[str]]) -> tuple[Panel, ...]:
    panels = [_Open()]
    for column, kind in enumerate(kinds):
        panel = panels[-1]
        if kind == "value":
            panel.values.append(column)
        elif kind == "unit":
            panel.units.append(column)
        elif not panel.values and (kind != "empty" or column + 1 < len(kinds)):
            panel.labels.append(column)
        elif kind != "empty" and _restarts(grid, kinds, headers, panel, column):
            panels.append(_Open([column]))
    kept = [panel for panel in panels if panel.values] or panels[:1]
    return tuple(Panel(tuple(p.labels), tuple(p.values), next(iter(p.units), None)) for p in kept)


def _restarts(grid: Grid, kinds: Sequence[Kind], headers: Sequence[Sequence[str]], panel: _Open, column: int) -> bool:
    """Whether a column of text after values labels another panel, rather than being about the same rows (a rating)."""
    heads = [next((row[at] for row in reversed(headers) if row[at]), "") for at in range(len(kinds))]
    texts = [row[column] for row in grid.rows[len(headers) :] if row[column]]
    if "value" not in kinds[column:] or not texts:
        return False
    if not headers:
        return len(panel.values) == 1  # labels and values in turn, as market data are printed
    first = kinds.index("value", column)
    stop = next((at for at in range(first, len(kinds)) if kinds[at] not in {"value", "empty"}), len(kinds))
    if heads[column] and any(heads[at] for at in (*panel.values, *range(first, stop))):
        measures = _share(texts, lambda text: bool(read_label(text).metric))
        return measures >= _MEASURES or heads[column] in {heads[at] for at in panel.labels}
    return bool(heads[column]) or bool({*heads[first:stop]} & {heads[at] for at in panel.values} - {""})


def _paths(grid: Grid, panels: Sequence[Panel], n_headers: int) -> tuple[tuple[str, ...], ...]:
    """The headers above each column, merged cells spread over what they cover."""
    headers = grid.rows[:n_headers]
    spread = [list(row) for row in headers]
    for panel in panels:
        groups = _groups(headers, panel.values)
        for n in reversed(range(len(headers))):  # from below: a cell covers what has a header under it
            for column, text in list(_spread(headers[n], spread[n + 1 :], panel, groups)):
                if spread[n + 1 :] or _holds_shares(grid, column, n_headers):
                    spread[n][column] = text
    paths = []
    for column in range(grid.n_columns):
        texts = [row[column] for row in spread if row[column]]
        paths.append(tuple(text for n, text in enumerate(texts) if n == 0 or text != texts[n - 1]))
    return tuple(paths)


def _holds_shares(grid: Grid, column: int, start: int) -> bool:
    """Whether a column holds numbers in per cent: the shares of the amounts beside them have no header of their own."""
    numbers = [number for row in grid.rows[start:] if (number := read_number(row[column]))]
    return bool(numbers) and all(number.unit == "%" for number in numbers)


def _groups(headers: Sequence[Sequence[str]], columns: Sequence[int]) -> list[list[int]]:
    """Runs of columns under which the texts of the lowest row of headers begin anew."""
    row = next((row for row in reversed(headers) if sum(bool(row[column]) for column in columns) > 1), None)
    groups: list[list[int]] = []
    seen: set[str] = set()
    for column in columns:
        text = row[column] if row else ""
        if not groups or text in seen:
            groups.append([])
            seen = set()
        groups[-1].append(column)
        seen |= {text} - {""}
    return groups


def _spread(
    row: Sequence[str], below: Sequence[Sequence[str]], panel: Panel, groups: Sequence[Sequence[int]]
) -> Iterator[tuple[int, str]]:
    """(column, text) for the empty cells of one header row that a merged cell covers."""
    printed = [column for column in panel.values if row[column]]
    if not printed:
        alone = [cell for cell in row if cell]
        if len(alone) == 1 and below and not left_over(alone[0]):  # "13 Weeks Ended", printed above the labels
            yield from ((column, alone[0]) for column in panel.values)
        return
    if len(groups) > 1 and below:
        for group in groups:
            texts = [row[column] for column in group if row[column]]
            if len(texts) == 1:
                yield from ((column, texts[0]) for column in group)
        if all(sum(bool(row[column]) for column in group) <= 1 for group in groups):
            return
    for column in panel.values:
        if row[column] or (below and not any(lower[column] for lower in below)):
            continue
        left = row[max((at for at in printed if at < column), default=printed[0])]
        has_left = min(printed) < column
        is_amount = not below and has_left and find_period(left)  # whose share stands in the next column
        if is_amount or (below and (has_left or len(printed) == 1)):
            yield column, left
