"""What the graph may be filled with."""

from pathlib import Path
from typing import Annotated

import typer

from finlore.serve.application import STOPPED_BY_LIMIT, Told, app, opened, verb

schema_app = typer.Typer(help="What a graph is filled with: show, list, induce.", no_args_is_help=True)
app.add_typer(schema_app, name="schema")


@verb(schema_app, "show")
def schema_show(
    name: Annotated[str | None, typer.Argument(help="Which one [default: that of the workspace].")] = None,
) -> Told:
    """The tree of a schema: attributes, drivers with their types of events, links."""
    from finlore.serve import schema_words

    schemas = opened().schemas
    document = schema_words.schema(schemas.load(name or schemas.name), active=schemas.name)
    return Told(document, schema_words.show)


@verb(schema_app, "list")
def schema_list() -> Told:
    """The schemas that `ingest --schema` may name, and which one the workspace is filled with."""
    from finlore.serve import schema_words

    return Told(schema_words.names(opened().schemas), schema_words.show_names)


@verb(schema_app, "induce")
def schema_induce(
    templates: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]…", help="Further templates.")] = None,
    template: Annotated[
        list[Path] | None, typer.Option(help="What good reports contain: text, Markdown, PDF, DOCX [default: ours].")
    ] = None,
    name: Annotated[str, typer.Option(help="What to call it.")] = "induced",
    out: Annotated[Path | None, typer.Option(help="A folder to write it to as well.")] = None,
) -> Told:
    """Derive a schema from templates by a language model; `ingest --schema induced` then fills a graph with it."""
    from finlore.serve import extract_words, schema_words

    files = [*(template or ()), *(templates or ())]
    found = opened().induce_schema(files, name=name, out=out, told=extract_words.tell_estimate)
    code = STOPPED_BY_LIMIT if found.is_cut_short else 0
    return Told(schema_words.induced(found), schema_words.show_induced, found.schema or code, code)
