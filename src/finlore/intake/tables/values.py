"""A table's numbers, each with the measure, unit, period, basis and company that its headers give it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from finlore.intake.tables.companies import Company, FindSecurity, company_columns, company_in, company_of
from finlore.intake.tables.grid import Grid
from finlore.intake.tables.labels import Label, header_role, is_aggregate, is_cash_flow, is_whole, read_label
from finlore.intake.tables.layout import Layout, Panel, is_note
from finlore.intake.tables.measures import beside_period, choose_unit, column_label, combined, consistent, row_label
from finlore.intake.tables.numbers import is_blank, read_number
from finlore.intake.tables.periods import Period, find_period, is_period, read_period
from finlore.intake.tables.units import read_unit
from finlore.records.document import Metadata
from finlore.records.instant import as_datetime
from finlore.records.table import Basis, Table, TableValue

_STATEMENT: Final = 0.3  # share of rows that name a measure, from which a panel is about one company
_HEADER_SHARE: Final = 0.6
PART: Final = ".segment"
"""Behind the id of a measure that is one of a part of the company: metric:revenue.segment."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table that is being read; `titles` is what caption and first cells say of all of it, `per_share_unit` the unit
    of amounts per share where the table's own is for the rest."""

    table: Table
    grid: Grid
    layout: Layout
    titles: str
    per_share_unit: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A value with what the checks need: how finely it is printed, what it is derived from and in which row that is,
    and the heading inside the table that it stands under."""

    value: TableValue
    decimals: int
    table: int  # where its table starts
    panel: int
    derived: str = ""
    base_row: int | None = None
    context: str = ""


def read_values(sheet: Sheet, metadata: Metadata, find_security: FindSecurity) -> tuple[Reading, ...]:
    """Every number of a table, panel by panel, row by row."""
    return tuple(
        reading
        for number, panel in enumerate(sheet.layout.panels)
        for reading in _with_parts(list(_PanelReader(sheet, number, panel, metadata, find_security).readings()))
    )


@dataclass(slots=True)
class _Row:
    """The row that is being read, and what holds for it from rows above."""

    paths: dict[int, tuple[str, ...]]
    title: str
    at: int = 0
    name: str = ""
    label: Label = field(default_factory=Label)
    section: str = ""
    outer: str = ""
    base: tuple[int, str, Label] | None = None  # row, name and label that a bare growth row belongs to
    base_row: int | None = None
    company: Company | None = None


class _PanelReader:
    """Reads one panel; holds what all of its rows share."""

    def __init__(
        self, sheet: Sheet, number: int, panel: Panel, metadata: Metadata, find_security: FindSecurity
    ) -> None:
        self._sheet, self._number, self._panel = sheet, number, panel
        self._rows, self._layout = sheet.grid.rows, sheet.layout
        self._security, self._find_security = metadata.security, find_security
        published = metadata.published_at
        self._published = as_datetime(published).date() if published is not None else None
        self._names = company_columns(sheet.grid, sheet.layout, panel, find_security)
        self._compares = not self._names and self._heads_compare()
        self._is_statement = not self._names and self._names_measures()

    def readings(self) -> Iterator[Reading]:
        heads = (text for column in self._panel.labels for text in self._layout.paths[column])
        title = " ".join(text for text in heads if not header_role(text)) or self._sheet.titles
        row = _Row({column: self._layout.paths[column] for column in self._panel.values}, title)
        for at in range(self._layout.n_header_rows, len(self._rows)):
            cells = self._rows[at]
            if not is_note(cells):
                yield from self._row(row, at, {column: cells[column] for column in self._panel.values if cells[column]})

    def _row(self, row: _Row, at: int, texts: Mapping[int, str]) -> Iterator[Reading]:
        row.at, row.name = at, self._name(at)
        if self._is_header(texts):
            row.paths |= {column: (text,) for column, text in texts.items()}
            row.title, row.section, row.base = row.name, row.name, None
        elif not texts:
            row.section = row.name or row.section
            row.title = row.name if is_cash_flow(row.name) else row.title
            row.base = None if row.name else row.base
        else:
            self._label(row)
            yield from (self._reading(row, column) for column in texts if read_number(texts[column]) is not None)

    def _label(self, row: _Row) -> None:
        """What the row says about all of its values."""
        row.outer = self._outer(row.at) or row.outer
        row.base_row = None
        own = row_label(row.name, row.section)
        if (own.kind == "balance" or own.metric == "metric:income_tax") and is_cash_flow(row.title):
            own = Label(unit=own.unit)  # its change, or what was paid of it
        if own.is_bare and row.base is not None:
            row.base_row, name, base = row.base
            row.name, own = f"{name} / {row.name}", replace(base, derived=own.derived, unit=own.unit)
        elif row.name and not own.derived:
            row.base = (row.at, row.name, own)
        row.label = own
        if self._names:
            row.company = company_of(self._rows[row.at], self._names, row.name, self._layout, self._find_security)

    def _reading(self, row: _Row, column: int) -> Reading:
        printed = read_number(self._rows[row.at][column])
        assert printed is not None  # numbers alone come here
        path = row.paths[column]
        header = column_label(path)
        is_named = row.company is not None and row.company.name
        label, text = combined("" if is_named else row.name, row.label, path, header)
        label, text = (Label() if self._revises(row, path, header) else label), text or row.name
        unit = choose_unit(
            printed, label, text, (row.label.unit, header.unit, self._unit_beside(row)),
            table_unit=self._sheet.table.unit, per_share_unit=self._sheet.per_share_unit,
        )  # fmt: skip
        label = consistent(label, unit, row.section)
        period = (
            read_period(path) or self._row_period(row.at) or (self._compared(row, column) if label.derived else None)
        )
        security, company = self._company(row, path, label)
        start, end = self._sheet.grid.spots[row.at][column]
        value = TableValue(
            metric=label.id, label=text, value=printed.value, unit=unit, period=period.text if period else "",
            basis=self._basis(period), security=security, company=company, start=start, end=end, row=row.at,
            column=column, page=self._sheet.table.page,
        )  # fmt: skip
        context = row.outer or row.section
        return Reading(
            value, printed.decimals, self._sheet.table.start, self._number, label.derived, row.base_row, context
        )

    def _name(self, at: int) -> str:
        """The label of a row: its last label column of text that holds one."""
        texts = [column for column in self._panel.labels if self._layout.kinds[column] in {"text", "period"}]
        return next((text for column in reversed(texts or self._panel.labels) if (text := self._rows[at][column])), "")

    def _outer(self, at: int) -> str:
        """The label before the last one, which holds for the rows below as well."""
        texts = [column for column in self._panel.labels if self._layout.kinds[column] == "text"][:-1]
        return next((text for column in reversed(texts) if (text := self._rows[at][column])), "")

    def _is_header(self, texts: Mapping[int, str]) -> bool:
        """Whether a row heads those below it: periods alone and all different, names of measures, or the top headers
        again."""
        if len(texts) > 1 and all(map(is_period, texts.values())):
            periods = {found.text for text in texts.values() if (found := find_period(text))}
            return len(periods) == len(texts) and len(texts) >= _HEADER_SHARE * len(self._panel.values)
        if len(texts) > 1 and not any(read_number(text) or is_blank(text) for text in texts.values()):
            labels = [read_label(text) for text in texts.values()]
            if sum(bool(label.metric) or label.is_bare for label in labels) > len(labels) / 2:
                return True
        return bool(texts) and all(self._layout.paths[column][-1:] == (text,) for column, text in texts.items())

    def _names_measures(self) -> bool:
        """Whether so many rows name measures that the panel is a statement of one company."""
        names = filter(None, map(self._name, range(self._layout.n_header_rows, len(self._rows))))
        labels = [read_label(name) for name in names]
        known = sum(bool(label.kind) or label.is_bare for label in labels)
        return bool(labels) and known >= _STATEMENT * len(labels)

    def _heads_compare(self) -> bool:
        """Whether columns stand for companies: one head names one, or all companies together where none is a period."""
        heads = [text for column in self._panel.values for text in self._layout.paths[column] if not header_role(text)]
        if any(company_in(text, self._find_security) for text in heads):
            return True
        return any(map(is_aggregate, heads)) and not any(map(find_period, heads))

    def _row_period(self, at: int) -> Period | None:
        return next((found for column in self._panel.labels if (found := find_period(self._rows[at][column]))), None)

    def _compared(self, row: _Row, column: int) -> Period | None:
        """The period of a growth that stands beside what it compares: the latest of the columns right before it."""
        found: list[Period] = []
        for before in reversed([at for at in self._panel.values if at < column]):
            period = read_period(row.paths[before])
            if period is None and found:
                break
            found += [period] if period else []
        return max(found, key=lambda period: (period.last, -period.rank), default=None)

    def _revises(self, row: _Row, path: Sequence[str], header: Label) -> bool:
        """Whether a column of changes compares two statements of one period, as old and new forecasts, not periods."""
        period = read_period(path) if header.is_bare and header.derived == "growth" else None
        if period is None or not row.label.metric:
            return False
        others = [other for other in row.paths.values() if not column_label(other).derived]
        return sum(read_period(other) == period for other in others) > 1

    def _basis(self, period: Period | None) -> Basis:
        """As marked; else what ended after the document was published is a forecast."""
        if period is None or period.basis or self._published is None or period.last == date.max:
            return period.basis if period else ""
        return "forecast" if period.last > self._published else "actual"

    def _unit_beside(self, row: _Row) -> str:
        """The unit in a column of units, else that of the section."""
        column = self._panel.unit
        return (read_unit(self._rows[row.at][column]) if column is not None else "") or read_label(row.section).unit

    def _company(self, row: _Row, path: Sequence[str], label: Label) -> tuple[str | None, str]:
        """(security, printed name): of the row, else of the column, else of the document that the statement is in."""
        if row.company is not None:
            return row.company.security, row.company.name
        for text in reversed(path):
            if not header_role(text) and (found := company_in(text, self._find_security)) is not None:
                return found.security, found.name
        if self._compares and (names := [text for text in beside_period(path) if not _is_measure(text)]):
            return None, "" if is_aggregate(names[-1]) else names[-1]
        is_own = self._is_statement or bool(row.label.kind) or (bool(label.kind) and is_period(row.name))
        return (self._security if is_own else None), ""


def _is_measure(text: str) -> bool:
    label = read_label(text)
    return bool(label.metric) or label.is_bare


def _with_parts(readings: Sequence[Reading]) -> list[Reading]:
    """A measure that several rows state differently is one of parts (segments, products), except under a heading that
    stands for the whole; so is all else that stands under the heading of a part."""
    stated: dict[tuple[str, str], dict[str, set[float]]] = {}
    for reading in readings:
        if reading.value.metric and not reading.derived and not reading.value.company:
            contexts = stated.setdefault((reading.value.metric, reading.value.period), {})
            contexts.setdefault(reading.context, set()).add(reading.value.value)
    parts = {
        context
        for contexts in stated.values()
        if len(contexts) > 1 and len(set().union(*contexts.values())) > 1
        for context in contexts
        if not is_whole(context)
    }
    return [_part(reading) if reading.context in parts and reading.value.metric else reading for reading in readings]


def _measure(reading: Reading) -> str:
    return reading.value.metric.removesuffix(f".{reading.derived}") if reading.derived else reading.value.metric


def _part(reading: Reading) -> Reading:
    derived = f".{reading.derived}" if reading.derived else ""
    label = (
        reading.value.label if reading.context in reading.value.label else f"{reading.context} / {reading.value.label}"
    )
    return replace(reading, value=replace(reading.value, metric=f"{_measure(reading)}{PART}{derived}", label=label))
