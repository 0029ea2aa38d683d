"""The three questions by which a schema is derived from templates, with the form of their answers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, Literal

from finlore.knowledge.questions import choice_form, load_wording, messages_about, record_form
from finlore.knowledge.schema_types import KINDS, QUANTITIES, VALUES
from finlore.records.llm import Prompt
from finlore.records.schema import DriverType

Question = Literal["attributes", "drivers", "events"]

MOST: Final[Mapping[Question, int]] = {"attributes": 30, "drivers": 12, "events": 10}
"""How many types an answer may have."""
MOST_CUES: Final = 60
MOST_PIECES: Final = 8
MOST_PIECE_CHARACTERS: Final = 16_000
_MOST_TOKENS: Final = 4_000
_WORDINGS: Final = "schema/prompts.toml"


def question(kind: Question, piece: str, *, driver: DriverType | None = None) -> Prompt:
    """A question about one piece of the templates, which stands quoted between lines that cannot occur in it.

    So does what an earlier answer said of the category that is asked about: only its id is part of the question.
    """
    wording = load_wording(_WORDINGS, question=kind)
    asked = wording.question.replace("{driver}", driver.id if driver else "")
    quoted = f"{_worded(driver)}\n\n{piece}" if driver else piece
    messages = messages_about(quoted, called="template", system=wording.system, question=asked)
    return Prompt(f"schema-{kind}", wording.version, "extract", messages, _FORMS[kind], _MOST_TOKENS)


def pieces(templates: Sequence[str]) -> Iterator[str]:
    """The templates in pieces of at most `MOST_PIECE_CHARACTERS`, cut between lines where there are some."""
    piece = ""
    for part in chain.from_iterable(map(_parts, templates)):
        if len(piece) + len(part) > MOST_PIECE_CHARACTERS:
            yield piece.strip()
            piece = ""
        piece += part
    if piece.strip():
        yield piece.strip()


def _parts(template: str) -> Iterator[str]:
    """Its lines, of longer ones the parts, and an empty line at the end; nothing of an empty template."""
    for line in f"{template.strip()}\n\n".splitlines(keepends=True) if template.strip() else ():
        for start in range(0, len(line), MOST_PIECE_CHARACTERS):
            yield line[start : start + MOST_PIECE_CHARACTERS]


def _worded(driver: DriverType) -> str:
    return f"{driver.id}: {driver.labels.en} ({driver.labels.zh}). {driver.description}"


def _rows(key: Question, **properties: object) -> dict[str, object]:
    return record_form(**{key: {"type": "array", "maxItems": MOST[key], "items": record_form(**_NAMING, **properties)}})


def _texts(*choices: str) -> dict[str, object]:
    """A list of texts, of choices each once: what binds a model must also end its reply."""
    items = choice_form(choices) if choices else {"type": "string"}
    return {"type": "array", "maxItems": len(choices) or MOST_CUES, "items": items}


_NAMING: Final = {key: {"type": "string"} for key in ("id", "zh", "en", "description", "fibo")}
_FORMS: Final[Mapping[Question, Mapping[str, object]]] = {
    "attributes": _rows(
        "attributes",
        value=choice_form(VALUES),
        quantity=choice_form(QUANTITIES),
        single={"type": "boolean"},
        domain=_texts(*KINDS),
        range=_texts(*KINDS),
        cues=_texts(),
    ),
    "drivers": _rows("drivers"),
    "events": _rows("events", good=_texts(), bad=_texts(), neutral=_texts()),
}
