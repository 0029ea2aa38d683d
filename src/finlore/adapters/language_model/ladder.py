"""The same prompt as four kinds of request, from the most binding to the plainest.

Servers differ: some refuse a JSON schema, some know neither tools nor formats, some accept a schema and ignore it. What
an endpoint was found to understand is its `Manner`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from finlore.records.llm import Message, Prompt

Rung = Literal["schema", "tool", "object", "text"]
RUNGS: Final[tuple[Rung, ...]] = get_args(Rung)
TOLD: Final[tuple[Rung, ...]] = ("object", "text")  # nothing binds the server: the schema stands in the prompt
TOOL: Final = "reply"


@dataclass(frozen=True, slots=True)
class Manner:
    """How an endpoint wants to be asked: newer models have another word for the limit, and no temperature."""

    rung: Rung = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    has_temperature: bool = True


def request(prompt: Prompt, turns: Sequence[Message], *, model: str, manner: Manner) -> dict[str, object]:
    """The body of a request; `turns` are the prompt's messages and what followed."""
    body: dict[str, object] = {"model": model, manner.limit: prompt.most_tokens}
    if manner.has_temperature:
        body["temperature"] = 0
    if prompt.schema is not None:
        body |= _binding(prompt.name, prompt.schema, manner.rung)
        if manner.rung in TOLD:
            turns = _told(turns, prompt.schema)
    body["messages"] = [{"role": turn.speaker, "content": _sendable(turn.text)} for turn in turns]
    return body


def lower(manner: Manner) -> Manner | None:
    """One rung down; None below the last."""
    below = RUNGS[RUNGS.index(manner.rung) + 1 :]
    return replace(manner, rung=below[0]) if below else None


def adapted(manner: Manner, complaint: str) -> Manner | None:
    """The manner without the parameter that the endpoint complains of; None when it complains of something else."""
    if "max_completion_tokens" in complaint and manner.limit == "max_tokens":
        return replace(manner, limit="max_completion_tokens")
    if "temperature" in complaint and manner.has_temperature:
        return replace(manner, has_temperature=False)
    return None


def repair(turns: Sequence[Message], text: str, fault: str, schema: Mapping[str, object] | None) -> list[Message]:
    """The conversation with a request to say it again properly."""
    wanted = "Reply again, in words." if schema is None else f"Reply again, {_wanted(schema)}"
    said = text.strip()[:4_000] or "(nothing)"  # a blank turn is refused by many servers
    return [*turns, Message("assistant", said), Message("user", f"That reply cannot be used: {fault}\n{wanted}")]


def is_closed(schema: object) -> bool:
    """Whether every object in a schema requires all its properties and allows no others, as `strict` demands."""
    if isinstance(schema, list):
        return all(map(is_closed, schema))
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
    return all(map(is_closed, schema.values()))


def _binding(name: str, schema: Mapping[str, object], rung: Rung) -> dict[str, object]:
    name = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)[:64] or TOOL
    match rung:
        case "schema":
            described = {"name": name, "schema": schema, "strict": is_closed(schema)}
            return {"response_format": {"type": "json_schema", "json_schema": described}}
        case "tool":
            function = {"name": TOOL, "description": "Gives the reply.", "parameters": schema}
            return {
                "tools": [{"type": "function", "function": function}],
                "tool_choice": {"type": "function", "function": {"name": TOOL}},
            }
        case "object":
            return {"response_format": {"type": "json_object"}}
        case "text":
            return {}


def _told(turns: Sequence[Message], schema: Mapping[str, object]) -> list[Message]:
    """The schema at the end of the first system message: many chat templates allow just one, and only at the head."""
    told = f"Reply {_wanted(schema)}"
    if turns and turns[0].speaker == "system":
        return [Message("system", f"{turns[0].text}\n\n{told}"), *turns[1:]]
    return [Message("system", told), *turns]


def _wanted(schema: Mapping[str, object]) -> str:
    return f"with one JSON value and nothing else. It must meet this JSON schema:\n{compact(schema)}"


def compact(value: object) -> str:
    """Canonical JSON: the same value has one spelling."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def _sendable(text: str) -> str:
    """JSON has no lone surrogates."""
    return text.encode("utf-8", "replace").decode()
