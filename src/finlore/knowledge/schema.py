"""A schema out of its three TOML files; a bad one is refused with the file, the line and the reason."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Final

from finlore import resources
from finlore.errors import ConfigurationError
from finlore.knowledge.schema_types import Fault, Table, check_ids, read_attribute, read_driver, read_link
from finlore.records.schema import AttributeType, DriverType, LinkType, Schema

SHIPPED: Final = "finkario"
PARTS: Final = ("attributes", "drivers", "links")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def load_schema(name: str = SHIPPED, *, folder: Path | None = None) -> Schema:
    """The schema in a folder; without one the resource of this name: the shipped one lies in `schema`, another in
    `schema/NAME`. ConfigurationError where it is not there or not of the form of `data/schema/README.md`."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"'{name[:60]}' is no name of a schema", hint="lower case letters, digits, - and _")
    if folder is not None:
        return parse_schema({part: _read(folder / f"{part}.toml") for part in PARTS}, name=name, where=str(folder))
    where = "schema" if name == SHIPPED else f"schema/{name}"
    return parse_schema({part: resources.read_text(f"{where}/{part}.toml") for part in PARTS}, name=name, where=where)


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


def line_of(text: str, path: Iterable[str]) -> int:
    """The line (from 1) of a valid TOML text on which a key is first set; where the path ends with an item of a list,
    the line of that item. Of a path that is not there the longest beginning that is; 1 where nothing is."""
    keys = tuple(path)
    header: tuple[str, ...] = ()
    for first, lines in _statements(text):
        table = tomllib.loads("\n".join(lines))
        if lines[0].lstrip().startswith("["):
            header = tuple(_single_path(table))
        else:
            for key in reversed(header):
                table = {key: table}
        if _holds(table, keys):
            return next((at for at, line in enumerate(lines, first) if _spells(line, keys[-1])), first)
    return line_of(text, keys[:-1]) if keys else 1


def _statements(text: str) -> Iterator[tuple[int, list[str]]]:
    """(first line, lines) of each header and each key of a valid text: what is valid by itself and says something."""
    first, lines = 1, list[str]()
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not lines and (not line.strip() or line.lstrip().startswith("#")):
            continue
        first = number if not lines else first
        lines.append(line)
        if _is_valid("\n".join(lines)):
            yield first, lines
            lines = []


def _is_valid(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _single_path(table: Mapping[str, object]) -> Iterator[str]:
    for key, below in table.items():
        yield key
        if isinstance(below, Mapping):
            yield from _single_path(below)


def _holds(found: object, keys: tuple[str, ...]) -> bool:
    for key in keys:
        if not isinstance(found, Mapping | list) or key not in found:
            return False
        found = found[key] if isinstance(found, Mapping) else None
    return bool(keys)


def _spells(line: str, key: str) -> bool:
    return any(spelling in line for spelling in (json.dumps(key, ensure_ascii=False), f"'{key}'"))


def _parse(text: str, where: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{where} is not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigurationError(f"{where} is not valid TOML: it is nested too deeply") from None


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise ConfigurationError(f"there is no file {path}", hint=f"a schema has {', '.join(PARTS)}") from None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
