"""Who and what take part in a deal or a proceeding: pledge, purchase, sale, lawsuit, tender, contract, guarantee …

Parties are names where naming found some, else the words that stand where a name would: 收购某某公司60%股权.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from finlore.graph.shipped import word_list
from finlore.knowledge.lexicon.clauses import Clauses
from finlore.knowledge.lexicon.cues import CueMatcher
from finlore.knowledge.lexicon.time_frames import TimeFrame
from finlore.knowledge.sentences import Named
from finlore.language.normal import HAN, fold
from finlore.records.fact import Party
from finlore.records.schema import Cue
from finlore.resources import load_rows, load_toml

PARTIES: Final = frozenset(
    {"security", "company", "person", "broker", "rating_agency", "organisation", "name", "regulator", "exchange"}
)
_ABOUT: Final = r"(?:不超过|不低于|不少于|不高于|约|超过|超|近|逾|至少)?\s?"
_MONEY = re.compile(
    rf"{_ABOUT}(?:人民币)?(?<![\d.])\d[\d,]*(?:\.\d+)?\s?(?:[百千]?[万亿]|万亿)?\s?(?:美元|港元|港币|欧元|日元|英镑|元)(?![/每/]\s?股)(?:人民币)?"
    r"|(?:US\$|HK\$|RMB|USD|\$|€|£)\s?\d[\d,.]*\d?\s?(?:bn|billion|mn|million|m\b|k\b|trillion)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"{_ABOUT}(?<![\d.])\d[\d,]*(?:\.\d+)?\s?(?:[百千]?[万亿])?(?=\s?股)|\d[\d,]*(?:\.\d+)?\s?(?:million|billion)?(?=\sshares)"
)
_PROPORTION = re.compile(rf"{_ABOUT}(?<![\d.])\d+(?:\.\d+)?\s?[%％]")
_COLLATERAL = re.compile(
    r"(?:限售|流通|普通|A|B|H)?(?<!所持)(?<!所持有)(?:股权|股份|股票|资产|债券|债权|可转债|房产|土地使用权)|(?<=[\d万亿])\s?股(?!本|东|价|权|份|票)"
)
_COURT = re.compile(
    rf"[{HAN}()（）]{{0,18}}?(?:人民法院|法院|中院|高院|仲裁委员会|仲裁院|仲裁庭|检察院)|\b(?:[A-Z]\w+\s)*Court\b(?:\sof\s\w+)?"
)
_OFFICE = re.compile(
    r"(?:副|执行)?(?:董事长|总经理|总裁)|控股股东|实际控制人|大股东|(?<!控)(?<!大)股东|独立董事|董事(?!会)|监事(?!会)|高级管理人员|高管|财务总监|董事会秘书|董秘"
)
_WAY = re.compile(
    r"换股|集中竞价(?:交易)?|大宗交易|协议转让|(?:以)?现金(?:方式)?|发行股份|连带责任(?:保证)?|要约(?=收购)|公开挂牌"
)
_MARK = re.compile(
    r"(?:^|.)(?P<to>(?<!方)向|对(?!外|于)|给(?!予)|为(?!了|止)|替)[^，,。；;]{0,4}$|(?P<by>由|被|遭)(?:了)?[^，,。；;]{0,3}$|(?P<with>与|和|同(?!比|时)|跟|携手|及|、)[^，,。；;]{0,4}$"
    r"|(?P<of>从|(?<!存)在(?!建))[^，,。；;]{0,3}$|\b(?:(?P<en_to>to|for|against)|(?P<en_by>by)|(?P<en_with>with|and)|(?P<en_of>from))\s(?:the\s)?$"
)
_HOLDER = re.compile(
    r"(?:质权人|质押方|质押给|质押至|抵押给|受让方|交易对方|收购方|买受人|竞得人|招标人|招标方|被告|被担保人|债权人)[^，,。；;]{0,3}?(?:为|是|系|给|:|：|人)?\s?"
)
_LEAD = re.compile(
    r"^(?:[^，,]{0,14}?(?:公告|表示|称|显示|消息|报道|披露|获悉)[,，:：]?|最终|此外|同时|另外|随后|其中|日前|近日|近期|昨日|今日|目前|截至目前|据悉|并|且|而|又|因|但|其|该|为|当|如|若|拟|将|已|由|以|和|或|及)*"
)
_SUB_END = re.compile(
    r"于|在|拟|将|已|以|通过|向|与|为|被|由|对|从|近日|计划|因|累计|合计|共(?!同)|再(?!生)|曾|也|还|则|就|均|分别|欲|正|所|持有|宣布|发布|成功|获得|获|收到|作为|完成|首次|继续|\d|的|“|《|以及|等"
)
_OBJ_END = re.compile(
    r"[，,。；;：:“”《（(\d]|的|之|股权|股份|股票|所持|持有|部分|全部|等|项目|资产|事项|计划|一案|合同|协议|，|后|时|及其|以|案|标的|控股权|控制权|公告|款|价格|行为|过程|方案|完成|提供|旗下|总"
)
_HELD: Final = re.compile(r"^\s?(?:了|过|给|的|对象|标的|后|前)?(?:的)?(?:是|为|:|：)?\s?")
_NOT_NAME = re.compile(
    r"了|约定|显示|^持股|^(?:除|其|该|此|本|上述|公司|股东|这|那|我们|他|她|它|大家|目前|是否|有关|相关|一|多|两|三|不|无|没|再|也|或|和|及|在|中|方|人|额|金|年|月|日|价|款|比例)|^[\s\W]*$|(?:公告|股东|方式|价格|情况|方面|期间)$"
)

_DAY = re.compile(r"\d\s?[月日号]|\d[-/.]\d|\d\s?(?:st|nd|rd|th)\b")
_YEAR = re.compile(r"\d")
_TITLE = re.compile(
    r"(?:公司)?(?:第.{1,2})?(?:控股股东|实际控制人|实控人|大股东|股东|(?:副|原|前)?(?:董事长|总经理|总裁|董事|监事|高管)|被告人?|原告|上诉人)(?:之一|兼.{2,4})?(?:、)?"
)
_BODY = re.compile(
    r"(?:公司|集团|股份|企业|基金|银行|证券|控股|投资|科技|医药|电子|实业|地产|能源|汽车|资本|信托|保险|[委局部院所厅会社]|政府|大学|中心)$"
)
_PERSON = re.compile(
    rf"(?:股东|实际控制人|实控人|董事长|总经理|总裁|董事|监事|高管|董秘|一致行动人|被告人|原告人?|自然人)(?P<name>[{HAN}]{{2,3}}?)"
    r"(?=先生|女士|夫妇|[、，,(（和及与于在拟将向持减增质转累合计因已通所的之共分出以]|$)"
)
_HOLDS = re.compile(r"(?:持股|持有)(?:比例)?(?:为|超过?|公司股份)?\s?$")
_SUFFERED = re.compile(r"(?:被|遭到?|获)[^，,。；;]{0,14}$")
_BACKED = re.compile(
    r"(?:为|对)(?:其|公司)?(?:全资|控股|参股)?(?:子公司|孙公司|关联方)?(?P<name>[^，,。；;]{2,24}?)(?:在|向|的|申请|提供|承担|作)[^，,。；;]{0,24}$"
)
_PAYS = re.compile(r"支付|给付|赔偿|偿还|返还|向|pay")
_TO = re.compile(r"\s?(?:了)?(?:给|至|予)\s?")
_NEXT_PERSON = re.compile(
    rf"(?:、|和|及|与)(?:[{HAN}]{{2,6}}人|股东)?(?P<name>[{HAN}]{{2,3}}?)(?=先生|女士|[、，,(（和及与拟将减增质累合计分]|$)"
)
_HELD_BY = re.compile(r"(?:等[^，,。；;]{0,10})?(?:合计|分别)?(?:所持有?|持有)(?:的)?")
_BY = re.compile(r"\w*\sby\b")
_PASSIVE: Final = {"doer": "target", "target": "doer", "other": "doer"}
_BRACKET = re.compile(r"[(（][^()（）]{2,60}[)）]")
_OWNER = re.compile(r"的|旗下|下属|子公司|[”\"》]")
_SIDES = re.compile(r"(?P<other>被告人?|被上诉人|被申请人|被执行人)|(?P<doer>原告|上诉人|申请人|申请执行人)")
_SUES = re.compile(r"(?:提起|提出|发起|递交|提交|提|起|状告|向)[^，,。；;]{0,12}$")
_STAKE = re.compile(r"(?:所?持有?的?)?(?:约|不超过|合计)?[\d.]+\s?%|(?:全部|部分|的|所持|剩余|控股)*(?:股权|股份|股票)")


@dataclass(frozen=True, slots=True)
class Part:
    """`text[start:end]` of a reading as a part called `name`."""

    name: str
    start: int
    end: int


@lru_cache(maxsize=1)
def _frames() -> CueMatcher[str]:
    table = load_toml("lexicon/events.toml")["frames"]
    return CueMatcher((Cue(word), frame) for frame, words in table.items() for word in words)


@lru_cache(maxsize=4096)
def frame_of(wording: str) -> tuple[str, int, int] | None:
    """(frame, start, end) of the words in a relation that name a deal or proceeding, their core alone (中标 in
    中标候选人); None where none do."""
    found = list(_frames().find_all(wording))
    if not found:
        return None
    frame = max(found, key=lambda match: match.end - match.start).owner
    core = min((match for match in found if match.owner == frame), key=lambda m: (m.end - m.start, -m.start))
    return frame, core.start, core.end


@dataclass(frozen=True, slots=True)
class Scene:
    """A sentence with what is known of it: clauses, names of parties, time frames, and names in brackets."""

    text: str
    clauses: Clauses
    names: Sequence[Named]
    times: Sequence[TimeFrame]
    asides: Sequence[Named] = ()


def people_in(text: str, names: Sequence[Named]) -> list[Named]:
    """People whom naming did not know, behind what they are: 实控人古少明, 股东蔡福春先生."""
    surnames = word_list("surnames")
    people = []
    for match in _PERSON.finditer(text):
        start, end = match.span("name")
        is_free = all(end <= name.start or name.end <= start for name in names)
        if is_free and match["name"][0] in surnames:
            people.append(Named(start, end, Party(match["name"], fold(match["name"]), "person")))
    for person in [*people, *(name for name in names if name.party.kind == "person")]:
        people += _listed_people(text, person.end, [*names, *people])
    return people


def _listed_people(text: str, at: int, names: Sequence[Named]) -> Iterator[Named]:
    """The people in one list with the one who ends at a place: 、叶枫和范峰."""
    while (match := _NEXT_PERSON.match(text, at)) and match["name"][0] in word_list("surnames"):
        start, at = match.span("name")
        if any(start < name.end and name.start < at for name in names):
            return
        yield Named(start, at, Party(match["name"], fold(match["name"]), "person"))


def parts_of(scene: Scene, frame: str, start: int, end: int) -> list[Part]:
    """The parts of a frame whose trigger stands at [start, end), in the order of the text."""
    parties = list(_PARTIES[frame](scene, start, end))
    if _BY.match(scene.text, end):
        parties = [replace(part, name=_PASSIVE.get(part.name, part.name)) for part in parties]
    elif frame in {"purchase", "reduction"} and (
        suffered := _SUFFERED.search(scene.text, _clause(scene, start)[0], start)
    ):
        parties = [
            replace(part, name="target") if part.name == "doer" and part.end <= suffered.start() else part
            for part in parties
        ]
    parties += [also for part in parties for also in _also_called(scene, part)]
    parts = [Part("trigger", start, end), *parties, *_things(scene, frame, start, end)]
    seen: set[tuple[int, int]] = set()
    kept = []
    for part in parts:
        if (part.start, part.end) not in seen:
            seen.add((part.start, part.end))
            kept.append(part)
    return sorted(kept, key=lambda part: (part.start, part.end))


def _also_called(scene: Scene, part: Part) -> Iterator[Part]:
    """The short forms in the bracket behind a party, codes left out."""
    bracket = _BRACKET.match(scene.text, part.end)
    for named in scene.asides if bracket else ():
        if bracket and bracket.start() < named.start < bracket.end() and not scene.text[named.start].isdigit():
            yield Part(part.name, named.start, named.end)


def _things(scene: Scene, frame: str, start: int, end: int) -> Iterator[Part]:
    """Amounts, dates and the like, from the clauses around the trigger, up to the next one."""
    first, last = _reach(scene, start, end)
    wanted = _THINGS[frame]
    for name in wanted:
        if name == "date":
            yield from _date(scene, start)
        elif (match := _nearest(_PATTERNS[name].finditer(scene.text, first, last), scene.text, start, end)) is not None:
            lead = len(match.group()) - len(match.group().lstrip())
            yield Part(name, match.start() + lead, match.end())


def _reach(scene: Scene, start: int, end: int) -> tuple[int, int]:
    """From the clause before to the second clause behind, not over another trigger of the same kind."""
    number = scene.clauses.number(start)
    first = scene.clauses.span(max(number - 1, 0))[0]
    last = scene.clauses.span(min(number + 2, len(scene.clauses.starts) - 1))[1]
    word = scene.text[start:end]
    other = scene.text.find(word, end, last)
    return first, other if other > 0 else last


def _nearest(found: Iterable[re.Match[str]], text: str, start: int, end: int) -> re.Match[str] | None:
    """The match nearest to [start, end), behind rather than before; what is held (持股5%以上股东) is no part."""
    free = [
        m
        for m in found
        if (m.end() <= start or m.start() >= end) and not _HOLDS.search(text, max(m.start() - 12, 0), m.start())
    ]
    return min(free, key=lambda m: 2 * (start - m.end()) + 10 if m.end() <= start else m.start() - end, default=None)


def _date(scene: Scene, start: int) -> Iterator[Part]:
    """The last day or month before the trigger, else the last year."""
    before = [time for time in scene.times if time.end <= start]
    days = [time for time in before if _DAY.search(scene.text, time.start, time.end)]
    years = [time for time in before if _YEAR.search(scene.text, time.start, time.end)]
    for time in days[-1:] or years[-1:]:
        yield Part("date", time.start, time.end)


def marked(scene: Scene, name: Named) -> str:
    """How a preposition before a name marks it: to, by, with, of; "" without one."""
    match = _MARK.search(scene.text[max(name.start - 12, 0) : name.start])
    return "" if match is None else str(match.lastgroup).removeprefix("en_")


def _clause(scene: Scene, at: int) -> tuple[int, int]:
    return scene.clauses.span(scene.clauses.number(at))


def _doers(scene: Scene, start: int, marks: frozenset[str] = frozenset({"", "by", "with"})) -> list[Named]:
    """The names of the nearest clause up to the trigger that have one: those of a list, or the last one."""
    number = scene.clauses.number(start)
    for at in range(number, -1, -1):
        first, last = scene.clauses.span(at)
        names = [name for name in scene.names if first <= name.start and name.end <= min(last, start)]
        found = [name for name in names if marked(scene, name) in marks]
        if found:
            plain = [name for name in found if marked(scene, name) in {"", "by"}]
            head = plain[-1] if plain else found[-1]
            listed = [name for name in found if name.start >= head.start]
            return listed
    return []


def _sub(scene: Scene, start: int, *, marks: frozenset[str] = frozenset({"", "by", "with"})) -> Iterator[Part]:
    doers = _doers(scene, start, marks)
    if doers:
        yield from (Part("doer", name.start, name.end) for name in doers)
        return
    first, _ = _clause(scene, start)
    lead = _LEAD.match(scene.text[first:start])
    begin = first + (lead.end() if lead else 0)
    stop = _SUB_END.search(scene.text, begin + 1, start)
    last = stop.start() if stop else start
    owner = list(_OWNER.finditer(scene.text, begin, last))
    yield from _phrase(scene, "doer", owner[-1].end() if owner and owner[-1].end() < last else begin, last)


def _obj(scene: Scene, end: int, name: str = "other") -> Iterator[Part]:
    """What stands behind the trigger: names up to the end of its clause, else the words up to an amount or 股权."""
    _, last = _clause(scene, end - 1)
    behind = [named for named in scene.names if end <= named.start and named.end <= last and named.start - end <= 24]
    if behind and behind[0].start - end <= 16:
        if len(behind) > 1 and name == "target" and _HELD_BY.match(scene.text, behind[0].end):
            yield Part("other", behind[0].start, behind[0].end)
            del behind[0]
        found = [behind[0]]
        for named in behind[1:]:
            if scene.text[found[-1].end : named.start].strip() in {"、", "和", "及", "与", "以及", "and"}:
                found.append(named)
        yield from (Part(name, named.start, named.end) for named in found)
        return
    held = _HELD.match(scene.text[end:last])
    begin = end + (held.end() if held else 0)
    stop = _OBJ_END.search(scene.text, begin, last)
    is_certain = stop is not None and _STAKE.match(scene.text, stop.start()) is not None
    yield from _phrase(scene, name, begin, stop.start() if stop else last, is_certain=is_certain)


def _phrase(scene: Scene, name: str, start: int, end: int, *, is_certain: bool = False) -> Iterator[Part]:
    """Words in place of a name, if they look like one, or stand where there can be nothing else."""
    words = scene.text[start:end].strip(" ，,、")
    begin = start + scene.text[start:end].index(words) if words else start
    if lead := _TITLE.match(words):
        words, begin = words[lead.end() :], begin + lead.end()
    if 2 <= len(words) <= 24 and not _NOT_NAME.search(words) and (is_certain or _looks_like_name(words)):
        yield Part(name, begin, begin + len(words))


def _looks_like_name(words: str) -> bool:
    """Whether words end as names of bodies do, or are a person's by surname and length."""
    if _BODY.search(words) or (len(words) <= 3 and words[0] in word_list("surnames")):
        return True
    return 4 <= len(words) <= 6 and (words[:2] in _places() or words[:3] in _places())


