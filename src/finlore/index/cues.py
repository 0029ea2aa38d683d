"""Which wordings show a relation, and which speak of "the company": shipped words, as patterns.

A cue in Chinese letters matches anywhere; any other cue matches whole words, or word beginnings when it ends in ``*``.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from finlore.language.normal import normalise

MARK = "~"
"""What a relation mark among the words of a sentence starts with; no word does."""


@dataclass(frozen=True, slots=True)
class RelationCues:
    """Patterns over normalised text. `subject`: wordings by which a document speaks of the company that it is about."""

    relations: tuple[tuple[str, re.Pattern[str]], ...] = ()
    subject: re.Pattern[str] | None = None

    @classmethod
    def of(cls, relations: Mapping[str, Iterable[str]], subject: Iterable[str] = ()) -> "RelationCues":
        """Cues from words: relation -> wordings, and the wordings of "the company"."""
        named = tuple((name, pattern) for name, cues in sorted(relations.items()) if (pattern := _pattern(cues)))
        return cls(named, _pattern(subject))

    def marks(self, text: str) -> dict[str, int]:
        """``~relation`` -> how many runs of its wordings `text` has; relations without any are left out."""
        normal = normalise(text).text
        found = ((MARK + name, sum(1 for _ in pattern.finditer(normal))) for name, pattern in self.relations)
        return {mark: count for mark, count in found if count}

    def speaks_of_subject(self, text: str) -> bool:
        return self.subject is not None and self.subject.search(normalise(text).text) is not None


def _pattern(cues: Iterable[str]) -> re.Pattern[str] | None:
    """One pattern for all cues; neighbouring cues count as one (供应商 is 供应 + 供应商, said once)."""
    alternatives = sorted({_alternative(normalise(cue).text) for cue in cues}, key=lambda a: (-len(a), a))
    return re.compile(f"(?:{'|'.join(alternatives)})+") if alternatives else None


def _alternative(cue: str) -> str:
    if not cue.isascii():
        return re.escape(cue)
    stem = cue.removesuffix("*")
    return rf"\b{re.escape(stem)}" + ("" if stem != cue else r"\b")
