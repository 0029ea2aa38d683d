"""What a reader of a sentence about figures has in mind when the next number comes."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from finlore.knowledge.lexicon.amounts import Amount
from finlore.knowledge.lexicon.measure_words import Word
from finlore.knowledge.lexicon.period import StatedPeriod
from finlore.knowledge.lexicon.topics import topic_of

_JOINT: Final = re.compile(r"\s?(?:[、/\\和及与]|以及|and|,)\s?")
_LIST: Final = re.compile(r"\s?(?:[、/\\和及与,]|以及|and)?\s?")
_COMPARED: Final = re.compile(r"(?:(?P<yearly>同比(?:较|比)?)|较|相比|相较于?|比)$")  # a base of comparison follows
_BORDER: Final = re.compile(r"[,;:。()|\n!?■➢◆●•]")
_NOUNS: Final = frozenset(
    {"增速", "增长率", "增幅", "同比增速", "同比增长率", "环比增速", "增长速度", "growth", "growth rate"}
)
_FALLS: Final = ("降", "减", "跌")
_OF: Final = frozenset({"占", "占总", "占据", "占到"})  # the whole follows
_OWN: Final = re.compile(r"公司|我们|集团|\b(?:we|our|company|group)\b")
SIZE: Final = "metric:market_size"
_LABEL: Final = 16  # characters of what stands before a colon and says what the figures are of


@dataclass(frozen=True, slots=True)
class Bracket:
    start: int
    end: int
    opens: bool


@dataclass(frozen=True, slots=True)
class Place:
    """What a number belongs to."""

    measure: Word
    period: StatedPeriod | None
    topic: str


CARRIED: Final = -1
"""Where a measure stands that the sentence before has named."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One figure. `derived` as in metrics (growth, qoq, cagr, share). `topic`: the words that say what the figure is
    of, "" where that is the subject at hand; `words`: all those before the measure; `is_carried`: the topic was named
    with another measure, a clause before; `counted`: the last measure that is no ratio, and its topic;
    `is_listed`: it has its measure from the number before it in a list."""

    measure: Word
    derived: str
    value: float
    amount: Amount
    period: StatedPeriod | None
    topic: str
    words: str
    is_forecast: bool = False
    is_carried: bool = False
    counted: Place | None = None
    is_listed: bool = False


Token = Word | StatedPeriod | Amount | Bracket


@dataclass(slots=True)
class State:
    """`measures` and `periods` are the last ones named, several where they are enumerated.

    `last_single` is the last period that is no run of years, `since` the one after 从. `words`: what stands before the
    measure; `is_carried`: the topic is that of the clause before; `topics`: what the last enumeration of numbers was
    of; `counted`: the last measure that is no ratio; `given`: what the last single numbers belonged to. `mode`: what is
    derived from the measure (growth, qoq, cagr, share, other), by a noun (增速) where `is_noun`; `shared`: where 占
    stands, `part`: what is named before. `direction`: -1 after 下降, 1 after 增长; `moved` and `reached` are where such
    a word and one like 至 ended. `turn`: how many of the measures have had their number, where they are given one by
    one."""

    measures: list[Word] = field(default_factory=list)
    periods: list[StatedPeriod] = field(default_factory=list)
    last_single: StatedPeriod | None = None
    words: str = ""
    topic: str = ""
    is_carried: bool = False
    topics: tuple[str, ...] = ()
    counted: "Place | None" = None
    given: tuple["Place", ...] = ()
    since: StatedPeriod | None = None
    shared: int = -1
    part: str = ""
    mode: str = ""
    is_noun: bool = False
    direction: int = 0
    moved: int = -1
    reached: int = -1
    clause: int = 0
    turn: int = 0
    is_forecast: bool = False
    is_aside: bool = False

    def inside_bracket(self, at: int, pinned: "Place | None") -> "State":
        """The state inside a bracket: what is said there belongs to the number before it, where one is."""
        inner = replace(self, clause=at, is_aside=True)
        if pinned is not None:
            inner.measures, inner.topic = [pinned.measure], pinned.topic
            inner.periods = [pinned.period] if pinned.period else []
        inner.given = ()
        inner.forget_mode()
        return inner

    def single(self) -> StatedPeriod | None:
        """The last period that is no run of years."""
        return self.periods[-1] if self.periods and not self.periods[-1].years else self.last_single

    def forget_mode(self) -> None:
        self.mode, self.is_noun, self.direction, self.moved, self.reached = "", False, 0, -1, -1
        self.turn = 0


def _is_year_before(period: StatedPeriod, later: StatedPeriod) -> bool:
    days = (later.first - period.first).days
    return 365 <= days <= 366 and len(period.name) == len(later.name)


def _ends_topic(token: Token) -> bool:
    """A period or a number with a unit; a bare number may be part of a name (中证500)."""
    return isinstance(token, StatedPeriod) or (isinstance(token, Amount) and bool(token.unit))


class SentenceText:
    """A sentence, its tokens, and where its clauses begin."""

    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text, self.tokens = text, tokens
        self._borders = [0, *(match.end() for match in _BORDER.finditer(text))]

    def border(self, at: int) -> int:
        """Where the clause of a place begins."""
        return self._borders[bisect_right(self._borders, at) - 1]

    def cross_borders(self, state: State, at: int) -> None:
        """Forget at a comma what belongs to one clause only."""
        border = self.border(at)
        if border > state.clause:
            state.clause = border
            if self.text[border - 1] in ",;。!?\n":
                state.forget_mode()

    def note_period(self, state: State, at: int, period: StatedPeriod) -> None:
        if compared := _COMPARED.search(self.text, max(0, period.start - 4), period.start):
            if not compared["yearly"]:
                state.mode = "growth" if state.periods and _is_year_before(period, state.periods[-1]) else "other"
            return
        before = self.tokens[at - 1] if at else None
        if state.reached >= 0 and not self.text[state.reached : period.start].strip():
            state.reached = period.end  # 提升至2020年的13%
        if before is not None and isinstance(before, Word) and before.kind == "from":
            state.since = period
        goes_on = isinstance(before, StatedPeriod) and _LIST.fullmatch(self.text, before.end, period.start)
        state.periods = [*state.periods, period] if goes_on else [period]
        state.last_single = state.last_single if period.years else period

    def note_word(self, state: State, at: int, word: Word) -> None:
        if word.kind == "measure":
            self._note_measure(state, at, word)
        elif word.kind == "derived":
            printed = self.text[word.start : word.end]
            state.mode, state.is_noun, state.moved = word.id, printed in _NOUNS, -1
            state.direction = -1 if printed[-1] in _FALLS or printed.startswith(_FALLS) else 0
            state.part = ""
            state.shared = word.start if word.id == "share" and printed in _OF else -1
            if word.id == "share" and (not state.measures or state.measures[-1].end <= state.clause):
                state.part = topic_of(self._words_before(at, word))
                state.topic = state.part or state.topic
        elif word.kind in ("up", "down"):
            state.direction, state.moved = 1 if word.kind == "up" else -1, word.end
        elif word.kind in ("reaches", "from"):
            state.reached = word.end
        elif word.kind == "forecast":
            state.is_forecast = True

    def _note_measure(self, state: State, at: int, word: Word) -> None:
        if self._is_whole(state, word):
            if not state.measures or word.id == SIZE or (state.part and state.measures[-1].end <= state.clause):
                state.measures = [replace(word, end=state.shared)]
            return
        before = self.tokens[at - 1] if at else None
        is_measure = isinstance(before, Word) and before.kind == "measure"
        if before is not None and is_measure and _JOINT.fullmatch(self.text, before.end, word.start):
            state.measures = [*state.measures, word]
        else:
            state.measures, state.since = [word], None
            state.words = self._words_before(at, word)
            topic = topic_of(state.words)
            border = self.border(word.start)
            state.is_carried = not topic and border > 0 and self.text[border - 1] == "," and "公司" not in state.words
            state.topic = state.topic if state.is_carried else topic
        if word.quantity != "ratio":
            state.counted = Place(word, None, state.topic)
        state.forget_mode()

    def _is_whole(self, state: State, word: Word) -> bool:
        """Whether a measure is what a share is of: 占全球出货量的30%."""
        of_same_clause = state.shared >= 0 and self.border(word.start) <= state.shared
        return of_same_clause and state.mode == "share" and word.quantity != "ratio"

    def _words_before(self, at: int, measure: Word) -> str:
        """The words before a measure back to the last border, period or number; those before the period, or before the
        colon, where none are left."""
        border, end = self.border(measure.start), measure.start
        if border and self.text[border - 1] == ")" and not self.text[border:end].strip():  # 甲类(规格换算)销量
            end = max(self.text.rfind("(", 0, border), 0)
            border = self.border(end)
        stops = [token for token in self.tokens[:at] if border <= token.start < end and _ends_topic(token)]
        words = self.text[stops[-1].end if stops else border : end]
        if stops and isinstance(stops[0], StatedPeriod) and not (topic_of(words) or _OWN.search(words)):
            words = self.text[border : stops[0].start]
        if not topic_of(words) and border and self.text[border - 1] == ":":
            label = self.text[self.border(border - 1) : border - 1]
            words = label if len(label) <= _LABEL else ""
        return words
