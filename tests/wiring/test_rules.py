"""The software that reads is known by what it is made of."""

import time
from pathlib import Path

import pytest

from finlore import registry, resources
from finlore.wiring.rules import rules_of

PARSER = "import json\n\n\nclass Parser:\n    suffixes = ('.odd',)\n"


@pytest.fixture(autouse=True)
def shipped_words() -> None:
    resources.override_with(None)


def written(folder: Path, name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """A class `Parser` in a module of its own."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(folder)
    return __import__(name).Parser


def test_the_same_software_has_the_same_rules_wherever_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = written(tmp_path / "a", "reads_odd", PARSER, monkeypatch)
    other = written(tmp_path / "b", "reads_odd_too", PARSER, monkeypatch)
    assert rules_of(one) == rules_of(one) == rules_of(other)


@pytest.mark.parametrize(
    "changed", [PARSER.replace("odd", "even"), f"import rich\n{PARSER}"], ids=["its source", "what it imports"]
)
def test_another_parser_has_others(tmp_path: Path, changed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = written(tmp_path, "reads_before", PARSER, monkeypatch)
    after = written(tmp_path, f"reads_after_{len(changed)}", changed, monkeypatch)
    assert rules_of(before) != rules_of(after)


def test_all_modules_of_a_package_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "reads_pages"
    package.mkdir()
    (package / "inner.py").write_text("LIMIT = 1\n")
    (package / "__init__.py").write_text(PARSER)
    monkeypatch.syspath_prepend(tmp_path)
    parser = __import__("reads_pages").Parser
    before = rules_of(parser)
    (package / "inner.py").write_text("LIMIT = 2\n")
    assert rules_of(parser) != before


def test_other_word_lists_are_other_rules(tmp_path: Path) -> None:
    parser = registry.load("parsers", "text")
    before = rules_of(parser)
    (tmp_path / "lexicon").mkdir()
    (tmp_path / "lexicon" / "metadata.toml").write_text("# none\n")
    resources.override_with(tmp_path)
    try:
        assert rules_of(parser) != before
    finally:
        resources.override_with(None)


def test_they_are_found_in_no_time() -> None:
    parser = registry.load("parsers", "pdf")
    rules_of(parser)
    began = time.process_time()
    rules_of(parser)
    assert time.process_time() - began < 0.1
