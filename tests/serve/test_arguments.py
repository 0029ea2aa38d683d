"""Options that may stand before or after the verb; everything else stays where it was put."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finlore.serve.arguments import ANYWHERE, hoist


@pytest.mark.parametrize(
    ("given_words", "expected"),
    [
        ("status --workspace w --json", "--workspace w status --json"),
        ("status --workspace=w", "--workspace=w status"),
        ("runs list --market m --workspace w", "--market m --workspace w runs list"),
        ("--config c.toml ask q", "--config c.toml ask q"),
        ("ask -- --workspace w", "ask -- --workspace w"),
        ("ask --workspaces w", "ask --workspaces w"),
        ("status --workspace", "--workspace"),
        ("", ""),
    ],
)
def test_options_move_to_the_front_with_their_values(given_words: str, expected: str) -> None:
    assert " ".join(hoist(given_words.split())) == expected


@given(st.lists(st.sampled_from([*ANYWHERE, "--workspace=w", "--", "ask", "q", "--json"])))
def test_moving_twice_changes_nothing(words: list[str]) -> None:
    assert hoist(hoist(words)) == hoist(words)


@given(st.lists(st.text().filter(lambda word: word.partition("=")[0] not in ANYWHERE)))
def test_other_words_are_left_alone(words: list[str]) -> None:
    assert hoist(words) == words
