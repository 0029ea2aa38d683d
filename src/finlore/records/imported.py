"""Tables and graphs that other programs wrote: what an importer reads, and what became of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from finlore.records.instant import Instant
from finlore.records.store import PutStatus

Cell = str | tuple[tuple[str, str], ...]
"""What stands in a cell; of a list or mapping, (name, value) pairs, the value empty where there is none."""


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """One row, as many cells as there are columns; `line` counts from 1 in the source. `fault`: why it cannot be
    read. `is_directed`: of an edge that says so itself."""

    line: int
    cells: tuple[Cell, ...]
    fault: str = ""
    is_directed: bool | None = None


@dataclass(frozen=True, slots=True)
class ImportedTable:
    """Rows under named columns. Of a graph the rows are edges, `nodes` its nodes, both with the headers of a Neo4j
    import (`:ID`, `:START_ID`, `:END_ID`); without a direction `is_directed` is false. `n_rows`: about how many.

    Rows are read from the file while they are taken, each time they are iterated over; UnreadableTable when that fails.
    """

    format: str
    columns: tuple[str, ...]
    rows: Iterable[ImportedRow]
    nodes: "ImportedTable | None" = None
    is_directed: bool = True
    n_rows: int | None = None


class UnreadableTable(ValueError):
    """The content is no table or graph of this format; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Rows that were left out for one reason: how many, and the first of them with what is wrong there."""

    reason: str
    count: int
    examples: tuple[tuple[int, str], ...]  # (line, what stands there)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What one import did. `added` counts facts, of a list of names the entities; `names` what it teaches.

    `is_whole`: all rows were read. Else what `added` counts is in the store, and the same import goes on from there.
    """

    document: str
    status: PutStatus | None  # None: nothing could be used, nothing was changed
    what: str
    added: int
    names: int
    rejected: tuple[Rejection, ...] = field(default=())
    known_at: Instant | None = None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    is_whole: bool = True

    @property
    def n_rejected(self) -> int:
        return sum(rejection.count for rejection in self.rejected)
