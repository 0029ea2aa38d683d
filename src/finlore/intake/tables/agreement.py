"""The same measure printed in several tables of one document: they agree, or one of them was read wrongly."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from finlore.intake.tables.arithmetic import Amounts
from finlore.intake.tables.findings import Findings
from finlore.intake.tables.intervals import interval_of, places

_SHARED: Final = 4
_MOST: Final = 0.75


def check_agreement(tables: Sequence[tuple[Findings, Amounts]]) -> None:
    """Adds comparisons of the company's own measures between tables that share several and mostly agree: others are
    about something else, such as forecasts before they were changed."""
    for (first_findings, first), (second_findings, second) in combinations(tables, 2):
        shared = [
            (one, other)
            for key, one in first.items()
            if key[1] and (other := second.get(key)) is not None and other.value.unit == one.value.unit
        ]
        agreeing = sum(interval_of(one).meets(interval_of(other)) for one, other in shared)
        if len(shared) < _SHARED or agreeing < _MOST * len(shared):
            continue
        for one, other in shared:
            holds = interval_of(one).meets(interval_of(other))
            for findings, own, else_where in ((first_findings, one, other), (second_findings, other, one)):
                value = own.value
                where = f"row {value.row + 1} '{value.label}', column {value.column + 1} ({value.period})"
                words = f"{where}: printed {value.value:,g}, but {else_where.value.value:,g} in another table"
                findings.expect(holds, words, places(own))
