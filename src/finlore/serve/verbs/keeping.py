"""Looking after a workspace and its settings."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from finlore.serve.application import CONFIGURATION, STORE_DAMAGED, AsOf, Told, app, opened, settings, verb

DAMAGED = ("workspace", "store", "derived files", "repair")  # what `doctor` looks at that exits with STORE_DAMAGED
IN_FORCE = "active schema"  # and with CONFIGURATION


@verb(app)
def status(
    graphs: Annotated[bool, typer.Option("--graphs", help="Beside all published graphs, not FinKario alone.")] = False,
) -> Told:
    """What the workspace holds, how large it is, how far its derived files are, and its graph beside published ones."""
    from finlore.serve import published, show, words

    workspace = opened()
    found = workspace.status()
    place = {"workspace": str(workspace.folder), "schema": workspace.schemas.name}
    document = {**place, **words.status(found), "graphs": published.beside(dict(found.counts))}
    return Told(document, partial(show.status, whole=graphs))


@verb(app)
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what is derived.")] = False,
) -> Told:
    """What is installed and whether the workspace is sound; each problem with its fix."""
    from finlore.serve import show, words

    findings = opened().doctor(repair=repair)
    wrong = {finding.subject for finding in findings if not finding.fine}
    code = STORE_DAMAGED if not wrong.isdisjoint(DAMAGED) else CONFIGURATION if IN_FORCE in wrong else 0
    return Told(words.findings(findings), show.findings, code=code)


@verb(app)
def backup(file: Annotated[Path, typer.Argument(help="The file to write.")]) -> Told:
    """Copy documents, index and past answers into one file; what is forgotten later stays in it."""
    from finlore.serve import show, words

    return Told(words.backed_up(opened().backup(file)), show.plain)


@verb(app)
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Lose what the workspace holds now.")] = False,
) -> Told:
    """Make the workspace what it was when a backup was made, after checking all of it."""
    from finlore.serve import show, words

    found = opened().restore(file, replace=replace)
    return Told({"workspace": str(opened().folder), **words.backed_up(found)}, show.plain)


@verb(app)
def config() -> Told:
    """The settings in force and where each comes from."""
    from finlore.serve import show

    rows = [{"key": key, "value": value, "from": origin} for key, value, origin in settings().explain()]
    return Told({"settings": rows}, show.settings)


@verb(app)
def forget(
    documents: Annotated[list[str], typer.Argument(help="Document ids as `search` and `ingest` show them.")],
) -> Told:
    """Remove documents with everything that only they supported, in all versions."""
    from finlore.serve import show

    forgotten = [document for document in dict.fromkeys(documents) if opened().forget(document)]
    return Told({"forgotten": forgotten}, show.plain, forgotten)


@verb(app)
def export(
    form: Annotated[
        Literal["parquet", "graphml", "turtle", "jsonld", "neo4j"],
        typer.Argument(metavar="FORMAT", help="parquet, graphml, turtle, jsonld or neo4j"),
    ],
    out: Annotated[Path, typer.Option(help="Folder (parquet, neo4j) or file to write.")],
    as_of: AsOf = None,
) -> Told:
    """Write entities, passages, mentions, facts and events as they were known at a date."""
    from finlore.serve import show

    written = opened().export(form, out, as_of=as_of)
    return Told({"written": [str(path) for path in written]}, show.plain)


@app.command()
def demo() -> None:
    """Ingest the shipped sample into a fresh workspace and ask it questions."""
    from finlore.serve.demo import run

    run()
