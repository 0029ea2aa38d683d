"""What companies make, sell and do, as sentences state it: behind a label, behind a verb, as what somebody is a maker
of, as brands. The words are data (`lexicon/products.toml`)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.sentences import Reading
from finlore.language.normal import fold, normalise
from finlore.records.fact import Fact, Party
from finlore.records.mapped import MappedText

_COMPANIES: Final = frozenset({"security", "company", "organisation", "name"})
_NO_THINGS: Final = frozenset(
    {"security", "company", "organisation", "person", "region", "broker", "regulator", "metric", "index"}
)
_PATTERNS: Final = Patterns("lexicon/products.toml")
_FORMS: Final = (
    ("listed_behind_adjective", 0.8, True), ("listed", 0.7, True), ("english_listed", 0.75, True),
    ("does", 0.75, False), ("does_plainly", 0.65, False), ("weakly_does", 0.55, False), ("is_maker", 0.65, False),
    ("brands", 0.65, False), ("launches", 0.6, False), ("is_english_maker", 0.65, False), ("english_does", 0.6, False),
)  # fmt: skip
"""The forms of statements, how sure they are, and whether they list things behind a label."""
_QUOTES: Final = " \t\"“”'‘’「」『』《》*•·-—"
_MOST, _LONGEST, _SHORTEST, _OPENING = 20, 18, 2, 4
_REVENUE, _SEGMENT = "metric:revenue.", 0.7
_GAP: Final = "\ue000"  # the company itself in what stands before a statement


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that is offered at [start, end) of the text read. `whose` is the company that the clause names; None:
    it speaks of the company that the text is about."""

    start: int
    end: int
    whose: Party | None
    confidence: float


def find_offers(reading: Reading) -> list[Offer]:
    """What a sentence says that a company makes, sells or does, from left to right, each place once."""
    normal = normalise(reading.text)
    if _PATTERNS["any"].search(normal.text) is None:
        return []
    masked = _masked(normal.text)
    found: dict[int, Offer] = {}
    for form, sure, lists in _FORMS:
        for match in _PATTERNS[form].finditer(masked):
            whose = _whose(reading, normal, match.start(), lists=lists)
            if whose == "other":
                continue
            for start, end in _items(masked, *match.span("list")):
                first, last = normal.span(start, end)
                if not _is_somebody(reading, first, last):
                    found.setdefault(first, Offer(first, last, whose, sure))
    return sorted(found.values(), key=lambda offer: offer.start)


def segment_products(figures: Iterable[Fact], said: Iterable[Fact]) -> list[Fact]:
    """The parts whose revenue is stated, each once, as products of the company whose figures these are, without those
    that are said to be products anyhow."""
    known = {(fact.subject, fact.object.surface) for fact in said if fact.relation == "key_products" and fact.object}
    found: dict[tuple[Party, str], Fact] = {}
    for figure in figures:
        part = figure.part if figure.relation.startswith(_REVENUE) and figure.subject.kind in _COMPANIES else ""
        place = _named_thing(part, 0, len(part)) if part else None
        name = part[slice(*place)] if place else ""
        surface = fold(name)
        if surface and (figure.subject, surface) not in known:
            product = Fact(
                figure.subject, "key_products", figure.evidence, name, Party(name, surface, "product"),
                confidence=min(figure.confidence, _SEGMENT),
            )  # fmt: skip
            found.setdefault((figure.subject, surface), product)
    return list(found.values())


def _is_somebody(reading: Reading, start: int, end: int) -> bool:
    """Whether what stands at a place is a company, person or region."""
    return any(name.party.kind in _NO_THINGS and (name.start, name.end) == (start, end) for name in reading.names)


# whose it is


def _whose(reading: Reading, normal: MappedText, at: int, *, lists: bool) -> Party | Literal["other"] | None:
    """The company that stands before a statement, None where it is the one that the text is about, "other" where
    something else stands there; lists may stand farther behind it than verbs."""
    text = normal.text
    begin = max((stop.end() for stop in _PATTERNS["stop"].finditer(text, 0, at)), default=0)
    clause = max((stop.end() for stop in _PATTERNS["clause"].finditer(text, begin, at)), default=begin)
    opens, starts, ends = (normal.origin(offset) for offset in (begin, clause, at))
    before = [
        name for name in reading.names if name.party.kind in _COMPANIES and opens <= name.start and name.end <= ends
    ]
    own = next((name for name in reversed(before) if name.start >= starts), None)
    if own is None:
        lead = normalise(reading.text[starts:ends]).text
    else:
        lead = f"{normalise(reading.text[starts : own.start]).text}{_GAP}{normalise(reading.text[own.end : ends]).text}"
    opening = next((name for name in before if name.start - opens <= _OPENING), None)
    if not _PATTERNS["lead"].fullmatch(_masked(lead)):
        is_first = own.start - starts <= _OPENING if own else _PATTERNS["opening"].match(text, clause, at)
        if not (lists and is_first):
            return "other"
    elif lead.lstrip().startswith("其") and before:
        return before[-1].party
    named = own or opening
    return named.party if named else None


def _masked(text: str) -> str:
    """The text with a mark in the place of every character that stands in brackets."""
    return _PATTERNS["bracket"].sub(lambda bracket: "\x00" * len(bracket.group()), text)


# what it is


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """[start, end) of each part of a list, up to the first that names nothing."""
    stop = _PATTERNS["ends"].search(text, start, end)
    end = stop.start() if stop else end
    at = start
    for number, separator in enumerate([*_PATTERNS["separator"].finditer(text, start, end), None]):
        until = separator.start() if separator else end
        place = _named_thing(text, at, until)
        if place is None or number >= _MOST:
            return
        yield place
        at = separator.end() if separator else end


def _named_thing(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The name within a part of a list, without what leads to it and what goes on behind it."""
    piece = text[start:end].partition("\x00")[0]
    begins = len(piece) - len(piece.lstrip(_QUOTES))
    if (opening := _PATTERNS["begins"].match(piece[begins:])) is not None:
        begins += opening.end()
    said = _PATTERNS["trail"].sub("", piece[begins:].rstrip(_QUOTES))
    said = _PATTERNS["praise"].sub("", _PATTERNS["tail"].sub("", said).strip(_QUOTES))
    name = said.rpartition("的")[2]
    begins = piece.rfind(name, begins) if name else -1
    longest = _LONGEST if not name.isascii() else 3 * _LONGEST
    if begins < 0 or not _SHORTEST <= len(name) <= longest or _PATTERNS["never"].search(said):
        return None
    return start + begins, start + begins + len(name)
