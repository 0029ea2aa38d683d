"""Which wordings show a relation, and which speak of "the company": shipped words, found in one pass.

A cue in Chinese letters matches anywhere; any other cue matches whole words, or word beginnings when it ends in ``*``.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from ahocorasick_rs import AhoCorasick

from finlore.language.normal import normalise
from finlore.resources import load_toml

MARK = "~"
"""What a relation mark among the words of a sentence starts with; no word does."""
_SUBJECT = ""
_FIRST_HAN = "\u2e80"


class RelationCues:
    """Cues over normalised text: relation -> wordings, and the wordings by which a document speaks of its company."""

    def __init__(self, relations: Mapping[str, Iterable[str]], subject: Iterable[str] = ()) -> None:
        self._shows: dict[str, list[tuple[str, bool]]] = {}  # cue -> (relation, whole words only)
        for relation, cues in (*relations.items(), (_SUBJECT, subject)):
            for cue in cues:
                stem = normalise(cue).text.removesuffix("*")
                self._shows.setdefault(stem, []).append((relation, not cue.endswith("*")))
        self._cues = list(self._shows)
        self._automaton = AhoCorasick(self._cues)

    def marks(self, text: str) -> dict[str, int]:
        """``~relation`` -> how often its wordings stand in `text`; those that touch (供应 in 供应商) count once."""
        return self.read(text)[0]

    def read(self, text: str) -> tuple[dict[str, int], bool]:
        """The marks of `text`, and whether it speaks of the company that its document is about."""
        marks: Counter[str] = Counter()
        ends: dict[str, int] = {}
        for start, end, relation in sorted(self._found(normalise(text).text)):
            marks[MARK + relation] += start > ends.get(relation, -1)
            ends[relation] = max(end, ends.get(relation, -1))
        speaks = marks.pop(MARK + _SUBJECT, 0) > 0
        return dict(marks), speaks

    def wordings(self, text: str) -> set[str]:
        """The cues that stand in `text`, as the lists word them (folded, without the mark of a word beginning)."""
        normal = normalise(text).text
        return {normal[start:end] for start, end, _ in self._found(normal)}

    def _found(self, normal: str) -> Iterator[tuple[int, int, str]]:
        for number, start, end in self._automaton.find_matches_as_indexes(normal, overlapping=True):
            for relation, whole in self._shows[self._cues[number]]:
                latin = normal[start].isascii()
                if not latin or (_breaks(normal, start) and (not whole or _breaks(normal, end))):
                    yield start, end, relation


def _breaks(text: str, at: int) -> bool:
    """Whether no latin word goes on across the place `at`; Chinese letters end one."""
    around = text[max(at - 1, 0) : at + 1]
    return len(around) < 2 or not (around.isalnum() and max(around) < _FIRST_HAN)


@cache
def shipped_cues() -> RelationCues:
    """The cues of the package (`data/lexicon/relations.toml`)."""
    table = load_toml("lexicon/relations.toml")
    return RelationCues(table["relations"], table["subject"])
