"""What every verb shares: the options before it, the workspace that it opens, how it prints and how it ends.

JSON goes to stdout, progress and messages to stderr. Exit codes: 0 done, 1 nothing found, 2 usage, 3 some inputs
rejected, 4 configuration or missing extra, 5 stopped by a limit, 6 store in use or damaged, 130 interrupted.
"""

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

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
    """What the options before the verb said, and the workspace, once the verb needs it."""

    workspace: Path | None = None
    market: Path | None = None
    config: Path | None = None
    opened: "Workspace | None" = None


session = Session()


@app.callback()
def options(
    workspace: Annotated[Path | None, typer.Option(help="Folder of the store [default: ./finlore-data].")] = None,
    market: Annotated[Path | None, typer.Option(help="Folder of prices.")] = None,
    config: Annotated[Path | None, typer.Option(help="Settings file [default: ./finlore.toml].")] = None,
) -> None:
    session.workspace, session.market, session.config, session.opened = workspace, market, config, None


def settings() -> "Settings":
    from finlore.settings import load_settings

    arguments = {"workspace": session.workspace, "market": session.market}
    return load_settings(
        config=session.config, arguments={key: value for key, value in arguments.items() if value is not None}
    )


def opened() -> "Workspace":
    """The workspace that the options name; a `verb` closes it at its end."""
    from finlore.flows import Workspace

    session.opened = session.opened or Workspace(settings=settings())
    return session.opened


@dataclass(frozen=True, slots=True)
class Told:
    """What a verb says: a JSON document, how people are shown it, whether anything was found, else the exit code."""

    document: dict[str, Any]
    show: Callable[[dict[str, Any]], None]
    found: object = True
    code: int = 0


def verb(group: typer.Typer, name: str | None = None) -> Callable[[Callable[..., Told]], None]:
    """Makes a verb of a function from the options, which are its parameters, to what is told; `--json` is added to
    them. The docstring is the help."""

    def add(run: Callable[..., Told]) -> None:
        @wraps(run)
        def command(*, as_json: bool, **chosen: object) -> None:
            try:
                told = run(**chosen)
            finally:
                if session.opened:
                    session.opened.close()
            print_document(told.document, as_json, told.show)
            nothing_found_unless(bool(told.found))
            raise typer.Exit(told.code)

        parameters = inspect.signature(run).parameters.values()
        json_ = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json)
        shown = cast(Any, command)
        shown.__signature__ = inspect.Signature([*parameters, json_])
        shown.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        group.command(name)(command)

    return add


def print_document(document: dict[str, Any], as_json: bool, show: Callable[[dict[str, Any]], None]) -> None:
    if as_json:  # ASCII, so that no terminal encoding and no lone surrogate of a source can break it
        print(json.dumps(document, ensure_ascii=True))
    else:
        show(document)


def nothing_found_unless(found: bool) -> None:
    if not found:
        raise typer.Exit(NOTHING_FOUND)
