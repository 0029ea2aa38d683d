"""What a sentence says that happened: cues of the schema, and measures that move, each with its sign.

Here nothing is known of parties, time or causes. What is only supposed, a risk, or denied without being the opposite
did not happen.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from finlore.knowledge.lexicon.clauses import Clauses
from finlore.knowledge.lexicon.frames import frame_of
from finlore.knowledge.lexicon.wordings import Match
from finlore.records.schema import EventType

Found = dict[str, list[Match]]
_HAN_REACH: Final = 4  # characters between a negation and what it denies
_LATIN_REACH: Final = 24
_FAR_MEASURE: Final = 60
_NOUN_REACH: Final = 12
_TOUCHES: Final = 12  # characters between a measure and the move that is surely its own
_BARE: Final = re.compile(
    r"(?:其中|分别|各|均|且|并|合计|累计|单季度?|环比|同比|同增|较[^，,]{0,12}|比[^，,]{0,10}|yoy|qoq|an?\b|\s|[+\-]|约|大幅|小幅|略|有所|明显)*",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r"(?:了|的|其|公司|产品|整体|综合|生产|运营|经营|自身|in\b|of\b|the\b|its\b|our\b|their\b|net\b|gross\b|total\b|quarterly\b|annual\b|interim\b|full-year\b|cash\b|\s)*",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(
    r"影响|背景下|情况下|压力下|环境下|\band\s(?!then|also|has|have|was|were)(?:(?![\w-]+ly\b)[\w-]+\s){1,3}$"
)
"""What stands between a measure and the move of another: 在需求受影响的背景下收入仍增长."""
_JOINTS: Final = frozenset({"、", "和", "及", "与", "/", "以及", "and", "&"})
_UNDOES: Final = frozenset({"终止", "取消", "放弃", "暂停", "停止", "中止", "撤回", "叫停", "ceased to"})
STATES: Final = frozenset(
    {"performance", "profit", "earning", "has_changed", "consumption", "capacity_adjustment", "lower_cost", "income"}
)
"""Types of events whose denial says the opposite; of a deed it only says that there was none."""
_COUNTS = re.compile(r"\D{0,4}\d")
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Happening:
    """The words at [start, end) say that `event` happened; `sign` is +1 good, -1 bad, 0 neither.

    `about_at` is where to look for whom it is about: the place of its measure, else its own; `metric` what moves.
    """

    start: int
    end: int
    event: EventType
    sign: int
    about_at: int
    metric: str = ""
    moves: bool = False
    swaps: bool = False
    is_expected: bool = False
    has_number: bool = False

    def is_of(self, measure: Match) -> bool:
        """Whether this is what a measure does."""
        return self.moves and measure.start == self.about_at and measure.owner.metric == self.metric


def happenings_in(text: str, clauses: Clauses, found: Found) -> list[Happening]:
    """What happened by a sentence, from left to right, of each type one a clause, but every deal."""
    supposed = min((clauses.number(match.start) for match in found.get("supposed", ())), default=len(text))
    moved = list(_moved(text, clauses, found))
    kept: dict[tuple[int, str, str], Happening] = {}
    for happening in sorted([*_told(text, clauses, found, moved), *moved], key=lambda h: (h.start, h.end)):
        number = clauses.number(happening.start)
        first, last = clauses.span(number)
        if number >= supposed or _any_in(found.get("risk", ()), first, last):
            continue
        expected = _any_in(found.get("expected", ()), clauses.span(max(number - 1, 0))[0], happening.start)
        has_number = _NUMBER.search(text, happening.end, min(last, happening.end + 20)) is not None
        known = replace(happening, is_expected=expected, has_number=has_number)
        words = text[known.start : known.end]
        kept.setdefault((number, happening.event.id, words if not known.moves and frame_of(words) else ""), known)
    deals = {(number, event) for number, event, words in kept if words}
    return [known for (number, event, words), known in kept.items() if words or (number, event) not in deals]


def _any_in(matches: Sequence[Match], start: int, end: int) -> bool:
    at = bisect_left(matches, start, key=lambda match: match.start)
    return at < len(matches) and matches[at].start < end


def _told(text: str, clauses: Clauses, found: Found, moved: Sequence[Happening]) -> Iterator[Happening]:
    """What cues say; a cue that is only a movement (大幅增长) gives way to the measure that makes it."""
    for match in found.get("event", ()):
        event = match.owner.event
        if event is None or _is_inside(found.get("measure", ()), match) or _is_moved(text, moved, match):
            continue
        sign = match.owner.sign * _turn(clauses, found, match)
        denials = _denials(text, clauses, found, match)
        if len(denials) % 2:
            if not sign or (event.id not in STATES and not _UNDOES.intersection(denials)):
                continue
            sign = -sign
        yield Happening(match.start, _word_end(text, match.end), event, sign, match.start, swaps=match.cue.swaps)


def _is_inside(measures: Sequence[Match], match: Match) -> bool:
    """Whether a cue is only a part of the name of a measure: 利率 in 毛利率."""
    length = match.end - match.start
    return any(m.start <= match.start and match.end <= m.end and m.end - m.start > length for m in measures)


def _is_moved(text: str, moved: Sequence[Happening], match: Match) -> bool:
    """Whether a cue is the move of a measure before it, or in English what moves: a net loss narrowed."""
    if any(m.about_at == match.start for m in moved) and text[match.start].isascii():
        return True
    return any(m.start < match.end and match.start < m.end and m.about_at < match.start for m in moved)


def _turn(clauses: Clauses, found: Found, match: Match) -> int:
    """-1 where what the cue names goes down, or a bad thing gets better: 研发投入下降, 疫情好转."""
    _, last = clauses.span(clauses.number(match.start))
    moves = (move for role in ("move", "judged") for move in found.get(role, ()))
    behind = [move for move in moves if match.end <= move.start < min(last, match.end + 5)]
    first = min(behind, key=lambda move: move.start, default=None)
    if first is None or _any_in(found.get("measure", ()), match.end, first.end + 5):
        return 1
    return first.owner.sign * (match.owner.sign or 1) if first.owner.role == "judged" else first.owner.sign


def _denials(text: str, clauses: Clauses, found: Found, match: Match) -> list[str]:
    """The negations just before a wording in its clause, and those within its gap."""
    first, _ = clauses.span(clauses.number(match.start))
    reach = _LATIN_REACH if text[match.start].isascii() else _HAN_REACH
    return [
        text[denial.start : denial.end].lower()
        for denial in found.get("negation", ())
        if (first <= denial.start and denial.end <= match.start <= denial.end + reach)
        or match.head_end <= denial.start < match.end
    ]


def _moved(text: str, clauses: Clauses, found: Found) -> Iterator[Happening]:
    """What measures do."""
    measures = found.get("measure", ())
    moves = sorted((*found.get("move", ()), *found.get("judged", ())), key=lambda move: move.start)
    of_cues = [
        cue for cue in found.get("event", ()) if any(cue.start <= m.start and m.end <= cue.end for m in measures)
    ]
    used = -1
    for move in moves if measures else ():
        if any(cue.start < move.end and move.start < cue.end for cue in of_cues) or _is_noun(found, moves, move):
            continue
        chosen = _movers(text, clauses, measures, move, used)
        if not chosen:
            continue
        used = move.end
        derived = [d for d in found.get("derived", ()) if chosen[-1].start <= d.start and d.end <= move.start]
        turned = -1 if len(_denials(text, clauses, found, move)) % 2 else 1
        for measure in chosen:
            if measure.owner.event is not None:
                sign = turned * _sign(measure, move, derived[-1] if derived else None)
                yield Happening(
                    move.start,
                    _word_end(text, move.end),
                    measure.owner.event,
                    sign,
                    measure.start,
                    measure.owner.metric,
                    moves=True,
                )


def _is_noun(found: Found, moves: Sequence[Match], move: Match) -> bool:
    """Whether a move is what moves itself: growth slowed, 降幅收窄."""
    is_derived = any(noun.start == move.start for noun in found.get("derived", ()))
    return is_derived and any(move.end <= other.start <= move.end + _NOUN_REACH for other in moves)


def _word_end(text: str, end: int) -> int:
    """Where the latin word ends whose beginning is a cue."""
    while end < len(text) and text[end].isascii() and text[end].isalpha() and text[end - 1].isascii():
        end += 1
    return end


def _sign(measure: Match, move: Match, derived: Match | None) -> int:
    if move.owner.role == "judged":
        return move.owner.sign
    return measure.owner.sign * move.owner.sign * (derived.owner.sign if derived else 1)


def _movers(text: str, clauses: Clauses, measures: Sequence[Match], move: Match, used: int) -> Sequence[Match]:
    """The measures that move: the last before it in its clause with those in one list with it, or the one just behind
    it, else the last one of the clause before, where this one says no more than 同比."""
    number = clauses.number(move.start)
    first, last = clauses.span(number)
    since = max(first, used, move.start - _FAR_MEASURE)
    before = [
        m for m in measures if since <= m.start and m.end <= move.start and not _AGAINST.search(text, m.end, move.start)
    ]
    behind = next((m for m in measures if move.end <= m.start < min(last, move.end + 24)), None)
    is_near = before and move.start - before[-1].end <= _TOUCHES
    if behind is not None and not is_near and _BEHIND.fullmatch(text, _word_end(text, move.end), behind.start):
        return [behind]
    if before:
        return _listed(text, before)
    says_no_more = _BARE.fullmatch(text, first, move.start) and (move.start > first or _COUNTS.match(text, move.end))
    if number and says_no_more:
        earliest = number - 1 if text[move.start] > "z" else max(number - 2, 0)  # March 31, 2023, was ..., up 5%
        return [m for m in measures if clauses.span(earliest)[0] <= m.start < first][-1:]
    return []


def _listed(text: str, before: Sequence[Match]) -> Sequence[Match]:
    """The last measure and those in one list with it: 收入和利润."""
    first = len(before) - 1
    while first and text[before[first - 1].end : before[first].start].strip() in _JOINTS:
        first -= 1
    return before[first:]
