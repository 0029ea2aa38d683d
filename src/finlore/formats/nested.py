"""Values of formats that know lists and mappings, as cells of a table."""

import json
from datetime import date, datetime

from finlore.formats.decode import canonical
from finlore.records.imported import Cell


def cell_of(value: object) -> Cell:
    """Of a list the names of its items, of a mapping (name, value) pairs, of anything else how it is printed."""
    if isinstance(value, dict):
        return tuple((canonical(str(key)), printed(inner)) for key, inner in value.items() if inner is not None)
    if isinstance(value, list):
        return tuple(_pair(inner) for inner in value)
    return printed(value)


def printed(value: object) -> str:
    """One line for everything; nothing for None and for bytes, which nobody can read."""
    if isinstance(value, str):
        return canonical(value).strip()
    if value is None or isinstance(value, bytes):
        return ""
    if isinstance(value, datetime | date):
        return value.isoformat()
    try:
        return canonical(json.dumps(value, ensure_ascii=False, default=str) if _is_compound(value) else str(value))
    except RecursionError:
        return ""


def _is_compound(value: object) -> bool:
    return isinstance(value, dict | list | bool)


def _pair(value: object) -> tuple[str, str]:
    """An item of a list: a name, or {name, value}."""
    if isinstance(value, dict):
        return printed(value.get("name")), printed(value.get("value"))
    return printed(value), ""
