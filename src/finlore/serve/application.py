"""What every verb shares: the options before it, the workspace that it opens, how it prints and how it ends.

JSON goes to stdout, progress and messages to stderr. Exit codes: 0 done, 1 nothing found, 2 usage, 3 some inputs
rejected, 4 configuration or missing extra, 5 stopped by a limit, 6 store in use or damaged, 130 interrupted.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from finlore.flows import Workspace
    from finlore.settings import Settings

NOTHING_FOUND = 1
SOME_REJECTED = 3
CONFIGURATION = 4
STOPPED_BY_LIMIT = 5
STORE_DAMAGED = 6
INTERRUPTED = 130

app = typer.Typer(
    name="finlore",
    help="Reports in, cited answers out, never knowing the future.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

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


def settings() -> "Settings":
    from finlore.settings import load_settings

    arguments = {"workspace": session.workspace, "market": session.market}
    return load_settings(
        config=session.config, arguments={key: value for key, value in arguments.items() if value is not None}
    )


def opened() -> "Workspace":
    from finlore.flows import Workspace

    return Workspace(settings=settings())


def print_document(document: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any]], None]) -> None:
    if as_json:  # ASCII, so that no terminal encoding and no lone surrogate of a source can break it
        print(json.dumps(document, ensure_ascii=True))
    else:
        show(document)


def nothing_found_unless(found: bool) -> None:
    if not found:
        raise typer.Exit(NOTHING_FOUND)
