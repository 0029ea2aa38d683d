"""Regular expressions kept as data."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from finlore.errors import ConfigurationError
from finlore.knowledge.lexicon.patterns import Patterns, whole_words
from finlore.resources import names, override_with, read_text

OWN = """
colours = ["rot", "rouge*", "红"]
near = '(?:ganz )?{COLOURS}'

[deeds]
buys = ["买"]
sells = ["卖"]

[patterns]
painted = ['{NEAR}!', '[{HAN}]漆']
dealt = '{DEEDS}|{DEEDS_BUYS}入'
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "lexicon").mkdir()
    override_with(tmp_path)
    yield tmp_path / "lexicon"
    override_with(None)


def test_a_name_in_capitals_stands_for_words_tables_and_expressions(folder: Path) -> None:
    (folder / "own.toml").write_text(OWN, "utf-8")
    patterns = Patterns("lexicon/own.toml")
    assert [bool(patterns["painted"].search(text)) for text in ("ganz rot!", "红!", "油漆", "rot")] == [True] * 3 + [
        False
    ]
    assert patterns["dealt"].findall("买卖") == ["买", "卖"]


def test_latin_words_are_whole_ones_or_beginnings_where_they_end_in_a_star(folder: Path) -> None:
    (folder / "own.toml").write_text(OWN, "utf-8")
    painted = Patterns("lexicon/own.toml")["painted"]
    assert [bool(painted.search(text)) for text in ("brot!", "rouges!", "他红!")] == [False, True, True]
    assert whole_words(["b", "ab"]) == whole_words(["ab", "b"])


@pytest.mark.parametrize("wrong", ["[patterns]\na = '{WORDS}'", "[patterns]\na = '('", "[patterns]\nb = 'x'"])
def test_a_fault_is_told_with_the_resource(folder: Path, wrong: str) -> None:
    (folder / "own.toml").write_text(wrong, "utf-8")
    with pytest.raises(ConfigurationError, match=r"lexicon/own.toml.*'a'"):
        Patterns("lexicon/own.toml")["a"]


@pytest.mark.parametrize("name", [name for name in names("lexicon") if "\n[patterns]" in read_text(name)])
def test_the_shipped_patterns_are_expressions(name: str) -> None:
    with pytest.raises(ConfigurationError, match="no pattern"):
        Patterns(name)["unknown"]
