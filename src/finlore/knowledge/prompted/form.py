"""The form of a reply by a schema: ids to choose from, and the words that say what they mean."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, cast

from finlore.knowledge.questions import choice_form, record_form
from finlore.records.schema import AttributeType, DriverType, EventType, LinkType, Schema

DIRECTIONS: Final = ("good", "bad", "neutral")
_TEXT: Final[Mapping[str, object]] = {"type": "string"}


@lru_cache(maxsize=4)
def form_of(schema: Schema) -> Mapping[str, object]:
    """A JSON schema of what a reply may hold; p, q, s … are explained where the model is asked."""
    place = {"p": {"type": "integer"}, "q": _TEXT, "s": _TEXT}
    lists: dict[str, object] = {}
    if relations := [*(item.id for item in schema.attributes), *(item.id for item in schema.links)]:
        lists["facts"] = _list(**place, r=choice_form(relations), o=_TEXT)
    if types := [event.id for driver in schema.drivers for event in driver.events]:
        parts = dict.fromkeys(("w", "o", "when", "metric", "because", "why"), _TEXT)
        lists["events"] = _list(**place, t=choice_form(types), d=choice_form(DIRECTIONS), **parts)
    return record_form(**lists)


@lru_cache(maxsize=4)
def accepted_form(schema: Schema) -> Mapping[str, object]:
    """A JSON schema of what can be judged row by row: the lists, whatever stands in them."""
    lists = cast(Mapping[str, object], form_of(schema)["properties"])
    return {"type": "object", "properties": {key: {"type": "array"} for key in lists}, "required": list(lists)}


@lru_cache(maxsize=4)
def described(schema: Schema) -> str:
    """The types of a schema, a line each: id: what it means."""
    lines = ["ATTRIBUTES (r): of a company; o is the value", *map(_line, schema.attributes)]
    lines += ["LINKS (r): s is the subject, o the object", *map(_line, schema.links), "EVENTS (t), by what they drive"]
    for driver in schema.drivers:
        lines += [f"{driver.labels.en}:", *(f"- {_line(event)}" for event in driver.events)]
    return "\n".join(lines)


def _line(item: AttributeType | LinkType | EventType | DriverType) -> str:
    return f"{item.id}: {item.description}"


def _list(**properties: object) -> dict[str, object]:
    return {"type": "array", "items": record_form(**properties)}
