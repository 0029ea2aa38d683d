"""Looking after a workspace and its settings."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from finlore.serve.application import (
    CONFIGURATION,
    STORE_DAMAGED,
    AsOf,
    Json,
    app,
    nothing_found_unless,
    opened,
    print_document,
    settings,
)

DAMAGED = ("workspace", "store", "derived files", "repair")  # what `doctor` looks at that exits with STORE_DAMAGED
IN_FORCE = "active schema"  # and with CONFIGURATION


@app.command()
def status(
    graphs: Annotated[bool, typer.Option("--graphs", help="Beside all published graphs, not FinKario alone.")] = False,
    as_json: Json = False,
) -> None:
    """What the workspace holds, how large it is, how far its derived files are, and its graph beside published ones."""
    from finlore.serve import published, show, words

    with opened() as workspace:
        found, schema = workspace.status(), workspace.schemas.name
    beside = published.beside(dict(found.counts))
    document = {"workspace": str(workspace.folder), "schema": schema, **words.status(found), "graphs": beside}
    print_document(document, as_json, partial(show.status, whole=graphs))


@app.command()
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what is derived.")] = False,
    as_json: Json = False,
) -> None:
    """What is installed and whether the workspace is sound; each problem with its fix."""
    from finlore.serve import show, words

    with opened() as workspace:
        findings = workspace.doctor(repair=repair)
    print_document(words.findings(findings), as_json, show.findings)
    if any(finding.subject in DAMAGED and not finding.fine for finding in findings):
        raise typer.Exit(STORE_DAMAGED)
    if any(finding.subject == IN_FORCE and not finding.fine for finding in findings):
        raise typer.Exit(CONFIGURATION)


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to write.")], as_json: Json = False) -> None:
    """Copy documents, index and past answers into one file; what is forgotten later stays in it."""
    from finlore.serve import show, words

    with opened() as workspace:
        made = workspace.backup(file)
    print_document(words.backed_up(made), as_json, show.plain)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Lose what the workspace holds now.")] = False,
    as_json: Json = False,
) -> None:
    """Make the workspace what it was when a backup was made, after checking all of it."""
    from finlore.serve import show, words

    with opened() as workspace:
        found = workspace.restore(file, replace=replace)
    print_document({"workspace": str(workspace.folder), **words.backed_up(found)}, as_json, show.plain)


@app.command()
def config(as_json: Json = False) -> None:
    """The settings in force and where each comes from."""
    from finlore.serve import show

    rows = [{"key": key, "value": value, "from": origin} for key, value, origin in settings().explain()]
    print_document({"settings": rows}, as_json, show.settings)


@app.command()
def forget(
    documents: Annotated[list[str], typer.Argument(help="Document ids as `search` and `ingest` show them.")],
    as_json: Json = False,
) -> None:
    """Remove documents with everything that only they supported, in all versions."""
    from finlore.serve import show

    with opened() as workspace:
        forgotten = {document: workspace.forget(document) for document in documents}
    print_document({"forgotten": [name for name, gone in forgotten.items() if gone]}, as_json, show.plain)
    nothing_found_unless(any(forgotten.values()))


@app.command()
def export(
    form: Annotated[
        Literal["parquet", "graphml", "turtle", "jsonld", "neo4j"],
        typer.Argument(metavar="FORMAT", help="parquet, graphml, turtle, jsonld or neo4j"),
    ],
    out: Annotated[Path, typer.Option(help="Folder (parquet, neo4j) or file to write.")],
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Write entities, passages, mentions, facts and events as they were known at a date."""
    from finlore.serve import show

    with opened() as workspace:
        written = workspace.export(form, out, as_of=as_of)
    print_document({"written": [str(path) for path in written]}, as_json, show.plain)


@app.command()
def demo() -> None:
    """Ingest the shipped sample into a fresh workspace and ask it questions."""
    from finlore.serve.demo import run

    run()
