"""What a number measures and in which unit, from the label of its row and the headers of its column."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from finlore.intake.tables.labels import Label, header_role, is_countless, is_growth_section, read_label
from finlore.intake.tables.numbers import Number, read_number
from finlore.intake.tables.periods import find_period, is_period, left_over
from finlore.intake.tables.units import is_money, is_relative, parts_of, read_unit

_MONEY: Final = frozenset({"flow", "balance"})
_RELATIVE: Final = frozenset({"ratio", "multiple", "days", "turns"})
_QUOTED: Final = frozenset({"per_share", "price"})


def beside_period(path: Sequence[str]) -> list[str]:
    """What the headers of a column say besides the period, from the top; as printed where they have no period."""
    said = [text for text in path if not (header_role(text) or read_unit(text) or read_number(text))]
    rests = [(text, left_over(text)) for text in said]
    return [text if find_period(text) is None else rest for text, rest in rests if rest]


def column_label(path: Sequence[str]) -> Label:
    """The headers of a column as one label: the lowest measure, what is derived from it, the lowest unit."""
    labels = [read_label(text) for text in reversed(beside_period(path))]
    unit = next((unit for text in reversed(path) if (unit := read_label(text).unit or read_unit(text))), "")
    measure = next((label for label in labels if label.metric), Label())
    derived = measure.derived or next((label.derived for label in labels if label.is_bare), "")
    return Label(measure.metric, measure.kind, derived, unit, is_bare=bool(derived) and not measure.metric)


def row_label(name: str, section: str) -> Label:
    """What the label of a row names, alone or together with the section that it stands in ("Diluted")."""
    bare = left_over(name) if find_period(name) else name
    label = read_label(bare)
    if label.metric or label.is_bare or not section or not bare:
        return label
    both = (read_label(f"{section} {bare}"), read_label(f"{bare} {section}"))
    return next((replace(found, unit=label.unit) for found in both if found.metric), label)


def combined(name: str, row: Label, path: Sequence[str], column: Label) -> tuple[Label, str]:
    """(label, printed text) of a value: the measure of the row, else that of the column."""
    rest = beside_period(path)
    if row.metric:
        derived = row.derived or (column.derived if column.is_bare else "")
        beside = column.is_bare or (rest and not column.metric)
        return replace(row, derived=derived), " / ".join([name, *(rest[-1:] if beside else ())])
    text = " / ".join(([] if is_period(name) or not name else [name]) + rest)
    return (column if column.metric else replace(row, derived=row.derived or column.derived)), text


def consistent(label: Label, unit: str, section: str) -> Label:
    """The label, unless the unit contradicts it: an amount in per cent is a growth where the section says so, else a
    share of something unsaid."""
    if label.derived or not label.metric:
        return label
    if label.kind in _MONEY and is_relative(unit):
        return replace(label, derived="growth") if is_growth_section(section) else Label()
    if label.metric == "metric:paid_in_capital" and parts_of(unit)[1] == "股":
        return replace(label, metric="metric:share_capital", kind="count")
    return Label() if label.kind in _QUOTED | {"count"} and is_relative(unit) else label


def choose_unit(
    printed: Number, label: Label, text: str, stated: Sequence[str], *, table_unit: str, per_share_unit: str
) -> str:
    """The unit of a value: in the cell, else the first of the `stated` ones that the measure can have, else the
    table's."""
    if printed.unit and not is_money(printed.unit):
        return printed.unit
    unit = next((unit for unit in stated if unit and _fits(unit, label)), "")
    if is_relative(table_unit) and not label.metric and is_money(unit) and parts_of(unit)[0] == 1:
        unit = table_unit  # growth of something counted in a currency: 出口（美元） under （%）
    if unit:
        return _with_currency(unit, printed.unit)
    if label.kind in _QUOTED:
        scaled = is_money(table_unit) and parts_of(table_unit)[0] != 1
        return printed.unit or (per_share_unit if scaled else table_unit if _fits(table_unit, label) else "")
    is_amount = label.metric or label.derived or not is_money(table_unit) or not is_countless(text)
    return _with_currency(table_unit if is_amount and _fits(table_unit, label) else "", printed.unit)


def _fits(unit: str, label: Label) -> bool:
    """Whether a measure can be counted in a unit; what nobody knows can be counted in any."""
    if label.derived:
        return unit in {"%", "pct", "bps"}
    if label.kind in _RELATIVE:
        wrong = {"multiple": {"%", "pct", "bps"}, "ratio": {"x"}}.get(label.kind, set())
        return not is_money(unit) and unit not in wrong
    if label.kind in _QUOTED:
        return is_money(unit.partition("/")[0]) or unit == "点"
    if label.kind == "count":
        return bool(unit) and not is_money(unit)
    return label.kind not in _MONEY or is_money(unit) or is_relative(unit) or parts_of(unit)[1] == "股"


def _with_currency(unit: str, printed: str) -> str:
    """A scale from the caption with the currency that the cell prints: 千 and $ are 千美元."""
    scale, counted = parts_of(unit)
    if not printed or unit == printed:
        return unit
    if not unit or parts_of(printed)[0] != 1 or (counted and counted != parts_of(printed)[1]):
        return printed
    return f"{unit}{printed}" if not counted and scale != 1 else unit
