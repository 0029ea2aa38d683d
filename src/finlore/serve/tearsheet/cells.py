"""Rows of a document -> the cells of a table, as their definitions say.

The key of a column is that of its definition, which says where a row has its number, and as what it is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Final

from finlore import resources
from finlore.serve.tearsheet.wording import FORMS, SIGNED, UNKNOWN, Form, count, interval
from finlore.serve.words import Json

Definitions = Mapping[str, Mapping[str, Any]]
_ALL: Final = "*"


@dataclass(frozen=True, slots=True)
class Cell:
    """`tone`: a class of the page; `note`: a smaller second line."""

    text: str
    tone: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """`style`: that of its curve, "" where it has none and others do; `key`: of a definition of its own."""

    name: str
    cells: tuple[Cell, ...]
    style: str | None = None
    note: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """`at`: where a row has its number, steps apart by /, * for the first there is; `counted`: where it says of how
    many that is."""

    key: str
    head: str
    at: str = ""
    form: str = "ratio"
    counted: str = ""

    @property
    def is_words(self) -> bool:
        return self.form == "words"


@dataclass(frozen=True, slots=True)
class Table:
    """`rest` opens on demand; `below` always stands at the end; `remark`: what has no column, and why. Every row has a
    cell for every column."""

    caption: str
    first: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    rest: tuple[Row, ...] = ()
    below: tuple[Row, ...] = ()
    remark: str = ""


def definitions() -> Definitions:
    found: Definitions = resources.load_toml("tearsheet/definitions.toml")
    return found


def column(defined: Definitions, key: str) -> Column:
    one = defined[key]
    return Column(key, one["head"], one.get("at", ""), one.get("form", "ratio"))


def cells(columns: Sequence[Column], row: Json) -> tuple[Cell, ...]:
    return tuple(_cell(one, row) for one in columns)


def without_the_unknown(table: Table) -> Table:
    """Without the columns of which no row knows anything."""
    rows = (*table.rows, *table.rest, *table.below)
    known = [any(row.cells[place].text not in ("", UNKNOWN) for row in rows) for place in range(len(table.columns))]
    shown, rest, below = (
        tuple(replace(row, cells=tuple(compress(row.cells, known))) for row in some)
        for some in (table.rows, table.rest, table.below)
    )
    return replace(table, columns=tuple(compress(table.columns, known)), rows=shown, rest=rest, below=below)


def figure_row(defined: Definitions, told: Json) -> Row:
    """Value, interval, n, and what it is held to."""
    one = defined.get(told["label"], {})
    form = FORMS[one.get("form", "ratio")]
    texts = (form(told["value"]), interval(form, *told["ci"]), count(told["n"]), _held_to(one, told, form))
    return Row(
        one.get("head", told["label"]),
        tuple(map(Cell, texts, ("", "", "", "words"))),
        note="" if one else told["note"],
        key=told["label"] if one else "",
    )


def _held_to(one: Mapping[str, Any], told: Json, form: Form) -> str:
    """As `0.530 or more, its interval above 0.500: met`."""
    value, (low, high), chance = told["value"], told["ci"], one.get("chance")
    tests = [
        (f"{form(one['at_least'])} or more", value >= one["at_least"]) if "at_least" in one else None,
        (f"{form(one['at_most'])} or less", value <= one["at_most"]) if "at_most" in one else None,
        (f"its interval above {form(one['low_above'])}", low is not None and low > one["low_above"])
        if "low_above" in one
        else None,
    ]
    asked = [test for test in tests if test]
    verdict = "met" if all(is_met for _, is_met in asked) else "not met"
    if verdict == "met" and None not in (chance, low, high) and low <= chance <= high:
        verdict = f"met, but its interval holds {chance:g}"
    return f"{', '.join(words for words, _ in asked)}: {verdict}" if asked else ""


def _cell(one: Column, row: Json) -> Cell:
    first = one.at.partition("/")[0]
    if first not in row:
        return Cell("")
    value, form = _reached(row, one.at), FORMS[one.form]
    if isinstance(value, list):
        return Cell(interval(form, *value))
    note = f"n {count(_reached(row, one.counted))}" if one.counted and value is not None else ""
    return Cell(text := form(value), tone(text) if form in SIGNED else "", note)


def tone(text: str) -> str:
    """Of what is written with its sign."""
    return {"+": "up", "−": "down"}.get(text[:1], "")


def _reached(row: Json, at: str) -> Any:  # noqa: ANN401 - whatever a document holds
    """None where the way ends."""
    found: object = row
    for step in at.split("/"):
        if isinstance(found, list):
            found = found[int(step)]
        elif isinstance(found, dict):
            found = next(iter(found.values()), None) if step == _ALL else found.get(step)
    return found