@lru_cache(maxsize=1)
def _places() -> frozenset[str]:
    """Names of places, which short names of companies begin with: 杭州浩红."""
    return frozenset(name for _, name, *_ in load_rows("names/regions.tsv", 4) if len(name) in {2, 3})


def _with_mark(scene: Scene, start: int, marks: frozenset[str], name: str = "other") -> Iterator[Part]:
    """Names that a preposition marks, in the trigger's clause before it."""
    first, _ = _clause(scene, start)
    for named in scene.names:
        if first <= named.start and named.end <= start and marked(scene, named) in marks:
            yield Part(name, named.start, named.end)


def _labelled(scene: Scene) -> Iterator[Part]:
    """质权人为X, 交易对方为X."""
    for match in _HOLDER.finditer(scene.text):
        named = next((n for n in scene.names if 0 <= n.start - match.end() <= 2), None)
        if named:
            yield Part("other", named.start, named.end)


def _pledge(scene: Scene, start: int, end: int) -> Iterator[Part]:
    given = _TO.match(scene.text, end)
    behind = list(_obj(scene, given.end())) if given else []
    others = [*behind, *_with_mark(scene, start, frozenset({"to"})), *_labelled(scene)]
    yield from others
    taken = {part.start for part in others}
    yield from (part for part in _sub(scene, start, marks=frozenset({"", "with"})) if part.start not in taken)


