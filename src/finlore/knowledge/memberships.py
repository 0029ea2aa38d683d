"""Classes of securities by date, as lists of them state it: since when each belongs to which.

Such a list tells no end. A security belongs to a class until its next row names another, and nobody knows of that end
before; so the end is a statement of its own, known from that day.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.imports.cells import instant
from finlore.records.imported import ImportedRow, ImportedTable
from finlore.records.instant import as_datetime

RELATION: Final = "belongs_to_industry"
NEEDED: Final = ("code", "from_date", "shenwan_code")
_COLUMNS: Final = ("subject", "object", "text", "valid_from", "valid_to", "known_at")
_UNNAMED: Final = "申万行业"


def is_membership(table: ImportedTable) -> bool:
    """Whether the columns are those of a list of Shenwan classes."""
    return set(NEEDED) <= set(table.columns)


def intervals(table: ImportedTable, names: Mapping[str, str], *, zone: str) -> ImportedTable:
    """The list as statements of membership, each with its interval as far as it is known then. `names` are what the
    classes are called; one without a name goes by its code, which is the text of every statement."""
    return ImportedTable(table.format, _COLUMNS, _Intervals(table, names, zone), n_rows=table.n_rows)


@dataclass(frozen=True, slots=True)
class _Intervals:
    table: ImportedTable
    names: Mapping[str, str]
    zone: str

    def __iter__(self) -> Iterator[ImportedRow]:
        places = [self.table.columns.index(name) for name in NEEDED]
        of_security: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
        for row in self.table.rows:
            code, since, class_ = ("" if row.fault else str(row.cells[place]) for place in places)
            begins = instant(since, zone=self.zone)
            if begins is None or not (code and class_):
                fault = row.fault or "it does not say who, what and since when"
                yield ImportedRow(row.line, ("",) * len(_COLUMNS), fault)
                continue
            of_security[code].append((as_datetime(begins, self.zone).date().isoformat(), class_, row.line))
        for code, rows in of_security.items():
            yield from self._of(code, sorted(rows, key=lambda row: (row[0], row[2])))

    def _of(self, code: str, rows: list[tuple[str, str, int]]) -> Iterator[ImportedRow]:
        """Of rows of one day the last counts; one that names the class of the row before says nothing new."""
        last: tuple[str, str] | None = None
        for place, (since, class_, line) in enumerate(rows):
            is_passing = place + 1 < len(rows) and rows[place + 1][0] == since
            if is_passing or (last is not None and last[1] == class_):
                continue
            if last is not None:
                yield self._row(line, code, last[1], last[0], until=since, known=since)
            yield self._row(line, code, class_, since, until="", known=since)
            last = since, class_

    def _row(self, line: int, code: str, class_: str, since: str, *, until: str, known: str) -> ImportedRow:
        return ImportedRow(line, (code, self.names.get(class_) or f"{_UNNAMED}{class_}", class_, since, until, known))
