"""Step 2 of quality control: attributes without a value or a unit, filled from the market of the report's date.

What is filled in is marked, says where it comes from, and is known no earlier than that was. A value that a report
prints is never changed; a price that was adjusted later is no price of that day and fills nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from finlore.intake.tables.units import parts_of
from finlore.language.codes import canonical_security
from finlore.ports import Market
from finlore.records.fact import Evidence, Fact, Party
from finlore.records.instant import Instant

_EXCHANGES: Final = {
    "SH": ("上海证券交易所", "exchange:上海证券交易所"),
    "SZ": ("深圳证券交易所", "exchange:深圳证券交易所"),
    "BJ": ("北京证券交易所", "exchange:北京证券交易所"),
    "HK": ("香港交易所", "exchange:香港交易所"),
}
_SCALES: Final = ("", "万", "百万", "亿")
UNIT: Final = "unit from the market"
_FURTHEST: Final = 0.005
"""By how much the price of the day may differ from a printed one that lacks its unit."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The report whose attributes are completed: whom it covers, its day, and when it was known. `place`: where it
    names whom it covers, the evidence of what it does not say itself."""

    subject: Party
    day: date
    known_at: Instant
    place: Evidence


_Filling = Callable[[Fact, str, Reported, Market], Fact | str]


def complete(facts: Sequence[Fact], reported: Reported, market: Market) -> tuple[list[Fact], list[str]]:
    """The same facts in the same order, gaps filled where the market knows, then facts for the attributes that the
    report says nothing of; a note for each gap, also where the market knows nothing fit."""
    said = {fact.relation for fact in facts if _is_about(fact, reported)}
    unsaid = [relation for relation in FILLINGS if relation not in said] if reported.subject.entity else []
    done = [(fact, _filled(fact, reported, market)) for fact in facts]
    added = [_filled(Fact(reported.subject, relation, reported.place, ""), reported, market) for relation in unsaid]
    gaps = [*(filled for fact, filled in done if filled is not fact), *added]
    kept = [*(filled for _, filled in done), *(fact for fact in added if fact.status == "completed")]
    return kept, [f"complete: {fact.relation}: {fact.note}" for fact in gaps]


def _filled(fact: Fact, reported: Reported, market: Market) -> Fact:
    """The fact itself where it has no gap or is of somebody else."""
    filling = FILLINGS.get(fact.relation)
    if filling is None or not _is_about(fact, reported) or not _has_gap(fact):
        return fact
    security = canonical_security(reported.subject.entity)
    found = filling(fact, security, reported, market) if security else "the report covers no security with a code"
    if isinstance(found, str):
        return replace(fact, note=_joined(fact.note, f"left empty: {found}"))
    return replace(found, status="completed", note=_joined(fact.note, found.note))


def _has_gap(fact: Fact) -> bool:
    if fact.relation in ("current_stock_price", "market_capitalisation"):
        return fact.value is None or not parts_of(fact.unit)[1]
    return not fact.text and fact.object is None


def _is_about(fact: Fact, reported: Reported) -> bool:
    one, other = fact.subject, reported.subject
    return one.entity == other.entity if one.entity and other.entity else one.surface == other.surface


def _price(fact: Fact, security: str, reported: Reported, market: Market) -> Fact | str:
    price = market.price(security, reported.day)
    if price is None:
        return f"no price of {security} on {reported.day} or shortly before"
    if price.adjustment != "none":
        return f"the market has only {price.adjustment} adjusted prices of {security}"
    return _taken(fact, _Quoted(price.close, price.currency, price.day, price.known_at, "close"), reported)


def _value(fact: Fact, security: str, reported: Reported, market: Market) -> Fact | str:
    worth = market.market_value(security, reported.day)
    if worth is None:
        return f"the market does not tell what {security} was worth on {reported.day}"
    return _taken(fact, _Quoted(worth.value, worth.currency, worth.day, worth.known_at, "market value"), reported)


@dataclass(frozen=True, slots=True)
class _Quoted:
    """What the market says of a day, in single units of the currency."""

    amount: float
    currency: str
    day: date
    known_at: Instant
    what: str

    def __str__(self) -> str:
        return f"{self.what} of {self.day}, {self.amount:.10g} {self.currency}"


def _taken(fact: Fact, quoted: _Quoted, reported: Reported) -> Fact | str:
    """The fact with the market's number, or the printed number with the unit in which it is the market's."""
    known_at = _known(fact, reported, quoted.known_at)
    if fact.value is None:
        return replace(
            fact, text=f"{quoted.amount:.10g}", value=quoted.amount, unit=quoted.currency, known_at=known_at,
            note=f"{quoted} from the market",
        )  # fmt: skip
    for scale in (fact.unit,) if fact.unit else _SCALES:
        factor = parts_of(scale)[0] if scale else 1.0
        if abs(fact.value * factor - quoted.amount) <= _FURTHEST * quoted.amount:
            note = f"{UNIT}: {quoted}"
            return replace(fact, unit=f"{scale}{quoted.currency}", known_at=known_at, note=note)
    return f"the market says {quoted}, which is not the printed number"


def _ticker(fact: Fact, security: str, reported: Reported, market: Market) -> Fact | str:
    return replace(
        fact, text=security, known_at=_known(fact, reported, reported.known_at), note="code of whom the report covers"
    )


def _exchange(fact: Fact, security: str, reported: Reported, market: Market) -> Fact | str:
    named = _EXCHANGES.get(security.rpartition(".")[2])
    if named is None:
        return f"the code {security} does not tell its exchange"
    name, entity = named
    return replace(
        fact, text=name, object=Party(name, name, "exchange", entity),
        known_at=_known(fact, reported, reported.known_at), note=f"exchange of the code {security}",
    )  # fmt: skip


def _known(fact: Fact, reported: Reported, source: Instant) -> Instant:
    return max(fact.known_at or reported.known_at, reported.known_at, source)


def _joined(before: str, note: str) -> str:
    return "; ".join(filter(None, (before, note)))


FILLINGS: Final[Mapping[str, _Filling]] = {
    "stock_ticker": _ticker,
    "primary_exchange": _exchange,
    "current_stock_price": _price,
    "market_capitalisation": _value,
}
"""How each attribute is filled: the fact with what was found, or why it stays empty."""
