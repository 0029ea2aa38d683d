"""Whose figure a sentence states: the words before a measure, less those that say nothing of it."""

import re
from functools import lru_cache
from typing import Final

from finlore.knowledge.lexicon.measure_words import fillers
from finlore.knowledge.lexicon.patterns import Patterns, whole_words

_LONGEST: Final = 24
_PATTERNS: Final = Patterns("lexicon/figures.toml")
_LETTER: Final = re.compile(r"[^\W\d_]")


@lru_cache(maxsize=4096)
def topic_of(words: str) -> str:
    """What the words before a measure name besides the company itself; "" where they name nothing.

    Of a long stretch only the end is taken: the noun that the measure belongs to. One character names nothing.
    """
    topic = "" if _PATTERNS["itself"].search(words) else _PATTERNS["speaker"].sub("", words)
    while True:
        shorter = _without_filler(_PATTERNS["edge"].sub("", topic))
        if shorter == topic:
            longest = 2 * _LONGEST if topic.isascii() else _LONGEST
            return topic[-longest:] if len(topic) > 1 and _LETTER.search(topic) else ""
        topic = shorter


@lru_cache(maxsize=1)
def _affixes() -> re.Pattern[str]:
    words = whole_words(fillers())
    return re.compile(rf"^{words}+|{words}+$")


def _without_filler(topic: str) -> str:
    return _affixes().sub("", topic)


def is_run_together(topic: str) -> bool:
    """Whether numbers stand in a topic: what is left of a table, whose cells belong to nobody any more."""
    return _PATTERNS["run_together"].search(topic) is not None


def split_topics(words: str, n: int) -> tuple[str, ...]:
    """The `n` names that an enumeration before a measure lists; () where it lists another number."""
    pieces = [topic_of(piece) for piece in _PATTERNS["enumeration"].split(words.strip())]
    pieces = [piece for piece in pieces if piece]
    return tuple(pieces) if len(pieces) == n else ()
