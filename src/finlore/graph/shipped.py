"""The names that are known before anything is read: aliases from the data files, and the word lists of naming."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import islice
from typing import Final, get_args

from finlore.errors import ConfigurationError
from finlore.graph.folded import surface_of
from finlore.language.codes import canonical_security, code_surface
from finlore.language.normal import HAN
from finlore.records.instant import ALWAYS, Instant, end_of_day
from finlore.records.names import STRENGTH_IDENTIFIER, STRENGTH_LIST, Alias, EntityKind
from finlore.resources import load_rows, load_words

LISTS: Final = ("companies", "brokers", "institutions", "indices", "industries", "concepts", "metrics", "regions")
_KINDS = frozenset(get_args(EntityKind))
_STATUS = re.compile(rf"^(?:S\*ST|\*ST|SST|ST|PT|XD|XR|DR|N|C|S)(?=[{HAN}])|-(?:U|W|UW|D|S|R)$")
_SHARE_CLASS = re.compile(rf"(?<=[{HAN}])[AB]$")
_DELISTED = re.compile(r"退$|^退市|^[PS]?\*?ST|^PT")


def shipped_aliases() -> Iterator[Alias]:
    """Every alias of the data files, each once; several may share a surface. Names of a listed company are known from
    the day of its listing."""
    listed: dict[str, Instant] = {}
    names: dict[str, str] = {}
    stated: set[tuple[str, str]] = set()
    for code, name, day in _rows("securities", 3):
        entity = canonical_security(code)
        if entity is None:
            raise ConfigurationError(f"names/securities.tsv: {code} is no code of a share")
        listed[entity] = end_of_day(date.fromisoformat(day)) if day else ALWAYS
        for surface in sorted(_security_surfaces(entity, name)):
            stated.add((surface, entity))
            yield Alias(surface, entity, "security", name, STRENGTH_IDENTIFIER, listed[entity])
        if not name.endswith("B"):
            names[name] = entity
    for file in LISTS:
        for kind, name, also, given in _rows(file, 4):
            for alias in _list_aliases(kind, name, also.split("|") if also else [], given or names.get(name, "")):
                if (alias.surface, alias.entity) not in stated:
                    stated.add((alias.surface, alias.entity))
                    yield replace(alias, known_at=listed.get(alias.entity, ALWAYS))


def _security_surfaces(entity: str, name: str) -> set[str]:
    """The code and the short name. Names of delisted or warned shares are those of their last days: kept whole, except
    "…退", which is more often the beginning of a word (顺利退出)."""
    surfaces = {code_surface(entity)}
    if name.endswith("退") or not name:
        return surfaces
    surfaces.add(surface_of(name))
    plain = _STATUS.sub("", name)
    if not _DELISTED.search(name):
        surfaces.add(surface_of(plain))
    if name.endswith("A") and len(bare := _SHARE_CLASS.sub("", plain)) >= 3:
        surfaces.add(surface_of(bare))
    return surfaces


def _list_aliases(kind: str, name: str, also: list[str], given: str) -> Iterator[Alias]:
    if kind not in _KINDS:
        raise ConfigurationError(f"names: '{kind}' of {name} is not among {', '.join(sorted(_KINDS))}")
    entity = given or f"{kind}:{surface_of(name)}"
    if given and given[0].isdigit():
        kind = "index" if kind == "index" else "security"
    surfaces = {surface_of(form) for form in (name, *also)}
    if given and ":" not in given:
        surfaces.add(code_surface(given))
    for surface in sorted(surfaces):
        strength = STRENGTH_IDENTIFIER - 1 if kind == "security" else STRENGTH_LIST
        yield Alias(surface, entity, kind, name, strength, ALWAYS)


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of `names/NAME.txt`."""
    return load_words(f"names/{name}.txt")


def _rows(file: str, columns: int) -> Iterator[tuple[str, ...]]:
    return islice(load_rows(f"names/{file}.tsv", columns), 1, None)
