"""The adapters that the settings name, each made when it is first needed."""

from functools import cached_property

from finlore import registry
from finlore.errors import ConfigurationError, MissingExtra
from finlore.ports import Embedder, Executor, Parser, Recogniser, Store
from finlore.settings import Settings


class Adapters:
    """One of each port, as configured."""

    def __init__(self, settings: Settings) -> None:
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
            seconds=settings.parse_seconds, memory_mb=settings.parse_memory_mb
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
        made: Embedder
        if settings.embedder == "openai":
            if settings.embedder_base_url is None:
                raise ConfigurationError("the embedder 'openai' needs an endpoint", hint="set embedder_base_url")
            key = settings.embedder_api_key.get_secret_value() if settings.embedder_api_key else ""
            made = adapter(base_url=settings.embedder_base_url, model=settings.embedder_model, api_key=key)
        else:
            made = adapter()
        return made

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
