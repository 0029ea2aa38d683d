"""Regular expressions kept as data, beside the lists of words that they are made of."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from finlore.errors import ConfigurationError
from finlore.knowledge.lexicon.shape import P
from finlore.language.alternatives import any_of
from finlore.language.normal import HAN
from finlore.resources import load_toml

_PART: Final = re.compile(r"\{([A-Z][A-Z_]*)\}")
_GIVEN: Final = {"HAN": HAN, "PARTY": P, "PARTIES": P[1:-1]}


class Patterns(dict[str, re.Pattern[str]]):
    """The table `patterns` of a TOML resource, compiled when the first of them is asked for.

    A list there is of alternatives. `{NAME}` stands for any word of the list `name` of the resource, or for the
    expression that is called so; `{TABLE_NAME}` for one in a table; `{HAN}`, inside a class, for Chinese letters;
    `{PARTY}` for a party of a `Shape`, `{PARTIES}` for one inside a class.
    """

    def __init__(self, resource: str) -> None:
        super().__init__()
        self._resource = resource

    def __missing__(self, name: str) -> re.Pattern[str]:
        if not self:
            self.update(_compiled(self._resource))
        if name not in self:
            raise ConfigurationError(f"{self._resource} has no pattern '{name}'")
        return self[name]


def _compiled(resource: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """(name, pattern); ConfigurationError where one is no expression or names words that are not there."""
    table = load_toml(resource)
    parts: dict[str, str] = dict(_GIVEN)
    for part, said in _leaves({key: value for key, value in table.items() if key != "patterns"}):
        parts[part] = _PART.sub(lambda named: parts[named[1]], said) if isinstance(said, str) else any_of(said)
    for name, said in table["patterns"].items():
        text = said if isinstance(said, str) else "|".join(said)
        try:
            yield name, re.compile(_PART.sub(lambda named: parts[named[1]], text))
        except (KeyError, re.error) as error:
            raise ConfigurationError(f"{resource}: the pattern '{name}' is none: {error}") from error


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(NAME, list of words or expression) of all tables."""
    for key, value in table.items():
        name = f"{prefix}{key}".upper()
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{name}_")
        else:
            yield name, value
