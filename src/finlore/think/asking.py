"""What kind of thing a question asks for, and whether a sentence holds one."""

import re
from typing import Literal

Asking = Literal["figure", "moment"]
YEAR = re.compile(r"(?:19|20)\d\d")

_HOW_MUCH = re.compile(
    r"多少|几[家个次成倍年]|多高|多大|how (?:much|many|large|high|big)",
    re.IGNORECASE,
)
_WHAT = re.compile(r"\bwhat(?:'s| is| was| are| were)\b", re.IGNORECASE)
_WHEN = re.compile(r"何时|什么时候|哪一?[年天日月]|\bwhen\b|which (?:year|date|month|day)", re.IGNORECASE)
_SEVERAL = re.compile(
    r"哪些|哪几|有谁|列出|\bwhich (?:\w+ )?(?:companies|firms|suppliers|customers)\b|\blist\b", re.IGNORECASE
)
_MOMENT = re.compile(
    r"\d{4}|\d+月|\d+日|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_NO_FIGURE = re.compile(
    r"(?:图|表|figure|table|exhibit)\s*\d+|(?<!\d)(?:19|20)\d\d(?!\d|\.\d)|(?<!\d)\d{6}(?!\d)|Q[1-4]|H[12]",
    re.IGNORECASE,
)


def asking_of(question: str, *, of_measure: bool = False) -> Asking | None:
    """A figure, a moment, or nothing in particular. "What was …" asks for a figure where it is `of_measure`."""
    if _WHEN.search(question):
        return "moment"
    return "figure" if _HOW_MUCH.search(question) or (of_measure and _WHAT.search(question)) else None


def holds(text: str, asking: Asking) -> bool:
    """Whether the text holds such a thing; years, security codes and numbers of exhibits are no figures."""
    if asking == "moment":
        return _MOMENT.search(text) is not None
    return any(character.isdigit() for character in _NO_FIGURE.sub("", text))


def asks_for_several(question: str) -> bool:
    """Whether the question wants all that there are, not one."""
    return _SEVERAL.search(question) is not None
