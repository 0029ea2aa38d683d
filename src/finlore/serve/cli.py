"""`finlore VERB …`: one command per flow; tables for people, ``--json`` for machines.

JSON goes to stdout, progress and messages to stderr. Exit codes: 0 done, 1 nothing found, 2 usage, 3 some inputs
rejected, 4 configuration or missing extra, 5 stopped by a limit, 6 store in use or damaged, 130 interrupted. Everything
heavy is imported by the verb that needs it.
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from finlore.errors import FinloreError
from finlore.serve.arguments import hoist

if TYPE_CHECKING:
    from finlore.flows import Workspace
    from finlore.settings import Settings

NOTHING_FOUND = 1
SOME_REJECTED = 3
STOPPED_BY_LIMIT = 5
STORE_DAMAGED = 6
INTERRUPTED = 130
DAMAGED = ("workspace", "store", "derived files", "repair")  # what `doctor` looks at that exits with STORE_DAMAGED

app = typer.Typer(
    name="finlore",
    help="Reports in, cited answers out, never knowing the future.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
runs_app = typer.Typer(help="Past answers: list, show, replay.", no_args_is_help=True)
app.add_typer(runs_app, name="runs")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="Only what was known at the end of this day (or moment).")]


class Session:
    """What the options before the verb said; the workspace is opened by the verb that needs it."""

    workspace: Path | None = None
    market: Path | None = None
    config: Path | None = None


session = Session()


@app.callback()
def options(
    workspace: Annotated[Path | None, typer.Option(help="Folder of the store [default: ./finlore-data].")] = None,
    market: Annotated[Path | None, typer.Option(help="Folder of prices.")] = None,
    config: Annotated[Path | None, typer.Option(help="Settings file [default: ./finlore.toml].")] = None,
) -> None:
    session.workspace, session.market, session.config = workspace, market, config


@app.command()
def ingest(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files, folders, .zip, .jsonl, rating lists (.csv).")
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Read again what was rejected or waits for OCR; without PATHS all of it.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Read reports, news and filings into the workspace; indexing needs no model and costs nothing."""
    from finlore.serve import show, words

    with show.progress("ingest") as progress, _workspace() as workspace:
        report = workspace.ingest(paths or (), retry=retry, progress=progress)
    _print(words.ingested(report), as_json, show.ingested)
    if report.count("rejected"):
        raise typer.Exit(SOME_REJECTED)


@app.command("import")
def import_table(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="A table or graph; further ones are node files.")],
    *,
    relation: Annotated[str, typer.Option("--as", help="A relation, TYPE=RELATION, or a kind of entity.")],
    mapping: Annotated[str, typer.Option("--map", help="Parts and their columns: subject=COL,object=COL,…")] = "",
    nodes: Annotated[list[Path] | None, typer.Option(help="What gives names and kinds to ids.")] = None,
    split: Annotated[str, typer.Option(help="What separates several objects in one cell.")] = "",
    as_json: Json = False,
) -> None:
    """Take in a table or graph (CSV, Parquet, JSON lines, GraphML, Neo4j headers) as dated facts."""
    from finlore.serve import importing

    columns = importing.mapped(mapping)
    with _workspace() as workspace:
        report = workspace.import_(files[0], relation, columns=columns, nodes=(*(nodes or ()), *files[1:]), split=split)
    _print(importing.imported(report), as_json, importing.show)
    if report.n_rejected:
        raise typer.Exit(SOME_REJECTED)


@app.command()
def embed(
    budget_seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds; resume later.")] = None,
    as_json: Json = False,
) -> None:
    """Fill in the vectors of passages that have none; search uses what is there."""
    from finlore.serve import show, words

    with show.progress("embed") as progress, _workspace() as workspace:
        report = workspace.embed(budget_seconds=budget_seconds, progress=progress)
    _print(words.embedded(report), as_json, show.embedded)
    if report.remaining:
        raise typer.Exit(STOPPED_BY_LIMIT)


