"""What a deal is told with beside its parties: amounts, shares, dates, the way it is done."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from finlore.knowledge.lexicon.scene import Scene
from finlore.language.normal import HAN

_ABOUT: Final = r"(?:上限为|下限为|不超过|不低于|不少于|不高于|约为|约|超过|超|近|逾|至少|不超)?\s?(?:人民币)?"
_NUMERAL: Final = r"(?<![\d.])\d[\d,]*(?:\.\d+)?\s?(?:万亿|[百千]?[万亿])?"
_MONEY = re.compile(
    rf"{_ABOUT}{_NUMERAL}\s?(?:美元|港元|港币|欧元|日元|英镑|人民币|美金|元)(?!\s?[/每]\s?股)(?:人民币)?"
    r"|(?:US\$|HK\$|RMB|USD|\$|€|£)\s?\d[\d,.]*\d?\s?(?:bn|billion|mn|million|m\b|k\b|trillion)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(rf"{_ABOUT}{_NUMERAL}(?=\s?股)|\d[\d,]*(?:\.\d+)?\s?(?:million|billion)?(?=\sshares)")
_PROPORTION = re.compile(rf"{_ABOUT}(?<![\d.])\d+(?:\.\d+)?\s?[%％]")
_COLLATERAL = re.compile(
    r"(?:限售|流通|普通|A|B|H)?(?<!所持)(?<!所持有)(?:股权|股份|股票|资产|债券|债权|可转债|房产|土地使用权)(?!转让|投资|有限|基金|登记|激励|公司|代码)"
    r"|(?<=[\d万亿])\s?股(?!本|东|价|权|份|票)"
)
_COURT = re.compile(
    rf"(?:[{HAN}]{{2,6}}[省市区县州旗])*(?:第?[一二三四最]?[{HAN}]{{0,2}})(?:人民法院|法院|中院|高院|仲裁委员会|仲裁院|仲裁庭|检察院)|\b(?:[A-Z]\w+\s)*Court\b(?:\sof\s\w+)?"
)
_OFFICE = re.compile(
    r"(?:副|执行)?(?:董事长|总经理|总裁)|控股股东|实际控制人|大股东|(?<!控)(?<!大)股东|独立董事|董事(?!会)|监事(?!会)|高级管理人员|高管|财务总监|董事会秘书|董秘"
)
_WAY = re.compile(
    r"换股|集中竞价(?:交易)?|大宗交易|协议转让|(?:以)?现金(?:方式)?|发行股份|连带责任(?:保证)?|要约(?=收购)|公开挂牌"
)
PATTERNS: Final = {
    "money": _MONEY, "number": _NUMBER, "proportion": _PROPORTION, "collateral": _COLLATERAL, "court": _COURT,
    "office": _OFFICE, "way": _WAY,
}  # fmt: skip
_HOLDS = re.compile(r"(?:持股|持有|现持|尚持)(?:比例)?(?:为|超过?|公司股份)?\s?$")
_PRICE = re.compile(r"(?:均价|单价|每股|股价|价格|面值)[^，,]{0,8}$")
_UNTIL = re.compile(r"^(?:截至|截止|截|至|到|by\s)\s?")
_DAY = re.compile(r"\d\s?[月日号]|\d[-/.]\d|\d\s?(?:st|nd|rd|th)\b")
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Part:
    """`text[start:end]` of a reading as a part called `name`."""

    name: str
    start: int
    end: int


def things_of(scene: Scene, wanted: tuple[str, ...], start: int, end: int) -> Iterator[Part]:
    """Amounts, dates and the like, from the clauses around the trigger at [start, end), up to the next one."""
    first, last = _reach(scene, start, end)
    for name in wanted:
        part = _date(scene, start) if name == "date" else _nearest(scene.text, name, (first, last), (start, end))
        if part:
            yield part


def _reach(scene: Scene, start: int, end: int) -> tuple[int, int]:
    """From the clause before to the second clause behind, not over another trigger of the same kind."""
    number = scene.clauses.number(start)
    first = scene.clauses.span(max(number - 1, 0))[0]
    last = scene.clauses.span(min(number + 2, len(scene.clauses.starts) - 1))[1]
    other = scene.text.find(scene.text[start:end], end, last)
    return first, other if other > 0 else last


def _nearest(text: str, name: str, reach: tuple[int, int], trigger: tuple[int, int]) -> Part | None:
    """The match nearest to the trigger, behind rather than before; what is held (持股5%以上股东) and prices of a share
    are no parts."""
    start, end = trigger
    free = [
        match
        for match in PATTERNS[name].finditer(text, *reach)
        if (match.end() <= start or match.start() >= end)
        and not _HOLDS.search(text, max(match.start() - 12, 0), match.start())
        and not (name == "money" and _PRICE.search(text, max(match.start() - 12, 0), match.start()))
    ]
    found = min(free, key=lambda m: _distance(m.start(), m.end(), trigger), default=None)
    if found is None:
        return None
    lead = len(found[0]) - len(found[0].lstrip())
    return Part(name, found.start() + lead, found.end())


def _distance(first: int, last: int, trigger: tuple[int, int]) -> int:
    start, end = trigger
    return 2 * (start - last) + 10 if last <= start else first - end


def _date(scene: Scene, start: int) -> Part | None:
    """The last day or month before the trigger, else the last year."""
    before = [time for time in scene.times if time.end <= start]
    days = [time for time in before if _DAY.search(scene.text, time.start, time.end)]
    years = [time for time in before if _DIGIT.search(scene.text, time.start, time.end)]
    for time in days[-1:] or years[-1:]:
        until = _UNTIL.match(scene.text[time.start : time.end])
        return Part("date", time.start + (until.end() if until else 0), time.end)
    return None
