"""The figures that an English sentence states. Its numbers stand behind the measure and the verb, or before what they
are of ("in revenue"); what they are compared with, what caused them or is part of them, and what others had
expected follow in phrases of their own. Pure functions on normalised text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finlore.intake.tables.units import is_relative
from finlore.knowledge.lexicon.amounts import Amount
from finlore.knowledge.lexicon.english_phrases import Phrase
from finlore.knowledge.lexicon.english_sentence import (
    CHANGE,
    CHANGE_OF,
    LEVEL,
    OF_SALES,
    PER_SHARE,
    EnglishSentence,
    english_words,
)
from finlore.knowledge.lexicon.measure_words import Word, counts
from finlore.knowledge.lexicon.period import StatedPeriod
from finlore.knowledge.lexicon.statement_state import Statement

_YEARLY: Final = re.compile(
    r"\s?(?:year[- ]o(?:ver|n)[- ]year|y/y|yoy|y-o-y|last year"
    r"|(?:from|versus|vs\.?|than|over|compared (?:to|with))\s(?:in\s)?(?:a|the|last|one)"
    r"\s(?:same|year|(?:prior|previous)[- ]year|corresponding))"
)
_QUARTERLY: Final = re.compile(
    r"sequential|quarter[- ]o(?:ver|n)[- ]quarter|qoq|q/q|(?:prior|previous|preceding|last|linked) quarter(?! of)"
)
_AS_SHARE: Final = re.compile(r"as an?\s(?:percentage|percent|%)\sof\s(?:(?:total|net)\s)*(?:sales|revenues?)")
_BY: Final = re.compile(
    r"(?:\bby|(?:increas|decreas|rose|grew|fell|declin|rise|up|down|higher|lower|drop)[a-z]*)"
    r"\s?(?:approximately|about|around|roughly|nearly|over)?\s?$"
)
_BELOW: Final = re.compile(r"\bloss(?:es)?\sof\s\(?$|negative\s$")
_OR: Final = re.compile(r",?\sor\s[\d.]+%")
_GOES_ON: Final = re.compile(r"(?:in|and|,|for|then|\s)*")
_AHEAD: Final = 60  # characters behind a number in which its base is named
_POINTS: Final = frozenset({"pct", "bps"})
_GROWS: Final = ("growth", "qoq", "cagr")

_Figure = tuple[Word, str, float]
"""(measure, what is derived from it, value)."""


def english_statements(
    text: str,
    words: Sequence[Word],
    periods: Sequence[StatedPeriod],
    amounts: Sequence[Amount],
    *,
    carried: StatedPeriod | None,
) -> Iterator[Statement]:
    """The figures from left to right. `carried`: the period at hand where the sentence names none."""
    sentence = EnglishSentence(text, words, periods, amounts)
    main: Word | None = None
    stated: Word | None = None
    before, last = 0, ""
    for number, amount in enumerate(amounts):
        phrase = sentence.phrase(amount.start)
        measure, is_linked = sentence.measure_of(amount, main)
        is_named = measure is not None and measure.start >= before
        if stated is not None and not is_named and CHANGE_OF.search(text, before, amount.start):
            measure = stated
        main = measure if measure is not None and phrase.kind == "main" else main
        found = None
        if measure is not None and (phrase.kind in {"main", "base"} or (is_linked and phrase.kind != "others")):
            found = _Number(sentence, amount, phrase, max(before, phrase.start), last).states(measure)
        if found is not None or not _OR.match(text, amount.end):  # down $6 million, or 2%
            before = sentence.end_of(amount)
        if found is None:
            continue
        stated, last = found[0], found[1]
        period = sentence.period_of(number, carried)
        is_forecast = sentence.is_forecast(amount) or (period is not None and period.basis == "forecast")
        if phrase.kind != "base" or (period is not None and not is_forecast):
            yield _statement(found, amount, period, sentence.topic(found[0]), is_forecast=is_forecast)


def _statement(
    found: _Figure, amount: Amount, period: StatedPeriod | None, topic: tuple[str, str], *, is_forecast: bool
) -> Statement:
    measure, derived, value = found
    if value < 0 < amount.value and amount.high is not None:  # a fall of 2% to 4%
        value, amount = -amount.high, replace(amount, high=value)
    return Statement(measure, derived, value, amount, period, *topic, is_forecast)


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in its phrase. `since`: where what is said of it begins; `last`: what the number before was."""

    sentence: EnglishSentence
    amount: Amount
    phrase: Phrase
    since: int
    last: str

    def states(self, measure: Word) -> _Figure | None:
        """What it states of a measure; None where that is nothing certain."""
        amount, text = self.amount, self.sentence.text
        per = PER_SHARE.match(text, amount.end)
        known = _by_share(measure, per) if per is not None else measure
        if known is None or self.sentence.is_elsewhere(amount, known, self.since):
            return None
        since = max(known.end if known.end <= amount.start else 0, self.since)
        if not is_relative(amount.unit) or amount.unit == "x":
            return self._level(known, text[since : amount.start], is_by_share=per is not None)
        return self._of_sales(known, since) if self._is_of_sales() else self._relative(known, since)

    def _level(self, measure: Word, between: str, *, is_by_share: bool) -> _Figure | None:
        amount = self.amount
        is_bare = not amount.unit and measure.quantity not in {"multiple", "turns", "per_share"}
        if is_bare or not counts(measure, amount.unit) or _BY.search(between):
            return None
        if not is_by_share and measure.start < amount.end and self.sentence.names_more(amount):
            return None
        is_loss = measure.sign < 0 or _BELOW.search(between) is not None
        return measure, "", -abs(amount.value) if is_loss else amount.value

    def _is_of_sales(self) -> bool:
        amount, text = self.amount, self.sentence.text
        is_said = OF_SALES.match(text, amount.end) or _AS_SHARE.search(text, 0, amount.start)
        return amount.unit == "%" and is_said is not None

    def _of_sales(self, measure: Word, since: int) -> _Figure | None:
        margin = english_words().of_revenue.get(measure.id.removeprefix("metric:"))
        if margin is None or _BY.search(self.sentence.text[since : self.amount.start]):
            return None
        return replace(measure, id=f"metric:{margin}", quantity="ratio", sign=1), "", self.amount.value

    def _relative(self, measure: Word, since: int) -> _Figure | None:
        """Per cent and points: the level of a ratio, else growth where a word says so."""
        amount, text = self.amount, self.sentence.text
        change = CHANGE.match(text, amount.end) or CHANGE_OF.search(text, since, amount.start)
        words = [word for word in self.sentence.words if since - 1 <= word.start and word.end <= amount.start]
        move = next((word for word in reversed(words) if word.kind in ("up", "down")), None)
        if move is None and measure.start >= self.since:  # raised the dividend 4%
            led = [word for word in self.sentence.words if self.since <= word.start and word.end <= measure.start]
            move = next((word for word in reversed(led) if word.kind in ("up", "down")), None)
        derived = next((word for word in words if word.kind == "derived" and word.id in _GROWS), None)
        is_level = LEVEL.search(text[since : amount.start]) is not None
        is_base = self.phrase.kind == "base"
        goes_on = is_base or _GOES_ON.fullmatch(self.sentence.without_periods(self.since, amount.start)) is not None
        says_nothing = not (change or move or derived or amount.is_signed)
        is_ratio = measure.quantity == "ratio" and amount.unit == "%" and not (derived or change)
        if is_ratio and (is_level or (says_nothing and is_base and not self.last)):
            return measure, "", amount.value
        if says_nothing and goes_on and self.last in {"growth", "qoq"}:
            return measure, self.last, amount.value
        if (says_nothing and not _YEARLY.match(text, amount.end)) or not self._may_grow(measure):
            return None
        if not (change or derived) and ((is_level and move is not None) or self.sentence.names_more(amount)):
            return None  # rose to 12%
        is_fall = (change["down"] is not None) if change else move is not None and move.kind == "down"
        others = (a.start for a in self.sentence.amounts if a.start > amount.start and a.unit == "%")
        span = text[since : min(amount.end + _AHEAD, next(others, len(text)))]
        way = "cagr" if derived and derived.id == "cagr" else "qoq" if _QUARTERLY.search(span) else "growth"
        return measure, way, -abs(amount.value) if is_fall else amount.value

    def _may_grow(self, measure: Word) -> bool:
        """Whether the growth of a measure says something: that of a loss is told either way."""
        if measure.sign < 0 or measure.quantity in {"multiple", "days", "turns"}:
            return False
        return self.amount.unit not in _POINTS or measure.quantity == "ratio"


def _by_share(measure: Word, per: re.Match[str]) -> Word | None:
    """What a measure is called by the share."""
    if measure.quantity in {"per_share", "price"}:
        return measure
    names, key = english_words().per_share, measure.id.removeprefix("metric:")
    is_diluted = per["diluted"] is not None or per["behind"] is not None
    name = names.get(f"{key}_diluted" if is_diluted else key) or names.get(key)
    return replace(measure, id=f"metric:{name}", quantity="per_share") if name else None
