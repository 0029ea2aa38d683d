"""A small world in a store that only reads, and a command line that knows nothing else of this machine."""

import os
import shutil
from pathlib import Path

import pytest

from tests.serve.driver import Finlore, driver
from tests.small_world import WORLD, jsonl, workspace


@pytest.fixture
def finlore(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Finlore:
    for name in [name for name in os.environ if name.startswith("FINLORE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("FINLORE_RECOGNISERS", "none")
    monkeypatch.setenv("FINLORE_EMBEDDER", "none")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return driver(capsys)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the small world; tests that change it take `own` instead."""
    folder = tmp_path_factory.mktemp("world")
    with workspace(folder / "store") as made:
        made.ingest([jsonl(folder / "world.jsonl", *WORLD)])
    return folder / "store"


@pytest.fixture
def own(world: Path, tmp_path: Path) -> Path:
    return shutil.copytree(world, tmp_path / "own", ignore=shutil.ignore_patterns("runs"))
