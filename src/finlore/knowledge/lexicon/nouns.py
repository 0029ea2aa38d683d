"""Relations that a noun states: X's supplier is Y, Y is a supplier of X, X's supplier Y, Y was made supplier of X."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.lexicon.roles import HARD, Pair, before, clause_of, topics
from finlore.knowledge.lexicon.shape import P, Shape

_NOT: Final = P[1:-1]
_CLOSE: Final = rf"[^{_NOT}，,；;。]"
"""What may stand between the parts of one phrase."""
_TAKES: Final = "(?:担任|出任|接任|继任|兼任|接替|接棒|履新|升任|获任|充任|任)"
_COPULA: Final = (
    "(?:是|系|(?<![因认称视])为|作为|成为|成了|即|乃|身为|变身|变为|升级为|晋升为|跃升为|跃居|属于|担任|兼任|出任|接任|现任|历任|时任|当选|任"
    "|进入|打入|切入|导入|加入|纳入|入围|跻身|获选|沦为|充当|位列|位居"
    r"|\b(?:is|was|are|were|becomes?|became|remains?|remained|serves? as|served as|as|being|named|appointed|elected)\b"
    r"(?:\s(?:an?|the|one of|its|their)\b)*|,\s(?:an?|the|its|their|one of)\s)"
)
_IS: Final = (
    "(?:主要|分别|目前|现|将|仍|应|也|即|亦|则|依次|均)*(?:为|是|系|有|即|如|指|包括|包含|涵盖|变更为|变为|名为|叫做?)(?:了|：|:)?"
    r"|(?:\bis|\bare|\bwas|\bwere|\bincludes?|\bincluded|\bremains?|\bsuch as|,)"
)
_OWNER = re.compile(
    rf"(?:(?P<x>{P})(?:公司|集团)?(?:['’]s?\b)?|(?P<its>其)的?)(?P<gap>[^{_NOT}，,；;。：:、是系]{{0,16}}?)$"
)
_NO_GAP = re.compile(
    r"纳入|列入|进入|打入|切入|"
    r"[为被由将把向对]|成为|担任|持有|控股了|\b(?:is|are|was|were|being|as|becomes?|became|remains?|has|have)\b"
)
_NAMED = re.compile(
    rf"^(?:公司|企业)?(?:之一|身份|地位)?\s?(?:(?P<is>{_IS})|[—\-“\"‘]+|[：:])?(?:来自)?(?:中国|美国|日本|德国|韩国|法国|英国|\ufffc)?(?:的)?\s?[“\"《]?"
    rf"(?:{P}(?:公司|集团)?(?:的|旗下)[^{_NOT}，,；;。]{{0,10}})?(?P<y>{P})(?(is)(?!的|旗下|公司的|集团的))",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(
    rf"^(?:的)?[^{_NOT}，,；;。、与和向对为由被将把从在及同是有了购股资签投任曾现原]{{1,10}}[“\"《]?(?P<y>{P})"
)
"""X旗下自营品牌Y: nothing but what Y is stands between."""
_CHANGED = re.compile(
    rf"^{_CLOSE}{{0,6}}[由从自]\s?{P}{_CLOSE}{{0,4}}?(?:变更|调整|更换|切换|改|换)[为成]?\s?(?P<y>{P})"
)
_SUCCEEDED = re.compile(
    rf"^(?:的)?(?:职务|一职|职位|席位|之职|职责)?[，,]?\s?(?:并|改|现|后|将|拟)?(?:由|则由)\s?(?P<y>{P}){_CLOSE}{{0,4}}?{_TAKES}"
)
_OF = re.compile(
    rf"^[^{_NOT}.;,]{{0,40}}?\b(?:of|to|for|at|with|against)\s(?:the\s)?(?P<x>{P})"
    rf"(?:[^{_NOT}.;]{{0,12}}?(?:\bis|\bwas|\bare|,)\s(?:the\s)?(?P<y>{P}))?",
    re.IGNORECASE,
)
_ELECTED = re.compile(
    rf"(?:将|把|选定|指定|选择|选举|推选|聘任|聘请|任命|委任|提名|推举|增补|补选|聘|选|appoint(?:s|ed)?|elect(?:s|ed)?|nam(?:es|ed)|hir(?:es|ed))\s?(?P<y>{P})"
    rf"{_CLOSE}{{0,6}}(?:为|{_TAKES}|\bas\b|,)?{_CLOSE}{{0,10}}$",
    re.IGNORECASE,
)
_BY = re.compile(rf"由\s?(?P<y>{P}){_CLOSE}{{0,6}}?{_TAKES}{_CLOSE}{{0,6}}$")
_HAS = re.compile(
    rf"(?P<x>{P}){_CLOSE}{{0,8}}(?:拥有|设有|下设|下辖|控股|控制|参股|\bhas\b|\bhave\b|\bowns\b){_CLOSE}{{0,6}}(?P<y>{P})"
    rf"{_CLOSE}{{0,3}}(?:[\d两三四五六七八九十多数]+\s?[家个大])?[^{_NOT}，,；;。的]{{0,3}}$"
)
_Y_IS = re.compile(
    rf"(?P<y>{P})(?!的|旗下|集团的|公司的)[^{_NOT}；;。]{{0,16}}?{_COPULA}{_CLOSE}{{0,14}}$", re.IGNORECASE
)
_BESIDE = re.compile(rf"(?P<y>{P})[，,]\s?$")
_RANKED = re.compile("全球|国内|中国|世界|行业|领先|龙头|知名|最大|world|leading|largest")
"""The noun is then nobody's: 全球第三大供应商."""
_FAR_COPULA = re.compile(rf"[，,]{_CLOSE}{{0,4}}?{_COPULA}$")

