"""The relation that rows are imported as: one of the schema, by its id or by what it is called."""

from dataclasses import dataclass
from difflib import get_close_matches

from finlore.errors import UsageError
from finlore.language.normal import fold
from finlore.records.names import EntityKind
from finlore.records.schema import AttributeType, LinkType, Schema, ValueType


@dataclass(frozen=True, slots=True)
class Relation:
    """`value`: what stands where the object would; entity where there is an object. `subjects` and `objects` are the
    kinds that the schema admits. `is_symmetric`: it has no direction."""

    id: str
    subjects: tuple[EntityKind, ...]
    objects: tuple[EntityKind, ...]
    value: ValueType = "entity"
    is_symmetric: bool = False


def relation_called(schema: Schema, name: str) -> Relation:
    """The relation of this id or label; UsageError with the nearest ones where there is none, or several."""
    attributes: list[AttributeType | LinkType] = [*schema.attributes]
    types = {found.id: found for found in [*attributes, *schema.links]}
    if name in types:
        return _relation(types[name])
    wanted = fold(name).replace("_", " ")
    called = {id_: {fold(id_).replace("_", " "), *map(fold, (t.labels.zh, t.labels.en))} for id_, t in types.items()}
    ids = [id_ for id_, names in called.items() if wanted in names]
    if len(ids) == 1:
        return _relation(types[ids[0]])
    words = {word: id_ for id_, names in called.items() for word in names}
    near = ids or list(dict.fromkeys(words[word] for word in get_close_matches(wanted, words, n=3, cutoff=0.0)))
    what = "several relations are called" if ids else "the schema has no relation"
    raise UsageError(f"{what} {name[:80]!r}", hint=f"perhaps {', '.join(near)}; `finlore schema show` prints all")


def _relation(found: AttributeType | LinkType) -> Relation:
    if isinstance(found, AttributeType):
        return Relation(found.id, found.domain, found.range, found.value)
    return Relation(found.id, found.domain, found.range, is_symmetric=found.symmetric)
