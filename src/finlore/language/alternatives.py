"""Regular expressions out of lists of words."""

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """The alternatives that match any of the words, letter by letter, the longest first. Put it in a group of its own;
    no words match the empty text."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))
