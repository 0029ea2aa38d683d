"""What of a document is shown to a language model: sentences that speak to people, with the way back to the text.

Of tables only rows that hold words are shown: figures are read by rules, exactly and at no cost.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Final

from finlore.knowledge.lexicon.instructions import speaks_to_model
from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import normalise

_UNSEEN: Final = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_BREAKS: Final = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_DIGIT: Final = re.compile(r"\d")
_GOES_ON: Final = re.compile(
    r"(?<=[A-Za-zÀ-ɏ])(?=[A-Za-zÀ-ɏ])|(?<=\d)(?=[.,．，]?\d)|(?<=\d[.,．，])(?=\d)"
)  # across a place
_MOST_DIGITS: Final = 0.25  # of a row of a table that is still words
_LONGEST: Final = 2_000  # characters; what is longer is no sentence


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Sentences of one passage as a person reads them, a line each. `origins`: the offset in the document of each
    character; `starts`: where the lines begin; `names` are placed in `text`."""

    passage: int
    text: str
    origins: tuple[int, ...]
    starts: tuple[int, ...]
    names: tuple[Named, ...]

    @property
    def size(self) -> float:
        """About how many tokens: one a Chinese character, one for every three others."""
        return len(self.text.encode("utf-8", "replace")) / 3

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range of the document that characters [start, end) come from."""
        return self.origins[start], self.origins[end - 1] + 1

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """The lines that [start, end) touches, from the first character to the last."""
        behind = bisect_left(self.starts, end)
        last = self.starts[behind] - 1 if behind < len(self.starts) else len(self.text)
        return self.starts[bisect_right(self.starts, start) - 1], last

    def told_of(self, places: Iterable[int]) -> int:
        """In how many of its lines one of these offsets of the document lies."""
        lines = [self.origins[start] for start in self.starts]
        inside = (place for place in places if lines[0] <= place <= self.origins[-1])
        return len({bisect_right(lines, place) for place in inside})

    def halves(self) -> list["Excerpt"]:
        """Its first lines and the others; of one line nothing."""
        if len(self.starts) < 2:
            return []
        middle = len(self.starts) // 2
        cut = self.starts[middle]
        first = replace(
            self, text=self.text[: cut - 1], origins=self.origins[: cut - 1], starts=self.starts[:middle],
            names=tuple(name for name in self.names if name.end < cut),
        )  # fmt: skip
        second = replace(
            self, text=self.text[cut:], origins=self.origins[cut:],
            starts=tuple(start - cut for start in self.starts[middle:]),
            names=tuple(Named(n.start - cut, n.end - cut, n.party) for n in self.names if n.start >= cut),
        )  # fmt: skip
        return [first, second]


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand in an excerpt; `is_exact`: letter by letter."""

    start: int
    end: int
    is_exact: bool = True


def excerpts(sentences: Iterable[Reading]) -> list[Excerpt]:
    """An excerpt of each passage that has something to show."""
    found = (_excerpt(passage, list(lines)) for passage, lines in groupby(sentences, lambda line: line.passage))
    return [excerpt for excerpt in found if excerpt.text]


def find(excerpt: Excerpt, words: str, start: int = 0, end: int | None = None) -> Place | None:
    """The first place of words within [start, end): as written, else whatever the width, case and white space."""
    return next(_places(excerpt, words, start, end), None)


def find_whole(excerpt: Excerpt, words: str, start: int = 0, end: int | None = None) -> Place | None:
    """The first place where the words cut no latin word, number or known name in two (not 30 of 230, nor 桐远 of
    桐远电池)."""
    return next((place for place in _places(excerpt, words, start, end) if _is_whole(excerpt, place)), None)


def _places(excerpt: Excerpt, words: str, start: int, end: int | None) -> Iterator[Place]:
    words = words.strip()
    end = len(excerpt.text) if end is None else end
    at = excerpt.text.find(words, start, end) if words else -1
    while at >= 0:
        yield Place(at, at + len(words))
        at = excerpt.text.find(words, at + 1, end)
    key, _ = _squeezed(words)
    text, places = _squeezed(excerpt.text)
    first, last = bisect_left(places, start), bisect_left(places, end)
    at = text.find(key, first, last) if key else -1
    while at >= 0:
        yield Place(places[at], places[at + len(key) - 1] + 1, is_exact=False)
        at = text.find(key, at + 1, last)


def _is_whole(excerpt: Excerpt, place: Place) -> bool:
    if any(_GOES_ON.match(excerpt.text, at) for at in (place.start, place.end)):
        return False
    known = (name for name in excerpt.names if name.party.kind not in ("", "name"))
    return not any(name.start < place.end and place.start < name.end and not _holds(place, name) for name in known)


def _holds(place: Place, name: Named) -> bool:
    return place.start <= name.start and name.end <= place.end


def _excerpt(passage: int, sentences: Sequence[Reading]) -> Excerpt:
    text, origins, starts, names = "", list[int](), list[int](), list[Named]()
    for sentence in sentences:
        seen = _LINE_BREAKS.sub(" ", _UNSEEN.sub("", sentence.text)).rstrip()
        if not seen.strip() or len(seen) > _LONGEST or _is_figures(sentence, seen):
            continue
        if seen != sentence.text and speaks_to_model(seen):
            continue
        if text:
            text, origins = f"{text}\n", [*origins, origins[-1]]
        starts.append(len(text))
        kept = [at for at, letter in enumerate(sentence.text) if not _UNSEEN.match(letter)][: len(seen)]
        names += _placed(sentence.names, kept, len(text))
        text += seen
        origins += map(sentence.mapped.origin, kept)
    return Excerpt(passage, text, tuple(origins), tuple(starts), tuple(names))


def _placed(names: Iterable[Named], kept: Sequence[int], at: int) -> Iterator[Named]:
    for name in names:
        start, end = bisect_left(kept, name.start), bisect_left(kept, name.end)
        if start < end:
            yield Named(at + start, at + end, name.party)


def _is_figures(sentence: Reading, text: str) -> bool:
    return sentence.role == "table" and len(_DIGIT.findall(text)) > _MOST_DIGITS * len(text)


@lru_cache(maxsize=256)
def _squeezed(text: str) -> tuple[str, tuple[int, ...]]:
    """The normalised text without white space, and where each of its characters stands in `text`."""
    normal = normalise(text)
    kept = [(letter, normal.origin(at)) for at, letter in enumerate(normal.text) if not letter.isspace()]
    return "".join(letter for letter, _ in kept), tuple(at for _, at in kept)
