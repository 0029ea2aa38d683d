"""The schemas of a workspace: those kept in it, the one that it is filled with, and templates to derive others from."""

import os
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from finlore import resources
from finlore.errors import ConfigurationError, UsageError
from finlore.knowledge.schema import PARTS, SHIPPED, check_name, is_name, load_schema, widened
from finlore.knowledge.schema_text import to_toml
from finlore.ports import Source
from finlore.records.document import Issue
from finlore.records.report import Finding
from finlore.records.schema import Schema
from finlore.wiring.adapters import Adapters
from finlore.wiring.reading import Step, is_harmless, parse, parsers

FOLDER: Final = "schemas"  # in the workspace
_IN_FORCE: Final = "active schema"  # what `doctor` calls it
_ACTIVE: Final = "active.toml"


class Schemas:
    """The schemas under one folder, each a folder of its own; a missing one holds none. Shipped ones, and those in the
    folder of resources, are there beside them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._loaded: dict[str, Schema] = {}
        self._reading: tuple[tuple[Schema, ...], Schema] | None = None

    @property
    def name(self) -> str:
        """Of the active schema."""
        file = self.folder / _ACTIVE
        try:
            name = tomllib.loads(file.read_text("utf-8"))["schema"]
        except FileNotFoundError:
            return SHIPPED
        except (OSError, ValueError, KeyError):
            name = None
        if not isinstance(name, str):
            raise ConfigurationError(f"{file} names no schema", hint='its one line is: schema = "finkario"')
        return name

    def active(self) -> Schema:
        """What the workspace is filled with."""
        return self.load(self.name)

    def reading(self) -> Schema:
        """The active schema, widened by those kept and the shipped one: what was read under them is told too, as far as
        they can be loaded."""
        several = (self.active(), *(found for name in self._others() if isinstance(found := self._tried(name), Schema)))
        if self._reading is None or self._reading[0] != several:
            self._reading = several, widened(several[0], several[1:])
        return self._reading[1]

    def kept(self) -> list[str]:
        """Names of the schemas in the workspace; another folder is none by its name or its files."""
        folders = sorted(self.folder.iterdir()) if self.folder.is_dir() else []
        return [folder.name for folder in folders if is_name(folder.name) and any(map(Path.is_file, _files(folder)))]

    def examined(self) -> Iterator[Finding]:
        """What `doctor` says of the active schema and of others that cannot be loaded."""
        try:
            yield Finding(_IN_FORCE, True, self.active().name)
        except ConfigurationError as error:
            yield Finding(_IN_FORCE, False, error.message, error.hint or "correct it, or ingest --schema another")
        for name in self._others():
            if isinstance(found := self._tried(name), ConfigurationError):
                yield Finding(f"schema {name}", False, f"left out of reading: {found.message}", found.hint)

    def _others(self) -> list[str]:
        return [name for name in dict.fromkeys((*self.kept(), SHIPPED)) if name != self.name]

    def _tried(self, name: str) -> Schema | ConfigurationError:
        try:
            return self.load(name)
        except ConfigurationError as error:
            return error

    def load(self, name: str) -> Schema:
        """A schema by name, one of the workspace first. ConfigurationError tells what is wrong with it, and where."""
        check_name(name)
        if name not in self._loaded:
            folder = self.folder / name
            if not folder.is_dir() and not _is_resource(name):
                known = ", ".join(dict.fromkeys((SHIPPED, *self.kept())))
                raise ConfigurationError(
                    f"there is no schema '{name}'", hint=f"there are {known}; finlore schema induce"
                )
            self._loaded[name] = load_schema(name, folder=folder if folder.is_dir() else None)
        return self._loaded[name]

    def keep(self, schema: Schema) -> Path:
        """Write a schema into the workspace, in place of another of that name; the folder of its files."""
        return self.write(schema, self.folder / schema.name)

    def write(self, schema: Schema, folder: Path) -> Path:
        """Write the files of a schema into a folder."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for part, text in to_toml(schema).items():
                _write(folder / f"{part}.toml", text)
        except OSError as error:
            raise UsageError(f"{folder} cannot be written: {error.strerror or error}", hint="name another") from error
        self._loaded.pop(schema.name, None)
        return folder

    def use(self, name: str) -> Schema:
        """Fill the workspace with a schema from now on."""
        schema = self.load(name)
        if name != self.name:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(self.folder / _ACTIVE, f'schema = "{name}"\n')
        return schema


def read_templates(adapters: Adapters, files: Iterable[Path]) -> list[str]:
    """The texts of templates in any format that has a parser; UsageError where one cannot be read."""
    return [text for file in files for text in _read_template(adapters, file)]


def _read_template(adapters: Adapters, file: Path) -> list[str]:
    known = parsers()
    suffix = file.suffix.lower()
    if suffix not in known:
        raise UsageError(f"{file.name} is of no kind that can be read", hint=f"known: {', '.join(sorted(known))}")
    try:
        source = Source(str(file.resolve()), suffix, file.read_bytes())
    except OSError as error:
        raise UsageError(f"the template {file} cannot be read: {error.strerror or error}") from error
    (result,) = adapters.executor.map(parse, [Step(0, source.name, known[suffix], source)], here=is_harmless)
    documents, issues = ([], [result]) if isinstance(result, Issue) else result
    texts = [document.text for document in documents if document.text.strip()]
    if not texts:
        why = "; ".join(issue.message for issue in issues) or "there is no text in it"
        raise UsageError(f"the template {file} cannot be read: {why}")
    return texts


def _files(folder: Path) -> Iterator[Path]:
    return (folder / f"{part}.toml" for part in PARTS)


def _is_resource(name: str) -> bool:
    try:
        return name == SHIPPED or bool(resources.read_bytes(f"schema/{name}/{PARTS[0]}.toml"))
    except ConfigurationError:
        return False


def _write(path: Path, text: str) -> None:
    aside = path.with_name(f"{path.name}.writing")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)
