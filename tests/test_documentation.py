"""What the documents say is so: every verb is mentioned, every example and snippet runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from finlore.serve.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def verbs() -> list[str]:
    named = [
        command.name or (command.callback.__name__ if command.callback else "") for command in app.registered_commands
    ]
    return sorted([*named, *(group.name or "" for group in app.registered_groups)])


@pytest.mark.parametrize("verb", [verb for verb in verbs() if verb != "demo"])
def test_the_readme_mentions_every_verb(verb: str) -> None:
    assert re.search(rf"`(?:finlore )?{verb}\b|finlore {verb}\b", README)


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run_from_anywhere(script: Path, tmp_path: Path) -> None:
    quick = {"FINLORE_RECOGNISERS": "none", "FINLORE_EMBEDDER": "none"}
    ran = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=os.environ | quick, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "3.20亿元" in ran.stdout


def test_the_python_snippet_of_the_readme_is_valid(tmp_path: Path) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "note.md").write_text("# Note\n\nOrvane Ltd makes pumps.\n", encoding="utf-8")
    quick = {"FINLORE_RECOGNISERS": "none", "FINLORE_EMBEDDER": "none"}
    ran = subprocess.run(
        [sys.executable, "-c", snippet],
        cwd=tmp_path,
        env=os.environ | quick,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
