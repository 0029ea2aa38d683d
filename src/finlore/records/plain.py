"""Records as plain JSON values and back, exactly.

Fields that have their default value are left out, so that records may grow and what was written before still reads.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from functools import lru_cache
from types import NoneType, UnionType
from typing import Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Record = TypeVar("Record")
_AS_THEY_ARE = frozenset({str, int, float, bool, NoneType})


def plain(value: object) -> object:
    """Of a record a mapping by field name, of a tuple a list, of anything else itself."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return fields_of(value) if is_dataclass(type(value)) else value


def fields_of(record: object) -> dict[str, object]:
    """A record as a mapping by field name, without what has its default value."""
    kind, stated = cast(type, type(record)), {}
    for name, default in _defaults(kind):
        own = getattr(record, name)
        if default is MISSING or own != default:
            stated[name] = own if type(own) in _AS_THEY_ARE else plain(own)
    return stated


def record(kind: type[Record], stated: object) -> Record:
    """The record of which `stated` is the plain form; TypeError where it is that of something else."""
    if not isinstance(stated, Mapping):
        raise TypeError(f"{kind.__name__} is kept as {type(stated).__name__}")
    inner = _inner(cast(type, kind))
    return kind(**{name: _value(inner[name], value) if name in inner else value for name, value in stated.items()})


def _value(kind: object, value: object) -> object:
    if isinstance(value, Mapping) and isinstance(kind, type):
        return record(kind, value)
    if kind is date and isinstance(value, str):
        return date.fromisoformat(value)
    if isinstance(value, Iterable) and get_origin(kind) is tuple:
        (item, *_) = get_args(kind)
        return tuple(_value(item, own) for own in value)
    return value


def fits(kind: object, value: object) -> bool:
    """Whether a value, and all that a record or a tuple holds, is of the type that annotations call for."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return value in inner
    if origin in (Union, UnionType):
        return any(fits(option, value) for option in inner)
    if origin is tuple and isinstance(value, tuple):
        kinds = (inner[0],) * len(value) if inner[-1] is Ellipsis else inner
        return len(kinds) == len(value) and all(map(fits, kinds, value))
    if isinstance(kind, type) and is_dataclass(kind):
        return isinstance(value, kind) and all(fits(hint, getattr(value, name)) for name, hint in _hints(kind).items())
    wanted = getattr(kind, "__supertype__", origin or kind)
    return type(value) is wanted or (wanted is float and type(value) is int)


@lru_cache(maxsize=32)
def _hints(kind: type) -> Mapping[str, object]:
    return get_type_hints(kind)


@lru_cache(maxsize=32)
def _defaults(kind: type) -> tuple[tuple[str, object], ...]:
    return tuple((field.name, field.default) for field in fields(kind))


@lru_cache(maxsize=32)
def _inner(kind: type) -> Mapping[str, object]:
    """The type of each field that is itself a record, a tuple or a date; what else it may be (None) left out."""
    hints = ((name, _main(hint)) for name, hint in _hints(kind).items())
    return {name: hint for name, hint in hints if is_dataclass(hint) or hint is date or get_origin(hint) is tuple}


def _main(hint: object) -> object:
    options = get_args(hint) if get_origin(hint) is UnionType else (hint,)
    return next(option for option in options if option is not NoneType)
