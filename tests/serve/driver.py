"""The command line run in this process: what a person or a script sees of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from finlore.serve.cli import main


@dataclass(frozen=True)
class Ran:
    """One call of `finlore`."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)


Finlore = Callable[..., Ran]


def driver(capsys: pytest.CaptureFixture[str]) -> Finlore:
    def finlore(*arguments: object) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(end.value.code or 0, out, err)

    return finlore


def install(folder: Path, embedder: str) -> None:
    """A package of someone else's that adds an embedder: its entry point, as pip would leave it in `folder`."""
    package = folder / "foreign-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[finlore.embedders]\n{embedder}\n")
