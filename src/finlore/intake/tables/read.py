"""The tables of a document and the numbers in them, from its canonical text alone: the same for every format."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from finlore.intake.passages import place
from finlore.intake.tables.arithmetic import by_company, check_arithmetic
from finlore.intake.tables.captions import Surroundings, per_share_unit
from finlore.intake.tables.companies import FindSecurity
from finlore.intake.tables.findings import Findings
from finlore.intake.tables.form import check_form
from finlore.intake.tables.grid import CellReader, Grid
from finlore.intake.tables.layout import count_header_rows, is_value, read_layout
from finlore.intake.tables.totals import check_totals
from finlore.intake.tables.values import Reading, Sheet, read_values
from finlore.records.document import NOT_INDEXED, Block, Document
from finlore.records.table import Cell, Table, TableValue


def no_security(name: str) -> str | None:
    """The company of a name where nobody knows any."""
    return None


def read_tables(document: Document, *, find_security: FindSecurity = no_security) -> tuple[Table, ...]:
    """The tables in order, with what is doubtful about each.

    A table that goes on over a page break begins with the header cells of its first part, and has its caption and unit.
    """
    cells = CellReader(document)
    checked = _checked(document, cells, _tables(document, cells), find_security)
    return tuple(
        replace(one.sheet.table, doubts=one.findings.doubts, n_checks=one.findings.n_applied) for one in checked
    )


def table_values(
    document: Document, tables: Sequence[Table], *, find_security: FindSecurity = no_security
) -> tuple[TableValue, ...]:
    """The numbers of all tables of a document (`read_tables`), in their order; those that a failed check involves are
    doubtful."""
    line_starts = [line.start for line in document.lines]
    values = []
    for one in _checked(document, CellReader(document), tables, find_security):
        for reading in one.readings:
            value = reading.value
            page, box = place(document.lines, line_starts, value.start, value.end) if line_starts else (None, None)
            is_doubtful = (value.row, value.column) in one.findings.cells
            values.append(replace(value, page=page or value.page, box=box, is_doubtful=is_doubtful))
    return tuple(values)


@dataclass(frozen=True, slots=True)
class _Checked:
    """A table with its numbers and what the checks found."""

    sheet: Sheet
    readings: tuple[Reading, ...]
    findings: Findings


def _checked(
    document: Document, cells: CellReader, tables: Iterable[Table], find_security: FindSecurity
) -> list[_Checked]:
    """All tables read, then checked: what a rate is made of may stand in another table."""
    blocks = {block.start: block for block in document.blocks if block.role == "table"}
    sheets = [_sheet(cells, table, blocks[table.start]) for table in tables]
    if not sheets:
        return []
    checked = [_Checked(sheet, read_values(sheet, document.metadata, find_security), Findings()) for sheet in sheets]
    amounts = by_company(reading for one in checked for reading in one.readings).get(None, {})
    for one in checked:
        check_form(one.findings, one.sheet.grid, one.sheet.layout)
        check_arithmetic(one.findings, one.readings, own=amounts)
        check_totals(one.findings, one.readings)
    return checked


def _sheet(cells: CellReader, table: Table, block: Block) -> Sheet:
    grid = cells.of_table(table)
    own = cells.grid(block)
    n_repeated = len(grid.rows) - len(own.rows)
    grid = replace(grid, uneven=tuple((row + n_repeated, n) for row, n in own.uneven))
    caption = cells.read(table.caption.start, table.caption.end) if table.caption else ""
    titles = " ".join((caption, *(cell for row in grid.rows[: table.n_header_rows] for cell in row[:1])))
    layout = read_layout(grid, n_header_rows=table.n_header_rows)
    return Sheet(table, grid, layout, titles, per_share_unit(titles, table.unit))


def _tables(document: Document, cells: CellReader) -> list[Table]:
    """The tables with headers, caption and unit."""
    tables: list[Table] = []
    previous: int | None = None
    blocks = document.blocks
    for at, block in enumerate(blocks):
        if block.role != "table" or not (grid := cells.grid(block)).rows:
            continue
        table = _table(blocks, at, grid, cells)
        if previous is not None and _adjoins(blocks, previous, at) and _lacks_headers(table, grid, tables[-1]):
            table = _continued(tables[-1], table)
        elif previous == at - 1 and table.caption is None and _heads(table, cells) == _heads(tables[-1], cells) != []:
            table = replace(table, caption=tables[-1].caption, unit=table.unit or tables[-1].unit)
        tables.append(table)
        previous = at
    return tables


def _table(blocks: Sequence[Block], at: int, grid: Grid, cells: CellReader) -> Table:
    n_header_rows = count_header_rows(grid)
    layout = read_layout(grid, n_header_rows=n_header_rows)
    around = Surroundings(blocks, at, cells)
    caption = around.caption()
    return Table(
        start=blocks[at].start,
        end=blocks[at].end,
        n_rows=len(grid.rows),
        n_columns=grid.n_columns,
        cells=tuple(Cell(r, c, *spot) for r, row in enumerate(grid.spots) for c, spot in enumerate(row)),
        n_header_rows=n_header_rows,
        n_label_columns=len(layout.panels[0].labels),
        caption=caption,
        unit=around.unit(caption, grid, n_header_rows),
        page=blocks[at].page,
        box=blocks[at].box,
    )


def _heads(table: Table, cells: CellReader) -> list[str]:
    """The header rows as they read: a statement printed in two halves repeats them."""
    return [cells.read(cell.start, cell.end) for cell in table.cells if cell.row < table.n_header_rows]


def _adjoins(blocks: Sequence[Block], before: int, at: int) -> bool:
    """Whether a table may be the rest of the one before: at the top of the next page; without pages, right below."""
    between = [block for block in blocks[before + 1 : at] if block.role not in NOT_INDEXED]
    first, second = blocks[before].page, blocks[at].page
    if first is None or second is None:
        return not between
    return second == first + 1 and all(block.role in {"caption", "side"} for block in between)


def _lacks_headers(table: Table, grid: Grid, first: Table) -> bool:
    """Whether it begins with values, in as many columns as the one before that has headers."""
    begins = table.n_header_rows == 0 and any(map(is_value, grid.rows[0]))
    return begins and first.n_header_rows > 0 and first.n_columns == table.n_columns


def _continued(first: Table, table: Table) -> Table:
    """The table with the header cells, caption and unit of its first part."""
    n = first.n_header_rows
    headers = first.cells[: n * first.n_columns]
    rows = tuple(replace(cell, row=cell.row + n) for cell in table.cells)
    return replace(
        table,
        cells=headers + rows,
        n_rows=table.n_rows + n,
        n_header_rows=n,
        n_label_columns=first.n_label_columns,
        caption=first.caption,
        unit=table.unit or first.unit,
    )
