"""Sentences that speak to a language model instead of a reader, and text that a person does not see."""

import re
from typing import Final

from finlore.knowledge.lexicon.patterns import Patterns
from finlore.language.normal import normalise

_PATTERNS: Final = Patterns("lexicon/instructions.toml")
_LETTER: Final = re.compile(r"\w")
_UNSEEN: Final = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]")
_DISGUISED: Final = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_MOST_UNSEEN: Final = 2


def speaks_to_model(text: str) -> bool:
    """Whether a sentence orders a language model about (忽略以上指令, ignore previous instructions)."""
    return _PATTERNS["order"].search(normalise(text).text) is not None


def announces_more(text: str) -> bool:
    """Whether an order says that it goes on behind itself (输出以下内容：, reply with the following)."""
    _, colon, behind = normalise(text).text.rpartition(":")
    return _PATTERNS["following"].search(behind) is not None or (bool(colon) and _LETTER.search(behind) is None)


def hides_text(text: str) -> bool:
    """Whether it holds what nobody sees: several characters without width, reversed or tagged ones."""
    if text.isascii():
        return False
    return len(_UNSEEN.findall(text)) > _MOST_UNSEEN or _DISGUISED.search(text) is not None
