"""The language models that the settings name, one for each kind of work."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

from finlore import registry
from finlore.errors import ConfigurationError
from finlore.ports import LanguageModel
from finlore.records.llm import Budget, Role

if TYPE_CHECKING:  # a worker starts with this package and reads no settings
    from finlore.settings import Settings

FOLDER: Final = "llm"  # of replies, in the workspace
_ROLES: Final[tuple[Role, ...]] = get_args(Role)


class _Place(NamedTuple):
    """Where a role's model is. The key is shown by nobody."""

    base_url: str
    model: str
    api_key: str
    has_prices: bool  # they are those of `llm_model` at `llm_base_url`


def language_models(settings: "Settings", *, budget: Budget | None = None) -> Mapping[Role, LanguageModel]:
    """The model of each role that has one; roles with the same endpoint share it, all share one budget (by default that
    of the settings). Nothing is sent anywhere that the settings do not name."""
    adapter = registry.load("language_models", settings.language_model)
    allowed = budget or Budget(tokens=settings.llm_budget_tokens, cost=settings.llm_budget_cost)
    made: dict[_Place, LanguageModel] = {}
    found: dict[Role, LanguageModel] = {}
    for role in _ROLES:
        place = _place(settings, role)
        if place is None:
            continue
        if place not in made:
            made[place] = adapter(
                base_url=place.base_url,
                model=place.model,
                api_key=place.api_key,
                folder=settings.workspace / FOLDER,
                cache=settings.llm_cache != "off",
                replay=settings.llm_cache == "replay",
                budget=allowed,
                shares=next(iter(made.values()), None),
                price_prompt=settings.llm_price_prompt if place.has_prices else None,
                price_reply=settings.llm_price_reply if place.has_prices else None,
                seconds=settings.llm_seconds,
                requests_per_minute=settings.llm_requests_per_minute,
                tokens_per_minute=settings.llm_tokens_per_minute,
                concurrency=settings.llm_concurrency,
            )
        found[role] = made[place]
    return found


def model_of(settings: "Settings", role: Role) -> str:
    """What the model of a role is called. ConfigurationError where it has none."""
    place = _place(settings, role)
    if place is None:
        raise ConfigurationError("no language model is configured", hint=f"set llm_base_url, or llm_{role}_base_url")
    return place.model


def forget_replies(settings: "Settings", document: str) -> int:
    """Remove the kept replies that may quote a document, whether or not an endpoint is set now; how many."""
    adapter = registry.load("language_models", settings.language_model)
    n_removed: int = adapter.forget(settings.workspace / FOLDER, document)
    return n_removed


def _place(settings: "Settings", role: Role) -> _Place | None:
    """None where no endpoint is set. The key of one endpoint is never sent to another."""
    own_url, own_model, own_key = (getattr(settings, f"llm_{role}_{what}") for what in ("base_url", "model", "api_key"))
    base_url, model = own_url or settings.llm_base_url, own_model or settings.llm_model
    if base_url is None:
        return None
    if model is None:
        raise ConfigurationError(f"the endpoint {base_url} needs a model", hint=f"set llm_model or llm_{role}_model")
    is_shared = base_url == settings.llm_base_url
    key = own_key or (settings.llm_api_key if is_shared else None)
    has_prices = is_shared and model == settings.llm_model
    return _Place(base_url, model, key.get_secret_value() if key else "", has_prices)
