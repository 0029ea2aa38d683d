"""Which fields of a list of documents say what. The spellings are data (`lexicon/fields.toml`)."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from finlore.resources import load_toml


@lru_cache
def spellings(table: str) -> Mapping[str, tuple[str, ...]]:
    """Field -> its spellings; `table` is `document` for what any document states, `rating` for what a rating adds."""
    return {field: tuple(names) for field, names in load_toml("lexicon/fields.toml")[table].items()}


def fields_in(names: Iterable[str], *tables: str) -> dict[str, str]:
    """Field -> the first of its spellings that is among `names`; fields without one are left out."""
    given = set(names)
    known = (pair for table in tables for pair in spellings(table).items())
    return {field: found for field, spelt in known if (found := next((n for n in spelt if n in given), ""))}
