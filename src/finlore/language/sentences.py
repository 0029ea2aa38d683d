"""Where sentences end, in Chinese and in English, and which of the two a text is. Linear in the text's length."""

import re
from collections.abc import Iterator

from finlore.language.normal import HAN
from finlore.records.document import Language

MASK = "\x02"
"""Stands for one character of mark-up, which is neither read nor a reason to end a sentence."""
LONGEST = 500
"""Characters after which a sentence without an end is cut, at a weaker mark where there is one."""

_CLOSERS = rf"[”’」』）)】\]\"'{MASK}]{{0,64}}"
_END = re.compile(
    rf"(?P<strong>(?:[。！？；︒]|(?<=[\u3000-\u9fff\uff00-\uffef])[!?;])+{_CLOSERS})"
    rf"|(?P<latin>(?<![.!?])[.!?]{{1,8}}{_CLOSERS}(?=\s))"
    r"|(?P<hard>\n[ \t]*\r?\n|(?<=[ \t]{2})\n|(?<=[ \t]{2}\r)\n|(?<=\\)\n|(?<=\\\r)\n|\u2029)"
)
_FIRST = re.compile("[。！？；︒!?;.\n\u2029]")  # what any end starts with; quick to look for
_WEAK_END = re.compile(r"[，,、;；:：|](?!\d)|\s")
_WORD_BEFORE = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z0-9&]+\Z")
_NEXT = re.compile(rf"[\s{MASK}]*[\"'“‘(（\[【]?([^\s{MASK}])(\w*)")
_HAN_LETTERS = re.compile(f"[{HAN}]+")
_LATIN_LETTERS = re.compile("[A-Za-z]+")
_SAMPLE = 20_000
_LONGEST_LEAD = 64

# Fixed like the patterns above: another list would cut stored documents into other passages.
_ABBREVIATIONS = frozenset({
    "inc", "corp", "co", "ltd", "llc", "plc", "bros", "dept", "est", "approx", "avg", "incl", "excl", "ex", "fig",
    "figs", "eq", "no", "nos", "vol", "pp", "pg", "sec", "art", "para", "ed", "eds", "jan", "feb", "mar", "apr",
    "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "u.s",
    "u.k", "u.n", "e.u", "u.a.e", "p.r.c", "s.a", "n.v", "a.g", "s.p.a", "b.v", "d.c", "a.m", "p.m", "ph.d", "b.a",
    "m.b.a", "jr", "sr", "esq", "etc", "cf", "al", "sq", "ft", "mt", "bn", "mn", "mm", "yr", "yrs", "qtr", "mo",
    "mos", "hr", "hrs", "min", "max", "est.", "intl", "assn", "univ", "gov", "rep", "sen", "dist", "bldg",
})  # fmt: skip
_NEVER_LAST = frozenset({
    "mr", "mrs", "ms", "dr", "prof", "st", "gen", "col", "capt", "lt", "sgt", "rev", "hon", "messrs", "vs", "v",
    "e.g", "i.e", "viz", "ca", "approx", "fig", "no", "nos",
})  # fmt: skip
_STARTERS = frozenset({
    "The", "A", "An", "It", "Its", "In", "This", "That", "These", "Those", "We", "Our", "He", "She", "They",
    "Their", "His", "Her", "However", "For", "As", "At", "On", "But", "And", "If", "When", "While", "After",
    "Before", "With", "By", "From", "To", "There", "Here", "Such", "Both", "Each", "Management", "Revenue", "Net",
    "Total", "Shares",
})  # fmt: skip


def language_of(text: str) -> Language:
    """`zh` when Han characters carry at least a sixth of the letters near the start, else `en`."""
    sample = text[:_SAMPLE]
    han = sum(map(len, _HAN_LETTERS.findall(sample)))
    latin = sum(map(len, _LATIN_LETTERS.findall(sample)))
    return "zh" if han and 5 * han >= latin else "en"


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """(start, end) of the sentences of ``text[start:end]``, without surrounding space; nothing but space is left out.

    Ends are 。！？； and their ASCII forms after Han characters, a latin stop before a space unless it belongs to an
    abbreviation, initial or number, an empty line, and a Markdown hard break.
    """
    end = len(text) if end is None else end
    found: list[tuple[int, int]] = []
    at = start
    for stop in _stops(text, start, end):
        found += _trimmed(text, at, stop)
        at = stop
    found += _trimmed(text, at, end)
    return found


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    last = at = start
    while (first := _FIRST.search(text, at, end)) is not None:
        match = _END.match(text, first.start(), end)
        at = first.end() if match is None else match.end()
        if match is None or (
            match["hard"]
            and text[max(last, match.start() - 8) : match.start()].rstrip(" \t\r\\")[-1:] in {",", "，", "、"}
        ):
            continue
        if match["latin"] is None or _ends_latin(text, last, match, end):
            last = match.end()
            yield last


def _ends_latin(text: str, start: int, match: re.Match[str], end: int) -> bool:
    """Whether a latin stop before white space ends a sentence that started at `start`."""
    following = _NEXT.match(text, match.end(), end)
    if following is None:
        return True
    first, rest = following.groups()
    if first.islower():
        return False
    if not match.group().startswith("."):
        return True
    before = _WORD_BEFORE.search(text[max(start, match.start() - 24) : match.start()])
    if before is None:
        return True
    lead = text[start : min(match.start() - len(before.group()), start + _LONGEST_LEAD)]
    return _may_end(before.group(), first + rest, opens=not lead.strip(f" \t\r\n\u3000(（{MASK}"))


def _may_end(word: str, following: str, *, opens: bool) -> bool:
    """Whether a sentence can end with this word and a stop.

    `following` is the next word; `opens` says that this one is the first of its sentence ("1. Overview").
    """
    lower = word.lower()
    if word[-1].isdigit() and (following[0].isdigit() or opens):
        return False  # 68. 86%: a number that a converter pulled apart, or the number of a heading
    if lower in _NEVER_LAST or (len(word) == 1 and word.isalpha() and word != "I"):
        return False
    return lower not in _ABBREVIATIONS or following in _STARTERS


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without white space and mark-up around it, cut where it is longer than any sentence."""
    piece = text[start:end]
    body = piece.strip(f" \t\r\n\u3000\xa0{MASK}\\")
    if not body:
        return
    at = start + piece.index(body[0]) if piece[0] != body[0] else start
    stop = at + len(body)
    while stop - at > LONGEST:
        cut = _cut(text, at, at + LONGEST)
        yield at, cut
        at = cut
    if at < stop:
        yield at, stop


def _cut(text: str, start: int, limit: int) -> int:
    """The last weaker mark in the second half of ``text[start:limit]``, else the limit moved out of mark-up."""
    marks = [mark.end() for mark in _WEAK_END.finditer(text, start + LONGEST // 2, limit)]
    if marks:
        return marks[-1]
    while text[limit - 1 : limit] == MASK and limit - start < 2 * LONGEST:
        limit += 1
    return limit
