"""Whose number it is in a table that compares companies: by the code that a row prints, else by its name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from finlore.intake.tables.grid import Grid
from finlore.intake.tables.labels import header_role, is_aggregate, read_label
from finlore.intake.tables.layout import Layout, Panel, code_of
from finlore.language.codes import codes_in_brackets

FindSecurity = Callable[[str], str | None]
"""The listed company that a name means at the date of the document, as far as anybody knows."""
_MOST = 0.5
_BRACKETS: Final = "（(["


@dataclass(frozen=True, slots=True)
class Company:
    """A company as a table prints it; a row that stands for several has neither name nor security."""

    name: str = ""
    security: str | None = None


def company_columns(grid: Grid, layout: Layout, panel: Panel, find_security: FindSecurity) -> tuple[int, ...]:
    """The label columns of a panel that say which company a row is about; none where the rows are no companies.

    A column counts when its header says so, when it holds codes, or when most of its cells name a company.
    """
    headers, rows = grid.rows[: layout.n_header_rows], grid.rows[layout.n_header_rows :]
    found = []
    for column in panel.labels:
        role = next((role for row in reversed(headers) if (role := header_role(row[column]))), "")
        texts = [row[column] for row in rows if row[column] and any(row[value] for value in panel.values)]
        named = [text for text in texts if company_in(text, find_security) is not None]
        singles = [text for text in texts if not is_aggregate(text)]
        measures = sum(bool(read_label(text).metric) for text in singles)
        if not texts or measures > _MOST * len(singles):
            continue
        if layout.kinds[column] == "code" or role == "company" or len(named) > _MOST * len(singles):
            found.append(column)
    return tuple(found)


def company_of(
    row: Sequence[str], columns: Sequence[int], name: str, layout: Layout, find_security: FindSecurity
) -> Company:
    """The company of a row: its name as printed (`name` where only codes say it), its security by code or by name."""
    texts = {column: row[column] for column in columns if row[column]}
    if not texts or any(map(is_aggregate, (*texts.values(), name))):
        return Company()
    codes = [code for text in texts.values() if (code := code_of(text))]
    names = [text for column, text in texts.items() if layout.kinds[column] != "code" and not code_of(text)] or [name]
    known = next((found for text in names if (found := company_in(text, find_security))), None)
    return Company(known.name if known else names[0], codes[0] if codes else known.security if known else None)


def company_in(text: str, find_security: FindSecurity) -> Company | None:
    """The company that a text names and nothing else: with its code in brackets, or known by its name."""
    bracket = min((at for mark in _BRACKETS if (at := text.find(mark)) > 0), default=len(text))
    name = text[:bracket].strip()
    if bracket < len(text) and (codes := codes_in_brackets(text.replace(" HK", ".HK").replace(" CH", ".CH"))):
        return Company(name, codes[0])
    security = find_security(name) if name else None
    return Company(name, security) if security else None
