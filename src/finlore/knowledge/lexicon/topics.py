"""Whose figure a sentence states: the words before a measure, less those that say nothing of it."""

import re
from functools import lru_cache
from typing import Final

from finlore.knowledge.lexicon.measure_words import fillers

_LONGEST: Final = 24
_EDGE: Final = re.compile(r"^[\s,，、:;\"“”‘’'·•■◆●➢▶\-—\d.()]+|[\s,，、:;\"“”‘’'·\-—]+$")
_LETTER: Final = re.compile(r"[^\W\d_]")
_SPLIT: Final = re.compile(r"\s?(?:[、/]|以及|和|与|及|\band\b)\s?")


@lru_cache(maxsize=4096)
def topic_of(words: str) -> str:
    """What the words before a measure name besides the company itself; "" where they name nothing.

    Of a long stretch only the end is taken: the noun that the measure belongs to.
    """
    topic = words
    while True:
        shorter = _without_filler(_EDGE.sub("", topic))
        if shorter == topic:
            longest = 2 * _LONGEST if topic.isascii() else _LONGEST
            return topic[-longest:] if _LETTER.search(topic) else ""
        topic = shorter


@lru_cache(maxsize=1)
def _affixes() -> tuple[re.Pattern[str], re.Pattern[str]]:
    chinese = "|".join(re.escape(word) for word in fillers() if not word.isascii())
    latin = "|".join(re.escape(word) for word in fillers() if word.isascii())
    any_filler = rf"(?:(?:{chinese})|(?:{latin})(?![a-z]))"
    return re.compile(rf"^{any_filler}+"), re.compile(rf"(?:(?:{chinese})|(?<![a-z])(?:{latin}))+$")


def _without_filler(topic: str) -> str:
    before, behind = _affixes()
    return behind.sub("", before.sub("", topic))


def split_topics(words: str, n: int) -> tuple[str, ...]:
    """The `n` names that an enumeration before a measure lists; () where it lists another number."""
    pieces = [topic_of(piece) for piece in _SPLIT.split(words.strip())]
    pieces = [piece for piece in pieces if piece]
    return tuple(pieces) if len(pieces) == n else ()
