"""The adapters that the settings name, each made when it is first needed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from finlore import registry
from finlore.errors import ConfigurationError, MissingExtra, UsageError
from finlore.ports import Embedder, Executor, Exporter, Parser, Recogniser, Source, Store, View
from finlore.records.document import Issue, ParsedDocument, StoredPassage

if TYPE_CHECKING:  # a worker starts with this module and reads no settings
    from finlore.settings import Settings


@dataclass(frozen=True, slots=True)
class Job:
    """A source and the name of its parser: small enough to travel to a worker."""

    parser: str
    source: Source

    @property
    def name(self) -> str:
        return self.source.name


class Adapters:
    """One of each port, as configured."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings

    @cached_property
    def store(self) -> Store:
        settings = self._settings
        made: Store = registry.load("stores", settings.store)(
            settings.workspace, zone=settings.zone, known_by=settings.known_by
        )
        return made

    @cached_property
    def executor(self) -> Executor:
        settings = self._settings
        made: Executor = registry.load("executors", settings.executor)(
            seconds_per_item=float(settings.parse_seconds), memory_bytes=settings.parse_memory_mb << 20
        )
        return made

    @cached_property
    def recognisers(self) -> tuple[Recogniser, ...]:
        """Those of the settings; with `auto` every one whose extra is installed."""
        chosen = self._settings.recognisers
        found = registry.load_available("recognisers") if chosen == "auto" else {
            name: registry.load("recognisers", name) for name in chosen
        }  # fmt: skip
        made: list[Recogniser] = []
        for recogniser in found.values():
            try:
                made.append(recogniser())
            except MissingExtra:
                if chosen != "auto":
                    raise
        return tuple(made)

    @cached_property
    def embedder(self) -> Embedder | None:
        """None when the settings say so; MissingExtra when its extra is not installed."""
        settings = self._settings
        if settings.embedder == "none":
            return None
        adapter = registry.load("embedders", settings.embedder)
        made: Embedder = adapter(**self._endpoint()) if settings.embedder == "openai" else adapter()
        return made

    def _endpoint(self) -> dict[str, str]:
        """Where the service is. Nothing is sent anywhere that the settings do not name."""
        settings = self._settings
        if settings.embedder_base_url is None:
            raise ConfigurationError("the embedder 'openai' needs an endpoint", hint="set embedder_base_url")
        key = settings.embedder_api_key.get_secret_value() if settings.embedder_api_key else ""
        return {"base_url": settings.embedder_base_url, "model": settings.embedder_model, "api_key": key}

    def embedder_if_installed(self) -> Embedder | None:
        """The embedder, or None where its extra is missing: search then goes on without vectors."""
        try:
            return self.embedder
        except MissingExtra:
            return None


def parsers() -> dict[str, str]:
    """Name of the parser of each suffix (lower case, with dot)."""
    return {suffix: name for name, parser in registry.load_available("parsers").items() for suffix in parser.suffixes}


def parser(name: str) -> Parser:
    """A parser by name: what a worker process calls with a name that came from `parsers`."""
    made: Parser = registry.load("parsers", name)()
    return made


def read_sources(adapters: Adapters, sources: Iterable[Source | Issue]) -> Iterator[ParsedDocument | Issue]:
    """Everything in the sources, in their order. Formats that can harm their reader are read in a worker process."""
    known = parsers()
    isolated = {suffix for suffix, name in known.items() if registry.load("parsers", name).isolated}
    for is_isolated, group in groupby(sources, key=lambda s: isinstance(s, Source) and s.suffix in isolated):
        jobs = (s if isinstance(s, Issue) else Job(known[s.suffix], s) for s in group)
        if is_isolated:
            yield from _flat(adapters.executor.map(parse, (job for job in jobs if isinstance(job, Job))))
        else:
            yield from _flat(job if isinstance(job, Issue) else parse(job) for job in jobs)


def parse(job: Job) -> tuple[list[ParsedDocument], list[Issue]]:
    """What a worker runs."""
    return parser(job.parser).parse(job.source)


def _flat(results: Iterable[tuple[list[ParsedDocument], list[Issue]] | Issue]) -> Iterator[ParsedDocument | Issue]:
    for result in results:
        if isinstance(result, Issue):
            yield result
        else:
            documents, issues = result
            doubts = tuple(issue for issue in issues if issue.severity == "warning")
            yield from (replace(document, issues=doubts) if len(documents) == 1 else document for document in documents)
            yield from (issue for issue in issues if issue.severity == "rejected")


def export_with(form: str, view: View, passages: Sequence[StoredPassage], out: Path) -> list[Path]:
    """The files that an exporter wrote."""
    exporter: Exporter = registry.load("exporters", form)
    try:
        return exporter(view, passages, out)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}", hint="name another place") from error
