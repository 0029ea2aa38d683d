"""Sums that a table shows by itself: totals of the rows above them, profits made of what stands before them.

What a total is made of is nowhere printed. So a sum counts as a check only where it holds in most periods; where it
then fails in one, that one is doubtful.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Final

from finlore.intake.tables.findings import Findings, Interval, compared, interval_of, places
from finlore.intake.tables.labels import is_total
from finlore.intake.tables.values import Reading

Row = Mapping[str, Reading]
"""The readings of a row by period."""
_FLOWS: Final = ("operating_cash_flow", "investing_cash_flow", "financing_cash_flow")
_TOTALS: Final = frozenset(
    {"current_assets", "noncurrent_assets", "current_liabilities", "noncurrent_liabilities", *_FLOWS}
)
_MADE_OF: Final = (
    (
        "operating_profit",
        ("revenue", "investment_income", "fair_value_gain", "other_income"),
        ("operating_cost", "taxes_and_surcharges", "selling_expense", "admin_expense", "rd_expense", "finance_expense"),
    ),
    ("pretax_profit", ("operating_profit", "nonoperating_income"), ("nonoperating_expense",)),
    ("net_cash_change", _FLOWS, ()),
)
_EITHER_SIGN: Final = ("impairment", "credit_impairment")


def check_totals(findings: Findings, readings: Sequence[Reading]) -> None:
    """Adds the sums of a table that hold in most of its periods."""
    amounts = [r for r in readings if not r.derived and not r.value.company and r.value.period]
    for _, panel in groupby(amounts, key=lambda reading: reading.panel):
        rows = [{r.value.period: r for r in row} for _, row in groupby(panel, key=lambda reading: reading.value.row)]
        for total, parts in _above_totals(rows):
            _check(findings, total, [(part, 1) for part in parts])
        measures = {_measure(row): row for row in reversed(rows) if _measure(row)}
        for name, plus, minus in _MADE_OF:
            signs = [(measures[part], 1) for part in plus if part in measures]
            signs += [(measures[part], -1) for part in minus if part in measures]
            either = [measures[part] for part in _EITHER_SIGN if part in measures] if name == "operating_profit" else []
            if name in measures and len(signs) > 1:
                total = _modelled(measures[name])
                variants = [signs + [(row, sign) for row in either] for sign in ((1, -1) if either else (1,))]
                _check(findings, total, max(variants, key=partial(_n_holding, total)))


def _modelled(total: Row) -> Row:
    """The forecasts of a profit, where there are several: reported years have items that forecasts leave out."""
    forecasts = {period: reading for period, reading in total.items() if reading.value.basis == "forecast"}
    return forecasts if len(forecasts) > 1 else total


def _above_totals(rows: Sequence[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """Each total with the rows since the total before it."""
    since: list[Row] = []
    for row in rows:
        first = next(iter(row.values())).value
        if is_total(first.label) or _measure(row) in _TOTALS:
            same = [other for other in since if next(iter(other.values())).value.unit == first.unit]
            if len(same) > 1:
                yield row, same
            since = []
        else:
            since.append(row)


def _check(findings: Findings, total: Row, parts: Sequence[tuple[Row, int]]) -> None:
    holding = _n_holding(total, parts)
    if holding < 2 or 2 * holding <= len(total):
        return
    first, *_, last = (next(iter(part.values())).value.label for part, _ in parts)
    for period, whole in total.items():
        amount, known = _sum(period, parts)
        words = compared(whole, amount, f"from {first} to {last}")
        findings.expect(amount.meets(interval_of(whole)), words, places(whole, *known))


def _n_holding(total: Row, parts: Sequence[tuple[Row, int]]) -> int:
    return sum(_sum(period, parts)[0].meets(interval_of(whole)) for period, whole in total.items())


def _sum(period: str, parts: Iterable[tuple[Row, int]]) -> tuple[Interval, list[Reading]]:
    """The sum of a period, blanks as nothing, and what it is made of."""
    known = [(row[period], sign) for row, sign in parts if period in row]
    amount = Interval(0, 0)
    for reading, sign in known:
        amount += interval_of(reading).times(sign)
    return amount, [reading for reading, _ in known]


def _measure(row: Row) -> str:
    return next(iter(row.values())).value.metric.removeprefix("metric:")
