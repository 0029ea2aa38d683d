"""Whether two facts say the same, equal numbers in whatever unit, as exactly as the rounder of them is printed; and
which of several to keep."""

from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal

from finlore.intake.tables.units import parts_of
from finlore.language.codes import canonical_security
from finlore.language.normal import fold
from finlore.records.fact import Fact, StoredFact


def surest(facts: Iterable[Fact], *, matter: Callable[[Fact], Hashable]) -> list[Fact]:
    """Of each matter the fact that is surest, of equally sure ones the first; in the order in which matters first
    come."""
    kept: dict[Hashable, Fact] = {}
    for fact in facts:
        before = kept.setdefault(matter(fact), fact)
        if fact.confidence > before.confidence:
            kept[matter(fact)] = fact
    return list(kept.values())


def agree(one: StoredFact, other: StoredFact) -> bool:
    """Of facts about the same matter: whether they state the same entity and number, or else the same words."""
    if one.object != other.object or one.fact.bound != other.fact.bound:
        return False
    if one.fact.value is None or other.fact.value is None:
        return one.object is not None or reading(one.fact.text) == reading(other.fact.text)
    return _same_number(one.fact, other.fact)


def reading(text: str) -> str:
    """What words that are no number say: the security where they are its code, however that is written."""
    return canonical_security(text) or fold(text)


def _same_number(one: Fact, other: Fact) -> bool:
    (value, step, unit), (other_value, other_step, other_unit) = scaled(one), scaled(other)
    if unit != other_unit and unit and other_unit:
        return False
    return abs(value - other_value) <= max(step, other_step) / 2


def scaled(fact: Fact) -> tuple[Decimal, Decimal, str]:
    """The number, what its last digit counts, and the unit without its scale."""
    factor, unit = parts_of(fact.unit)
    value = Decimal(repr(fact.value))
    exponent = value.as_tuple().exponent
    digits = min(0, exponent) if isinstance(exponent, int) and value != value.to_integral_value() else 0
    scale = Decimal(factor)
    return value * scale, Decimal(1).scaleb(digits) * scale, unit
