"""Target prices as sentences state them, with the ones before. Pure functions on normalised text; the labels are the
cues of the schema."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from finlore.intake.tables.units import is_money, parts_of
from finlore.knowledge.lexicon.amounts import Amount, find_amounts
from finlore.knowledge.lexicon.patterns import Patterns, whole_words
from finlore.language.normal import normalise

_PATTERNS: Final = Patterns("lexicon/advice.toml")
_FARTHEST: Final = 26  # characters between a label and its number
_DEAREST: Final = 100_000.0
_CODES: Final = 10_000.0
_SENTENCE_END: Final = re.compile(r"[。;!?\n]|[.]\s")
_COMMA: Final = re.compile(r",(?!\s?(?:由|从|至|到|为|from|to))")
_NO_PRICE: Final = re.compile(r"涨|跌|空间|股价区间|最高|最低|倍|溢价|折价|增长|较|upside|premium|discount|above|below")
_BORDER: Final = re.compile(r"\s?(?:$|[,。;)|\n]|[.]\s|[-~—–]\s?\d)")
_BEHIND: Final = re.compile(r"\s?(?:的|/股的|per share)?\s?$")


def find_targets(text: str, labels: tuple[str, ...]) -> list[tuple[Amount, str]]:
    """(price, what it was before or "") behind the labels, or right before them (23.4元目标价): the current one in each
    currency."""
    places = [*_labels(labels).finditer(text)]
    amounts = find_amounts(text) if places else []
    found: dict[tuple[float, str], tuple[Amount, str]] = {}
    for label in places:
        prices = _behind(text, label.end(), amounts) or _before(text, label.start(), amounts)
        for price, before in _current(text, prices, label.start()):
            found.setdefault((price.value, price.unit), (price, before))
    return list(found.values())


@lru_cache(maxsize=32)
def _labels(labels: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(whole_words(normalise(label).text.rstrip("* ") for label in labels) if labels else "(?!)")


def _behind(text: str, at: int, amounts: Sequence[Amount]) -> list[Amount]:
    """The prices in the clause behind a label, and in the next one where it goes on (由20元上调至25元)."""
    stop = _SENTENCE_END.search(text, at)
    end = stop.start() if stop else len(text)
    comma = _COMMA.search(text, at, end)
    end = comma.start() if comma else end
    prices: list[Amount] = []
    last = at
    for amount in amounts:
        if amount.start < at or amount.start >= end or amount.start - last > _FARTHEST:
            continue
        gap = text[last : amount.start]
        is_told = _is_price(amount) and not _NO_PRICE.search(gap)
        if is_told and (amount.unit or _BORDER.match(text, amount.end)) and (amount.unit or amount.value < _CODES):
            prices.append(_price(amount))
        elif prices or not (amount.unit or amount.value >= _CODES):  # else a change, or a code behind a name
            break
        last = amount.end if _NO_PRICE.search(gap) is None else last
    return prices


def _before(text: str, at: int, amounts: Sequence[Amount]) -> list[Amount]:
    near = (a for a in amounts if a.end <= at and a.unit and _is_price(a) and _BEHIND.fullmatch(text[a.end : at]))
    return [_price(amount) for amount in near]


def _is_price(amount: Amount) -> bool:
    unit = amount.unit.partition("/")[0]
    is_of_share = not amount.unit.partition("/")[2] or amount.unit.endswith("股")
    plain = not unit or (is_money(unit) and parts_of(unit)[0] == 1)
    return plain and is_of_share and 0 < amount.value < _DEAREST


def _price(amount: Amount) -> Amount:
    """Of 元/股 the 元."""
    return replace(amount, unit=amount.unit.partition("/")[0])


def _current(text: str, prices: Sequence[Amount], label: int) -> Iterator[tuple[Amount, str]]:
    """The prices that hold, one a currency, with what was before."""
    held: list[Amount] = []
    before = ""
    at = label
    for price in prices:
        if _PATTERNS["previous_target"].search(text[at : price.start]) is None:
            held += [price] if price.unit not in {other.unit for other in held} else []
        elif price.high is None:
            before = before or price.text
        else:  # 由20元至25元 is no range
            before = before or re.split(r"[-~—–至到]", price.text)[0]
            held.append(replace(price, value=price.high, high=None))
        at = price.end
    yield from ((price, before) for price in held)
