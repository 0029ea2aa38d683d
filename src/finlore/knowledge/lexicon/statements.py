"""The figures that a sentence states: which measure, of what, when, how much. Pure functions on normalised text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finlore.intake.tables.units import is_relative, parts_of
from finlore.knowledge.lexicon.amounts import Amount, find_amounts
from finlore.knowledge.lexicon.english_statements import english_statements
from finlore.knowledge.lexicon.measure_words import Word, counts, find_words
from finlore.knowledge.lexicon.period import StatedPeriod, run_between, year_within
from finlore.knowledge.lexicon.statement_state import (
    CARRIED,
    SIZE,
    Bracket,
    Place,
    SentenceText,
    State,
    Statement,
    Token,
)
from finlore.knowledge.lexicon.topics import split_topics, topic_of
from finlore.language.normal import has_han

_FARTHEST: Final = 48  # characters between a measure and its number
_JOINT: Final = re.compile(r"\s?(?:[、/\\和及与,]|以及|and)\s?")
_ALL: Final = re.compile(r"均|都|both|各")
_FROM: Final = re.compile(r"(?:由|从|from)\s?(?:约|的)?\s?$")
_OF_A_RUN: Final = re.compile(r"年均|每年|平均|累计|合计|总计|共|annual|average|total")
_MAY_BE_BELOW: Final = re.compile(
    r"profit|ebit|eps|flow|change|income|gain|surplus|debt|growth|margin|ro[ae]|return|yield"
)
"""The measures, by their ids, that may be below nought."""
_PER_PIECE: Final = re.compile(
    r"(?:规格|折合|换算|折算|相当于|每)[^,。;()]{0,3}$"
)  # what pieces are counted as: 规格换算/250IU
_PIECE_BEHIND: Final = re.compile(r"(?:/[^\s,。;()\d]{1,2})?(?:的?规格|折算|换算|计算)")
_LISTED: Final = re.compile(r"\s?(?:[、;和及]|,\s?(?P<among>其中)|(?P<comma>,))\s?(?P<name>[^\d、,;。:()%]{2,20})")
_MEASURE_LIKE: Final = re.compile(r"[率额量值价数费润本款债入产速幅比]$|利润|收入|占|增|减|升|降|涨|跌")
_PREDICATE: Final = re.compile(r"是|为|占|分别|等|成为|有望|同比|环比|均|中,|中(?=[^、]*$)|of|are")
_MOST_CLAUSES: Final = 3  # back to where an enumeration of names may stand
_LABELLED: Final = re.compile(r"[\s\d.、■➢◆●•)]*(?P<label>[^\d\s:、,。;][^:,。;]{0,15}):")
_RISEN_TO: Final = re.compile(r"(?:[增升涨长加高降少跌落扩]|grow|increase|rise)[^,;]{0,4}(?:至|到|to)\s?约?\s?$")
_NEAR: Final = re.compile(
    r"\s?(?:约|近|超过|超|逾|高达|仅|了|不足|不到|以|的|人民币|about|approximately|roughly|over|nearly|by|a|\s){0,3}"
)
_OTHER_WORDS: Final = re.compile(
    r"[^\u3400-\u9fff]|分别|达到|实现|合计|总计|规模|预计|有望|约|为|达|至|的|将|共|均|由|从"
)
_LOSS: Final = re.compile(
    r"亏损(?:额|总额|金额)?(?:大幅|小幅|同比)?(?:(?:收窄|缩小|缩窄|减少|扩大|增加)(?:至|到))?(?:了|为|达到?|约|近|超过?|高达|人民币|\s)*$"
)
_NEXT_TO: Final = 3  # characters between a word that only there names a measure and the number
_MOST_BETWEEN: Final = 8
_NAMED_BEHIND: Final = re.compile(
    r"\s?(?:左右|以上|以下|上下)?的?(?:速度|幅度)?(?:高速|快速)?(?:年均)?(?P<cagr>复合|年复合)?(?:同比)?(?:的)?(?:增长|增速|增幅|(?P<fall>下降|降幅|下滑|跌幅))(?!至|到)"
    r"|\s(?:yoy\s)?(?:(?P<rise>growth|increase|rise)|(?P<loss>decline|drop|decrease))\b"
)
_SHARE: Final = "metric:market_share"
_POINTS: Final = frozenset({"pct", "bps"})
_BARE: Final = frozenset({"multiple", "per_share", "turns"})
_YEARLY: Final = frozenset({"growth", "qoq", "cagr"})


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
    amounts = [each for each in find_amounts(text) if not (_touches(each, taken) or _is_of_pieces(text, each))]
    if not amounts:
        return []
    starts = [amount.start for amount in amounts]
    words = [word for word in words if word.kind != "near" or any(0 <= at - word.end <= _NEXT_TO for at in starts)]
    words = [replace(word, kind="measure") if word.kind == "near" else word for word in words]
    words = [word for word in words if not _touches(word, [*taken, *((a.start, a.end) for a in amounts)])]
    if not has_han(text):
        return list(english_statements(text, words, periods, amounts, carried=carried))
    brackets = [Bracket(*match.span(), match.group() == "(") for match in re.finditer(r"[()]", text)]
    brackets = [bracket for bracket in brackets if not _touches(bracket, [(a.start, a.end) for a in amounts])]
    tokens: list[Token] = sorted((*words, *periods, *amounts, *brackets), key=lambda token: token.start)
    return list(_Reader(SentenceText(text, tokens)).read(0, len(tokens), _beginning(text, carried, before)))


def _beginning(text: str, carried: StatedPeriod | None, before: Statement | None) -> State:
    """What is in mind before the first word: the measure of the sentence before, of what the label of this one says."""
    state = State(periods=[carried] if carried else [])
    if before is not None:
        label = _LABELLED.match(text)
        topic = topic_of(label["label"]) if label else ""
        state.measures, state.topic = [replace(before.measure, start=CARRIED, end=CARRIED)], topic or before.topic
        if before.counted is not None:
            measure = replace(before.counted.measure, start=CARRIED, end=CARRIED)
            state.counted = Place(measure, None, topic or before.counted.topic)
    return state


def _is_of_pieces(text: str, amount: Amount) -> bool:
    """Whether an amount says what pieces are counted as, not how many there are."""
    before = _PER_PIECE.search(text, max(0, amount.start - 8), amount.start)
    return before is not None or _PIECE_BEHIND.match(text, amount.end) is not None


def _touches(token: Token, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start < token.end and token.start < end for start, end in spans)


@dataclass(slots=True)
class _Last:
    """What the last number belongs to and where it ends; what it stated; where what brackets add to it ends."""

    place: Place | None = None
    place_end: int = 0
    stated: Statement | None = None
    end: int = 0


class _Reader:
    """Reads a sentence from left to right."""

    def __init__(self, sentence: SentenceText) -> None:
        self._sentence, self._text, self._tokens = sentence, sentence.text, sentence.tokens

    def read(self, at: int, stop: int, state: State) -> Iterator[Statement]:
        """The statements of tokens `at` to `stop`."""
        last = _Last()
        while at < stop:
            token = self._tokens[at]
            self._sentence.cross_borders(state, token.start)
            if isinstance(token, Amount):
                group = self._group(at, stop)
                yield from self._numbers(state, group, last)
                at = group[-1]
            elif isinstance(token, Bracket):
                close = self._close(at, stop) if token.opens else at
                follows = last.place is not None and not self._text[last.place_end : token.start].strip()
                is_of_unknown = not (follows or state.is_aside) and self._is_behind_number(at)
                if close > at and not is_of_unknown:
                    yield from self.read(
                        at + 1, close, state.inside_bracket(token.end, last.place if follows else None)
                    )
                at, last.end = close, self._tokens[close].end
            elif isinstance(token, StatedPeriod):
                self._sentence.note_period(state, at, token)
            else:
                self._sentence.note_word(state, at, token)
            at += 1

    def _numbers(self, state: State, group: Sequence[int], last: "_Last") -> Iterator[Statement]:
        """What the numbers of an enumeration state, and the brackets between them."""
        at = group[0]
        for number, belongs in zip(group, self._places(state, group), strict=False):
            if number != at:
                yield from self.read(at, number, state.inside_bracket(self._tokens[at].start, last.place))
            amount, place = self._tokens[number], belongs
            assert isinstance(amount, Amount)  # a group holds numbers alone
            listed = self._in_list(state, last, amount) if len(group) == 1 else None
            said = [listed] if listed else list(self._statement(state, amount, place, n=len(group)))
            if listed is not None:
                place, state.topic = Place(listed.measure, listed.period, listed.topic), listed.topic
            yield from said
            last.place, last.place_end, last.end = place, amount.end, amount.end
            last.stated = said[-1] if said else None
            if place and self._is_of_another(state, amount, place.measure):
                state.measures = []
            at = number + 1

    def _is_behind_number(self, at: int) -> bool:
        before = self._tokens[at - 1] if at else None
        return isinstance(before, Amount) and not self._text[before.end : self._tokens[at].start].strip()

    def _in_list(self, state: State, last: "_Last", amount: Amount) -> Statement | None:
        """What the next of a list of names and numbers states: 甲批签发3万瓶(+5%)、乙2万瓶."""
        stated = last.stated
        if stated is None or stated.amount.unit != amount.unit or not amount.unit:
            return None
        if not state.measures or state.measures[-1] != stated.measure:
            return None
        listed = _LISTED.fullmatch(self._text[last.end : amount.start])
        if listed is None or _MEASURE_LIKE.search(listed["name"]) or (listed["comma"] and not stated.is_listed):
            return None
        topic = topic_of(listed["name"])
        return replace(stated, value=amount.value, amount=amount, topic=topic, is_listed=True) if topic else None

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
        if n == 1:
            return self._place_of_one(state, group[0])
        years = _each_year(state.periods)
        lists: list[tuple[int, list[Place | None]]] = []
        if len(years) == n and len(measures) == 1:
            lists.append((state.periods[-1].end, [Place(measures[0], year, state.topic) for year in years]))
        if len(measures) == n:
            period = state.periods[-1] if state.periods else None
            lists.append((measures[-1].end, [Place(measure, period, state.topic) for measure in measures]))
        if lists:
            return max(lists, key=lambda entry: entry[0])[1]
        if recent := self._given_before(state, group):
            return recent
        period = state.periods[-1] if len(state.periods) == 1 else None
        topics = split_topics(state.words, n) if len(measures) == 1 else ()
        topics = topics or (state.topics if len(state.topics) == n and (state.is_carried or not state.topic) else ())
        state.topics = topics = topics or self._names_before(group)
        return [Place(measures[0], period, topic) for topic in topics] or [None] * n

    def _place_of_one(self, state: State, at: int) -> list[Place | None]:
        """What a single number belongs to: the next of several measures or topics where each has its own in turn."""
        measures, turn = state.measures, state.turn
        if (len(measures) > 1 or len(state.topics) > 1) and self._says_in_turn(state, self._tokens[at]):
            state.turn += 1
            if len(measures) > 1:
                return [Place(measure, state.last_single, state.topic) for measure in measures[turn : turn + 1]]
            return [Place(measures[0], state.single(), topic) for topic in state.topics[turn : turn + 1]]
        return [Place(measures[-1], self._in_brackets(at) or state.single(), state.topic)]

    def _given_before(self, state: State, group: Sequence[int]) -> list[Place | None]:
        """What the single numbers before belong to, where these are as many and say how each of them grew."""
        distinct = {(place.measure.id, place.topic) for place in state.given}
        is_growth = (state.mode in _YEARLY or state.moved >= 0) and self._tokens[group[0]].start > state.clause
        if not len(group) == len(state.given) == len(distinct) or not is_growth:
            return []
        amounts = [token for number in group if isinstance(token := self._tokens[number], Amount)]
        return list(state.given) if all(amount.unit == "%" for amount in amounts) else []

    def _names_before(self, group: Sequence[int]) -> tuple[str, ...]:
        """The names that the clause of an enumeration of numbers lists, or one of the clauses before it."""
        end = self._tokens[group[0]].start
        if "分别" not in self._text[max(0, end - 16) : end]:
            return ()
        for _ in range(_MOST_CLAUSES):
            begin = self._sentence.border(end - 1) if end else 0
            clause = self._text[begin:end].strip(",;:。")
            cut = _PREDICATE.search(clause)
            if names := split_topics(clause[: cut.start()] if cut else clause, len(group)):
                return names
            end = begin - 1
            if end <= 0:
                break
        return ()

    def _says_in_turn(self, state: State, amount: Token) -> bool:
        """Whether several measures get their numbers one by one: 分别增长20%、下降3%."""
        return "分别" in self._text[max(state.clause, 0) : amount.start]

    def _in_brackets(self, at: int) -> StatedPeriod | None:
        """The period that stands in a bracket right behind a number: 24.51亿元(2018年)."""
        opening, period, closing = (*self._tokens[at + 1 : at + 4], None, None, None)[:3]
        if not (isinstance(opening, Bracket) and isinstance(period, StatedPeriod) and isinstance(closing, Bracket)):
            return None
        text = self._text
        gaps = text[self._tokens[at].end : opening.start] + text[opening.end : period.start]
        return None if (gaps + text[period.end : closing.start]).strip() else period

    def _one_period(self, state: State, amount: Amount, derived: str) -> StatedPeriod | None:
        """The period of a single number: of a run of years the run itself where the number is said of all of them, the
        first or last of them where the words say from or to."""
        if not state.periods:
            return None
        period = state.periods[-1]
        earlier = state.since or (state.given[-2].period if len(state.given) > 1 else None)
        if derived == "cagr" and earlier is not None and not period.years:
            return run_between(earlier, period)
        before = self._text[max(0, amount.start - 14) : amount.start]
        if not (period.years or derived) and period.end <= amount.start and _FROM.search(before):
            return None  # 从10亿元增至15亿元: before the period of the sentence
        if not period.years or derived in _YEARLY:
            return period
        year = period.years[-1] if _RISEN_TO.search(before) else period.years[0] if _FROM.search(before) else None
        if year:
            return year_within(period, year)
        is_of_all = amount.unit.endswith("/年") or _OF_A_RUN.search(self._text, period.end, amount.start)
        return period if is_of_all else state.single()

    def _statement(self, state: State, amount: Amount, place: Place | None, *, n: int) -> Iterator[Statement]:
        if place is None:
            return
        place = self._meant(state, amount, place)
        if place is None:
            return
        places = [place]
        if n == 1 and len(state.measures) > 1 and not self._says_in_turn(state, amount):
            between = self._text[state.measures[-1].end : amount.start]
            places = [replace(place, measure=each) for each in state.measures] if _ALL.search(between) else []
        for each in places:
            derived = self._derived(state, amount, each.measure)
            if derived is None:
                continue
            period = each.period
            if n == 1 and period is state.single():
                period = self._one_period(state, amount, derived)
            elif period and period.years and derived not in _YEARLY:
                continue
            value = self._value(state, amount, each.measure, derived)
            is_forecast = state.is_forecast or bool(period and period.basis == "forecast")
            if n == 1 and not derived:
                state.given = (*state.given, replace(each, period=period))
            measure, derived = _known_as(each.measure, derived)
            yield Statement(
                measure, derived, value, amount, period, each.topic, state.words, is_forecast, state.is_carried,
                state.counted,
            )  # fmt: skip

    @staticmethod
    def _meant(state: State, amount: Amount, place: Place) -> Place | None:
        """The place; that of the last amount where growth in per cent comes behind a ratio of another period, which
        moves by points; None where there was no amount."""
        is_level = state.moved >= 0 and state.reached >= 0
        if place.measure.quantity != "ratio" or amount.unit != "%" or state.is_noun or is_level or state.is_aside:
            return place
        is_past = place.measure.start == CARRIED or bool(state.periods and state.periods[-1].start >= state.clause)
        if state.mode not in ("growth", "qoq") or not is_past or place.measure.end > state.clause:
            return place
        counted = state.counted
        return replace(place, measure=counted.measure, topic=counted.topic) if counted else None

    def _falls(self, state: State, amount: Amount) -> bool:
        """Whether the number says by how much something fell; 增速下降至 leads to what is still a rise."""
        to = state.is_noun and state.moved >= 0 and self._near(state.reached, amount)
        return state.direction < 0 and not to

    def _value(self, state: State, amount: Amount, measure: Word, derived: str) -> float:
        """The number, below nought where the words say that something fell by it, or that it is a loss."""
        named = _NAMED_BEHIND.match(self._text, amount.end)
        if derived in _YEARLY:
            falls = amount.value > 0 and not amount.is_signed and self._falls(state, amount)
            return -abs(amount.value) if falls or (named and named["fall"]) else amount.value
        may_be_lost = not derived and _MAY_BE_BELOW.search(measure.id)
        is_loss = may_be_lost and _LOSS.search(self._text, max(measure.end, 0), amount.start)
        return -abs(amount.value) if is_loss else amount.value

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
        if is_change or not counts(measure, amount.unit) or self._is_far(state, amount, measure):
            return None
        if amount.value < 0 and not amount.is_signed and not _MAY_BE_BELOW.search(measure.id):
            return None  # a number in brackets
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
        if state.mode == "share":
            return "" if measure.id == _SHARE else None
        if state.is_noun or state.mode == "cagr":
            return state.mode
        if state.mode or state.moved >= 0:
            return "" if reached and state.moved >= 0 else state.mode or "growth"
        return "" if measure.end > state.clause or reached or state.is_aside else None

    def _is_of_another(self, state: State, amount: Amount, measure: Word) -> bool:
        """Whether a number of a later clause is counted in what the measure is not: its growth is another's too."""
        is_absolute = bool(amount.unit) and (amount.unit == "x" or not is_relative(amount.unit))
        return is_absolute and measure.end <= state.clause and not counts(measure, amount.unit)

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
        return [year_within(periods[0], year) for year in periods[0].years]
    return list(periods)


def _known_as(measure: Word, derived: str) -> tuple[Word, str]:
    """A share of the size of a market is a market share, whichever words say it."""
    is_share = measure.id == SIZE and derived == "share"
    return (replace(measure, id=_SHARE, quantity="ratio"), "") if is_share else (measure, derived)
