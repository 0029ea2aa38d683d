"""Who does what to whom: the parties of a cue by word order, prepositions and the borders of clauses.

Two constructions carry nearly all relations. A *verb* (收购, supplies) has a doer before it, and what is done to before
or behind it, as prepositions tell. A *noun* (子公司, supplier) is what somebody is to an owner: X's noun is Y, Y is the
noun of X, or X's noun Y.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

from finlore.knowledge.lexicon.shape import P

Mark = Literal["", "agent", "patient", "to", "for", "at", "with", "from", "aside"]

_MARKS: Final[dict[str, Mark]] = {
    **dict.fromkeys(("由", "被", "遭", "遭到", "受", "获", "获得", "得到", "by"), "agent"),
    **dict.fromkeys(("将", "把"), "patient"),
    **dict.fromkeys(("向", "给", "对", "替", "予", "于", "至", "到", "to", "for", "on", "in", "into", "against"), "to"),
    "为": "for",
    **dict.fromkeys(("以", "通过", "根据", "据", "按照", "依托", "凭借", "除了", "除", "随着"), "aside"),
    **dict.fromkeys(("关于", "针对", "through"), "aside"),
    "在": "at",
    **dict.fromkeys(("与", "同", "跟", "和", "携手", "联合", "联手", "with"), "with"),
    **dict.fromkeys(("从", "自", "from"), "from"),
}  # fmt: skip
_LEADING = re.compile(
    r"(?<![经理缘])由(?![于此])|被|遭到?|(?<![接承享感遭])受(?![让托理益])|(?<!收)获得?(?![利批知准悉])|得到|(?<![必或])将|把"
    r"|(?<![转意去志倾方])向|(?<![称认因作成行最更])为(?![了主止])|给|替|(?<![针相应核绝反])对(?![象外内手方比此])"
    r"|(?<!参)与(?![会此])|(?<![共合不相])同(?![时比意样行业方])|跟(?![随进])|(?<![总饱缓温平])和(?![解谐讯])|携手|联合|联手"
    r"|从(?![事而])|(?<![来各])自(?![有身主动营己])|(?<![存现正潜实内所早])在(?!于)|(?<![给授赋])予(?!以)"
    r"|(?<![可所予加足得难])以(?![及来为上下内外前后])|通过|根据|(?<![数依占])据(?![悉称此])|按照|依托|凭借|除了?(?![权息])|随着|关于|针对"
    r"|\b(?:by|to|for|on|into|against|with|from|through)\b",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"^(?:了|过)?\s?(于|至|给|自|向|到|予|by|to|for|on|in|into|against|with|from)(?![a-z])", re.IGNORECASE
)
_CLAUSE = re.compile(r"[，,；;：:。！？!?]|\||\b(?:while|whereas|but)\b")
PARTY = re.compile(P)
HARD = re.compile(r"[；;。！？!?]|\|")
_OWNER = re.compile(
    "^(?:公司|集团|方面)?(?:所|合计|分别|间接|直接|共同|共)*(?:持有|持|拥有|控制|旗下|下属|控股|所属|参股)?的?[^，,；;。、]{0,8}$"
)
_NO_OWNER = re.compile("面临|需|[是为系有与由被向将对给]")
_LIST_GOES_ON = re.compile("^(?:公司|集团)?(?:、|以及|及)|(?:、|以及)$")
_ONLY_OWNER = re.compile("(?:公司|集团)?(?:所|合计|分别|间接|直接|共同)*(?:持|拥有|旗下|下属|全资子|控股子|子公司)")
_GENITIVE = re.compile(r"^(?:公司|集团)?(?:所持|持有|旗下|下属|所属|控股|全资|控制|拥有|的|之|子公司|['’]s?\b)")
_FAR: Final = 34
_FAR_BEFORE: Final = 60
"""How far before its verb a party may stand: run-on text without punctuation is no statement."""
_EARLIER: Final = 4
_NEAR: Final = 12  # characters between a preposition and its party
_ELSE = re.compile(
    "[并]|建设|建立|建成|用于|形成|赶赴|参与|通过|预计|导致|表示|成为|称|因|而|但|后[，,]"
    r"|\b(?:and then|which|that|after|before|because|said|says)\b"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A party letter at `at` of the shape, how a preposition marks it, and how many clauses before the cue it is."""

    letter: str
    at: int
    mark: Mark = ""
    clauses: int = 0


