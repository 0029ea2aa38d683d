"""Numbers, days and rules in words, as the page prints them."""

from collections.abc import Callable, Mapping
from datetime import date
from math import isfinite
from typing import Final

from finlore.records.backtest import Costs, Entry, Rules

Wording = Callable[[float], str]
Form = Callable[[float | None], str]
UNKNOWN: Final = "–"
_SIZES: Final = ((1e12, " tn"), (1e9, " bn"), (1e6, " mn"))
_ENTRIES: Final[dict[Entry, str]] = {
    "open": "Bought at the first open after the call is heard.",
    "close": "Bought at the close of the session in which the call is heard (t).",
    "next_close": "Bought at the close of the session after the one in which the call is heard (t + 1).",
}


def share(value: float | None, *, signed: bool = False, digits: int = 1) -> str:
    """0.0525 as 5.3 %."""
    return _figure(value, digits, scale=100, unit=" %", signed=signed)


def gain(value: float | None) -> str:
    """A share with its sign."""
    return share(value, signed=True)


def fine_gain(value: float | None) -> str:
    """To a hundredth of a percent."""
    return share(value, signed=True, digits=2)


def points(value: float | None) -> str:
    """0.0525 as +5.3 pp, percentage points."""
    return _figure(value, 1, scale=100, unit=" pp", signed=True)


def basis_points(value: float | None) -> str:
    """5.25 as +5.3 bp."""
    return _figure(value, 1, unit=" bp", signed=True)


def signed(value: float | None) -> str:
    """5.25 as +5.3, of which unit is said elsewhere."""
    return _figure(value, 1, signed=True)


def ratio(value: float | None) -> str:
    return _figure(value, 3)


def plain(value: float | None) -> str:
    """One decimal below a hundred."""
    return _figure(value, int(abs(value or 0.0) < 100))


def count(value: float | None) -> str:
    """Thousands apart."""
    return _figure(value, 0)


def money(value: float | None) -> str:
    """Three digits or so: 104 bn, 6.8 mn, 350."""
    size, unit = next(((size, unit) for size, unit in _SIZES if (value or 0.0) >= size), (1.0, ""))
    return _figure(value, int(unit != "" and (value or 0.0) < 10 * size), scale=1 / size, unit=unit)


FORMS: Final[Mapping[str, Form]] = {
    form.__name__: form for form in (share, gain, fine_gain, points, basis_points, signed, ratio, plain, count, money)
}
SIGNED: Final = frozenset({gain, fine_gain, points, basis_points, signed})
"""What is up or down."""


def tick(value: float) -> str:
    """As short as it can be said."""
    return f"{value:.6g}".replace("-", "−")


def percent_tick(value: float) -> str:
    return f"{tick(round(100 * value, 6))} %"


def interval(say: Form, low: float | None, high: float | None) -> str:
    """39.5 to 61.0 %: the unit once."""
    first, last = say(low), say(high)
    if UNKNOWN in (first, last):
        return UNKNOWN
    number, _, unit = first.partition(" ")
    return f"{number if last.endswith(unit) else first} to {last}"


def _figure(value: float | None, digits: int, *, scale: float = 1.0, unit: str = "", signed: bool = False) -> str:
    """A minus as wide as a digit, none before nothing."""
    if value is None or not isfinite(value):
        return UNKNOWN
    text = f"{scale * value:,.{digits}f}"
    if not text.strip("-0.,"):
        return text.removeprefix("-") + unit
    text = text.replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", "−")
    return (f"+{text}" if signed and value > 0 else text) + unit


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
