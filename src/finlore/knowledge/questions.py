"""What language models are asked: wordings of data files, quoted text of documents beside them, forms of replies."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from finlore.errors import ConfigurationError
from finlore.records.llm import Message
from finlore.resources import load_toml


@dataclass(frozen=True, slots=True)
class Wording:
    """The system message, and a question. `version` counts up with every change of either."""

    version: int
    system: str
    question: str


def load_wording(file: str, *, question: str = "question") -> Wording:
    """One of the questions of a resource. ConfigurationError where the file lacks a part."""
    table = load_toml(file)
    for key, kind in (("version", int), ("system", str), (question, str)):
        if not isinstance(table.get(key), kind):
            raise ConfigurationError(f"{file}: '{key}' is missing or not {kind.__name__}")
    return Wording(table["version"], table["system"].strip(), table[question].strip())


def messages_about(text: str, *, called: str, system: str, question: str) -> tuple[Message, Message]:
    """A question about a text, which stands between two lines that it cannot hold: they carry its own hash. `called`:
    what these lines say that it is."""
    marker = f"===== {called} {digest(text)[:16]} ====="
    return Message("system", system), Message("user", f"{question}\n\n{marker}\n{text}\n{marker}")


def digest(text: str) -> str:
    """The hash of a text, hexadecimal, whatever stands in it."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def record_form(**properties: object) -> dict[str, object]:
    """The JSON schema of an object that has just these properties, all of them."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def choice_form(choices: Sequence[str]) -> dict[str, object]:
    """The JSON schema of one of several strings."""
    return {"type": "string", "enum": list(choices)}
