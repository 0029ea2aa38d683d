"""`finlore VERB …`: one command per flow; tables for people, ``--json`` for machines."""

import json
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr
from io import StringIO
from operator import methodcaller

from typer.exceptions import TyperException

from finlore.errors import FinloreError, UsageError
from finlore.serve.application import INTERRUPTED, app
from finlore.serve.arguments import hoist

# isort: off
from finlore.serve.verbs import (  # noqa: F401 - each adds its verbs to `app`, in the order in which help names them
    taking_in, extracting, schemas, finding, knowing, answering, testing, deciding, keeping,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; every error of the tree becomes one line on stderr, with ``--json`` also a document on
    stdout, and its exit code. So does what typer refuses, with the usage of the verb before the line."""
    words = hoist(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(words, standalone_mode=False)
    except FinloreError as error:
        _document(words, error)
        _print(f"finlore: {error} [{error.code}]")
        code = error.exit_code
    except TyperException as error:
        _document(words, UsageError(error.format_message(), hint="finlore VERB --help"))
        with redirect_stderr(StringIO()) as shown:
            methodcaller("show")(error)  # which all have that typer raises
        for line in shown.getvalue().splitlines():
            _print(line)
        code = error.exit_code
    if code == INTERRUPTED:
        _print("finlore: stopped; what was committed is kept, the same command goes on from there")
    sys.exit(code)


def _print(line: str) -> None:
    """Whatever documents and files are called by, it does not reach a terminal as an order to it."""
    from finlore.serve.terminal import printable

    print(printable(line), file=sys.stderr)


def _document(words: Sequence[str], error: FinloreError) -> None:
    if "--json" in words:
        print(json.dumps({"error": {"code": error.code, "message": error.message, "hint": error.hint}}))
