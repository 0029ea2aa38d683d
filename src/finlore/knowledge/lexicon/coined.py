"""Parties that naming does not know, by where they stand: behind what they are, at the head of a clause, in a list."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import rjieba

from finlore.graph.folded import is_coined
from finlore.graph.shipped import word_list
from finlore.knowledge.lexicon.clauses import Clauses
from finlore.knowledge.lexicon.patterns import Patterns
from finlore.knowledge.sentences import Named
from finlore.language.alternatives import any_of
from finlore.language.normal import fold
from finlore.records.fact import Party
from finlore.records.names import EntityKind
from finlore.resources import load_rows

_PATTERNS: Final = Patterns("lexicon/parties.toml")


def parties_in(text: str, clauses: Clauses, names: Sequence[Named]) -> list[Named]:
    """The names, less titles and with branches, and what else must be a party, from left to right."""
    found: list[Named] = []
    for name in map(_without_title, names):
        if not (found and name.start < found[-1].end):
            found.append(_with_branch(text, name))
    for start, is_certain in _heads(text, clauses):
        party = _party_at(text, start, is_certain=is_certain)
        if party and not any(party.start < name.end and name.start < party.end for name in found):
            found.append(party)
    for name in found:  # grows: the next of a list continues it
        joint = _PATTERNS["next"].match(text, name.end) if name.party.kind == "person" else None
        party = _person_at(text, joint.end()) if joint else None
        if party and not any(party.start < other.end and other.start < party.end for other in found):
            found.append(party)
    return sorted(found, key=lambda name: name.start)


def _without_title(name: Named) -> Named:
    """The name without 其第一大股东 before it."""
    titled = None if name.party.kind == "security" else _PATTERNS["titled"].match(name.party.name)
    words = name.party.name[titled.end() :] if titled else name.party.name
    return Named(name.end - len(words), name.end, Party(words, fold(words), "company")) if titled else name


def _with_branch(text: str, name: Named) -> Named:
    branch = _PATTERNS["branch"].match(text, name.end)
    if branch is None or name.party.kind == "person" or text[name.start].isascii():
        return name
    words = text[name.start : branch.end()]
    known = name.party.kind == "security"
    return Named(name.start, branch.end(), name.party if known else Party(words, fold(words), "company"))


def _heads(text: str, clauses: Clauses) -> Iterator[tuple[int, bool]]:
    """Where a party may begin, and whether it surely does: at the head of a clause and, surely, behind titles."""
    yield from ((start, False) for start in clauses.starts)
    yield from ((title.end(), True) for title in _PATTERNS["title"].finditer(text))


def _party_at(text: str, start: int, *, is_certain: bool) -> Named | None:
    body = _PATTERNS["body"].match(text, start)
    if body and looks_like_body(body["name"], is_certain=is_certain):
        return _named(*body.span("name"), body["name"], "name")
    return _person_at(text, start, is_certain=is_certain)


def _person_at(text: str, start: int, *, is_certain: bool = False) -> Named | None:
    person = _PATTERNS["person"].match(text, start)
    is_one = (
        person
        and not _PATTERNS["no_name"].match(person["name"])
        and (is_person(person["name"]) or (is_certain and is_coined(person["name"])))
    )
    return _named(*person.span("name"), person["name"], "person") if person and is_one else None


def _named(start: int, end: int, words: str, kind: EntityKind) -> Named:
    return Named(start, end, Party(words, fold(words), kind))


@lru_cache(maxsize=4096)
def is_person(words: str) -> bool:
    """Whether two or three characters are a surname and what is no word with it."""
    return words[0] in word_list("surnames") and (is_coined(words) or rjieba.tag(words) == [(words, "nr")])


@lru_cache(maxsize=4096)
def looks_like_body(words: str, *, is_certain: bool = False) -> bool:
    """Whether words are a place or a made-up word, and then what bodies are called by (富达实业), or place and made-up
    word alone (杭州浩红). Where a party surely stands, an ending suffices."""
    if _PATTERNS["no_name"].match(words):
        return False
    place = next((words[:n] for n in (3, 2) if words[:n] in _places()), "")
    rest = words[len(place) :]
    ending = _endings().search(rest)
    stem = rest[: ending.start()] if ending else rest
    if ending and 2 <= len(stem) <= 8:
        return is_certain or bool(place) or (len(stem) <= 4 and is_coined(stem))
    return 2 <= len(rest) <= 4 and (bool(place) or (is_certain and len(rest) > 3)) and is_coined(rest)


@lru_cache(maxsize=1)
def _endings() -> re.Pattern[str]:
    """What bodies are called by at their end, lines of business included."""
    return re.compile(f"(?:{_PATTERNS['ending'].pattern}|{any_of(word_list('business_words'))})$")


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    """Names of places, which short names of companies begin with: 杭州浩红."""
    return frozenset(name for _, name, *_ in load_rows("names/regions.tsv", 4) if len(name) in {2, 3})
