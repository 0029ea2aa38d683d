"""What is said to a language model and what comes back. Text of documents is data: it stands in the user's message,
in a quoted block, and is never an instruction."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["extract", "judge", "write", "see"]
Speaker = Literal["system", "user", "assistant"]
RefusalKind = Literal["budget", "truncated", "invalid", "endpoint", "not recorded"]


@dataclass(frozen=True, slots=True)
class Message:
    speaker: Speaker
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request. `name` and `version` identify its wording in caches and runs; `schema` is a JSON schema that the
    reply must meet, None for prose; `accepts` a looser one that is enough for whoever judges its parts one by one.
    `most_tokens` bounds the reply. `sources`: the documents that it quotes; a kept reply is forgotten with any of them,
    and with every document when they are not named."""

    name: str
    version: int
    role: Role
    messages: tuple[Message, ...]
    schema: Mapping[str, object] | None = None
    most_tokens: int = 2_000
    sources: tuple[str, ...] = ()
    accepts: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counted them (estimated where it does not say); `cost` is None where no price is known."""

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost: float | None = None
    is_estimate: bool = False


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent; None: as much as it takes. `seconds` run from the first request."""

    tokens: int | None = None
    cost: float | None = None
    calls: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """`data` is the parsed JSON, valid by what the prompt accepts; None for prose. `is_cached`: nothing was sent."""

    text: str
    data: object
    model: str
    usage: Usage
    is_cached: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """No usable reply, and why: a budget, a limit, an answer that two repairs did not mend. Nothing was guessed.

    After kind `budget` the next prompt will be refused as well, after the others it may be answered.
    """

    reason: str
    usage: Usage
    kind: RefusalKind = "endpoint"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an endpoint was found to do."""

    model: str
    answers: bool
    schema: bool
    tools: bool
    json_object: bool
    streams: bool
    message: str = ""
