"""What other programs call the kinds of entities, and the columns of tables."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, Literal, get_args

from finlore.records.names import EntityKind
from finlore.resources import load_toml

_PREFERRED: Final[tuple[EntityKind, ...]] = (
    "company", "person", "product", "industry", "concept", "index", "region", "policy", "metric", "regulator",
)  # fmt: skip


def kind_called(word: str) -> EntityKind | None:
    """The kind that a label stands for (Company, 组织, :Person); None where nobody calls one so."""
    return _kinds().get(word.strip().strip(":").lower())


@cache
def called(what: Literal["kinds", "facts", "nodes"]) -> Mapping[str, tuple[str, ...]]:
    """Usual words by the kind, or the part of a row, that they stand for, the likelier first."""
    return {one: tuple(words) for one, words in load_toml("imports/called.toml")[what].items()}


def usual(kinds: Sequence[EntityKind]) -> EntityKind:
    """Of what kind a mere name is most likely, where a relation admits several."""
    return next((kind for kind in _PREFERRED if kind in kinds), kinds[0])


def admits_securities(kinds: Sequence[EntityKind]) -> bool:
    """Whether a code of a share may stand there."""
    return "security" in kinds or "company" in kinds


@cache
def _kinds() -> Mapping[str, EntityKind]:
    own: dict[str, EntityKind] = {kind: kind for kind in get_args(EntityKind)}
    return own | {word: own[kind] for kind, words in called("kinds").items() for word in words}
