"""A schema out of its three TOML files; a bad one is refused with the file, the line and the reason."""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from finlore import resources
from finlore.errors import ConfigurationError
from finlore.knowledge.schema_types import Fault, Table, check_ids, read_attribute, read_driver, read_link
from finlore.records.schema import AttributeType, DriverType, LinkType, Schema

SHIPPED: Final = "finkario"
PARTS: Final = ("attributes", "drivers", "links")
MOST_BYTES: Final = 256 << 10
"""Of one file; the largest shipped one has 40 kB."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_KEY = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_SET = re.compile(rf"\s*(?:\[+(?P<table>[^\]]+)\]|(?P<key>(?:{_KEY.pattern})(?:\s*\.\s*(?:{_KEY.pattern}))*)\s*=)")
"""What begins a table, or sets a key."""


def load_schema(name: str = SHIPPED, *, folder: Path | None = None) -> Schema:
    """The schema in a folder; without one the resource of this name: the shipped one lies in `schema`, another in
    `schema/NAME`. ConfigurationError where it is not there or not of the form of `data/schema/README.md`."""
    check_name(name)
    if folder is not None:
        texts = tuple(_text(_bytes(folder / f"{part}.toml"), f"{folder}/{part}.toml") for part in PARTS)
        return _parsed(texts, name, str(folder))
    where = "schema" if name == SHIPPED else f"schema/{name}"
    files = [f"{where}/{part}.toml" for part in PARTS]
    return _parsed(tuple(_text(resources.read_bytes(file), file) for file in files), name, where)


@lru_cache(maxsize=8)
def _parsed(texts: tuple[str, ...], name: str, where: str) -> Schema:
    return parse_schema(dict(zip(PARTS, texts, strict=True)), name=name, where=where)


def is_name(name: str) -> bool:
    """Whether a schema can be called so."""
    return _NAME.fullmatch(name) is not None


def check_name(name: str) -> None:
    """ConfigurationError where a schema cannot be called so."""
    if not is_name(name):
        raise ConfigurationError(f"'{name[:60]}' is no name of a schema", hint="lower case letters, digits, - and _")


def parse_schema(texts: Mapping[str, str], *, name: str, where: str = "schema") -> Schema:
    """The schema that the TOML texts of `PARTS` make up; `where` is what to call their folder."""
    tables = {part: _parse(texts[part], f"{where}/{part}.toml") for part in PARTS}
    try:
        attributes = tuple(read_attribute(*pair) for pair in Table(tables["attributes"], ("attributes",)).tables())
        drivers = tuple(read_driver(*pair) for pair in Table(tables["drivers"], ("drivers",)).tables())
        links = tuple(read_link(*pair) for pair in Table(tables["links"], ("links",)).tables())
        return make_schema(name, attributes=attributes, drivers=drivers, links=links)
    except Fault as fault:
        part, *path = fault.path
        at = line_of(texts[part], path)
        raise ConfigurationError(f"{where}/{part}.toml line {at}: {fault.reason}") from None


def make_schema(
    name: str, *, attributes: Iterable[AttributeType], drivers: Iterable[DriverType], links: Iterable[LinkType]
) -> Schema:
    """The types as one schema, its version a hash of what they say; `Fault` where their ids collide."""
    parts = (tuple(attributes), tuple(drivers), tuple(links))
    check_ids(*parts)
    content = json.dumps([[asdict(item) for item in part] for part in parts], ensure_ascii=False, sort_keys=True)
    return Schema(name, sha256(content.encode()).hexdigest()[:16], *parts)


def widened(schema: Schema, others: Iterable[Schema]) -> Schema:
    """A schema with further types from others, of those ids that it does not use itself: by it one can read what was
    filled in under any of them."""
    for other in others:
        drivers = {driver.id: driver for driver in schema.drivers}
        events = {event.id for driver in schema.drivers for event in driver.events}
        taken = {attribute.id for attribute in schema.attributes} | {link.id for link in schema.links}
        for driver in (driver for driver in other.drivers if driver.id not in taken | events):
            known = drivers.get(driver.id, replace(driver, events=()))
            new = [event for event in driver.events if event.id not in taken | events | drivers.keys() | {driver.id}]
            events |= {event.id for event in new}
            if known.events or new:
                drivers[driver.id] = replace(known, events=(*known.events, *new))
        taken |= events | drivers.keys()
        schema = make_schema(
            schema.name,
            attributes=(*schema.attributes, *(found for found in other.attributes if found.id not in taken)),
            drivers=drivers.values(),
            links=(*schema.links, *(found for found in other.links if found.id not in taken)),
        )
    return schema


def line_of(text: str, path: Iterable[str]) -> int:
    """The line (from 1) of a valid TOML text on which a key is first set; where the path ends with an item of a list,
    the line of that item. Of a path that is not there the longest beginning that is; 1 where nothing is."""
    keys, header, here = tuple(path), tuple[str, ...](), tuple[str, ...]()
    best, depth = 1, 0
    spelt = {json.dumps(keys[-1], ensure_ascii=False), f"'{keys[-1]}'"} if keys else set()
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if match := _SET.match(line):
            written = tuple(key.strip("\"'") for key in _KEY.findall(match["table"] or match["key"]))
            header = written if match["table"] else header
            here = written if match["table"] else header + written
            while depth < len(keys) and here[: depth + 1] == keys[: depth + 1]:
                best, depth = number, depth + 1
        if here and here == keys[: len(here)] and any(spelling in line for spelling in spelt):
            return number
    return best


def _parse(text: str, where: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{where} is not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigurationError(f"{where} is not valid TOML: it is nested too deeply") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ConfigurationError(f"there is no file {path}", hint=f"a schema has {', '.join(PARTS)}") from None
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror or error}") from None


def _text(content: bytes, where: str) -> str:
    if len(content) > MOST_BYTES:
        line = content.count(b"\n", 0, MOST_BYTES) + 1
        raise ConfigurationError(f"{where} line {line}: a file of a schema has at most {MOST_BYTES >> 10} kB")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(f"{where} line {line} is not UTF-8: {error.reason}") from None