def _purchase(scene: Scene, start: int, end: int) -> Iterator[Part]:
    by = list(_with_mark(scene, start, frozenset({"by"}), "doer"))
    targets = list(_obj(scene, end, "target"))
    doers = by or list(_sub(scene, start))
    if by and not targets:
        targets = [Part("target", part.start, part.end) for part in _sub(scene, by[0].start)]
    yield from targets
    yield from _with_mark(scene, start, frozenset({"to"}))
    yield from (part for part in doers if all(part.start != target.start for target in targets))


def _sale(scene: Scene, start: int, end: int) -> Iterator[Part]:
    buyers = [*_with_mark(scene, start, frozenset({"to"})), *_labelled(scene)]
    yield from buyers
    names = [part for part in _sub(scene, start, marks=frozenset({"", "with", "of"}))]
    yield from names
    yield from _obj(scene, end, "target")


def _reduction(scene: Scene, start: int, end: int) -> Iterator[Part]:
    """Who reduces, and what: the company that is named first announces; X减持Y, or 公司: 股东X减持."""
    targets = list(_obj(scene, end, "target"))
    doers = list(_sub(scene, start))
    yield from targets
    yield from doers
    if not targets and doers:
        earlier = [n for n in scene.names if n.end <= doers[0].start and n.party.kind != "person"]
        yield from (Part("target", name.start, name.end) for name in earlier[:1])


