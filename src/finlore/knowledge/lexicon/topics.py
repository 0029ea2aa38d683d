"""Whose figure a sentence states: the words before a measure, less those that say nothing of it."""

import re
from functools import lru_cache
from typing import Final

from finlore.knowledge.lexicon.measure_words import fillers
from finlore.knowledge.lexicon.patterns import whole_words

_LONGEST: Final = 24
_EDGE: Final = re.compile(r"^[\s,，、:;\"“”‘’'·•■◆●➢▶\-—\d.()]+|[\s,，、:;\"“”‘’'·\-—]+$")
_LETTER: Final = re.compile(r"[^\W\d_]")
_SAYS: Final = re.compile(
    r".*(?:预计|预测|(?:数据|资料|报告)显示|统计|测算|估算|认为|指出|我们)"
)  # who says it is not whose figure it is
_ITSELF: Final = re.compile(r".{7,}(?<![子分市名各等])公司[\d从自在的于]{0,3}$")  # a heading ran into the sentence
_RUN_TOGETHER: Final = re.compile(r"\d\.\d+[-+\d]|[-+]\d+(?:\.\d+)?[-+]|\d\.\d{2}(?!\d)|\d{6}")
_SPLIT: Final = re.compile(r"\s?(?:[、/]|以及|和|与|及|\band\b)\s?")


@lru_cache(maxsize=4096)
def topic_of(words: str) -> str:
    """What the words before a measure name besides the company itself; "" where they name nothing.

    Of a long stretch only the end is taken: the noun that the measure belongs to. One character names nothing.
    """
    topic = "" if _ITSELF.search(words) else _SAYS.sub("", words)
    while True:
        shorter = _without_filler(_EDGE.sub("", topic))
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
    return _RUN_TOGETHER.search(topic) is not None


def split_topics(words: str, n: int) -> tuple[str, ...]:
    """The `n` names that an enumeration before a measure lists; () where it lists another number."""
    pieces = [topic_of(piece) for piece in _SPLIT.split(words.strip())]
    pieces = [piece for piece in pieces if piece]
    return tuple(pieces) if len(pieces) == n else ()
