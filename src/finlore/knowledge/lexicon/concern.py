"""What counts as an event: sentences that may tell one, companies that may have one, and what is no news of them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Final

from finlore.knowledge.lexicon.coined import looks_like_body
from finlore.knowledge.lexicon.happenings import STATES, Found, Happening
from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.sentences import Named, Reading
from finlore.language.normal import HAN, fold, has_han
from finlore.records.fact import Party

_COMPANIES: Final = frozenset({"security", "company"})
OUTSIDE: Final = frozenset({"governs", "interest_rate", "gdp", "disaster"})
"""Types of events that come from outside, and concern a company only where it is spoken of."""
_LONG_AGO: Final = 5  # years before the publication
_LONGEST: Final = 600
_MOST_DIGITS: Final = 0.4
_DIGIT = re.compile(r"\d")
_CELL = re.compile(r"[|\t]")
_PROSE = re.compile(rf"[{HAN}][^|]{{10,}}[{HAN}。]|(?:[A-Za-z]+[,.]?\s){{7,}}")
_CONTENTS = re.compile(r"(?:[.…·]\s?){6}|-{8}|_{8}")
_PATTERNS: Final = Patterns("lexicon/parties.toml")
_MOST_WORDS: Final = 6


def called(name: str) -> str:
    """A Latin name without what a sentence adds to it: Northgate's, Halden Motors on Wednesday."""
    return _PATTERNS["added"].sub("", name)


def fuller_names(readings: Iterable[Reading], title: str = "") -> dict[str, Party]:
    """The companies that a document calls by a legal form, or begins its title with, by their Latin name, its first
    word and its first two; what two of them begin with is neither's."""
    short: dict[str, set[Party]] = {}
    for reading in readings:
        for name in reading.names:
            if name.party.kind in {*_COMPANIES, "name"} and not has_han(name.party.name):
                full = called(name.party.name)
                party = name.party if full == name.party.name else replace(name.party, name=full, surface=fold(full))
                words = full.split() if _is_body(reading, replace(name, party=party), title) else []
                for n in {*range(1, min(len(words), 3)), len(words)} - {0}:
                    short.setdefault(" ".join(words[:n]), set()).add(party)
    fullest = {words: max(parties, key=lambda party: len(party.name)) for words, parties in short.items()}
    return {
        words: party
        for words, party in fullest.items()
        if all(party.name.startswith(other.name) for other in short[words])
    }


def _is_body(reading: Reading, name: Named, title: str) -> bool:
    """Whether a Latin name is that of a company: by its kind, by a legal form in or behind it, or by the title."""
    words = name.party.name
    if name.party.kind in _COMPANIES or begins_with(title, words):
        return not is_headline(words)
    is_formal = _PATTERNS["latin_body"].match(reading.text, name.end) or _PATTERNS["latin_body"].search(words)
    return is_formal is not None and not is_headline(words)


def protagonist(fuller: Mapping[str, Party], title: str) -> Party | None:
    """The company that a Latin title begins with: it is what the document is about where nobody says so."""
    called = [words for words in fuller if begins_with(title, words)]
    return fuller[max(called, key=len)] if called else None


def begins_with(title: str, name: str) -> bool:
    """Whether a title goes on behind a name, which is no single letter."""
    return len(name) > 1 and title != name and re.match(rf"{re.escape(name)}(?![\w&-])", title) is not None


def is_headline(name: str) -> bool:
    """Whether a Latin name is too long for one, or holds a number: a title that tells something."""
    return not has_han(name) and (len(name.split()) > _MOST_WORDS or _DIGIT.search(name) is not None)


def is_own_body(name: str) -> bool:
    """Whether somebody of the company itself is called so: its board, its management."""
    return _PATTERNS["own_body"].fullmatch(name) is not None


def is_company(party: Party, *, acts: bool = False) -> bool:
    """Whether events may be told of a party: it is a company, called as only bodies are, or a name that takes part in a
    deal (`acts`)."""
    if _PATTERNS["no_company"].search(party.name):
        return False
    if party.kind in _COMPANIES:
        return len(party.name) > 1
    if party.kind != "name":
        return False
    if has_han(party.name):
        return looks_like_body(party.name, is_certain=acts)
    return acts or _PATTERNS["latin_body"].search(party.name) is not None


def is_short_for(words: str, name: str) -> bool:
    """Whether words may be short for a Chinese name: its first character and some of the others, in order (重啤)."""
    if not 2 <= len(words) < len(name) or words[0] != name[0] or not has_han(words):
        return False
    rest = iter(name)
    return all(character in rest for character in words)


def lists_risks(heading: Found) -> bool:
    return any(match.start <= 6 for match in heading.get("risks", ()))


def may_tell(reading: Reading, text: str, found: Found) -> bool:
    """Whether a sentence may tell an event: no question, disclaimer, table of contents or row of figures."""
    if not ("event" in found or "move" in found or "judged" in found) or "boilerplate" in found:
        return False
    if len(text) > _LONGEST or text.rstrip().endswith(("？", "?")) or _CONTENTS.search(text):
        return False
    return not _is_numeric(reading, text)


def _is_numeric(reading: Reading, text: str) -> bool:
    """Whether this is no sentence but a row of figures and their labels, as tables and badly read ones have them."""
    if reading.role == "table" or text.count("|") > 1:
        return not any(_PROSE.search(cell) for cell in _CELL.split(text))
    return len(_DIGIT.findall(text)) / len(text) > _MOST_DIGITS


def is_far(event: str, subject: Party, covered: Party | None) -> bool:
    """Whether what comes from outside is told of somebody else than the covered company or a listed one."""
    return event in OUTSIDE and subject != covered and subject.kind != "security"


def is_opinion(happening: Happening, found: Found, clause: tuple[int, int], *, has_cause: bool) -> bool:
    """Whether something is said where a share is valued (预计业绩增长，维持评级), in the same clause, as an expectation
    or without a number or cause; or is a state of things that is expected without these."""
    is_vague = not happening.has_number and not has_cause
    if valued := found.get("valuation"):
        is_near = any(clause[0] <= match.start < clause[1] for match in valued)
        return is_near or happening.is_expected or is_vague
    return is_vague and happening.is_expected and happening.event.id in STATES


def is_history(last: date | None, published: date | None) -> bool:
    """Whether what ended on a day was over long before the publication."""
    return last is not None and published is not None and last.year < published.year - _LONG_AGO
