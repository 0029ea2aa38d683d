"""Schemas as their user handles them: which there are, and one that a language model derives from templates."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from finlore import resources
from finlore.errors import ConfigurationError
from finlore.knowledge.induce import expected_prompts, induce
from finlore.knowledge.quality.doubts import induced_schema
from finlore.knowledge.schema import SHIPPED, check_name
from finlore.records.document import Issue
from finlore.records.instant import now
from finlore.records.llm import Usage
from finlore.records.schema import Schema
from finlore.wiring import Adapters
from finlore.wiring.schemas import Schemas, read_templates

TEMPLATES = "schema/templates"


@dataclass(frozen=True, slots=True)
class InducedSchema:
    """What came of templates: the schema, None where nothing usable was derived, and where its files were written; what
    was `left_out`; what it was expected to take and what it took. `is_cut_short`: the budget ended it."""

    schema: Schema | None
    written: Path | None
    left_out: tuple[Issue, ...]
    estimate: Usage
    usage: Usage
    is_cut_short: bool


def induce_schema(
    adapters: Adapters,
    schemas: Schemas,
    templates: Sequence[Path],
    *,
    name: str,
    out: Path | None,
    told: Callable[[Usage], None],
) -> InducedSchema:
    """Read the templates (without any the shipped ones), ask the model of role `extract`, keep what came of it among
    the schemas of the workspace, and ask people about it. `told` hears what it will take before anything is sent.
    ConfigurationError where no model is set."""
    check_name(name)
    if name == SHIPPED:
        raise ConfigurationError(f"'{SHIPPED}' is the shipped schema", hint="--name ANOTHER")
    model = adapters.language_models.get("extract")
    if model is None:
        raise ConfigurationError(
            "a schema is derived by a language model, and llm_base_url is not set",
            hint="set FINLORE_LLM_BASE_URL and FINLORE_LLM_MODEL, or llm_extract_base_url and llm_extract_model",
        )
    texts = read_templates(adapters, templates) if templates else shipped_templates()
    shipped = schemas.load(SHIPPED)
    estimate = model.estimate(expected_prompts(texts, like=shipped))
    told(estimate)
    found = induce(texts, model, known=shipped, name=name)
    written = None
    if found.schema is not None:
        with adapters.store.writing():
            written = schemas.keep(found.schema)
            adapters.store.add_reviews([induced_schema(found.schema, asked_at=now())])
        written = schemas.write(found.schema, out) if out else written
    return InducedSchema(found.schema, written, found.issues, estimate, model.usage(), found.is_cut_short)


def shipped_templates() -> list[str]:
    """Our own summaries of what professional reports contain."""
    return [resources.read_text(name) for name in resources.names(TEMPLATES) if name.endswith(".md")]
