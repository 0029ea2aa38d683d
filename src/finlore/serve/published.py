"""The graph of a workspace as a row beside those of published ones."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from rich.table import Table

from finlore.resources import load_rows
from finlore.serve.terminal import literal, out, say
from finlore.serve.words import Json

_GRAPHS: Final = "published/graphs.tsv"
_NEAREST: Final = "FinKario"  # whose schema ours is
_COLUMNS: Final = ("graph", "events", "dynamic", "automatic", "entities", "relation_types", "triples", "source")
_RULES: Final = {
    "entities": "whom facts and events speak of; a name that means nobody yet counts by itself",
    "relation_types": "attributes and links in use, and drivers; figures apart, their measures are n_metrics",
    "triples": "facts and events that stand in the documents now, each at its place and time",
    "n_events": "events among them",
}


def beside(counts: Mapping[str, int]) -> Json:
    """`ours`: what a workspace counts, by `rules`; `published`: Table 1 of the FinKario paper, None where it prints
    nothing."""
    ours = {
        "graph": "ours",
        "events": "yes" if counts.get("events") else "no",
        "dynamic": "yes",
        "automatic": "yes",
        "entities": counts.get("parties", 0),
        "relation_types": counts.get("relations", 0) + counts.get("drivers", 0),
        "triples": counts.get("facts", 0) + counts.get("events", 0),
        "source": "documents",
        "n_events": counts.get("events", 0),
        "n_metrics": counts.get("metrics", 0),
    }
    return {"ours": ours, "published": list(_published()), "rules": dict(_RULES)}


def _published() -> Iterator[Json]:
    for row in islice(load_rows(_GRAPHS, len(_COLUMNS)), 1, None):
        yield {name: int(cell) if cell.isdecimal() else cell or None for name, cell in zip(_COLUMNS, row, strict=True)}


def show(document: Json, *, whole: bool) -> None:
    """Ours first, then that which it is most like, or the `whole` of Table 1."""
    table = Table(box=None, pad_edge=False)
    for name in _COLUMNS:
        numeric = name in ("entities", "relation_types", "triples")
        heading = {"relation_types": "types", "automatic": "auto"}.get(name, name)
        table.add_column(heading, justify="right" if numeric else "left", no_wrap=True)
    ours = document["ours"]
    for row in (ours, *(row for row in document["published"] if whole or row["graph"] == _NEAREST)):
        table.add_row(*(literal(_cell(row[name])) for name in _COLUMNS), style="bold" if row is ours else "")
    out.print(table)
    say(f"events among the triples: {ours['n_events']:,}; measures of figures: {ours['n_metrics']:,}", "dim")
    for name, rule in document["rules"].items():
        say(f"{name}: {rule}", "dim")


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value or "—")
