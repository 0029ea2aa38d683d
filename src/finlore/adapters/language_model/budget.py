"""What requests take: estimated before, bounded during, metered after."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from threading import Condition
from typing import Final

from finlore.records.llm import Budget, Message, Usage

_WIDE: Final = re.compile(r"[\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_PER_MESSAGE: Final = 4  # marks of the chat template
NOTHING: Final = Usage(cost=0.0)


def tokens_in(text: str) -> int:
    """A rule of thumb: one token a Chinese character, one for every four others. Tokenisers of large models take less
    for Chinese and more for digits and code, those of small models up to twice as many for Chinese."""
    wide = len(_WIDE.findall(text))
    return wide + ceil((len(text) - wide) / 4)


def prompt_tokens(turns: Sequence[Message], bound_by: str = "") -> int:
    """Of a request whose schema, as text, is `bound_by`."""
    return sum(tokens_in(turn.text) + _PER_MESSAGE for turn in turns) + tokens_in(bound_by)


@dataclass(frozen=True, slots=True)
class Prices:
    """Per million tokens; None where unknown."""

    prompt: float | None = None
    reply: float | None = None

    @property
    def are_known(self) -> bool:
        return self.prompt is not None and self.reply is not None

    def usage(self, prompt: int, reply: int, *, calls: int = 1, is_estimate: bool = False) -> Usage:
        """The usage with its cost."""
        cost = None
        if self.prompt is not None and self.reply is not None:
            cost = (prompt * self.prompt + reply * self.reply) / 1e6
        return Usage(calls, prompt, reply, cost, is_estimate)


def total(usages: Iterable[Usage], *, start: Usage = NOTHING) -> Usage:
    """All together; one unknown cost makes the sum unknown."""
    for usage in usages:
        known = start.cost is not None and usage.cost is not None
        start = Usage(
            start.calls + usage.calls,
            start.prompt_tokens + usage.prompt_tokens,
            start.reply_tokens + usage.reply_tokens,
            (start.cost or 0) + (usage.cost or 0) if known else None,
            start.is_estimate or usage.is_estimate,
        )
    return start


class Ledger:
    """Keeps several requests at a time within one budget: each reserves its worst case, then settles what it took.

    What an endpoint charges beyond the worst case (it counts otherwise, or does not heed the limit of a reply) can
    only be seen afterwards: then at most the requests under way exceed the budget, and no further one is sent.
    """

    def __init__(self, budget: Budget, *, clock: Callable[[], float]) -> None:
        self._budget = budget
        self._clock = clock
        self._started: float | None = None
        self._spent = NOTHING
        self._reserved: list[Usage] = []
        self._changed = Condition()

    @property
    def bounds_cost(self) -> bool:
        return self._budget.cost is not None

    def reserve(self, worst: Usage) -> str:
        """ "", or why the budget does not allow it. Waits while it depends on what others under way will take."""
        with self._changed:
            while why := self._exceeded(worst, self._reserved):
                if not self._reserved or self._exceeded(worst, []):
                    return why
                self._changed.wait()
            if self._started is None:
                self._started = self._clock()
            self._reserved.append(worst)
            return ""

    def settle(self, worst: Usage, took: Usage) -> None:
        """Replace a reservation by what was really used."""
        with self._changed:
            self._reserved.remove(worst)
            self._spent = total([took], start=self._spent)
            self._changed.notify_all()

    def _exceeded(self, worst: Usage, reserved: Sequence[Usage]) -> str:
        budget, spent = self._budget, self._spent
        after = total([*reserved, worst], start=spent)
        if budget.tokens is not None and _tokens(after) > budget.tokens:
            left = max(0, budget.tokens - _tokens(spent))
            return f"up to {_tokens(worst):,} tokens are needed, {left:,} are left"
        if budget.cost is not None and (after.cost is None or after.cost > budget.cost):
            return f"the next request may cost more than is left of {budget.cost:g}"
        if budget.calls is not None and after.calls > budget.calls:
            return f"{budget.calls} requests were allowed"
        if budget.seconds is not None and self._started is not None:
            past = self._clock() - self._started
            return f"{budget.seconds:g} s are over" if past >= budget.seconds else ""
        return ""


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.reply_tokens
