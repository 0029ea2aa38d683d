"""Files that a verb is asked to write beside what it tells."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from finlore.errors import UsageError


def check(path: Path) -> None:
    """UsageError where no file can be written: before anything is reckoned for it."""
    folder = path.resolve().parent
    if (path.exists() and not path.is_file()) or not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UsageError(f"{path} cannot be written", hint="name a file in a folder that exists and can be written")


@contextmanager
def written(path: Path) -> Iterator[TextIO]:
    """A file that takes the place of `path` when it is whole; where it cannot be, nothing is left of it."""
    whole = path.resolve()
    aside = whole.with_name(f".{whole.name}.writing")
    try:
        with aside.open("w", encoding="utf-8", errors="replace", newline="") as file:
            yield file
        aside.replace(whole)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}", hint="name another file") from error
    finally:
        aside.unlink(missing_ok=True)
