"""Numbers, days and rules in words, as the page prints them."""

from collections.abc import Callable
from datetime import date
from math import isfinite
from typing import Final

from finlore.backtest.significance import FEWEST_WEEKS
from finlore.records.backtest import Costs, Entry, Rules

Wording = Callable[[float], str]
UNKNOWN: Final = "–"
NOT_MEANINGFUL: Final = "not meaningful"
_ENTRIES: Final[dict[Entry, str]] = {
    "open": "Bought at the first open after the call is heard.",
    "close": "Bought at the close of the session in which the call is heard (t).",
    "next_close": "Bought at the close of the session after the one in which the call is heard (t + 1).",
}


def is_meaningful(weeks: int) -> bool:
    """Whether so many weekly values, the first one to begin with, may be annualised."""
    return weeks - 1 >= FEWEST_WEEKS


def share(value: float, *, signed: bool = False, digits: int = 1) -> str:
    """0.0525 as 5.3 %."""
    return f"{_figure(100 * value, digits, signed)} %" if isfinite(value) else UNKNOWN


def gain(value: float) -> str:
    """A share with its sign."""
    return share(value, signed=True)


def fine_gain(value: float) -> str:
    """To a hundredth of a percent."""
    return share(value, signed=True, digits=2)


def points(value: float) -> str:
    """0.0525 as +5.3 pp, percentage points."""
    return f"{_figure(100 * value, 1, True)} pp" if isfinite(value) else UNKNOWN


def ratio(value: float) -> str:
    return _figure(value, 3, False) if isfinite(value) else UNKNOWN


def plain(value: float) -> str:
    """One decimal."""
    return _figure(value, 1, False) if isfinite(value) else UNKNOWN


def count(value: float) -> str:
    """Thousands apart."""
    return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}") if isfinite(value) else UNKNOWN


def tick(value: float) -> str:
    """As short as it can be said."""
    return f"{value:.6g}".replace("-", "−")


def percent_tick(value: float) -> str:
    return f"{tick(round(100 * value, 6))} %"


def interval(low: str, high: str) -> str:
    return UNKNOWN if UNKNOWN in (low, high) else f"{low} to {high}"


def _figure(value: float, digits: int, signed: bool) -> str:
    """A minus as wide as a digit, none before nothing."""
    text = f"{value:,.{digits}f}"
    if not text.strip("-0.,"):
        return text.removeprefix("-")
    text = text.replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", "−")
    return f"+{text}" if signed and value > 0 else text


def rules_in_words(rules: Rules) -> list[str]:
    """One sentence for each thing that the rules settle."""
    return [
        "What comes after the close counts for the next session."
        if rules.rolls_by_clock
        else "A call counts for its printed date, whatever the hour.",
        _ENTRIES[rules.entry],
        "Sold at the close of the last session of the next week that has a session, always after the entry (T+1)."
        if rules.exit_after_entry
        else "Sold at the close of the last session of the following calendar week, by the letter of the paper: that"
        " may be the very close at which it was bought, and weeks without a session give no exit.",
        "Nothing is bought at the upper limit of the day nor sold at the lower one."
        if rules.respects_limits
        else "Price limits are not heeded: what nobody could have bought is bought.",
        f"The capital is split into {rules.sleeves} parts that take turns by week of entry; within one all names weigh"
        f" alike, at most {_rate(rules.cap)} each. The rest is cash at 0 %."
        if rules.sleeves > 1
        else f"All names weigh alike, at most {_rate(rules.cap)} of the capital each. The rest is cash at 0 %.",
        f"What is delisted while held loses {_rate(rules.haircut)} of its last price.",
        _costs(rules.costs) if rules.costs else "No costs are paid: net equals gross.",
    ]


def _costs(costs: Costs) -> str:
    duties = ", ".join(f"{_rate(rate)}{_since(day)}" for day, rate in costs.stamp_duty)
    least = f" (at least {plain(costs.minimum)} an order, on {count(costs.capital)})" if costs.capital else ""
    return (
        f"Costs of each purchase and sale: commission {_rate(costs.commission)}{least}, transfer fee"
        f" {_rate(costs.transfer_fee)}, slippage {_rate(costs.slippage)}; stamp duty of sales: {duties or 'none'}."
    )


def _rate(rate: float) -> str:
    return f"{100 * rate:.4g} %"


def _since(day: date) -> str:
    return f" from {day}" if day.year > 1990 else ""