def _sides(scene: Scene) -> list[Part]:
    """原告X, 被告Y: parties that say themselves which side they are on, with those listed behind them."""
    sides: list[Part] = []
    last: Named | None = None
    for named in scene.names:
        label = _last_side(scene.text, named.start)
        listed = last is not None and scene.text[last.end : named.start].strip() in {"、", "和", "及", "以及"}
        name = label or (sides[-1].name if sides and listed else "")
        if name and not _is_court(scene, named.start, named.end):
            sides.append(Part(name, named.start, named.end))
            last = named
    return sides


def _last_side(text: str, at: int) -> str:
    found = list(_SIDES.finditer(text, max(at - 8, 0), at))
    return str(found[-1].lastgroup) if found else ""


def _is_court(scene: Scene, start: int, end: int) -> bool:
    return _COURT.search(scene.text[start:end]) is not None


def _lawsuit(scene: Scene, start: int, end: int) -> Iterator[Part]:
    """Who sues whom; who is only said to have a lawsuit is sued."""
    sides = _sides(scene)
    yield from sides
    marks = frozenset({"to", "with"})
    others = [*_with_mark(scene, start, marks), *_obj(scene, end), *_labelled(scene)]
    others = [part for part in others if not _is_court(scene, part.start, part.end)]
    yield from others
    taken = {part.start for part in (*sides, *others)}
    sues = bool(others) or _SUES.search(scene.text[:start]) is not None or scene.text[start:end] in {"起诉", "上诉"}
    for part in _sub(scene, start, marks=frozenset({""})):
        if part.start not in taken and not _is_court(scene, part.start, part.end):
            yield part if sues else Part("other", part.start, part.end)