@dataclass(frozen=True, slots=True)
class Pair:
    """Doer and other of a cue, as letters; `other` is empty where doers in one list do it to each other. `sure` is the
    trust in the construction, 0 to 1."""

    doer: str
    other: str
    sure: float


def mark_of(word: str) -> Mark:
    """How a preposition marks the party behind it; "" where the word is none."""
    return _MARKS.get(word, "")


def leading_mark(gap: str) -> Mark:
    """How the last preposition of the words right before a party marks it."""
    found = list(_LEADING.finditer(gap))
    return _MARKS[found[-1][0].lower()] if found and len(gap) - found[-1].end() <= _NEAR else ""


def clause_of(text: str, start: int, end: int) -> tuple[int, int]:
    """The borders of the clause around [start, end)."""
    borders = _borders(text)
    number = bisect_right(borders, start)
    first = borders[number - 1]
    return first, next((border - 1 for border in borders[number:] if border > end), len(text))


@lru_cache(maxsize=16)
def _borders(text: str) -> tuple[int, ...]:
    """Where clauses begin."""
    return (0, *(border.end() for border in _CLAUSE.finditer(text)))


def before(text: str, start: int, cue: int, verbs: Sequence[int], clauses: int = 0) -> list[Place]:
    """The parties of a clause that begins at `start`, up to the cue, owners of other parties left out.

    A preposition marks the next party unless one of the verbs (places in the text) stands between them.
    """
    places: list[Place] = []
    last = start
    for found in PARTY.finditer(text, start, cue):
        at = found.start()
        gap = text[last:at]
        mark: Mark = ""
        for preposition in _LEADING.finditer(gap):
            ends = last + preposition.end()
            if at - ends <= _NEAR and not any(ends <= verb < at for verb in verbs):
                mark = _MARKS[preposition[0].lower()]
        if places and not mark and _LIST_GOES_ON.search(gap):
            mark = places[-1].mark
        if (
            places
            and not mark
            and _GENITIVE.match(gap)
            and _OWNER.match(gap)
            and not _NO_OWNER.search(gap.replace("持有", ""))
        ):
            places[-1] = Place(found[0], at, places[-1].mark, clauses)
        else:
            places.append(Place(found[0], at, mark, clauses))
        last = at + 1
    return [place for place in places if place.at >= cue - _FAR_BEFORE]


def behind(text: str, cue: int, end: int, verbs: Sequence[int]) -> list[Place]:
    """The parties of the clause behind a cue that it may still govern, owners of other parties left out."""
    places = [
        place
        for place in before(text, cue, end, verbs)
        if place.at - cue <= _FAR
        and not any(cue < verb < place.at - 1 for verb in verbs)
        and not _ELSE.search(text[cue : place.at])
    ]
    if places and _ONLY_OWNER.match(text, places[0].at + 1):  # 收购A持有的 something without a name
        return places[1:]
    trailing = _TRAILING.match(text[cue:end])
    if places and trailing:
        places[0] = replace(places[0], mark=_MARKS[trailing[1].lower()])
    return places


def topics(text: str, start: int, verbs: Sequence[int]) -> Iterator[Place]:
    """Parties of earlier clauses of the sentence that go on as the doer, the nearest clause first: what begins one,
    before any verb and without a preposition."""
    borders = _borders(text)
    borders = borders[: bisect_right(borders, start)]
    for clauses in range(1, min(len(borders), _EARLIER + 1)):
        first, last = borders[-clauses - 1], borders[-clauses]
        if text[last - 1] in "。！？!?|":
            return
        head = next(iter(before(text, first, last, verbs, clauses)), None)
        if head and not head.mark and not any(first <= verb < head.at for verb in verbs):
            yield head
