"""Who holds a company, as sentences and tables state it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import fold
from finlore.records.document import Document
from finlore.records.fact import Party
from finlore.records.table import Cell, Table

_HOLDERS: Final = frozenset({"security", "company", "person", "broker", "regulator", "organisation", "name"})
_PATTERNS: Final = Patterns("lexicon/holdings.toml")


@dataclass(frozen=True, slots=True)
class Holding:
    """`party` holds part of the covered company; `share` in %, None where nobody says. Offsets into the text read."""

    party: Party
    share: float | None
    start: int
    end: int


def find_holders(reading: Reading) -> Iterator[Holding]:
    """The shareholders that a sentence names as such."""
    text = reading.text
    listed = {label.start(): [*_listed(text, label.end())] for label in _PATTERNS["holders_follow"].finditer(text)}
    yield from (holding for holdings in listed.values() for holding in holdings)
    for match in _PATTERNS["holder_role"].finditer(text):
        if listed.get(match.start()):
            continue
        named = _named_at(reading.names, match.start("name") if match["name"] else match.end())
        if match["name"] and (named is None or named.end < match.end("name")):
            start, end = match.span("name")
            named = Named(start, end, Party(match["name"], fold(match["name"]), _kind(match["name"])))
        if named is not None and named.party.kind in _HOLDERS:
            yield Holding(named.party, _share(text, named.end), match.start(), named.end)
    for name in reading.names:
        if name.party.kind in _HOLDERS and (role := _PATTERNS["holder_before"].search(text[name.end : name.end + 40])):
            yield Holding(name.party, _share(text, name.end), name.start, name.end + role.end())


def _listed(text: str, at: int) -> Iterator[Holding]:
    """Those whose shares stand in brackets behind them, one after another: A（25.8%）；B（15.2%）."""
    while (match := _PATTERNS["holder_listed"].match(text, at)) is not None:
        name = match["name"].strip()
        yield Holding(Party(name, fold(name), _kind(name)), float(match["share"]), *match.span("name"))
        at = match.end()


def _named_at(names: Sequence[Named], at: int) -> Named | None:
    return next((name for name in names if at - 1 <= name.start <= at + 4), None)


def _kind(name: str) -> str:
    if name.endswith(("国资委", "委员会", "政府")):
        return "regulator"
    return "person" if len(name) <= 3 else "organisation"


def _share(text: str, at: int) -> float | None:
    match = _PATTERNS["share_held"].search(text, at, at + 48)
    return float(match[1]) if match else None


def holders_in_table(document: Document, table: Table) -> Iterator[tuple[Cell, float | None]]:
    """(cell of the name, share in %) of a table of shareholders; nothing of any other table."""
    printed = {(cell.row, cell.column): document.text[cell.start : cell.end].strip() for cell in table.cells}
    heads = sorted((column, text) for (row, column), text in printed.items() if row == 0)
    named = next((column for column, text in heads if _PATTERNS["holder_column"].search(text)), None)
    shared = next((column for column, text in heads if _PATTERNS["share_column"].search(text)), None)
    for cell in table.cells if shared not in (None, named) else ():
        name = printed[cell.row, cell.column]
        is_one = cell.row > 0 and len(fold(name)) >= 2 and not _PATTERNS["all_holders"].search(name)
        if cell.column == named and is_one:
            share = _PATTERNS["percent"].fullmatch(printed.get((cell.row, shared or 0), ""))
            yield cell, float(share[1]) if share and float(share[1]) <= 100 else None