Fits = Callable[[str], bool]


def by_noun(shape: Shape, start: int, end: int, is_it: Fits, has_it: Fits) -> Iterator[Pair]:
    """The pair of a noun at [start, end): who is it (the doer), and whose (the other).

    `is_it` and `has_it` say which letters may be the one and the other. The first frame that fits decides.
    """
    text = shape.text
    hard = max((border.end() for border in HARD.finditer(text, 0, start)), default=0)
    left, right = text[hard:start], text[end : end + 90]
    owner, its = _owner(left, has_it)
    upto = left[: owner.start()] if owner else left
    if its and (far := _FAR_COPULA.search(upto)):  # X holds shares of Y and is its 股东
        named = [p.letter for p in before(text, hard, hard + far.start(), ())]
        if len(named) > 1 and is_it(named[0]) and has_it(named[-1]):
            yield Pair(named[0], named[-1], 0.8)
        return
    x = owner["x"] if owner and owner["x"] else ""
    y, x, sure = _who(_Around(left, upto, right), x, is_it, has_it)
    if not y and x and _FAR_COPULA.search(upto):  # Y is ..., and a 股东 of X
        y, sure = _whose(text, hard, hard + len(upto), x, is_it, its=False), 0.75
    if y and not x:
        x, sure = _whose(text, hard, start, y, has_it, its=its), sure * 0.75
    if y and x and x != y:
        yield Pair(y, x, sure)


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands before a noun, before it and its owner, and behind it."""

    left: str
    upto: str
    right: str


def _who(around: _Around, x: str, is_it: Fits, has_it: Fits) -> tuple[str, str, float]:
    """(who is it, whose it is, the trust in the frame), as letters, "" where the frames do not tell."""
    left, right = around.left, around.right
    of = _OF.match(right) if re.match(r"\s?[A-Za-z]", right) and not x else None
    if of and has_it(of["x"]):
        x = of["x"]
        if of["y"] and is_it(of["y"]):
            return of["y"], x, 0.9
    for frame, place, trust in (
        (_SUCCEEDED, right, 0.85), (_CHANGED, right, 0.9), (_NAMED, "" if of else right, 0.9),
        (_DESCRIBED, right if x else "", 0.7), (_ELECTED, left, 0.85),
        (_BY, left, 0.85), (_HAS, left, 0.85), (_Y_IS, around.upto, 0.9), (_BESIDE, around.upto if x else "", 0.75),
    ):  # fmt: skip
        found = frame.search(place)
        if not found or not is_it(found["y"]) or (found["y"] == x and frame is not _HAS):
            continue
        if frame is _Y_IS and not x and _RANKED.search(found[0]):
            continue
        return found["y"], found["x"] if frame is _HAS and has_it(found["x"]) else x, trust
    return "", x, 0.0


def _owner(left: str, has_it: Fits) -> tuple[re.Match[str] | None, bool]:
    """Who stands before the noun as its owner, and whether it is only 其."""
    owner = _OWNER.search(left)
    if owner is None or _NO_GAP.search(owner["gap"]) or (owner["x"] and not has_it(owner["x"])):
        return None, False
    return owner, bool(owner["its"])


def _whose(text: str, hard: int, start: int, y: str, has_it: Fits, *, its: bool) -> str:
    """The owner that is named elsewhere: of its, the one named last before; else the topic of the clause or of those
    before it."""
    first, _ = clause_of(text, start, start)
    here = [p for p in before(text, hard if its else first, start, ()) if has_it(p.letter) and p.letter != y]
    if its and here:
        return here[-1].letter
    plain = [p for p in here if not p.mark]
    earlier = [p for p in topics(text, first, ()) if has_it(p.letter) and p.letter != y]
    outermost = [p for p in earlier if p.clauses == earlier[-1].clauses]
    return next((p.letter for p in (*plain, *outermost)), "")
