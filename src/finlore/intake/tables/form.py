"""Whether a grid looks like a table that was read rightly: cells in every row, headers, periods in order, numbers."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from finlore.intake.tables.findings import Findings
from finlore.intake.tables.grid import Grid
from finlore.intake.tables.layout import Layout, Panel
from finlore.intake.tables.numbers import holds_several, is_blank, read_number
from finlore.intake.tables.periods import find_period, read_period

_ENOUGH: Final = 4  # cells from which a column can be judged
_NUMERIC: Final = 0.7


def check_form(findings: Findings, grid: Grid, layout: Layout) -> None:
    """Adds what the form of a grid with values tells."""
    values = [column for panel in layout.panels for column in panel.values]
    if not values:
        return
    if len(grid.rows) > 2 and not grid.uneven:
        findings.expect(True, "", ())
    for row, n_cells in grid.uneven:
        words = f"row {row + 1} has {n_cells} cells, unlike the other rows"
        involved = [row] if row >= layout.n_header_rows else range(layout.n_header_rows, len(grid.rows))
        findings.expect(False, words, [(at, column) for at in involved for column in values])
    for panel in layout.panels:
        _check_columns(findings, grid, layout, panel)
        _check_order(findings, layout, panel, range(layout.n_header_rows, len(grid.rows)))


def _check_columns(findings: Findings, grid: Grid, layout: Layout, panel: Panel) -> None:
    n_headed = sum(bool(layout.paths[column]) for column in panel.values)
    rows = range(layout.n_header_rows, len(grid.rows))
    for column in panel.values:
        texts = [(row, text) for row in rows if (text := grid.rows[row][column])]
        places = [(row, column) for row in rows]
        glued = [row for row, text in texts if holds_several(text)]
        words = f"column {column + 1} holds several numbers in one cell in {named(glued)}"
        findings.expect(not glued, words, [(row, at) for row in glued for at in panel.values])
        if len(panel.values) > 1:
            words = f"column {column + 1} has no header" if n_headed else "there are no headers"
            findings.expect(bool(layout.paths[column]), words, places)
        if len(texts) >= _ENOUGH and len(panel.values) > 1:  # a list of labels and values may hold words, too
            share = sum(read_number(text) is not None or is_blank(text) for _, text in texts) / len(texts)
            findings.expect(share >= _NUMERIC, f"only {share:.0%} of column {column + 1} are numbers", places)


def _check_order(findings: Findings, layout: Layout, panel: Panel, rows: Sequence[int]) -> None:
    """Periods of one kind under one header go up or down, each once."""
    groups: dict[tuple[int, tuple[str, ...]], list[tuple[int, str]]] = {}
    for column in panel.values:
        path = layout.paths[column]
        if (period := read_period(path)) is not None and period.text != "TTM":
            others = tuple(text for text in path if find_period(text) is None)
            groups.setdefault((period.rank, others), []).append((column, f"{period.last} {period.text}"))
    for group in groups.values():
        keys = [key for _, key in group]
        rises, falls = (all(a < b for a, b in pairwise(order)) for order in (keys, keys[::-1]))
        if len(group) > 1:
            names = ", ".join(str(column + 1) for column, _ in group)
            findings.expect(
                rises or falls or _repeats(keys),
                f"the periods above columns {names} are in no order",
                [(row, column) for row in rows for column, _ in group],
            )


def _repeats(keys: Sequence[str]) -> bool:
    """Whether a run of periods is repeated, or every period stands beside itself: an amount and its share."""
    distinct = list(dict.fromkeys(keys))
    times = len(keys) // len(distinct)
    ordered = sorted(distinct) in (distinct, distinct[::-1])
    return times > 1 and ordered and list(keys) in (distinct * times, [key for key in distinct for _ in range(times)])


def named(rows: Sequence[int]) -> str:
    """Rows as a person counts them."""
    listed = ", ".join(str(row + 1) for row in rows[:5])
    return f"{'row' if len(rows) == 1 else 'rows'} {listed}{' …' if len(rows) > 5 else ''}"
