"""What Chinese names are called in English texts: the brand in pinyin, the line of business in English.

云禾化学 is Yunhe Chemical, 云禾控股 Yunhe Holdings, 岭南云禾材料有限公司 Yunhe (Lingnan) Materials, 陆云川 Yunchuan Lu.
Only the strings decide, so that it matters neither what else is known nor since when.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Final

from finlore.graph.patterns import is_person
from finlore.language.legal import stem_of
from finlore.records.names import STRENGTH_PATTERN, Alias
from finlore.resources import load_rows

_STRENGTH: Final = STRENGTH_PATTERN - 1
_MOST_READINGS = 4


def latin_aliases(aliases: Iterable[Alias]) -> Iterator[Alias]:
    """The English names of what Chinese aliases mean, as certain as a pattern is."""
    for alias in aliases:
        if alias.kind in ("security", "company", "broker", "person", "rating_agency"):
            for latin in sorted(romanised(alias.surface, person=alias.kind == "person")):
                yield replace(alias, surface=latin, name=latin.title(), strength=min(alias.strength, _STRENGTH))


def romanised(name: str, *, person: bool = False) -> frozenset[str]:
    """The English spellings of a Chinese short name, folded; nothing where its end is no known line of business."""
    if person:
        return frozenset(_people(name)) if 2 <= len(name) <= 4 and is_person(name) else frozenset()
    stem = stem_of(name)
    found = {f"{brand} {business}" for at in (2, 3) for brand in _readings(name[:at]) for business in _lines(name[at:])}
    if stem != name and not name.endswith("股份有限公司"):  # a subsidiary: place, brand, business
        places = product(_readings(stem[2:4]), _readings(stem[:2]), _lines(stem[4:], whole=False))
        found |= {" ".join(pieces) for pieces in places}
    return frozenset(found)


def _lines(text: str, *, whole: bool = True) -> tuple[str, ...]:
    """The English of a line of business: of the text, or of the longest that begins it."""
    ends = [len(text)] if whole else range(len(text), 1, -1)
    return next((english for end in ends if (english := _business().get(text[:end]))), ())


def _people(name: str) -> Iterator[str]:
    surname = 2 if len(name) == 4 else 1
    for family, given in product(_readings(name[:surname]), _readings(name[surname:])):
        yield f"{given} {family}"
        yield f"{family} {given}"


def _readings(characters: str) -> list[str]:
    """The characters in pinyin, written together; nothing where one of them has no reading."""
    read = [_syllables().get(character, ()) for character in characters]
    return ["".join(syllables) for syllables in product(*read)][:_MOST_READINGS] if characters else []


@cache
def _syllables() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for syllable, characters in load_rows("names/pinyin.tsv", 2):
        for character in characters:
            found[character].append(syllable.replace("v", "u"))
    return {character: tuple(syllables) for character, syllables in found.items()}


@cache
def _business() -> dict[str, tuple[str, ...]]:
    return {chinese: tuple(english.split("|")) for chinese, english in load_rows("names/business_english.tsv", 2)}
