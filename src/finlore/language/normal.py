"""Reading a text through a normalised copy, without losing where each character came from."""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ud800-\udfff]")
_POSSESSIVE = re.compile(r"['’]s?(?=\W|$)")
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
_NOT_WORD = re.compile(r"[^\w.&+%-]|(?<!\d)[.]|[.](?!\d)|_")
_SPACE = re.compile(r"\s+")
_HAN = "\u3400-\u9fff"
_SPACE_IN_HAN = re.compile(f"(?<=[{_HAN}]) (?=[{_HAN}])")


@dataclass(frozen=True, slots=True)
class NormalText:
    """`text` is NFKC, lower case, without invisible marks; `origin(i)` is the code point of the source it came from."""

    text: str
    starts: tuple[int, ...]  # normal offsets where the mapping jumps
    shifts: tuple[int, ...]  # source offset minus normal offset from there on

    def origin(self, offset: int) -> int:
        return offset + self.shifts[bisect_right(self.starts, offset) - 1]


def normalise(source: str) -> NormalText:
    """The copy that matching works on (NFKC, case and width folded). Linear time; surrogates and bidi marks vanish."""
    if source.isascii():
        return NormalText(source.lower(), (0,), (0,))
    pieces: list[str] = []
    starts, shifts, length = [0], [0], 0
    for at, character in enumerate(source):
        piece = "" if _INVISIBLE.match(character) else unicodedata.normalize("NFKC", character).lower()
        if at - length != shifts[-1]:
            if starts[-1] == length:
                shifts[-1] = at - length
            else:
                starts.append(length)
                shifts.append(at - length)
        pieces.append(piece)
        length += len(piece)
        for extra in range(1, len(piece)):  # all characters of an expansion come from the same source character
            starts.append(length - len(piece) + extra)
            shifts.append(at - (length - len(piece) + extra))
    return NormalText("".join(pieces), tuple(starts), tuple(shifts))


def fold(name: str) -> str:
    """The surface form of a name: NFKC, lower case, no possessive, brackets, punctuation or spare spaces."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name)).lower()
    text = _POSSESSIVE.sub("", _BRACKETS.sub(" ", text) if not text.strip().startswith(("(", "（")) else text)
    text = _SPACE.sub(" ", _NOT_WORD.sub(" ", text)).strip()
    return _SPACE_IN_HAN.sub("", text)