@app.command()
def search(
    query: str,
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many passages.")] = 10,
    method: Annotated[Literal["auto", "text", "dense", "graph"], typer.Option(help="How to rank.")] = "auto",
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """The passages that bear on a question, best first."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        found = workspace.search(query, top=top, method=method, as_of=as_of)
    _print(words.searched(found), as_json, show.searched)
    _nothing_found_unless(bool(found.hits))


@app.command()
def ask(
    question: str,
    after: Annotated[str | None, typer.Option(help="Continue the conversation of this run.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """Answer from the documents, every sentence cited; exit 1 when the evidence is not there."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        asked = workspace.ask(question, after=after, as_of=as_of)
    _print(words.answered(asked.answer, asked.run, asked.trace), as_json, show.answered)
    _nothing_found_unless(asked.answer.found)


@app.command()
def entity(name: str, as_of: AsOf = None, as_json: Json = False) -> None:
    """What is known under a name: its spellings, its neighbours, the passages about it."""
    from finlore.serve import fact_words, show, words

    with _workspace() as workspace:
        found, vocabulary = workspace.entity(name, as_of=as_of), workspace.vocabulary
    page = words.entity(found.entity, found.neighbours, found.passages)
    known = {**fact_words.facts(found.facts, vocabulary), **fact_words.events(found.events, vocabulary)}
    _print({**page, **known}, as_json, show.entity)


@app.command()
def facts(
    subject: Annotated[str | None, typer.Option(help="Of whom: a name, code or id.")] = None,
    relation: Annotated[
        str | None, typer.Option(help="Which attribute, link or metric: an id or what it is called.")
    ] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What is stated, by whom, on which page, since when and until when; what contradicts it."""
    from finlore.serve import fact_words, show

    with _workspace() as workspace:
        found, vocabulary = workspace.facts(subject=subject, relation=relation, as_of=as_of), workspace.vocabulary
    _print(fact_words.facts(found, vocabulary), as_json, show.facts)
    _nothing_found_unless(bool(found))


@app.command()
def events(
    subject: Annotated[str | None, typer.Option(help="Who takes part: a name, code or id.")] = None,
    driver: Annotated[str | None, typer.Option(help="Which driver or kind of event.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What happened to companies: which driver, in which direction, why, and where it is said."""
    from finlore.serve import fact_words, show

    with _workspace() as workspace:
        found, vocabulary = workspace.events(subject=subject, driver=driver, as_of=as_of), workspace.vocabulary
    _print(fact_words.events(found, vocabulary), as_json, show.events)
    _nothing_found_unless(bool(found))


@app.command()
def timeline(
    name: str,
    since: Annotated[str | None, typer.Option("--from", help="Only what became known after this day.")] = None,
    until: Annotated[str | None, typer.Option("--to", help="Only what was known by this day.")] = None,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """What became known of an entity day by day, and how two days differ."""
    from finlore.serve import fact_words, show

    with _workspace() as workspace:
        found = workspace.timeline(name, since=since, until=until, as_of=as_of)
        vocabulary = workspace.vocabulary
    _print(fact_words.timeline(found, vocabulary), as_json, show.timeline)
    _nothing_found_unless(bool(found.steps or found.events))


@app.command()
def edge(a: str, b: str, as_of: AsOf = None, as_json: Json = False) -> None:
    """All passages in which both names occur, best first."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        passages = workspace.edge(a, b, as_of=as_of)
    _print(words.edge(passages), as_json, show.edge)
    _nothing_found_unless(bool(passages))


@app.command()
def tables(document: str, as_of: AsOf = None, as_json: Json = False) -> None:
    """The tables of a document: cells, what each number means, and what is doubtful."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        found = workspace.tables(document, as_of=as_of)
    _print(words.tables(found.document, found.tables, found.values), as_json, show.tables)
    _nothing_found_unless(bool(found.tables))


@app.command()
def paths(
    a: str,
    b: str,
    hops: Annotated[int, typer.Option(min=1, max=6, help="Longest chain of shared passages.")] = 3,
    as_of: AsOf = None,
    as_json: Json = False,
) -> None:
    """How two names are connected: chains of entities, and the passages that link them."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        found, passages = workspace.paths(a, b, hops=hops, as_of=as_of)
    _print(words.name_paths(found, passages), as_json, show.name_paths)
    _nothing_found_unless(bool(found))


@app.command()
def status(as_json: Json = False) -> None:
    """What the workspace holds, how large it is, and how far its derived files are."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        found = workspace.status()
    _print({"workspace": str(workspace.folder), **words.status(found)}, as_json, show.status)


@app.command()
def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what is derived.")] = False,
    as_json: Json = False,
) -> None:
    """What is installed and whether the workspace is sound; each problem with its fix."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        findings = workspace.doctor(repair=repair)
    _print(words.findings(findings), as_json, show.findings)
    if any(finding.subject in DAMAGED and not finding.fine for finding in findings):
        raise typer.Exit(STORE_DAMAGED)


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to write.")], as_json: Json = False) -> None:
    """Copy documents, index and past answers into one file; what is forgotten later stays in it."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        made = workspace.backup(file)
    _print(words.backed_up(made), as_json, show.plain)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `backup` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Lose what the workspace holds now.")] = False,
    as_json: Json = False,
) -> None:
    """Make the workspace what it was when a backup was made, after checking all of it."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        found = workspace.restore(file, replace=replace)
    _print({"workspace": str(workspace.folder), **words.backed_up(found)}, as_json, show.plain)


@app.command()
def config(as_json: Json = False) -> None:
    """The settings in force and where each comes from."""
    from finlore.serve import show

    rows = [{"key": key, "value": value, "from": origin} for key, value, origin in _settings().explain()]
    _print({"settings": rows}, as_json, show.settings)


@app.command()
def forget(
    documents: Annotated[list[str], typer.Argument(help="Document ids as `search` and `ingest` show them.")],
    as_json: Json = False,
) -> None:
    """Remove documents with everything that only they supported, in all versions."""
    from finlore.serve import show

    with _workspace() as workspace:
        forgotten = {document: workspace.forget(document) for document in documents}
    _print({"forgotten": [name for name, gone in forgotten.items() if gone]}, as_json, show.plain)
    _nothing_found_unless(any(forgotten.values()))


@app.command()
def merge(entity: str, into: str, as_json: Json = False) -> None:
    """Say that two entities are one; `split` takes it back."""
    from finlore.serve import show

    with _workspace() as workspace:
        pair = workspace.merge(entity, into)
    _print({"merged": pair[0], "into": pair[1]}, as_json, show.plain)


@app.command()
def split(entity: str, as_json: Json = False) -> None:
    """Take back a merge."""
    from finlore.serve import show

    with _workspace() as workspace:
        done = workspace.split(entity)
    _print({"split": entity if done else None}, as_json, show.plain)
    _nothing_found_unless(done)


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

    with _workspace() as workspace:
        written = workspace.export(form, out, as_of=as_of)
    _print({"written": [str(path) for path in written]}, as_json, show.plain)


@app.command()
def demo() -> None:
    """Ingest the shipped sample into a fresh workspace and ask it questions."""
    from finlore.serve.demo import run

    run()


@runs_app.command("list")
def runs_list(as_json: Json = False) -> None:
    """Past answers, oldest first."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        found = words.runs(workspace.runs())
    _print(found, as_json, show.runs)


@runs_app.command("show")
def runs_show(run: str, as_json: Json = False) -> None:
    """One past answer as it was given."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        record = workspace.run(run)
    _print(words.answered(record.answer, record.run, {}), as_json, show.answered)


@runs_app.command("replay")
def runs_replay(run: str, as_json: Json = False) -> None:
    """Repeat an answer on the rows it was made from, and name the first difference."""
    from finlore.serve import show, words

    with _workspace() as workspace:
        replay = workspace.replay(run)
    _print(words.replayed(replay), as_json, show.replayed)
    _nothing_found_unless(replay.equal)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; every error of the tree becomes one line on stderr, with ``--json`` also a document on
    stdout, and its exit code."""
    words = hoist(sys.argv[1:] if arguments is None else arguments)
    try:
        app(words)
    except FinloreError as error:
        if "--json" in words:
            print(json.dumps({"error": {"code": error.code, "message": error.message, "hint": error.hint}}))
        print(f"finlore: {error} [{error.code}]", file=sys.stderr)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # how typer passes on an interrupt
            print("finlore: stopped; what was committed is kept, the same command goes on from there", file=sys.stderr)
        raise


def _settings() -> "Settings":
    from finlore.settings import load_settings

    arguments = {"workspace": session.workspace, "market": session.market}
    return load_settings(
        config=session.config, arguments={key: value for key, value in arguments.items() if value is not None}
    )


def _workspace() -> "Workspace":
    from finlore.flows import Workspace

    return Workspace(settings=_settings())


def _print(document: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any]], None]) -> None:
    if as_json:  # ASCII, so that no terminal encoding and no lone surrogate of a source can break it
        print(json.dumps(document, ensure_ascii=True))
    else:
        show(document)


def _nothing_found_unless(found: bool) -> None:
    if not found:
        raise typer.Exit(NOTHING_FOUND)
