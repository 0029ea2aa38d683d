"""What goes into a workspace."""

from pathlib import Path
from typing import Annotated

import typer

from finlore.serve.application import SOME_REJECTED, STOPPED_BY_LIMIT, Told, app, opened, verb


@verb(app)
def ingest(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files, folders, .zip, .jsonl, rating lists (.csv).")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Read again what was rejected or waits for OCR; without PATHS all of it.")
    ] = False,
    schema: Annotated[
        str | None, typer.Option(help="Fill the workspace with this schema from now on (finlore schema list).")
    ] = None,
) -> Told:
    """Read reports, news and filings into the workspace; indexing needs no model and costs nothing. With --market
    FOLDER, prices fill in what ratings leave out: exchange, capitalisation, the unit of a price."""
    from finlore.serve import show, words

    with show.progress("ingest") as progress:
        report = opened().ingest(paths or (), retry=retry, schema=schema, progress=progress)
    return Told(words.ingested(report), show.ingested, code=SOME_REJECTED if report.count("rejected") else 0)


@verb(app, "import")
def import_table(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="A table or graph, or a folder of prices; further are node files."),
    ],
    *,
    relation: Annotated[
        str | None,
        typer.Option("--as", help="A relation, TYPE=RELATION, or a kind of entity; not needed for a folder of prices."),
    ] = None,
    mapping: Annotated[str, typer.Option("--map", help="Parts and their columns: subject=COL,object=COL,…")] = "",
    nodes: Annotated[list[Path] | None, typer.Option(help="What gives names and kinds to ids.")] = None,
    split: Annotated[str, typer.Option(help="What separates several objects in one cell.")] = "",
) -> Told:
    """Take in a table or graph (CSV, Parquet, JSON lines, GraphML, Neo4j headers) as dated facts; a row without a date
    is known from today. A folder of prices, such as --market takes, gives the industries of its securities."""
    from finlore.serve import import_words, show

    columns = import_words.mapped(mapping)
    with show.progress("import") as progress:
        report = opened().import_(
            *(files[0], relation), columns=columns, nodes=(*(nodes or ()), *files[1:]), split=split, progress=progress
        )
    return Told(import_words.imported(report), import_words.show, code=SOME_REJECTED if report.n_rejected else 0)


@verb(app)
def embed(
    budget_seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds; resume later.")] = None,
) -> Told:
    """Fill in the vectors of passages that have none; search uses what is there."""
    from finlore.serve import show, words

    with show.progress("embed") as progress:
        report = opened().embed(budget_seconds=budget_seconds, progress=progress)
    return Told(words.embedded(report), show.embedded, code=STOPPED_BY_LIMIT if report.remaining else 0)
