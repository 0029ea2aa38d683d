"""The numbers that our reader takes from tables, against those that a person reads there."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from finlore.intake.tables.read import read_tables, table_values
from finlore.records.document import Document
from finlore.records.table import TableValue
from finlore.resources import load_rows
from intake_scores import Expected, Truth, expected_records

_LATIN_TAIL = re.compile(r"[A-Za-z/&. ]+$")
_GROWTH = ("同比", "增速", "增长", "growth", "yoy")
_UNITS = {"倍": "x"}


@dataclass(frozen=True)
class Records:
    """`whole`: metric, unit, period, basis and value are right; `numbers`: value, period and basis are. `doubtful`:
    whole ones that are marked so; `extra`: other records of the same tables."""

    whole: int
    numbers: int
    expected: int
    doubtful: int
    extra: int

    def __str__(self) -> str:
        return (
            f"{self.whole}/{self.expected} whole, {self.numbers} numbers, {self.doubtful} doubtful, {self.extra} extra"
        )


def records_right(truth: Truth, document: Document) -> Records:
    tables = read_tables(document)
    left = list(table_values(document, tables))
    whole, numbers, read = 0, 0, set[tuple[int, int]]()
    doubtful = 0
    for expected in expected_records(truth):
        same = [value for value in left if _is_number(value, expected)]
        best = next((value for value in same if _is_whole(value, expected)), None) or next(iter(same), None)
        if best is None:
            continue
        left.remove(best)
        numbers += 1
        read |= {(table.start, table.end) for table in tables if table.start <= best.start < table.end}
        if _is_whole(best, expected):
            whole += 1
            doubtful += best.is_doubtful
    extra = sum(any(start <= value.start < end for start, end in read) for value in left)
    return Records(whole, numbers, len(expected_records(truth)), doubtful, extra)


def _is_number(value: TableValue, expected: Expected) -> bool:
    return (value.value, value.period, value.basis) == (expected.value, expected.period, expected.basis)


def _is_whole(value: TableValue, expected: Expected) -> bool:
    """Units are compared where the label states one, measures where the list of measures knows the label."""
    unit = _UNITS.get(expected.unit, expected.unit)
    metric = metric_of(expected)
    return (
        _is_number(value, expected) and value.unit == (unit or value.unit) and value.metric == (metric or value.metric)
    )


def metric_of(expected: Expected) -> str:
    """The id of the measure that a person would give; "" where the shipped list of measures lacks the label."""
    if expected.of and any(word in expected.label.lower() for word in _GROWTH):
        base = _metrics().get(_plain(expected.of), "")
        return f"{base}.growth" if base else ""
    return _metrics().get(_plain(expected.label), "")


@cache
def _metrics() -> Mapping[str, str]:
    rows: Iterable[tuple[str, ...]] = load_rows("names/metrics.tsv", 4)
    return {word: metric for _, name, also, metric in rows for word in (name, *also.split("|"))}


def _plain(label: str) -> str:
    return label if label in _metrics() else _LATIN_TAIL.sub("", label)
