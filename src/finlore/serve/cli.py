"""`finlore VERB …`: one command per flow; tables for people, ``--json`` for machines."""

import json
import sys
from collections.abc import Sequence

from finlore.errors import FinloreError
from finlore.serve.application import INTERRUPTED, app
from finlore.serve.arguments import hoist

# isort: off
from finlore.serve.verbs import (  # noqa: F401 - each adds its verbs to `app`, in the order in which help names them
    taking_in, extracting, schemas, finding, knowing, answering, testing, deciding, keeping,
)  # fmt: skip


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
