"""Ratings as reports word them, what became of them, and what they come to on one scale."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, cast, get_args

from finlore.language.alternatives import any_of
from finlore.records.fact import Fact
from finlore.resources import load_toml

Grade = Literal["buy", "outperform", "neutral", "underperform", "sell"]
Change = Literal["initiate", "upgrade", "downgrade", "maintain", "resume", ""]
_SHORT_LINE: Final = 40
_INDUSTRY: Final = re.compile(r"行业|板块|sector|industry")


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
    return _words().grades.get(word.strip().lower())


def rating_words(text: str) -> list[tuple[int, int]]:
    """[start, end) of every word of the rating lists in a normalised text, the longest at each place."""
    return [match.span() for match in _words().any.finditer(text)]


def find_ratings(text: str) -> list[Rating]:
    """The ratings that a normalised sentence or line gives, from left to right, the fullest reading of each."""
    words = _words()
    if words.any.search(text) is None:
        return []
    found: list[Rating] = []
    for form in words.forms:
        for match in form.finditer(text):
            start, end = match.span("rating")
            if all(end <= other.start or other.end <= start for other in found):
                found.append(_rating(text, match))
    found += _labelled(text, found)
    if (before := words.before.search(text)) is not None:
        earlier = before.span("rating")
        found = [
            replace(rating, previous=rating.previous or before["rating"])
            for rating in found
            if (rating.start, rating.end) != earlier
        ]
    return sorted(found, key=lambda rating: rating.start)


def find_previous(text: str) -> str:
    """The rating that a normalised line labels as the one before (前次评级 买入); "" where it labels none."""
    match = _words().before.search(text)
    return match["rating"] if match is not None else ""


@dataclass(frozen=True, slots=True)
class _Words:
    grades: Mapping[str, Grade]
    changes: Mapping[str, Change]
    any: re.Pattern[str]
    change: re.Pattern[str]
    forms: tuple[re.Pattern[str], ...]
    label: re.Pattern[str]
    before: re.Pattern[str]


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = load_toml("lexicon/advice.toml")
    grades = {word: cast(Grade, grade) for grade, words in table["ratings"].items() for word in words}
    changes = {
        word.rstrip("*"): cast(Change, "" if change == "assign" else change)
        for change, words in table["changes"].items()
        for word in words
    }
    zh, en = any_of(word for word in grades if not word.isascii()), any_of(word for word in grades if word.isascii())
    zh_change = any_of(word for word in changes if not word.isascii())
    nearer = any_of(word for word, change in changes.items() if change and not word.isascii())
    en_change = rf"(?<![a-z])(?:{any_of(word for word in changes if word.isascii())})\w*"
    either = rf"(?:{zh}|(?<![a-z-])(?:{en})(?![a-z-]))"
    quote, note = r"[\"“”'‘’「」『』《》\s]{0,2}", r"(?:-?[a-d]\d?(?![a-z]))?"
    tail = rf"{quote}{note}{quote}(?:的)?(?:投资|股票|公司)?(?:的)?"
    closed = rf"{tail}(?:评级|rating|recommendation)"
    forms = (
        rf"(?:由|从|from){quote}(?P<previous>{either}){tail}(?:评级)?{quote}"
        rf"(?P<change>{zh_change}|to){quote}(?:至|为|到)?{quote}(?P<rating>{either})",
        rf"(?P<change>{en_change})[^.;。]{{0,48}}?(?:to|at|with an?|our|with|coverage|:|(?:stock|shares|company))"
        rf"\s(?:an?\s)?{quote}(?P<rating>{either}){quote}"
        rf"(?:\srating)?(?:\s?[(]?\s?(?:from|vs\.?|previously)\s(?:an?\s)?{quote}(?P<previous>{either}))?",
        rf"(?P<change>{zh_change})(?:(?!{nearer})[^。;!?]){{0,18}}?(?:评级)?(?:至|为|到|:|,)?{quote}(?P<rating>{either}){closed}",
        rf"(?P<change>{zh_change})(?:(?!{nearer})[^。;!?,]){{0,10}}?评级(?:至|为|到|:)?{quote}(?P<rating>{either})",
        rf"(?P<rating>{either}){quote}{note}{quote}(?:评级)?\s?[(\[【]\s?(?P<change>{zh_change}|{en_change}|from)"
        rf"(?:\s(?P<previous>{either}))?",
        rf"(?P<change>{zh_change})(?:公司)?(?:至|为)?{quote}(?P<rating>{zh}){quote}(?=$|[,。;:!?)|\s])",
        rf"(?P<rating>{either}){closed}",
    )
    return _Words(
        grades=grades,
        changes=changes,
        any=re.compile(either),
        change=re.compile(rf"{zh_change}|{en_change}"),
        forms=tuple(map(re.compile, forms)),
        label=re.compile(
            r"(?<!上次)(?<!前次)(?<!前期)(?<!原)(?P<label>(?:投资|公司|股票|行业|当前|本次|最新)?评级"
            r"|(?<![a-z])(?:investment\s)?(?:rating|recommendation))"
            rf"\s?(?:[:|为是]|\s|(?=[\"“‘'「]))\s?{quote}(?P<rating>{either})"
        ),
        before=re.compile(
            rf"(?:上次|前次|前期|原|previous\s|prior\s|last\s)(?:投资)?(?:评级|rating)\s?[:为|]?\s?{quote}(?P<rating>{either})"
        ),
    )


def _rating(text: str, match: re.Match[str]) -> Rating:
    parts = match.groupdict()
    word, previous = match["rating"], parts.get("previous") or ""
    change = _change(parts.get("change") or "")
    grade = _words().grades[word]
    if previous and change not in ("upgrade", "downgrade"):
        order = get_args(Grade)
        before = order.index(_words().grades[previous])
        change = "upgrade" if order.index(grade) < before else "downgrade" if order.index(grade) > before else change
    around = text[match.start() : match.end()]
    is_industry = _INDUSTRY.search(around.replace(word, "")) is not None
    return Rating(word, grade, change, previous, *match.span("rating"), is_industry)


def _change(printed: str) -> Change:
    known = (change for word, change in _words().changes.items() if printed.startswith(word))
    return next(known, "")


def _labelled(text: str, found: list[Rating]) -> Iterator[Rating]:
    """Ratings behind a label (评级：买入), with the change that a short line adds; and short lines of both alone."""
    words = _words()
    for match in words.label.finditer(text):
        start, end = match.span("rating")
        if all(end <= other.start or other.end <= start for other in found):
            change = words.change.search(text, end, end + 12)
            is_industry = match["label"].startswith("行业")
            word = match["rating"]
            yield Rating(
                word, words.grades[word], _change(change.group()) if change else "", "", start, end,
                is_industry,
            )  # fmt: skip
            found = [*found, Rating(word, words.grades[word], start=start, end=end)]
    if not found and len(text) <= _SHORT_LINE and (change := words.change.search(text)):
        alone = words.any.search(text)
        assert alone is not None  # find_ratings looked before
        rest = text.replace(alone.group(), "").replace(change.group(), "")
        if len(re.sub(r"[\W_]|[a-d]\d?|评级|投资|行业|公司", "", rest)) <= 8:
            word = alone.group()
            yield Rating(word, words.grades[word], _change(change.group()), "", *alone.span(), "行业" in rest)
