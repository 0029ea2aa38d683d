"""What the documents say is so: every verb is mentioned, every example and snippet runs."""

import os
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from finlore.backtest.signals_file import read_signals
from finlore.serve.cli import app
from finlore.serve.import_words import mapped
from tests.small_world import workspace

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


@pytest.mark.parametrize("snippet", re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL))
def test_the_python_snippets_of_the_readme_are_valid(tmp_path: Path, snippet: str) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "note.md").write_text("# Note\n\nOrvane Ltd makes pumps.\n", encoding="utf-8")
    (tmp_path / "prices").mkdir()
    days = [date(2024, 6, 3) + timedelta(days=number) for number in range(280)]
    bars = (f"{code},{day},{10 + day.day % 7}" for day in days if day.weekday() < 5 for code in ("600519", "000001"))
    (tmp_path / "prices" / "daily_bars.csv").write_text("\n".join(("code,date,close", *bars)), encoding="utf-8")
    signals = "date,security,label\n2024-09-02,600519,Rise\n"
    (tmp_path / "signals.csv").write_text(signals, encoding="utf-8")
    quick = {"FINLORE_RECOGNISERS": "none", "FINLORE_EMBEDDER": "none", "FINLORE_CALENDAR": "none"}
    ran = subprocess.run(
        [sys.executable, "-c", snippet],
        cwd=tmp_path,
        env=os.environ | quick,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_the_tables_of_the_readme_are_read_as_it_says(tmp_path: Path) -> None:
    tables = dict(re.findall(r"\$ cat (\S+)\n(.*?)\n\n", README, flags=re.DOTALL))
    customers = tmp_path / "customers.csv"
    customers.write_text(tables["customers.csv"], encoding="utf-8")
    (relation, mapping) = re.findall(r"import customers\.csv --as (\S+) --map (\S+)", README)[0]
    with workspace(tmp_path / "w") as made:
        report = made.import_(customers, relation, columns=mapped(mapping))
        (fact,) = made.facts(as_of="2024-03-28")
        assert (report.added, made.facts(as_of="2024-03-27")) == (1, [])
    assert (fact.subject, fact.fact.value, fact.fact.unit, fact.fact.text) == ("604801.SH", 34.0, "%", "独家")
    signals = read_signals(tables["signals.csv"], name="signals.csv")
    assert [(one.security, one.label, one.confidence) for one in signals.signals] == [
        ("600519.SH", "Rise", 0.8),
        ("300750.SZ", "Fall", 0.6),
    ]
