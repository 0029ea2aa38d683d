"""Numbers in words, as the page prints them."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Final

Wording = Callable[[float], str]
Form = Callable[[float | None], str]
UNKNOWN: Final = "–"
_SIZES: Final = ((1e12, " tn"), (1e9, " bn"), (1e6, " mn"))


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
