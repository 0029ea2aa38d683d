"""The clauses of a sentence: between commas, colons and semicolons, before a word of contrast, and where a blank parts
Chinese words, as in texts that have lost their punctuation."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

_BORDER: Final = re.compile(
    r"[，；。：！？\n|](?:\s*)|[,;:](?!\d)\s*|(?<!\d)[.]\s+|(?=但是?|然而|不过)|(?<=[\u4e00-\u9fff]{3})\s+(?=[\u4e00-\u9fff]{2}|Q[1-4])|\s(?=(?:but|while|whereas|although|though|despite)\b)",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Clauses:
    """`starts` are where the clauses of a text begin; the last of them ends with the text."""

    starts: tuple[int, ...]
    length: int

    def number(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1

    def span(self, number: int) -> tuple[int, int]:
        """[start, end) of a clause, its border included."""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else self.length
        return self.starts[number], end


def clauses_of(text: str) -> Clauses:
    """Where the clauses begin; enumerations (、) are not cut."""
    starts = sorted({0, *(border.end() for border in _BORDER.finditer(text) if border.end() < len(text))})
    return Clauses(tuple(starts), len(text))
