"""What comes of one request: a reply as it was received, or what went wrong."""

from dataclasses import dataclass
from typing import Final, Literal

from finlore.adapters.language_model.budget import NOTHING
from finlore.records.llm import Usage

Trouble = Literal[
    "declined",  # the request as it stands: a lower rung may do
    "key",
    "redirect",
    "quota",
    "busy",
    "silent",
    "unreachable",
    "broken",
    "garbled",
    "excess",
    "budget",
]
_TRANSIENT: Final[frozenset[Trouble]] = frozenset({"busy", "silent", "unreachable", "broken", "garbled"})
_CHARGED: Final[frozenset[Trouble]] = frozenset({"silent", "broken", "garbled", "excess"})


@dataclass(frozen=True, slots=True)
class Received:
    """`text` is what was said, or the arguments of the tool that was called. Tokens are None where nobody counted."""

    text: str
    is_whole: bool
    is_filtered: bool
    is_streamed: bool
    model: str
    prompt_tokens: int | None
    reply_tokens: int | None
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True)
class Failure:
    """`retry_after`: seconds that the endpoint asks to wait. `message` holds no key."""

    trouble: Trouble
    message: str
    status: int | None = None
    retry_after: float | None = None
    usage: Usage = NOTHING

    @property
    def is_transient(self) -> bool:
        return self.trouble in _TRANSIENT

    @property
    def is_charged(self) -> bool:
        """The endpoint has read the request, and may well charge for it."""
        return self.trouble in _CHARGED
