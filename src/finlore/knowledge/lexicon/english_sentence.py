"""An English sentence laid out: its phrases, its measures and other words, its periods, and what a number belongs to.
Pure functions on normalised text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from finlore.knowledge.lexicon.amounts import Amount
from finlore.knowledge.lexicon.english_phrases import Phrase, inside, phrases_of
from finlore.knowledge.lexicon.measure_words import Word, fillers
from finlore.knowledge.lexicon.period import DAY, StatedPeriod, a_year_before, year_within
from finlore.knowledge.lexicon.topics import topic_of
from finlore.resources import load_toml

PER_SHARE: Final = re.compile(
    r"\s(?:a|per)\s(?P<diluted>diluted\s|fully diluted\s)?(?:common\s|ordinary\s|basic\s)*share"
    r"(?:\s\(?(?P<behind>diluted))?|/share"
)
CHANGE: Final = re.compile(
    r"(?:\spoints?)?\s(?:(?:year[- ]o(?:ver|n)[- ]year|y/y|yoy|organic|sequential|reported|annual)\s)?"
    r"(?:(?:increases?|rise|growth|gain|improvement|jump|higher)"
    r"|(?P<down>decrease|decline|drop|fall|lower|reduction|contraction))(?![a-z])(?P<of>\s(?:in|of)\s)?"
)
CHANGE_OF: Final = re.compile(
    r"\s(?:(?:increase|rise|growth|gain|improvement|jump)|(?P<down>decrease|decline|drop|fall|reduction|contraction))"
    r"\sof\s(?:approximately|about|around|roughly|over|nearly|more than|\s)*$"
)
"""Behind a number, and before one, the words by which it says how far something moved."""
OF_SALES: Final = re.compile(r"\sof\s(?:(?:total|net|consolidated|group)\s)*(?:sales|revenues?)(?![a-z])")
LEVEL: Final = re.compile(
    r"(?:\b(?:to|was|were|of|at|is|are|be|reached|totall?ed|hit|between|stood at|came in at)\b|[:=])\s?"
    r"(?:approximately|about|around|roughly|an?|nearly|over|record|be|(?:in )?(?:a|the) range of|between|within|just"
    r"|only|more than|less than|\s|\()*$"
)
"""What stands before the number that a measure reached."""
_AGO: Final = re.compile(
    r"(?:(?:in|for|at|during|of|from)\s)?(?:the\s)?(?:"
    r"(?:same|year-ago|year-earlier|(?:prior|previous|last)[- ]year(?:'s)?|comparable|corresponding)"
    r"(?:\s(?:prior[- ]year|fiscal|comparable|corresponding))*"
    r"\s(?:quarter|period|half|months|first|second|third|fourth)(?:\squarter|\shalf)?"
    r"(?:\s(?:of|in|a|the)?\s?(?:prior|previous|last)?\s?(?:fiscal\s)?"
    r"(?:year(?:\s(?:ago|earlier|before|prior))?|(?P<year>20\d\d)))?"
    r"|(?:an?|one)\syear\s(?:ago|earlier|before)(?:\s(?:quarter|period))?"
    r"|(?:prior|previous|last)\s(?:fiscal\s)?year)"
)
_LINK: Final = re.compile(r"\s?(?:of|in|for)\s(?:(?:net|total|record|quarterly)\s)?")
_TIMES: Final = re.compile(
    r"\s(?:(?:our|its|the|estimated|forward|trailing|fiscal|[cf]y\s?\d\d(?:\d\d)?e?|20\d\de?|\d\d?-month)\s)*"
    r"(?:eps|earnings|p/e|(?P<book>(?:tangible\s)?book(?:\svalue)?))(?![a-z])"
)
_PE, _PB = "metric:pe", "metric:pb"
_TRADES: Final = re.compile(r"trad(?:es?|ing)|valued at|changes? hands|(?:^|\s)at\s(?:about\s|roughly\s)?$")
_PEERS: Final = re.compile(r"\b(?:peers?|sector|group|market|average)\b[^,;]*$")
_TURN: Final = re.compile(r"\s?(?:/|,|and|,\sand)\s?")
_WITHIN: Final = re.compile(r"\s(?:(?:in|for|during|at)\s)?(?:the\s|our\s|its\s)?(?:end\sof\s)?(?:the\s)?|\s?\(")
_WORD: Final = re.compile(r"[a-z][a-z&'’/-]*")
_NOT_FORECAST: Final = re.compile(r"(?:than|as|previously|originally|had|better-than-|worse-than-|were)[ ]?$")
_SENTENCE: Final = re.compile(r";\s|\.\s")
_BRACKETS: Final = re.compile(r"\([^()]*\)")
_SAID: Final = re.compile(r"\s+|(?<=[,;:()])")
_BEHIND: Final = re.compile(r"\s(?:from|in|for|of|at)\s(?:the\s|our\s|its\s)?(?P<topic>(?:[a-z&'/-]+\s){1,4})$")
_FARTHEST: Final = 90  # characters between a measure and its number
_TOPIC_WORDS: Final = 4
_BACK: Final = 40  # characters between a year ago and the number
_SHORTEST: Final = 3  # letters of a word that may name something
_ASIDE: Final = frozenset({"aside", "clause"})


@dataclass(frozen=True, slots=True)
class English:
    """`between`: words between a measure and its number that name nothing else; `stops`: those beyond which nothing
    says what it is of; `follows`: those that may stand behind a number; what a measure is called in per cent of
    revenue, and by the share."""

    between: frozenset[str]
    stops: frozenset[str]
    follows: frozenset[str]
    of_revenue: Mapping[str, str]
    per_share: Mapping[str, str]


@lru_cache(maxsize=1)
def english_words() -> English:
    """The words of `lexicon/statements.toml`."""
    table = load_toml("lexicon/statements.toml")["english"]
    return English(
        between=frozenset((*table["between"], *(word for word in fillers() if word.isascii()))),
        stops=frozenset(table["stops"]),
        follows=frozenset(table["follows"]),
        of_revenue=table["of_revenue"],
        per_share=table["per_share"],
    )


def main_period(text: str, periods: Sequence[StatedPeriod]) -> StatedPeriod | None:
    """The first of its periods that a normalised sentence is of, and no day or base of comparison."""
    if not any(len(period.name) < DAY for period in periods):
        return None
    return next((p for p in EnglishSentence(text, (), periods, ()).main_periods() if len(p.name) < DAY), None)


class EnglishSentence:
    """A normalised sentence with its measures, other words, periods and amounts."""

    def __init__(
        self, text: str, words: Sequence[Word], periods: Sequence[StatedPeriod], amounts: Sequence[Amount]
    ) -> None:
        self.text, self.amounts = text, amounts
        self._ago = list(_AGO.finditer(text))
        figures = [amount.start for amount in amounts if amount.unit]
        brackets = [match.span() for match in _BRACKETS.finditer(text)]
        self._brackets = [span for span in brackets if not any(inside(at, [span]) for at in figures)]
        self._measures = [w for w in words if w.kind == "measure" and not inside(w.start, self._brackets)]
        self.words = [word for word in words if word.kind != "measure"]
        self._phrases = phrases_of(text, amounts=tuple(amounts), kept=tuple((w.start, w.end) for w in self._measures))
        bases = [match.span() for match in self._ago if self.phrase(match.start()).kind == "base"]
        self._periods = [period for period in periods if not inside(period.start, bases)]

    def phrase(self, at: int) -> Phrase:
        """The phrase of a place."""
        return next(phrase for phrase in reversed(self._phrases) if phrase.start <= at)

    def main_periods(self) -> list[StatedPeriod]:
        """The periods that are no base of comparison, nor in an aside."""
        return [period for period in self._periods if self.phrase(period.start).kind == "main"]

    def measure_of(self, amount: Amount, main: Word | None) -> tuple[Word | None, bool]:
        """What a number is of, and whether the text joins the two by a preposition; `main`: what was last said."""
        text, end, phrase = self.text, amount.end, self.phrase(amount.start)
        if amount.unit == "x" and (times := _TIMES.match(text, end)):
            is_now = _TRADES.search(text, 0, amount.start) is not None and not _PEERS.search(text, 0, amount.start)
            return (
                Word(end, times.end(), "measure", _PB if times["book"] else _PE, "multiple") if is_now else None
            ), True
        change = CHANGE.match(text, end)
        if change is not None and change["of"]:
            return self._starting(change.end()), True
        link = None if PER_SHARE.match(text, end) else _LINK.match(text, end)
        if link and (named := self._starting(link.end())):
            return named, True
        last = next((m for m in reversed(self._measures) if m.end <= amount.start), None)
        if last is not None and last.start >= phrase.start:
            return last, LEVEL.search(text[last.end : amount.start]) is not None
        return ((main or last) if phrase.kind in {"base", "main"} else None), False

    def _starting(self, at: int) -> Word | None:
        return next((m for m in self._measures if at <= m.start <= at + 1), None)

    def end_of(self, amount: Amount) -> int:
        """Where what belongs to a number ends: per share, of net sales, increase."""
        matches = (pattern.match(self.text, amount.end) for pattern in (PER_SHARE, OF_SALES, CHANGE))
        return next((match.end() for match in matches if match), amount.end)

    def names_more(self, amount: Amount) -> bool:
        """Whether a noun behind a number says that it is of something else: a $5 million charge."""
        word = _WORD.match(self.text, amount.end + 1) if self.text[amount.end : amount.end + 1] == " " else None
        return word is not None and len(word.group()) >= _SHORTEST and word.group() not in english_words().follows

    def without_periods(self, start: int, end: int) -> str:
        """text[start:end] without its periods."""
        spans = [(p.start, p.end) for p in self._periods if start <= p.start and p.end <= end]
        cuts = [start, *(at for span in spans for at in span), end]
        return " ".join(self.text[a:b].strip() for a, b in zip(cuts[::2], cuts[1::2], strict=True)).strip()

    def is_elsewhere(self, amount: Amount, measure: Word, since: int) -> bool:
        """Whether something else is named between a measure, or the number before, and the number."""
        since = max(measure.end, since)
        if amount.start < since:
            return False
        if amount.start - since > _FARTHEST:
            return True
        known = [*((p.start, p.end) for p in self._periods), *((w.start, w.end) for w in self.words), *self._brackets]
        known += [match.span() for match in self._ago]
        topic = _BEHIND.match(self.text[measure.end : self._verb(measure)]) if since == measure.end else None
        since += topic.end() if topic else 0
        return any(
            not (word.group() in english_words().between or word.group().endswith("ly") or inside(word.start(), known))
            for word in _WORD.finditer(self.text, since, amount.start)
            if len(word.group()) >= _SHORTEST
        )

    def _verb(self, measure: Word) -> int:
        """Where the words that say what a measure does begin."""
        moves = (word.start for word in self.words if word.kind in ("up", "down", "reaches"))
        return next((start for start in moves if start > measure.end + 4), measure.end)

    def topic(self, measure: Word) -> tuple[str, str]:
        """(what the measure is of, the words before it)."""
        named = next((m for m in self._measures if m.start == measure.start), None)
        if named is None:
            return "", ""
        ends = [p.end for p in self._periods] + [a.end for a in self.amounts] + [m.end for m in self._measures]
        begin = max(end for end in (0, self.phrase(named.start).start, *ends) if end <= named.start)
        said = self.text[begin : named.start]
        kept: list[str] = []
        for word in reversed(_SAID.split(said.rstrip())):
            if not word or word in english_words().stops or word[-1] in ",;:()." or word.startswith(("“", '"')):
                break
            kept.insert(0, word)
        topic = topic_of(" ".join(kept).removesuffix("'s")) if len(kept) <= _TOPIC_WORDS else ""
        if not topic and (behind := _BEHIND.match(self.text[named.end : self._verb(named)])):
            topic = topic_of(behind["topic"])
        return topic, said

    def period_of(self, number: int, carried: StatedPeriod | None) -> StatedPeriod | None:
        """The period right behind a number; in a comparison the one that it names; else that of the sentence, or the
        one `carried` into it."""
        amount, main = self.amounts[number], self.main_periods()
        if self.phrase(amount.start).kind == "base":
            return self._base_period(amount, main[0] if main else carried)
        if turn := self._in_turn(number):
            return turn
        stop = self.amounts[number + 1].start if number + 1 < len(self.amounts) else len(self.text)
        behind = next((p for p in self._periods if amount.end <= p.start < stop), None)
        if behind is not None and _WITHIN.fullmatch(self.text, amount.end, behind.start):
            return behind
        ahead = [period for period in main if period.end <= amount.start]
        return ahead[-1] if ahead else main[0] if main else carried

    def _in_turn(self, number: int) -> StatedPeriod | None:
        """The period of one of as many numbers: 2023 and 2024 revenue of $5bn and $6bn."""
        first = last = number
        while first and self._joins(first - 1):
            first -= 1
        while last + 1 < len(self.amounts) and self._joins(last):
            last += 1
        n = last - first + 1
        ahead = [period for period in self._periods if period.end <= self.amounts[first].start]
        if n == 1 or not ahead:
            return None
        periods = [year_within(ahead[-1], year) for year in ahead[-1].years] or ahead[-n:]
        return periods[number - first] if len(periods) == n else None

    def _joins(self, number: int) -> bool:
        return _TURN.fullmatch(self.text, self.amounts[number].end, self.amounts[number + 1].start) is not None

    def _base_period(self, amount: Amount, main: StatedPeriod | None) -> StatedPeriod | None:
        """The period that a number of a comparison is of: the next one, a year before that of the sentence."""
        borders = (p.start for p in self._phrases if p.start > amount.start and p.kind not in _ASIDE)
        end = next(borders, len(self.text))
        behind = next((p for p in self._periods if amount.end <= p.start < end), None)
        ago = next((m for m in self._ago if amount.end - 1 <= m.start() <= end), None)
        ago = ago or next((m for m in self._ago if amount.start - _BACK <= m.end() <= amount.start), None)
        if ago is None or (behind is not None and behind.start < ago.start()):
            return behind
        earlier = a_year_before(main, ago.span()) if main is not None else None
        while ago["year"] and earlier is not None and earlier.first.year > int(ago["year"]):
            earlier = a_year_before(earlier, ago.span())
        return earlier

    def is_forecast(self, amount: Amount) -> bool:
        """Whether the words before a number, or in its phrase, say that it is only expected."""
        begin = max((match.end() for match in _SENTENCE.finditer(self.text, 0, amount.start)), default=0)
        phrase = self.phrase(amount.start)
        return any(
            word.kind == "forecast"
            and begin <= word.start
            and (word.end <= amount.start or self.phrase(word.start) == phrase)
            and self.phrase(word.start).kind in {"main", "base"}
            and not _NOT_FORECAST.search(self.text, 0, word.start)
            for word in self.words
        )
