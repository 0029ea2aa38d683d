"""Reading a text through a normalised copy, without losing where each character came from."""

import re
import unicodedata
from functools import lru_cache

from finlore.records.mapped import MappedText

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ud800-\udfff]")
_POSSESSIVE = re.compile(r"['’]s?(?=\W|$)")
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
_NOT_WORD = re.compile(r"[^\w.&+%-]|(?<!\d)[.]|[.](?!\d)|_")
_SPACE = re.compile(r"\s+")
HAN = "\u3400-\u9fff"
"""Inside a character class: the Han characters that names and prose are written in."""
_HAN_CHARACTER = re.compile(f"[{HAN}]")
_SPACE_IN_HAN = re.compile(f"(?<=[{HAN}]) (?=[{HAN}])")


class _Pieces(dict[int, str]):
    """Code point -> what it reads as; worked out once for each that is met. `uneven`: characters that change length."""

    def __init__(self) -> None:
        super().__init__()
        self.uneven: set[str] = set()

    def __missing__(self, code: int) -> str:
        character = chr(code)
        piece = "" if _INVISIBLE.match(character) else unicodedata.normalize("NFKC", character).lower()
        if len(piece) != 1:
            self.uneven.add(character)
        self[code] = piece
        return piece


_PIECES = _Pieces()
_WIDE = dict(zip("，（）：；！？％～\u3000", ",():;!?%~ ", strict=True))
_UNUSUAL = re.compile(f"[^\\x00-\\x7f\u4e00-\u9fff、。“”‘’—《》【】·{''.join(_WIDE)}]")
"""Anything but the letters that nearly all Chinese text is made of, which read as one character each."""


@lru_cache(maxsize=1 << 9)  # a sentence is read by one rule after another
def normalise(source: str) -> MappedText:
    """The copy that matching works on: NFKC, lower case, without invisible marks and surrogates. Linear time."""
    if not _UNUSUAL.search(source):
        text = source.lower()
        for wide, narrow in () if source.isascii() else _WIDE.items():
            text = text.replace(wide, narrow)
        return MappedText(text)
    text = source.translate(_PIECES)
    if _PIECES.uneven.isdisjoint(source):
        return MappedText(text)
    starts, shifts, shift = [0], [0], 0
    for at in (at for at, character in enumerate(source) if character in _PIECES.uneven):
        begin, length = at - shift, len(_PIECES[ord(source[at])])
        starts += (*range(begin + 1, begin + length), begin + length)
        shifts += range(shift - 1, shift - length, -1)  # an expansion comes from this character as a whole
        shift += 1 - length
        shifts.append(shift)
    return MappedText(text, tuple(starts), tuple(shifts))


@lru_cache(maxsize=1 << 14)
def fold(name: str) -> str:
    """The surface form of a name: NFKC, lower case, no possessive, brackets, punctuation or spare spaces."""
    text = normalise(unicodedata.normalize("NFC", name)).text  # cut from the very copy that names are searched in
    text = _POSSESSIVE.sub("", _BRACKETS.sub(" ", text) if not text.strip().startswith(("(", "（")) else text)
    text = _SPACE.sub(" ", _NOT_WORD.sub(" ", text)).strip()
    return _SPACE_IN_HAN.sub("", text)


def has_han(text: str) -> bool:
    return _HAN_CHARACTER.search(text) is not None
