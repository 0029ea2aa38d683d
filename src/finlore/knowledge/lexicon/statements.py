"""The figures that a sentence states: which measure, of what, when, how much. Pure functions on normalised text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finlore.intake.tables.units import is_money, is_relative, parts_of
from finlore.knowledge.lexicon.amounts import Amount, find_amounts
from finlore.knowledge.lexicon.measure_words import Word, find_words
from finlore.knowledge.lexicon.stated_periods import StatedPeriod
from finlore.knowledge.lexicon.statement_state import Bracket, Place, SentenceText, State, Token
from finlore.knowledge.lexicon.topics import split_topics

_FARTHEST: Final = 48  # characters between a measure and its number
_JOINT: Final = re.compile(r"\s?(?:[、/\\和及与,]|以及|and)\s?")
_ALL: Final = re.compile(r"均|都|both|各")
_FROM: Final = re.compile(r"(?:由|从|from)\s?(?:约|的)?\s?$")
_RISEN_TO: Final = re.compile(r"(?:[增升涨长加高降少跌落扩]|grow|increase|rise)[^,;]{0,4}(?:至|到|to)\s?约?\s?$")
_IN: Final = re.compile(r"\s?(?:in|for|during|by)\s(?:the\s)?|\s?[(]\s?")
_NEAR: Final = re.compile(
    r"\s?(?:约|近|超过|超|逾|高达|仅|了|不足|不到|以|的|人民币|about|approximately|roughly|over|nearly|by|a|\s){0,3}"
)
_OTHER_WORDS: Final = re.compile(
    r"[^\u3400-\u9fff]|分别|达到|实现|合计|总计|规模|预计|有望|约|为|达|至|的|将|共|均|由|从"
)
CARRIED: Final = -1
"""Where a measure stands that the sentence before has named."""
_NEXT_TO: Final = 3  # characters between a word that only there names a measure and the number
_MOST_BETWEEN: Final = 8
_DEAREST: Final = 1e8  # nobody asks that much for one thing
_NAMED_BEHIND: Final = re.compile(
    r"\s?(?:左右|以上|以下|上下)?的?(?:速度|幅度)?(?:高速|快速)?(?:年均)?(?P<cagr>复合|年复合)?(?:同比)?(?:的)?(?:增长|增速|增幅|(?P<fall>下降|降幅|下滑|跌幅))(?!至|到)"
    r"|\s(?:yoy\s)?(?:(?P<rise>growth|increase|rise)|(?P<loss>decline|drop|decrease))\b"
)
_POINTS: Final = frozenset({"pct", "bps"})
_BARE: Final = frozenset({"multiple", "per_share", "turns"})
_MONEY: Final = frozenset({"flow", "balance"})
_YEARLY: Final = frozenset({"growth", "qoq", "cagr"})


@dataclass(frozen=True, slots=True)
class Statement:
    """One figure. `derived` as in metrics (growth, qoq, cagr, share). `topic`: the words that say what the figure is
    of, "" where that is the subject at hand; `words`: all those before the measure; `is_carried`: the topic was named
    with another measure, a clause before."""

    measure: Word
    derived: str
    value: float
    amount: Amount
    period: StatedPeriod | None
    topic: str
    words: str
    is_forecast: bool = False
    is_carried: bool = False


def find_statements(
    text: str, periods: Sequence[StatedPeriod], *, carried: StatedPeriod | None = None, before: Statement | None = None
) -> list[Statement]:
    """The statements of a normalised sentence whose periods are known, from left to right. `carried`: the period that
    was last spoken of; `before`: the last statement of the sentence before, which this one may go on about."""
    words = find_words(text)
    kinds = {word.kind for word in words}
    if (before is None and kinds.isdisjoint(("measure", "near"))) or "conditional" in kinds:
        return []
    taken = [(period.start, period.end) for period in periods]
    amounts = [amount for amount in find_amounts(text) if not _touches(amount, taken)]
    if not amounts:
        return []
    starts = [amount.start for amount in amounts]
    words = [word for word in words if word.kind != "near" or any(0 <= at - word.end <= _NEXT_TO for at in starts)]
    words = [replace(word, kind="measure") if word.kind == "near" else word for word in words]
    words = [word for word in words if not _touches(word, [*taken, *((a.start, a.end) for a in amounts)])]
    brackets = [Bracket(*match.span(), match.group() == "(") for match in re.finditer(r"[()]", text)]
    brackets = [bracket for bracket in brackets if not _touches(bracket, [(a.start, a.end) for a in amounts])]
    tokens: list[Token] = sorted((*words, *periods, *amounts, *brackets), key=lambda token: token.start)
    return list(_Reader(SentenceText(text, tokens)).read(0, len(tokens), _beginning(carried, before)))


def _beginning(carried: StatedPeriod | None, before: Statement | None) -> State:
    state = State(periods=[carried] if carried else [])
    if before is not None:
        state.measures, state.topic = [replace(before.measure, start=CARRIED, end=CARRIED)], before.topic
    return state


def _touches(token: Token, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < token.end and token.start < end for start, end in spans)


class _Reader:
    """Reads a sentence from left to right."""

    def __init__(self, sentence: SentenceText) -> None:
        self._sentence, self._text, self._tokens = sentence, sentence.text, sentence.tokens

    def read(self, at: int, stop: int, state: State) -> Iterator[Statement]:
        """The statements of tokens `at` to `stop`."""
        last: tuple[Amount, Place] | None = None
        while at < stop:
            token = self._tokens[at]
            self._sentence.cross_borders(state, token.start)
            if isinstance(token, Amount):
                group = self._group(at, stop)
                places = self._places(state, group)
                for number, place in zip(group, places, strict=False):
                    if number != at:
                        yield from self.read(at, number, state.inside_bracket(token.end, last and last[1]))
                    token = self._tokens[number]
                    assert isinstance(token, Amount)  # a group holds numbers alone
                    last = (token, place) if place else None
                    yield from self._statement(state, token, place, n=len(group))
                    if place and self._is_of_another(state, token, place.measure):
                        state.measures = []
                    at = number + 1
                at = group[-1] + 1
            elif isinstance(token, Bracket):
                close = self._close(at, stop) if token.opens else at
                if close > at:
                    follows = last is not None and not self._text[last[0].end : token.start].strip()
                    inner = state.inside_bracket(token.end, last[1] if last and follows else None)
                    yield from self.read(at + 1, close, inner)
                at = close + 1
            else:
                if isinstance(token, StatedPeriod):
                    self._sentence.note_period(state, at, token)
                else:
                    self._sentence.note_word(state, at, token)
                at += 1

    def _close(self, at: int, stop: int) -> int:
        """The token that closes a bracket; the bracket itself where none does."""
        depth = 0
        for number in range(at, stop):
            token = self._tokens[number]
            if isinstance(token, Bracket):
                depth += 1 if token.opens else -1
                if depth == 0:
                    return number
        return at

    def _group(self, at: int, stop: int) -> list[int]:
        """The numbers of an enumeration that begins at a token; what a bracket adds to one is no member."""
        group, end, number = [at], self._tokens[at].end, at + 1
        while number < stop:
            token = self._tokens[number]
            if isinstance(token, Bracket) and token.opens and not self._text[end : token.start].strip():
                number = self._close(number, stop)
                end = self._tokens[number].end
            elif isinstance(token, Amount) and self._joins(self._tokens[group[-1]], token, end):
                group.append(number)
                end = token.end
            else:
                break
            number += 1
        return group

    def _joins(self, before: Token, amount: Amount, end: int) -> bool:
        gap = self._text[end : amount.start]
        assert isinstance(before, Amount)
        if gap.isspace():
            return before.unit == amount.unit != ""
        if not _JOINT.fullmatch(gap):
            return False
        return before.unit == amount.unit or parts_of(before.unit)[0] == parts_of(amount.unit)[0] != 1 or "," not in gap

    def _places(self, state: State, group: Sequence[int]) -> list[Place | None]:
        """What each number of an enumeration belongs to: a period, a measure or a topic each, whichever are as many and
        were named last. One number belongs to the last of each."""
        n, measures = len(group), state.measures
        if not measures:
            return [None] * n
        if not state.periods:
            state.periods = self._behind(group[-1])
        if n == 1 and self._in_turn(state, group[0]):
            state.turn += 1
            return [Place(measure, state.last_single, state.topic) for measure in measures[state.turn - 1 : state.turn]]
        if n == 1:
            period = self._in_brackets(group[0]) or self._one_period(state, self._tokens[group[0]])
            return [Place(measures[-1], period, state.topic)]
        years = _each_year(state.periods)
        lists: list[tuple[int, list[Place | None]]] = []
        if len(years) == n and len(measures) == 1:
            lists.append((state.periods[-1].end, [Place(measures[0], year, state.topic) for year in years]))
        if len(measures) == n:
            period = state.periods[-1] if state.periods else None
            lists.append((measures[-1].end, [Place(measure, period, state.topic) for measure in measures]))
        if lists:
            return max(lists, key=lambda entry: entry[0])[1]
        period = state.periods[-1] if len(state.periods) == 1 else None
        topics = split_topics(state.words, n) if len(measures) == 1 else ()
        topics = topics or (state.topics if len(state.topics) == n and (state.is_carried or not state.topic) else ())
        state.topics = topics
        return [Place(measures[0], period, topic) for topic in topics] or [None] * n

    def _in_turn(self, state: State, at: int) -> bool:
        return len(state.measures) > 1 and self._says_in_turn(state, self._tokens[at])

    def _says_in_turn(self, state: State, amount: Token) -> bool:
        """Whether several measures get their numbers one by one: 分别增长20%、下降3%."""
        return "分别" in self._text[max(state.clause, 0) : amount.start]

    def _in_brackets(self, at: int) -> StatedPeriod | None:
        """The period that a bracket right behind a number holds and nothing else: 24.51亿元(2018年)."""
        opening, period, closing = (*self._tokens[at + 1 : at + 4], None, None, None)[:3]
        if not (isinstance(opening, Bracket) and isinstance(period, StatedPeriod) and isinstance(closing, Bracket)):
            return None
        text = self._text
        gaps = text[self._tokens[at].end : opening.start] + text[opening.end : period.start]
        return None if (gaps + text[period.end : closing.start]).strip() else period

    def _behind(self, at: int) -> list[StatedPeriod]:
        """The period right behind a number, where none was named before: revenue of RMB5bn in FY24."""
        token = self._tokens[at + 1] if at + 1 < len(self._tokens) else None
        if isinstance(token, StatedPeriod) and _IN.fullmatch(self._text, self._tokens[at].end, token.start):
            return [token]
        return []

    def _one_period(self, state: State, amount: Token) -> StatedPeriod | None:
        """The period of a single number: of a run of years the first or last where the words say from or to."""
        if not state.periods:
            return None
        period = state.periods[-1]
        if not period.years or state.mode in _YEARLY:
            return period
        before = self._text[max(0, amount.start - 14) : amount.start]
        year = period.years[-1] if _RISEN_TO.search(before) else period.years[0] if _FROM.search(before) else None
        return _year(period, year) if year else state.last_single

    def _statement(self, state: State, amount: Amount, place: Place | None, *, n: int) -> Iterator[Statement]:
        if place is None:
            return
        places = [place]
        if n == 1 and len(state.measures) > 1 and not self._says_in_turn(state, amount):
            between = self._text[state.measures[-1].end : amount.start]
            places = [replace(place, measure=each) for each in state.measures] if _ALL.search(between) else []
        for each in places:
            derived = self._derived(state, amount, each.measure)
            if derived is None or (each.period and each.period.years and derived not in _YEARLY):
                continue
            value = amount.value
            named = _NAMED_BEHIND.match(self._text, amount.end)
            if derived in _YEARLY and named and named["fall"]:
                value = -abs(value)
            elif derived in _YEARLY and value > 0 and not amount.is_signed and self._falls(state, amount):
                value = -value
            is_forecast = state.is_forecast or bool(each.period and each.period.basis == "forecast")
            yield Statement(
                each.measure,
                derived,
                value,
                amount,
                each.period,
                each.topic,
                state.words,
                is_forecast,
                state.is_carried,
            )

    def _falls(self, state: State, amount: Amount) -> bool:
        """Whether the number says by how much something fell; 增速下降至 leads to what is still a rise."""
        to = state.is_noun and state.moved >= 0 and self._near(state.reached, amount)
        return state.direction < 0 and not to

    def _derived(self, state: State, amount: Amount, measure: Word) -> str | None:
        """What the number says of the measure, by its unit and the words around it; None where it says nothing."""
        if amount.start - max(measure.end, state.clause) > _FARTHEST or state.mode == "other":
            return None
        if not is_relative(amount.unit) or amount.unit == "x":
            return self._itself(state, amount, measure)
        if named := _NAMED_BEHIND.match(self._text, amount.end):
            return "cagr" if named["cagr"] else "growth"
        return self._in_points(state, measure) if amount.unit in _POINTS else self._in_per_cent(state, amount, measure)

    def _itself(self, state: State, amount: Amount, measure: Word) -> str | None:
        """ "" where the number is that of the measure: it can be counted so, and stands near or is led to."""
        is_change = self._near(state.moved, amount)  # 增长5亿元 says by how much
        if is_change or not _counts(amount, measure) or self._is_far(state, amount, measure):
            return None
        if not amount.unit and not self._is_beside(amount, measure):
            return None
        is_own = measure.end > state.clause or self._near(state.reached, amount) or state.is_aside
        return "" if is_own or state.clause - measure.end <= 1 else None

    @staticmethod
    def _in_points(state: State, measure: Word) -> str | None:
        """Points of percentage are by how much a ratio changes."""
        mode = state.mode if state.mode in ("growth", "qoq") else "growth" if state.moved >= 0 else None
        return mode if measure.quantity == "ratio" and not state.is_noun else None

    def _in_per_cent(self, state: State, amount: Amount, measure: Word) -> str | None:
        if measure.quantity == "ratio":
            return self._of_ratio(state, amount, measure)
        if measure.quantity in ("multiple", "days", "turns"):
            return None
        is_change = state.moved >= 0 or (amount.is_signed and state.is_aside)
        return state.mode or ("growth" if is_change else None)

    def _of_ratio(self, state: State, amount: Amount, measure: Word) -> str | None:
        """A ratio itself is in per cent: only the words tell it from its growth."""
        reached = self._near(state.reached, amount)
        if state.is_noun or state.mode in ("cagr", "share"):
            return state.mode if state.mode != "share" else None
        if state.mode or state.moved >= 0:
            return "" if reached and state.moved >= 0 else state.mode or "growth"
        return "" if measure.end > state.clause or reached or state.is_aside else None

    def _is_of_another(self, state: State, amount: Amount, measure: Word) -> bool:
        """Whether a number of a later clause is counted in what the measure is not: its growth is another's too."""
        is_absolute = bool(amount.unit) and (amount.unit == "x" or not is_relative(amount.unit))
        return is_absolute and measure.end <= state.clause and not _counts(amount, measure)

    def _is_far(self, state: State, amount: Amount, measure: Word) -> bool:
        """Whether more stands between a measure and its number than verbs, periods and asides: other things, maybe."""
        between = self._text[max(measure.end, state.clause) : amount.start]
        return len(_OTHER_WORDS.sub("", between)) > _MOST_BETWEEN and not self._near(state.reached, amount)

    def _near(self, at: int, amount: Amount) -> bool:
        return at >= 0 and _NEAR.fullmatch(self._text, at, amount.start) is not None

    def _is_beside(self, amount: Amount, measure: Word) -> bool:
        """Whether a number without a unit stands where a multiple or an amount per share is stated."""
        return measure.quantity in _BARE and abs(amount.value) < 1000 and amount.start - measure.end <= 12


