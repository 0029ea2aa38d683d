"""What the graph may be filled with."""

from pathlib import Path
from typing import Annotated

import typer

from finlore.serve.application import STOPPED_BY_LIMIT, Json, app, nothing_found_unless, opened, print_document

schema_app = typer.Typer(help="What a graph is filled with: show, list, induce.", no_args_is_help=True)
app.add_typer(schema_app, name="schema")


@schema_app.command("show")
def schema_show(
    name: Annotated[str | None, typer.Argument(help="Which one [default: that of the workspace].")] = None,
    as_json: Json = False,
) -> None:
    """The tree of a schema: attributes, drivers with their types of events, links."""
    from finlore.serve import schema_words

    with opened() as workspace:
        schemas = workspace.schemas
        found, active = schemas.load(name or schemas.name), schemas.name
    print_document(schema_words.schema(found, active=active), as_json, schema_words.show)


@schema_app.command("list")
def schema_list(as_json: Json = False) -> None:
    """The schemas that `ingest --schema` may name, and which one the workspace is filled with."""
    from finlore.serve import schema_words

    with opened() as workspace:
        document = schema_words.names(workspace.schemas)
    print_document(document, as_json, schema_words.show_names)


@schema_app.command("induce")
def schema_induce(
    templates: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]…", help="Further templates.")] = None,
    template: Annotated[
        list[Path] | None, typer.Option(help="What good reports contain: text, Markdown, PDF, DOCX [default: ours].")
    ] = None,
    name: Annotated[str, typer.Option(help="What to call it.")] = "induced",
    out: Annotated[Path | None, typer.Option(help="A folder to write it to as well.")] = None,
    as_json: Json = False,
) -> None:
    """Derive a schema from templates by a language model; `ingest --schema induced` then fills a graph with it."""
    from finlore.serve import schema_words, usage_words

    with opened() as workspace:
        files = [*(template or ()), *(templates or ())]
        found = workspace.induce_schema(files, name=name, out=out, told=usage_words.tell_estimate)
    print_document(schema_words.induced(found), as_json, schema_words.show_induced)
    if found.is_cut_short:
        raise typer.Exit(STOPPED_BY_LIMIT)
    nothing_found_unless(found.schema is not None)