def _ruling(scene: Scene, start: int, end: int) -> Iterator[Part]:
    sides = _sides(scene)
    if sides:
        yield from sides
        return
    names = [name for name in scene.names if not _is_court(scene, name.start, name.end)]
    behind = [name for name in names if name.start >= end]
    before = [name for name in names if name.end <= start]
    yield from (Part("other", name.start, name.end) for name in behind[:1] or before[-1:])
    if len(behind) > 1:
        paid = _PAYS.search(scene.text, behind[0].end, behind[1].start)
        yield Part("doer" if paid else "other", behind[1].start, behind[1].end)
    elif behind and before:
        yield Part("doer", before[-1].start, before[-1].end)


def _award(scene: Scene, start: int, end: int) -> Iterator[Part]:
    yield from _sub(scene, start)
    yield from _obj(scene, end)


def _contract(scene: Scene, start: int, end: int) -> Iterator[Part]:
    others = list(_with_mark(scene, start, frozenset({"with", "to"})))
    yield from others or _obj(scene, end)
    taken = {part.start for part in others}
    yield from (part for part in _sub(scene, start, marks=frozenset({""})) if part.start not in taken)


def _guarantee(scene: Scene, start: int, end: int) -> Iterator[Part]:
    others = [*_with_mark(scene, start, frozenset({"to"})), *_labelled(scene)]
    if not others and (backed := _BACKED.search(scene.text, _clause(scene, start)[0], start)):
        others = list(_phrase(scene, "other", *backed.span("name"), is_certain=True))
    yield from others
    taken = {part.start for part in others}
    yield from (part for part in _sub(scene, start, marks=frozenset({"", "by"})) if part.start not in taken)


_PARTIES: Final = {
    "pledge": _pledge, "reduction": _reduction, "purchase": _purchase, "buyback": _reduction, "sale": _sale,
    "lawsuit": _lawsuit, "ruling": _ruling, "award": _award, "contract": _contract, "guarantee": _guarantee,
}  # fmt: skip
_SHARES: Final = ("date", "money", "number", "proportion", "collateral", "way", "office")
_THINGS: Final = {
    **dict.fromkeys(("pledge", "reduction", "purchase", "buyback", "sale"), _SHARES),
    "lawsuit": ("date", "money"), "ruling": ("date", "money", "court"), "award": ("date", "money"),
    "contract": ("date", "money"), "guarantee": ("date", "money", "way"),
}  # fmt: skip
_PATTERNS: Final = {
    "money": _MONEY, "number": _NUMBER, "proportion": _PROPORTION, "collateral": _COLLATERAL, "court": _COURT,
    "office": _OFFICE, "way": _WAY,
}  # fmt: skip
