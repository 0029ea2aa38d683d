"""Ratings as reports word them, what became of them, and what they come to on one scale."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, cast, get_args

from finlore.knowledge.lexicon.patterns import Patterns
from finlore.records.fact import Fact
from finlore.resources import load_toml

Grade = Literal["buy", "outperform", "neutral", "underperform", "sell"]
Change = Literal["initiate", "upgrade", "downgrade", "maintain", "resume", ""]
_INDUSTRY: Final = re.compile(r"行业|板块|sector|industry")
_PATTERNS: Final = Patterns("lexicon/advice.toml")
_FORMS: Final = (
    "from_to",
    "changed_to",
    "changed_rating",
    "rating_set_to",
    "rating_change",
    "change_rating",
    "rated",
    "labelled",
)
"""The forms of ratings, the fullest first."""


@dataclass(frozen=True, slots=True)
class Rating:
    """`word` is what is printed at [start, end), `previous` the word of the rating before, "" where nobody says.
    `of_industry`: the words around it speak of the industry."""

    word: str
    grade: Grade
    change: Change = ""
    previous: str = ""
    start: int = 0
    end: int = 0
    of_industry: bool = False

    @property
    def note(self) -> str:
        """The form in which a fact keeps it; `rating_of` reads it back."""
        said = f"from {self.previous}" if self.previous else ""
        return "; ".join(filter(None, (self.grade, self.change, said)))


def rating_of(fact: Fact) -> Rating | None:
    """The rating that a fact of an investment rating holds; None where its note is another's."""
    grade, *rest = fact.note.split("; ")
    if grade not in get_args(Grade):
        return None
    change = next((part for part in rest if part in get_args(Change)), "")
    previous = next((part.removeprefix("from ") for part in rest if part.startswith("from ")), "")
    return Rating(fact.text, cast(Grade, grade), cast(Change, change), previous)


def grade_of(word: str) -> Grade | None:
    """What a rating word comes to; None where it is none."""
    return _grades().get(word.strip().lower())


def rating_words(text: str) -> list[tuple[int, int]]:
    """[start, end) of every word of the rating lists in a normalised text, the longest at each place."""
    return [match.span() for match in _PATTERNS["rating"].finditer(text)]


def find_ratings(text: str) -> list[Rating]:
    """The ratings that a normalised sentence or line gives, from left to right, the fullest reading of each."""
    if _PATTERNS["rating"].search(text) is None:
        return []
    found: list[Rating] = []
    for form in _FORMS:
        for match in _PATTERNS[form].finditer(text):
            start, end = match.span("rating")
            if all(end <= other.start or other.end <= start for other in found):
                found.append(_rating(match))
    if (before := _PATTERNS["rating_before"].search(text)) is not None:
        earlier = before.span("rating")
        found = [
            replace(rating, previous=rating.previous or before["rating"])
            for rating in found
            if (rating.start, rating.end) != earlier
        ]
    return sorted(found, key=lambda rating: rating.start)


def find_previous(text: str) -> str:
    """The rating that a normalised line labels as the one before (前次评级 买入); "" where it labels none."""
    match = _PATTERNS["rating_before"].search(text)
    return match["rating"] if match is not None else ""


def _rating(match: re.Match[str]) -> Rating:
    parts = match.groupdict()
    word, previous = match["rating"], parts.get("previous") or ""
    grade, change = _grades()[word], _change(parts.get("change") or "")
    if previous and change not in ("upgrade", "downgrade"):
        order = get_args(Grade)
        step = order.index(grade) - order.index(_grades()[previous])
        change = "upgrade" if step < 0 else "downgrade" if step else change
    is_industry = _INDUSTRY.search(match[0].replace(word, "")) is not None
    return Rating(word, grade, change, previous, *match.span("rating"), is_industry)


@lru_cache(maxsize=1)
def _grades() -> Mapping[str, Grade]:
    table = load_toml("lexicon/advice.toml")["ratings"]
    return {word: cast(Grade, grade) for grade, words in table.items() for word in words}


@lru_cache(maxsize=256)
def _change(printed: str) -> Change:
    """What a word for a change means; "" for one of none."""
    table = load_toml("lexicon/advice.toml")["changes"].items()
    known = (change for change, words in table if printed.startswith(tuple(word.rstrip("*") for word in words)))
    change = next(known, "") if printed else ""
    return cast(Change, "" if change == "assign" else change)
