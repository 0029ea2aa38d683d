"""What a market tells of a day: prices, values of companies, classes of industries."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from finlore.records.instant import Instant

Adjustment = Literal["none", "forward", "backward"]


@dataclass(frozen=True, slots=True)
class Price:
    """A close, known from the end of trading on its day. Only one that is not adjusted (`none`) is what was paid and
    printed then: a forward adjusted one changes with every later dividend. An index counts points (点)."""

    security: str
    day: date
    close: float
    currency: str
    adjustment: Adjustment
    known_at: Instant


@dataclass(frozen=True, slots=True)
class MarketValue:
    """What all shares of a company were worth at a close, in single units of the currency."""

    security: str
    day: date
    value: float
    currency: str
    known_at: Instant
