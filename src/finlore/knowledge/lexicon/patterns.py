"""Regular expressions kept as data, beside the lists of words that they are made of."""

import re
from collections.abc import Iterable, Iterator, Mapping
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

    A list there is of alternatives. `{NAME}` stands for the words of the list or table `name` of the resource
    (`whole_words`), or for the expression that is called so, `{TABLE_NAME}` for one in a table; `{HAN}`, inside a
    class, for Chinese letters; `{PARTY}` for a party of a `Shape`, `{PARTIES}` for one inside a class.
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


def whole_words(words: Iterable[str]) -> str:
    """A group of the alternatives that match any of the words, Latin ones only as whole words, or as the beginning of
    one where they end in a star."""
    chosen = frozenset(words)
    starred = {word.rstrip("*") for word in chosen if word.endswith("*")}
    latin = {word for word in chosen if word.isascii() and not word.endswith("*")}
    groups = (
        rf"(?<![a-z-])(?:{any_of(latin)})(?![a-z-])" if latin else "",
        rf"(?<![a-z-])(?:{any_of(starred)})[a-z]*" if starred else "",
        any_of(word for word in chosen if not word.isascii()),
    )
    return f"(?:{'|'.join(filter(None, groups))})"


def _compiled(resource: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """(name, pattern); ConfigurationError where one is no expression or names words that are not there."""
    table = load_toml(resource)
    parts: dict[str, str] = dict(_GIVEN)
    for part, said in _parts({key: value for key, value in table.items() if key != "patterns"}):
        parts[part] = _PART.sub(lambda named: parts[named[1]], said) if isinstance(said, str) else whole_words(said)
    for name, said in table.get("patterns", {}).items():
        text = said if isinstance(said, str) else "|".join(said)
        try:
            yield name, re.compile(_PART.sub(lambda named: parts[named[1]], text))
        except (KeyError, re.error) as error:
            raise ConfigurationError(f"{resource}: the pattern '{name}' is none: {error}") from error


def _parts(table: Mapping[str, Any]) -> Iterator[tuple[str, str | list[str]]]:
    """(NAME, words or expression) of what stands at the top and in tables; of a table the words of all its lists."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            lists = {name: words for name, words in value.items() if isinstance(words, (list, str))}
            yield from ((f"{key}_{name}".upper(), words) for name, words in lists.items())
            yield key.upper(), [word for words in lists.values() if isinstance(words, list) for word in words]
        else:
            yield key.upper(), value
