"""The adapters that the settings name, each made when it is first needed."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from finlore import registry
from finlore.errors import ConfigurationError, MissingExtra, UsageError
from finlore.ports import Calendar, Embedder, Executor, Exporter, LanguageModel, Market, Recogniser, Store
from finlore.records.llm import Role
from finlore.wiring.models import language_models
from finlore.wiring.pages import OcrChoice, choose_reader
from finlore.wiring.rules import rules_of

if TYPE_CHECKING:  # a worker starts with this package and reads no settings
    from finlore.settings import Settings

MOST_WORKERS = 4
FETCHED = frozenset({"tushare", "akshare"})


class Adapters:
    """One of each port, as configured."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings
        self._rules: dict[str, str] = {}

    @cached_property
    def store(self) -> Store:
        settings = self._settings
        made: Store = registry.load("stores", settings.store)(
            settings.workspace, zone=settings.zone, known_by=settings.known_by
        )
        return made

    @cached_property
    def executor(self) -> Executor:
        """Reads documents, as many at a time as the settings say."""
        settings = self._settings
        made: Executor = registry.load("executors", settings.executor)(
            workers=settings.workers or min(MOST_WORKERS, _n_cores()),
            seconds_per_item=float(settings.parse_seconds),
            memory_bytes=settings.parse_memory_mb << 20,
        )
        return made

    @cached_property
    def page_executor(self) -> Executor:
        """Recognises the text of pages, one at a time: a model takes much memory, and its time is its own."""
        settings = self._settings
        made: Executor = registry.load("executors", settings.executor)(
            workers=1,
            seconds_per_item=float(settings.ocr_seconds),
            cpu_seconds_per_item=settings.ocr_seconds,
            memory_bytes=settings.ocr_memory_mb << 20,
        )
        return made

    @cached_property
    def ocr(self) -> OcrChoice:
        """The page reader that the settings ask for."""
        return choose_reader(self._settings.ocr)

    def reading_rules(self, parser: str) -> str:
        """What identifies the software that reads the sources of a parser."""
        if parser not in self._rules:
            self._rules[parser] = rules_of(registry.load("parsers", parser))
        return self._rules[parser]

    def close(self) -> None:
        """End the processes that read, and close the store; what is used again opens again."""
        self.end_workers()
        for model in self.__dict__.get("language_models", {}).values():
            model.close()
        if "store" in self.__dict__:
            self.store.close()

    def end_workers(self) -> None:
        """End the processes that read; the next reading starts others."""
        for name in ("executor", "page_executor"):
            if name in self.__dict__:
                executor: Executor = getattr(self, name)
                executor.close()

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

    @cached_property
    def language_models(self) -> Mapping[Role, LanguageModel]:
        """The model of each role that has one, all within the budget of the settings."""
        return language_models(self._settings)

    @cached_property
    def market(self) -> Market | None:
        """Prices and lists, where the settings name a folder of them or a source that fills one."""
        return self.market_of(*self.market_source) if self.market_source else None

    @property
    def market_source(self) -> tuple[str, Path] | None:
        """The adapter that reads prices, and the folder from which; None where the settings name no folder."""
        folder, name = self._settings.market, self._settings.market_adapter
        if folder is None and name in FETCHED:
            folder = self._settings.workspace / "market" / name
        if folder is None and name != "folder":
            registry.load("markets", name)  # one that is not there is told, rather than that there are no prices
        return None if folder is None else (name, folder)

    def market_of(self, name: str, folder: Path) -> Market:
        """A market by an adapter, on a folder."""
        settings, fetching = self._settings, dict[str, object]()
        if name not in FETCHED and folder.name in FETCHED and not folder.exists():
            token = " and FINLORE_TUSHARE_TOKEN" if folder.name == "tushare" else ""
            raise ConfigurationError(
                f"--market names a folder, and there is none called {folder}",
                hint=f"to fetch from {folder.name}, set market_adapter = {folder.name} or "
                f"FINLORE_MARKET_ADAPTER={folder.name}{token}",
            )
        if name in FETCHED:
            fetching["requests_per_minute"] = settings.market_requests_per_minute
        if name == "tushare" and settings.tushare_token:
            fetching["token"] = settings.tushare_token.get_secret_value()
        made: Market = registry.load("markets", name)(
            folder, zone=settings.zone, calendar=self._calendar_if_installed(), **fetching
        )
        return made

    @cached_property
    def calendar(self) -> Calendar | None:
        """None when the settings say so; MissingExtra when its extra is not installed."""
        name = self._settings.calendar
        if name == "none":
            return None
        made: Calendar = registry.load("calendars", name)()
        return made

    def _calendar_if_installed(self) -> Calendar | None:
        """The calendar, or None where its extra is missing: sessions are then the days that have prices."""
        try:
            return self.calendar
        except MissingExtra:
            return None

    def embedder_if_installed(self) -> Embedder | None:
        """The embedder, or None where its extra is missing: search then goes on without vectors."""
        try:
            return self.embedder
        except MissingExtra:
            return None


@contextmanager
def exporter(form: str, out: Path) -> Iterator[Exporter]:
    """What writes a form to a place; UsageError where it cannot."""
    try:
        yield registry.load("exporters", form)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}", hint="name another place") from error


def write_synthetic_market(out: Path, settings: "Settings") -> list[Path]:
    """The files of a made-up market and of ratings on it, in a folder that `market` can name."""
    calendar: Calendar = registry.load("calendars", settings.calendar)()
    files: list[Path] = registry.load("markets", "synthetic")(zone=settings.zone, calendar=calendar).write(out)
    return files


def _n_cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
