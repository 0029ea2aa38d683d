"""The phrases of an English sentence: what is said, what it is compared with, what caused it or is part of it, and what
others had expected."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from finlore.knowledge.lexicon.amounts import Amount

Kind = Literal["main", "base", "aside", "clause", "others"]
_FEW: Final = (
    r"(?:(?:its|our|the|an?|about|approximately|around|prior|previous|earlier|just|only|nearly|net|loss|losses|income|"
    r"profit|earnings|outlook|guidance|range|estimate|estimates|forecast|increase|decrease|growth|decline|of|in|to|for|"
    r"between)\s){0,6}"
)
_BORDER: Final = re.compile(
    r"(?<![a-z])(?:"
    r"(?P<others>(?:(?:the|analyst|analysts'?|wall street|street|market|factset|refinitiv|bloomberg)\s)*"
    r"(?:consensus|analysts'?|(?:analyst|street|market)\s(?:estimates?|expectations?|forecasts?)|expectations of"
    r"|estimates of))"
    r"|(?P<base>(?:as\s)?compare[ds] (?:to|with)|relative to|versus|vs\.?|(?:up|down|improved|increased)\sfrom"
    rf"|from(?=\s{_FEW}[$€£¥(]*\d)|from(?=\s(?:the\s)?[a-z]+\s(?:quarter|year))"
    r"|than(?=\s(?:the|in|a|last)\s)|over(?=\s(?:the|last)\s))"
    r"|(?P<to>to(?=\s[$€£¥(]*\d))"
    r"|(?P<aside>including|includes|included|excluding|excludes|excluded|primarily|mainly|partially|partly|largely"
    r"|offset by|driven by|due to|owing to|reflecting|reflects|reflected|resulting from|as a result of|attributable to"
    r"|because of|helped by|led by|boosted by|supported by|hurt by|thanks to|inclusive of|net of"
    r"|on(?=\s(?:strong|weak|high|low|robust|solid|soft|better|improv|favou?rabl)))"
    r"|(?P<clause>because|after|before|despite|amid|at constant|in constant|on a)"
    r"|(?P<main>(?:while|whereas|but)|(?<=,\s)(?:with|or)(?=\s)|and(?=\s[a-z])|(?<=,\s)(?:up|down)(?=\s[\d$])"
    r"|resulting in)"
    r")(?![a-z])|(?P<end>[;:]\s|\.\s)",
    re.IGNORECASE,
)
_CAUSAL: Final = re.compile(
    r"driven by|due to|owing to|reflecting|reflects|reflected|resulting from|as a result of|attributable to"
    r"|because(?: of)?|led by|hurt by|amid|on|(?P<benefit>helped by|boosted by|supported by|thanks to)"
)
_TELLS: Final = re.compile(
    r"\s(?:[\w'’&-]+\s){1,6}?(?:was|were|is|are|has|had|have|will|rose|fell|grew|increased|decreased|declined|improved"
    r"|expects?|reported|totall?ed|announced|reached|remained|said)\b",
    re.IGNORECASE,
)
_LEADING: Final = 3  # characters before a phrase that begins the sentence


@dataclass(frozen=True, slots=True)
class Phrase:
    """text[start:end]; its words begin at `said`, behind those that make it what it is (due to)."""

    start: int
    end: int
    kind: Kind
    said: int
    causes: Literal["", "cause", "benefit"] = ""


@lru_cache(maxsize=8)
def phrases_of(
    text: str, *, amounts: tuple[Amount, ...] = (), kept: tuple[tuple[int, int], ...] = ()
) -> tuple[Phrase, ...]:
    """The phrases from left to right; no border lies within a span that is `kept`."""
    return tuple(_phrases(text, amounts, kept))


def _phrases(text: str, amounts: Sequence[Amount], kept: Sequence[tuple[int, int]]) -> Iterator[Phrase]:
    for at, border, kind, said in _cut(text, amounts, kept):
        end = len(text[:border].rstrip(" ,.;:"))
        begin = said + len(text[said:end]) - len(text[said:end].lstrip())
        causes = _CAUSAL.fullmatch(text[at:said].lower()) if kind in {"aside", "clause"} else None
        yield Phrase(at, max(end, begin), kind, begin, ("benefit" if causes["benefit"] else "cause") if causes else "")


def _cut(text: str, amounts: Sequence[Amount], kept: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, Kind, int]]:
    """(start, end, kind, where the words begin that follow its mark) of each phrase."""
    at, said = 0, 0
    kind: Kind = "main"
    for match in _BORDER.finditer(text):
        new = _kind(match, kind, has_amount=any(at <= a.start and a.end <= match.start() for a in amounts))
        if new is None or inside(match.start(), kept):
            continue
        leads = kind != "main" and at <= _LEADING
        comma = text.find(", ", at, match.start()) if leads else -1
        if comma >= 0:  # driven by demand, revenue rose
            yield at, comma, kind, said
            at, said, kind = comma + 2, comma + 2, "main"
        yield at, match.start(), kind, said
        at, said, kind = match.start(), match.end(), new
    comma = text.find(", ", at) if kind != "main" and at <= _LEADING else -1
    if comma >= 0:
        yield at, comma, kind, said
        at, said, kind = comma + 2, comma + 2, "main"
    yield at, len(text), kind, said


def _kind(match: re.Match[str], before: Kind, *, has_amount: bool) -> Kind | None:
    """What begins at a border; None where nothing does."""
    words = match.group().lower()
    if match["others"] or match["base"] or match["aside"]:
        return "others" if match["others"] else "base" if match["base"] else "aside"
    if match["clause"]:
        return None if before in {"base", "others"} else "clause"
    if words in {"or", "with"} or (words == "to" and before != "base"):  # from 4% to 5%
        return None
    if words == "and" and not (before == "base" and has_amount):
        goes_on = before == "aside" and _TELLS.match(match.string, match.end()) is None  # the last of a list
        return "main" if match.string.endswith(", ", 0, match.start()) and not goes_on else None
    return "main"


def inside(at: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a place lies in one of the spans."""
    return any(start <= at < end for start, end in spans)
