"""Prices and what a company is worth, as sentences state them: target price with the one before, current price, market
value. Pure functions on normalised text; the labels are the cues of the schema."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from finlore.intake.tables.units import find_unit, is_money, parts_of
from finlore.knowledge.lexicon.amounts import Amount, find_amounts
from finlore.language.alternatives import any_of
from finlore.language.normal import normalise
from finlore.resources import load_toml

_FARTHEST: Final = 26  # characters between a label and its number
_DEAREST: Final = 100_000.0
_CODES: Final = 10_000.0
_SENTENCE_END: Final = re.compile(r"[。;!?\n]|[.]\s")
_GOES_ON: Final = re.compile(r",\s?(?:由|从|至|到|为|from|to)")
_OPEN_RANGE: Final = re.compile(r"\s?(?:[-~—–至到]|to)\s?")
_OTHER_VALUE: Final = re.compile(r"(?:流通|自由流通|目标|合理|对应|底部|历史|潜在|峰值|free float|target)\s?$")
_NO_PRICE: Final = re.compile(r"涨|跌|空间|股价区间|最高|最低|倍|溢价|折价|增长|较|upside|premium|discount|above|below")
_BORDER: Final = re.compile(r"\s?(?:$|[,。;)|\n]|[.]\s|[-~—–]\s?\d)")
_BEHIND: Final = re.compile(r"\s?(?:的|/股的|per share)?\s?$")


@dataclass(frozen=True, slots=True)
class Quote:
    """A price at [start, end) and its unit, "" where none is printed. `high` is set for a range; `previous` is the
    target before; `horizon` as printed."""

    value: float
    unit: str
    text: str
    start: int
    end: int
    high: float | None = None
    previous: str = ""
    horizon: str = ""


class QuoteFinder:
    """Finds one kind of price by its labels."""

    def __init__(self, labels: Iterable[str]) -> None:
        words = sorted({normalise(label).text.rstrip("* ") for label in labels}, key=lambda w: (-len(w), w))
        self._label = re.compile("|".join(_label(word) for word in words if len(word) > 1))

    def prices(self, text: str) -> Iterator[tuple[Quote, int]]:
        """(first price behind a label, where the label starts), label by label."""
        for match in self._label.finditer(text):
            for quote in self._behind(text, match.end(), find_amounts(text))[:1]:
                yield quote, match.start()

    def targets(self, text: str) -> list[Quote]:
        """Target prices: the current one in each currency, with what it was before."""
        found: dict[tuple[float, str], Quote] = {}
        amounts = find_amounts(text) if self._label.search(text) else []
        for match in self._label.finditer(text) if amounts else ():
            quotes = self._behind(text, match.end(), amounts) or self._before(text, match.start(), amounts)
            for quote in _current(text, quotes, match.start()):
                found.setdefault((quote.value, quote.unit), quote)
        return list(found.values())

    def values(self, text: str) -> Iterator[tuple[Quote, int]]:
        """Market values; those of free float, or that are aimed at, are left out."""
        for match in self._label.finditer(text):
            if _OTHER_VALUE.search(text, max(0, match.start() - 10), match.start()):
                continue
            for found in find_amounts(text):
                gap = text[match.end() : found.start]
                if found.start >= match.end() and len(gap) <= 14 and not re.search(r"[,。;]", gap):
                    amount = _with_unit(found, gap)
                    if is_money(amount.unit) and parts_of(amount.unit)[0] >= 1e6 and not _NO_PRICE.search(gap):
                        yield _quote(amount), match.start()
                    break

    def _behind(self, text: str, at: int, amounts: Sequence[Amount]) -> list[Quote]:
        """The prices in the clause behind a label, and in the next one where it goes on (由20元上调至25元)."""
        end = _clause_end(text, at)
        quotes: list[Quote] = []
        last = at
        for found in amounts:
            if found.start < at or found.start >= end or found.start - last > _FARTHEST:
                continue
            gap = text[last : found.start]
            amount = _with_unit(found, gap)
            if not amount.unit and amount.value >= _CODES:  # a code in brackets behind a name
                last = amount.end
                continue
            if not _is_price(amount) or (not quotes and _NO_PRICE.search(gap)):
                if quotes or not amount.unit:
                    break
                last = amount.end if _NO_PRICE.search(gap) is None else last
                continue
            if (quotes and _NO_PRICE.search(gap)) or not (amount.unit or _BORDER.match(text, amount.end)):
                break
            quotes.append(_quote(amount))
            last = amount.end
        return quotes

    def _before(self, text: str, at: int, amounts: Sequence[Amount]) -> list[Quote]:
        """A price right before a label: 23.4元目标价."""
        near = (a for a in amounts if a.end <= at and a.unit and _is_price(a) and _BEHIND.fullmatch(text[a.end : at]))
        return [_quote(amount) for amount in near]


def _label(word: str) -> str:
    """The pattern of a label; one with a colon counts only before a colon or a unit (股价:, not 股价区间)."""
    plain = word.rstrip(":")
    border = r"(?=\s?[:(|])" if plain != word else ""
    return rf"(?<![a-z]){re.escape(plain)}(?![a-z]){border}" if plain.isascii() else re.escape(plain) + border


def _with_unit(amount: Amount, gap: str) -> Amount:
    """The number with the unit that the label states in brackets: 收盘价(元) 41.80."""
    unit = find_unit(gap) if not amount.unit and "(" in gap else ""
    return replace(amount, unit=unit) if unit else amount


def _clause_end(text: str, at: int) -> int:
    stop = _SENTENCE_END.search(text, at)
    end = stop.start() if stop else len(text)
    comma = text.find(",", at, end)
    while comma >= 0 and _GOES_ON.match(text, comma):
        comma = text.find(",", comma + 1, end)
    return comma if comma >= 0 else end


def _is_price(amount: Amount) -> bool:
    unit = amount.unit.partition("/")[0]
    is_of_share = not amount.unit.partition("/")[2] or amount.unit.endswith("股")
    plain = not unit or (is_money(unit) and parts_of(unit)[0] == 1)
    return plain and is_of_share and 0 < amount.value < _DEAREST


def _quote(amount: Amount) -> Quote:
    return Quote(amount.value, amount.unit.partition("/")[0], amount.text, amount.start, amount.end, high=amount.high)


def _current(text: str, quotes: Sequence[Quote], label: int) -> Iterator[Quote]:
    """The prices that hold: one a currency, two ends of a range as one, what was before as a note."""
    words = _words()
    held: list[Quote] = []
    before = ""
    at = label
    for quote in quotes:
        gap = text[at : quote.start]
        if words.previous.search(gap) and quote.high is not None:  # 由20元至25元 is no range
            held.append(replace(quote, value=quote.high, high=None))
            before = before or re.split(r"[-~—–至到]", quote.text)[0]
        elif words.previous.search(gap):
            before = before or quote.text
        elif held and _OPEN_RANGE.fullmatch(gap) and held[-1].high is None and held[-1].value <= quote.value:
            both = text[held[-1].start : quote.end]
            held[-1] = Quote(held[-1].value, quote.unit or held[-1].unit, both, held[-1].start, quote.end, quote.value)
        elif not held or quote.unit != held[-1].unit:
            held.append(quote)
        at = quote.end
    horizon = words.horizon.search(text, max(0, label - 12), min(len(text), label + 12))
    for quote in held:
        yield replace(quote, previous=before, horizon=horizon.group() if horizon else "")


@dataclass(frozen=True, slots=True)
class _Words:
    previous: re.Pattern[str]
    horizon: re.Pattern[str]


@lru_cache(maxsize=1)
def _words() -> _Words:
    table = load_toml("lexicon/advice.toml")["targets"]
    ordered = sorted(table["previous"], key=len, reverse=True)
    previous = "|".join(rf"(?<![a-z]){re.escape(w)}(?![a-z])" if w.isascii() else re.escape(w) for w in ordered)
    return _Words(
        previous=re.compile(rf"(?:{previous})\s?(?:的|目标价|为|是|of|:|an?)?\s?(?:人民币)?\s?$"),
        horizon=re.compile(any_of(table["horizon"])),
    )
