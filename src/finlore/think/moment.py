"""The date by which a question wants to have known: "截至2024年9月5日，…", "as of 5 September 2024, …"."""

import re
from datetime import date
from functools import cache

from finlore.language.alternatives import any_of
from finlore.language.dates import find_dates
from finlore.resources import load_toml


def moment_of(question: str) -> tuple[str, date | None]:
    """The question without the words that date it, and the last day that they allow; None when nothing dates it."""
    before, after = _wordings()
    for found in find_dates(question):
        head, tail = question[: found.start], question[found.end :]
        opening, closing = before.search(head), after.match(tail)
        if opening or closing:
            head = head[: opening.start()] if opening else head
            tail = tail[closing.end() :] if closing else tail
            return " ".join(f"{head} {tail.lstrip('，,、 日')}".split()), found.last
    return question, None


@cache
def _wordings() -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = load_toml("lexicon/questions.toml")
    before = any_of(words["as_of_before"])
    after = any_of(words["as_of_after"])
    return re.compile(rf"(?:{before})\s*$", re.IGNORECASE), re.compile(rf"\s*(?:{after})", re.IGNORECASE)
