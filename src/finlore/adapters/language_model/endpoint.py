"""One endpoint: requests within pace and budget, again after stumbles, metered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from uuid import uuid4

from finlore.adapters.language_model.budget import Ledger, Prices, tokens_in, total
from finlore.adapters.language_model.exchange import Failure, Received
from finlore.adapters.language_model.ladder import Manner
from finlore.adapters.language_model.memory import Memory
from finlore.adapters.language_model.pace import LONGEST_WAIT, Pace, wait_before
from finlore.records.llm import Usage

if TYPE_CHECKING:
    from finlore.adapters.language_model.wire import Wire

_MARGIN: Final = 2  # small models' tokenisers take up to twice the rule of thumb for Chinese


@dataclass(slots=True, kw_only=True)
class Endpoint:
    """Threads may share it. `spent` is what all its requests took."""

    base_url: str
    model: str
    api_key: str = field(repr=False)
    seconds: float
    retries: int
    concurrency: int
    prices: Prices
    ledger: Ledger
    pace: Pace
    memory: Memory
    sleep: Callable[[float], None]
    draw: Callable[[], float]
    spent: Usage = field(init=False)
    _slots: BoundedSemaphore = field(init=False)
    _lock: Lock = field(init=False, default_factory=Lock)
    _learnt: Manner | None = field(init=False, default=None)
    _wire: "Wire | None" = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.spent, self._slots = self.prices.usage(0, 0, calls=0), BoundedSemaphore(self.concurrency)

    @property
    def address(self) -> str:
        """Where requests go, without user, password or parameters."""
        url = urlsplit(self.base_url)
        return f"{url.scheme}://{url.hostname}{f':{url.port}' if url.port else ''}{url.path}"

    @property
    def manner(self) -> Manner:
        """How it is to be asked, as far as is known."""
        if self._learnt is None:
            self._learnt = self.memory.manner(self.base_url, self.model) or Manner()
        return self._learnt

    def learn(self, manner: Manner) -> None:
        if manner != self.manner:
            self._learnt = manner
            self.memory.keep_manner(self.base_url, self.model, manner)

    def send(self, body: Mapping[str, object], worst: Usage, *, attempts: int | None = None) -> Received | Failure:
        """Send until it arrives, or until that makes no sense any more. All attempts are one request to the endpoint.

        `worst` is what one attempt takes at most; the result's `usage` is what all of them took.
        """
        last_attempt = attempts or 1 + self.retries
        idempotency_key = uuid4().hex
        took: list[Usage] = []
        while True:
            got = self._attempt(body, worst, idempotency_key)
            took.append(got.usage)
            may_recover = isinstance(got, Failure) and got.is_transient and len(took) < last_attempt
            if not may_recover or not self._pause_before(len(took), got):
                return replace(got, usage=total(took[1:], start=took[0]))

    def close(self) -> None:
        """Let go of connections; what is used again opens again."""
        with self._lock:
            wire, self._wire = self._wire, None
        if wire:
            wire.close()

    def _attempt(self, body: Mapping[str, object], worst: Usage, idempotency_key: str) -> Received | Failure:
        self.pace.wait(worst.prompt_tokens + worst.reply_tokens)
        with self._slots:
            reserved = self.prices.usage(_MARGIN * worst.prompt_tokens, worst.reply_tokens)
            if why := self.ledger.reserve(reserved):
                return Failure("budget", why, usage=self.prices.usage(0, 0, calls=0))
            took = worst  # unless there is a better account of it
            try:
                got = self._opened().send(body, idempotency_key=idempotency_key)
                took = self._metered(got, worst)
            finally:
                self.ledger.settle(reserved, took)
                with self._lock:
                    self.spent = total([took], start=self.spent)
        return replace(got, usage=took)

    def _metered(self, got: Received | Failure, worst: Usage) -> Usage:
        """As the endpoint counted; by the rule of thumb where it does not; the worst where it was not heard out."""
        if isinstance(got, Failure):
            return worst if got.is_charged else self.prices.usage(0, 0)
        prompt = worst.prompt_tokens if got.prompt_tokens is None else got.prompt_tokens
        reply = tokens_in(got.text) if got.reply_tokens is None else got.reply_tokens
        return self.prices.usage(prompt, reply, is_estimate=None in (got.prompt_tokens, got.reply_tokens))

    def _pause_before(self, attempt: int, got: Received | Failure) -> bool:
        """Wait until it may be tried again; False when that is too long."""
        retry_after = got.retry_after if isinstance(got, Failure) else None
        seconds = wait_before(attempt, retry_after=retry_after, draw=self.draw)
        if seconds > LONGEST_WAIT:
            return False
        if retry_after is not None:
            self.pace.pause(seconds)  # it asks everybody to wait
        else:
            self.sleep(seconds)
        return True

    def _opened(self) -> "Wire":
        from finlore.adapters.language_model.wire import Wire

        with self._lock:
            self._wire = self._wire or Wire(base_url=self.base_url, api_key=self.api_key, seconds=self.seconds)
            return self._wire