def _each_year(periods: Sequence[StatedPeriod]) -> list[StatedPeriod]:
    """The periods of an enumeration, of a run of years each year."""
    if len(periods) == 1 and periods[0].years:
        return [_year(periods[0], year) for year in periods[0].years]
    return list(periods)


def _year(run: StatedPeriod, year: int) -> StatedPeriod:
    first, last = run.first.replace(year=year), run.last.replace(year=year)
    return replace(run, name=str(year), first=first, last=last, years=())


def _counts(amount: Amount, measure: Word) -> bool:
    """Whether a measure can be counted in the unit."""
    unit = amount.unit
    factor, thing = parts_of(unit)
    in_money = bool(unit) and is_money(unit.partition("/")[0])
    fits = {
        "flow": in_money,
        "balance": in_money,
        "per_share": not unit or (in_money and factor == 1),
        "price": not unit or (in_money and factor == 1),
        "multiple": unit in ("", "x"),
        "turns": unit in ("", "次", "x"),
        "days": unit == "天",
        "ratio": False,  # per cent only, which is read elsewhere
        "count": unit not in ("", "x") and not (thing and in_money),
    }
    if measure.id == "metric:unit_price" and factor >= _DEAREST:
        return False
    return fits.get(measure.quantity, unit not in ("", "x"))
